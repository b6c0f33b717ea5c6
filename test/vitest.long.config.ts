/** The longer proofs, of `npm run test:long`: every crash, every path, many rows. */
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'
import { tempDisk } from './temp-disk.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.long.test.ts'],
    testTimeout: 400_000,
    hookTimeout: 240_000,
    globalSetup: ['test/servers.ts'],
    env: { TMPDIR: tempDisk() },
    pool: 'forks',
    // Garbage of short life is collected less often: 7 % of the time.
    execArgv: ['--max-semi-space-size=32'],
    // A third of it is waiting for processes, disks and leases: one more than a small machine has processors. With two more,
    // consoles, which give way to other programs, show changes too late.
    maxWorkers: 3,
    // No module holds state, so files of tests may share one; loading them anew takes twice as long.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // What the sources became is kept below node_modules, by their contents: the next run begins in half of the time.
    experimental: { fsModuleCache: true },
  },
})
