/** Reads and writes known_hosts files as OpenSSH does. */
import { createHash, createHmac } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import { ignoreCodes, PRIVATE_FILE, replaceFile, syncFolder } from '../../support/files.ts'
import type { SocketTarget } from './socket.ts'

type Host = Pick<SocketTarget, 'host' | 'port'>

interface KnownKey {
  readonly key: HostKey
  /** Counted from 1. */
  readonly line: number
}

export interface KnownHost {
  readonly trusted: readonly KnownKey[]
  readonly revoked: readonly KnownKey[]
  /** The lines that trust an authority for the host, which do not help: host certificates are not supported. */
  readonly authorities: readonly number[]
}

/** Reads the file; a missing file trusts no host. */
export async function readKnownHosts(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return ''
    const message = `The known hosts in ${path} cannot be read.`
    throw new BridgeError('configuration-invalid', message, { cause: error })
  }
}

export function findKnownHost(text: string, host: Host): KnownHost {
  const entries = parseKnownHosts(text).filter(({ names }) => matchesHost(names, host))
  const marked = (mark: string) =>
    entries.filter((entry) => entry.mark === mark).map(({ key, line }) => ({ key, line }))
  return {
    trusted: marked(''),
    revoked: marked('@revoked'),
    authorities: marked('@cert-authority').map(({ line }) => line),
  }
}

interface KnownEntry extends KnownKey {
  readonly mark: string
  /** As in the file: names and patterns with commas between them, or one hashed name. */
  readonly names: string
}

/** Parses the entries; ignores other lines, as OpenSSH does. */
function parseKnownHosts(text: string): KnownEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const [, mark = '', names = '', type, base64 = ''] = ENTRY.exec(line) ?? []
    if (names === '' || names.startsWith('#')) return []
    const key = parseHostKey(Buffer.from(base64, 'base64'))
    return key === undefined || key.type !== type ? [] : [{ mark, names, key, line: index + 1 }]
  })
}

const ENTRY = /^[ \t]*(?:(@[\w-]+)[ \t]+)?([^ \t@][^ \t]*)[ \t]+([^ \t]+)[ \t]+([A-Za-z0-9+/=]+)/

/** Formats the host as in known_hosts: with its port, unless that is the usual one. */
export function formatHostName({ host, port }: Host): string {
  const lowered = host.toLowerCase()
  return port === USUAL_PORT ? lowered : `[${lowered}]:${port}`
}

const USUAL_PORT = 22

