/** Makes sure, before the tests begin, that the real SFTP servers and a browser are installed, or prints in one line what is left out. */
import { CHROMIUM, hasChromium } from './fixtures/chromium.ts'
import { missingServers, SERVER_PROGRAMS, type ServerName } from './fixtures/server-programs.ts'
import { installPackages, machineHere, mayInstall } from './packages.ts'

/** What the tests need of other programs. */
interface Missing {
  readonly servers: readonly ServerName[]
  readonly isBrowserMissing: boolean
}

export function setup(): void {
  const missing = findMissing()
  if (packagesOf(missing).length === 0) return
  if (mayInstall(machineHere())) installPackages(packagesOf(missing))
  const lines = leftOut(findMissing())
  if (lines.length === 0) return
  if (process.env['DROPBRIDGE_TESTS_COMPLETE'] === '1') throw new Error(lines.join('\n'))
  for (const line of lines) console.error(line)
}

function findMissing(): Missing {
  return { servers: missingServers(), isBrowserMissing: !hasChromium() }
}

function packagesOf({ servers, isBrowserMissing }: Missing): string[] {
  const ofServers = servers.flatMap((name) => SERVER_PROGRAMS[name].packages)
  return [...new Set([...ofServers, ...(isBrowserMissing ? CHROMIUM.packages : [])])]
}

export function leftOut({ servers, isBrowserMissing }: Missing): string[] {
  const packages = packagesOf({ servers, isBrowserMissing: false }).join(' ')
  return [
    ...(servers.length === 0
      ? []
      : [`left out: the SFTP tests with ${servers.join(' and ')}; to run them: apt-get install ${packages}`]),
    ...(isBrowserMissing
      ? [
          `left out: the tests of the console in a browser; to run them: apt-get install ${CHROMIUM.packages.join(' ')}`,
        ]
      : []),
  ]
}
