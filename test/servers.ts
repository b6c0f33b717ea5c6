/** Sees to it, before the tests begin, that the real SFTP servers are there, or says in one line what is left out. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { missingServers, SERVER_PROGRAMS, type ServerName } from './fixtures/server-programs.ts'

export function setup(): void {
  const missing = missingServers()
  if (missing.length === 0) return
  if (mayInstall(machineHere())) install(packagesOf(missing))
  const left = missingServers()
  if (left.length === 0) return
  const line = leftOut(left)
  if (process.env['DROPBRIDGE_TESTS_COMPLETE'] === '1') throw new Error(line)
  console.error(line)
}

export interface Machine {
  readonly isRoot: boolean
  readonly hasApt: boolean
  /** Whether services are started by themselves: what is installed there would stay and run. */
  readonly runsServices: boolean
}

function machineHere(): Machine {
  return {
    isRoot: process.geteuid?.() === 0,
    hasApt: existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version'),
    runsServices: existsSync('/run/systemd/system'),
  }
}

/** Only in a container: on a machine of somebody, two servers that listen after the next start are no test's business. */
export function mayInstall({ isRoot, hasApt, runsServices }: Machine): boolean {
  return isRoot && hasApt && !runsServices
}

function packagesOf(names: readonly ServerName[]): string[] {
  return [...new Set(names.flatMap((name) => SERVER_PROGRAMS[name].packages))]
}

export function leftOut(names: readonly ServerName[]): string {
  const packages = packagesOf(names).join(' ')
  return `left out: the SFTP tests with ${names.join(' and ')}; to run them: apt-get install ${packages}`
}

/** Debian asks this file whether a service may be started that was just installed; 101 is no. */
const POLICY = '/usr/sbin/policy-rc.d'
const INSTALLS_WITHIN_MS = 180_000

function install(packages: readonly string[]): void {
  console.error(`installing for the SFTP tests: ${packages.join(' ')}`)
  const isOurs = !existsSync(POLICY)
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  try {
    aptGet('update', '-q')
    aptGet('install', '-q', '-y', '--no-install-recommends', ...packages)
  } catch {
    // What is missing then is said as on any other machine.
  } finally {
    if (isOurs) rmSync(POLICY)
  }
}

function aptGet(...words: string[]): void {
  execFileSync('apt-get', ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20', ...words], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    timeout: INSTALLS_WITHIN_MS,
  })
}