function matchesHost(names: string, host: Host): boolean {
  const name = formatHostName(host)
  if (names.startsWith('|')) return matchesHash(names, name)
  const patterns = names.split(',')
  const isNamed = (pattern: string) => matchesPattern(pattern.toLowerCase(), name)
  if (patterns.some((pattern) => pattern.startsWith('!') && isNamed(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && isNamed(pattern))
}

/** Compares a name with `|1|salt|hash`. */
function matchesHash(hashed: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/.exec(hashed) ?? []
  if (salt === undefined || hash === undefined) return false
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

/** `*` matches any letters and `?` one; never slower than the product of the lengths, for any pattern. */
function matchesPattern(pattern: string, name: string): boolean {
  let [at, in_, star, mark] = [0, 0, -1, 0]
  while (at < name.length) {
    const letter = pattern[in_]
    if (letter === '*') {
      star = in_++
      mark = at
    } else if (letter === '?' || letter === name[at]) {
      in_++
      at++
    } else if (star >= 0) {
      in_ = star + 1
      at = ++mark
    } else {
      return false
    }
  }
  return /^\**$/.test(pattern.slice(in_))
}

/** Whether the line names the host literally, so that removing it does not affect other hosts. */
function namesExactly(names: string, host: Host): boolean {
  const name = formatHostName(host)
  return names.startsWith('|') ? matchesHash(names, name) : names.toLowerCase().split(',').includes(name)
}

/** Creates a missing file. With `replace`, removes the host's earlier keys. */
export async function saveTrustedKeys(
  path: string,
  host: Host,
  keys: readonly HostKey[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  try {
    // A link stays a link.
    const file = (await realpath(path).catch(ignoreCodes('ENOENT'))) ?? path
    const before = (await readFile(file, 'utf8').catch(ignoreCodes('ENOENT'))) ?? ''
    const kept = replace ? removeHost(before, host, path) : before
    const lines = keys.map(({ type, blob }) => `${formatHostName(host)} ${type} ${blob.toString('base64')}\n`)
    await writeAtomically(file, `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${lines.join('')}`)
  } catch (error) {
    if (error instanceof BridgeError) throw error
    throw new BridgeError('cannot-write', `The known hosts in ${path} cannot be written.`, { cause: error })
  }
}

/** Removes the host's keys. Keys of other hosts and revoked keys stay. */
function removeHost(text: string, host: Host, path: string): string {
  const old = new Set(findKnownHost(text, host).trusted.map(({ line }) => line))
  const entries = parseKnownHosts(text).filter(({ line }) => old.has(line))
  const pattern = entries.find(({ names }) => !namesExactly(names, host))
  if (pattern !== undefined) {
    const trusts = `${path} line ${pattern.line} trusts ${formatHostName(host)}`
    const message = `${trusts} by a pattern that may stand for other hosts too. Take the line out by hand, then run the command again.`
    throw new BridgeError('configuration-invalid', message)
  }
  const names = new Map(entries.map((entry) => [entry.line, entry.names]))
  const kept = text.split('\n').flatMap((line, index) => {
    const named = names.get(index + 1)
    if (named === undefined) return [line]
    const otherNames = named.split(',').filter((name) => name.toLowerCase() !== formatHostName(host))
    return named.startsWith('|') || otherNames.length === 0 ? [] : [line.replace(named, otherNames.join(','))]
  })
  return kept.join('\n')
}

/** Writes the file whole or not at all; a new file is readable only for its owner. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const before = await stat(path).catch(ignoreCodes('ENOENT'))
  await replaceFile(path, text, before === undefined ? PRIVATE_FILE : before.mode & 0o777)
  await syncFolder(dirname(path))
}

// A public key of a server, and its fingerprint as `ssh-keygen -lf` prints it.

export interface HostKey {
  /** As known_hosts names it, such as `ssh-ed25519`. */
  readonly type: string
  /** The key as it goes over the wire. */
  readonly blob: Buffer
}

/** Parses a key; undefined for other bytes. */
export function parseHostKey(blob: Buffer): HostKey | undefined {
  if (blob.length < LENGTH_BYTES) return undefined
  const length = blob.readUInt32BE(0)
  if (length === 0 || length > TYPE_BYTES_MAX || blob.length <= LENGTH_BYTES + length) return undefined
  const type = blob.toString('latin1', LENGTH_BYTES, LENGTH_BYTES + length)
  return PLAIN_TYPE.test(type) ? { type, blob } : undefined
}

const LENGTH_BYTES = 4
const TYPE_BYTES_MAX = 64
const PLAIN_TYPE = /^[\w@.-]+$/

/** `SHA256:` and 43 letters. */
export function formatFingerprint({ blob }: HostKey): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

export const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/

/** For people: `ED25519 SHA256:…`. */
export function formatHostKey(key: HostKey): string {
  return `${findKeyFamily(key.type)?.name ?? key.type} ${formatFingerprint(key)}`
}

export function isSameKey(one: HostKey, other: HostKey): boolean {
  return one.blob.equals(other.blob)
}

export interface KeyFamily {
  readonly name: string
  readonly types: readonly string[]
  /** The algorithms by which a client requests a key of this family. */
  readonly algorithms: readonly ServerHostKeyAlgorithm[]
}

/** Best first. The last one signs with SHA-1: old servers have nothing else, and the key itself is compared anyway. */
export const KEY_FAMILIES: readonly KeyFamily[] = [
  { name: 'ED25519', types: ['ssh-ed25519'], algorithms: ['ssh-ed25519'] },
  ...(['nistp256', 'nistp384', 'nistp521'] as const).map((curve): KeyFamily => {
    const type = `ecdsa-sha2-${curve}` as const
    return { name: `ECDSA ${curve}`, types: [type], algorithms: [type] }
  }),
  { name: 'RSA', types: ['ssh-rsa'], algorithms: ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] },
]

export function findKeyFamily(type: string): KeyFamily | undefined {
  return KEY_FAMILIES.find(({ types }) => types.includes(type))
}
