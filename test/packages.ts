/** Debian's packages that tests need, installed where a test may do that. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

export interface Machine {
  readonly isRoot: boolean
  readonly hasApt: boolean
  /** Whether the machine starts services by itself: installed servers would stay and run. */
  readonly runsServices: boolean
}

export function machineHere(): Machine {
  return {
    isRoot: process.geteuid?.() === 0,
    hasApt: existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version'),
    runsServices: existsSync('/run/systemd/system'),
  }
}

/** Only in a container: on a person's machine a test must not leave servers that start with it. */
export function mayInstall({ isRoot, hasApt, runsServices }: Machine): boolean {
  return isRoot && hasApt && !runsServices
}

/** Debian calls this program before it starts a service that was just installed; 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d'
const INSTALLS_WITHIN_MS = 180_000

/** Installs what it can and never throws: the caller checks what is still missing. */
export function installPackages(packages: readonly string[]): void {
  console.error(`installing for the tests: ${packages.join(' ')}`)
  const isOurs = !existsSync(POLICY)
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  try {
    aptGet('update', '-q')
    aptGet('install', '-q', '-y', '--no-install-recommends', ...packages)
  } catch {
    // Without a network no package can be installed.
  } finally {
    if (isOurs) rmSync(POLICY)
  }
}

function aptGet(...args: string[]): void {
  execFileSync('apt-get', ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    timeout: INSTALLS_WITHIN_MS,
  })
}
