/** The tests of `npm test`: all but the longer proofs. */
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'
import { tempDisk } from './temp-disk.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/servers.ts'],
    env: { TMPDIR: tempDisk() },
    pool: 'forks',
    // Garbage of short life is collected less often: 7 % of the time.
    execArgv: ['--max-semi-space-size=32'],
    // Two more than a small machine has processors: a third of the time is waiting for processes, disks and timers.
    maxWorkers: 4,
    // No module holds state, so files of tests may share one; loading them anew takes twice as long.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // What the sources became is kept below node_modules, by their contents: the next run begins in half of the time.
    experimental: { fsModuleCache: true },
  },
})
