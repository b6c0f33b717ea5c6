/** The process: limits its heap and its priority, masks the secrets of its environment, and knows its package. */
import { isIP } from 'node:net'
import { constants, getPriority, hostname, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { readFileSync } from 'node:fs'
import { cp, mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * The old generation grows in smaller steps before it is cleaned: files of any size pass through, and none needs a large heap.
 * The young one grows to its whole size at once: what a start makes stays alive, and collecting it again and again was a
 * tenth of a short command. How large that is was chosen when Node started; V8 reads no flag about it later.
 */
export const HEAP_FLAGS: readonly string[] = ['--heap-growing-percent=40', '--semi-space-growth-factor=16']

export function limitHeap(): void {
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag)
}

/** The process, and those that it starts, get a processor after others that want one. Its priority is never raised. */
export function letOthersFirst(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
}

// Other programs may print the secrets that they get.

const SECRET_NAME = /secret|password|passphrase|token|key|credential/i

/** Shorter ones would be found in ordinary words. */
const SECRET_LENGTH_MIN = 6

/** The text with `***` for the values of all variables that are named like a secret. */
export function maskSecrets(text: string, environment: Readonly<NodeJS.ProcessEnv> = process.env): string {
  return Object.entries(environment)
    .filter(([name, value = '']) => SECRET_NAME.test(name) && value.length >= SECRET_LENGTH_MIN)
    .map(([, value = '']) => value)
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}

// Reads the installed package: its version, the ready mappings and the samples.

export const VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** A path within the installed package. */
export function resolvePackagePath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/** Larger ones are for demonstrations, not to start from. */
const LARGEST_COPY = 64 * 1024

/** Copies a folder of the package; never overwrites existing files. */
export async function copyFromPackage(path: string, to: string, largest = LARGEST_COPY): Promise<void> {
  await mkdir(to, { recursive: true })
  const filter = async (source: string) => {
    const found = await stat(source)
    return found.isDirectory() || found.size <= largest
  }
  await cp(resolvePackagePath(path), to, { recursive: true, force: false, filter })
}

// The host names of a server: a page of another site can only ask it under a name of that site.

/** Whether a `Host` header names this machine: by an address, as localhost, by its own name, or by one of these. */
export function createHostCheck(names: readonly string[]): (header: string | undefined) => boolean {
  const own = new Set(['localhost', hostname(), ...names].map(normalizeHost))
  return (header) => {
    // Only HTTP/1.0 goes without, and no browser speaks that.
    if (header === undefined) return true
    const host = normalizeHost(header.replace(/:\d*$/, ''))
    return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 || own.has(host)
  }
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
