/** Makes sure, before the tests begin, that the real SFTP servers are installed, or prints in one line what is left out. */
import { installPackages, machineHere, mayInstall } from './packages.ts'
import { missingServers, SERVER_PROGRAMS, type ServerName } from './fixtures/server-programs.ts'

export function setup(): void {
  const missing = missingServers()
  if (missing.length === 0) return
  if (mayInstall(machineHere())) installPackages(packagesOf(missing))
  const left = missingServers()
  if (left.length === 0) return
  const line = leftOut(left)
  if (process.env['DROPBRIDGE_TESTS_COMPLETE'] === '1') throw new Error(line)
  console.error(line)
}

function packagesOf(names: readonly ServerName[]): string[] {
  return [...new Set(names.flatMap((name) => SERVER_PROGRAMS[name].packages))]
}

export function leftOut(names: readonly ServerName[]): string {
  const packages = packagesOf(names).join(' ')
  return `left out: the SFTP tests with ${names.join(' and ')}; to run them: apt-get install ${packages}`
}
