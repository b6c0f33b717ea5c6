/**
 * `npm run test:shifted`: the tests that read the clock, once more on another day and in another time zone. Debian's libfaketime
 * gives every process of the run another time; the kernel, and so the times of files, keeps the true one.
 *
 * npm run test:shifted -- [--clock=-1d] [--zone America/St_Johns] [--all] [files of tests]
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { installPackages, mayInstall, machineHere } from '../packages.ts'

const LIBRARIES = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`,
)

const { values, positionals } = parseArgs({
  options: {
    clock: { type: 'string', default: '+400d' },
    zone: { type: 'string', default: 'Asia/Kolkata' },
    all: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

process.exitCode = main()

function main(): number {
  const library = foundLibrary()
  if (library === undefined) {
    process.stderr.write(
      'left out: the tests under a shifted clock, which need libfaketime; to run them: apt-get install faketime\n',
    )
    return process.env['DROPBRIDGE_TESTS_COMPLETE'] === '1' ? 1 : 0
  }
  process.stderr.write(`the clock is shifted by ${values.clock}, the zone is ${values.zone}\n`)
  const args = ['run', '--config', 'test/vitest.shifted.config.ts', ...positionals]
  const { status } = spawnSync('node_modules/.bin/vitest', args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME: values.clock,
      // Durations stay true, or no timeout would work.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TZ: values.zone,
      ...(values.all ? { DROPBRIDGE_SHIFTED: 'all' } : {}),
    },
  })
  return status ?? 1
}

function foundLibrary(): string | undefined {
  const found = () => LIBRARIES.find((path) => existsSync(path))
  if (found() === undefined && mayInstall(machineHere())) installPackages(['faketime'])
  return found()
}
