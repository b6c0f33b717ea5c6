/** What a known_hosts file says of one host, read as OpenSSH reads it. */
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import { type HostKey, hostKeyOf } from './host-key.ts'

export interface Host {
  readonly host: string
  readonly port: number
}

export interface KnownKey {
  readonly key: HostKey
  /** Counted from 1. */
  readonly line: number
}

export interface KnownHost {
  readonly trusted: readonly KnownKey[]
  readonly revoked: readonly KnownKey[]
  /** The lines that trust an authority for the host, which is of no use here: hosts with certificates are not known. */
  readonly authorities: readonly number[]
}

/** A file that is not there knows nobody. */
export async function readKnownHosts(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return ''
    throw new BridgeError('configuration-invalid', `The known hosts in ${path} cannot be read.`, {
      cause: error,
    })
  }
}

export function knownHost(text: string, host: Host): KnownHost {
  const entries = knownEntries(text).filter(({ names }) => matches(names, host))
  const marked = (mark: string) => entries.filter((entry) => entry.mark === mark)
  return {
    trusted: marked('').map(({ key, line }) => ({ key, line })),
    revoked: marked('@revoked').map(({ key, line }) => ({ key, line })),
    authorities: marked('@cert-authority').map(({ line }) => line),
  }
}

export interface KnownEntry {
  readonly mark: string
  /** As it stands: names and patterns with commas between them, or one hashed name. */
  readonly names: string
  readonly key: HostKey
  readonly line: number
}

/** The lines that say something; what is no entry is passed over, as OpenSSH does. */
export function knownEntries(text: string): KnownEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const [, mark = '', names = '', type, base64 = ''] = ENTRY.exec(line) ?? []
    if (names === '' || names.startsWith('#')) return []
    const key = hostKeyOf(Buffer.from(base64, 'base64'))
    return key === undefined || key.type !== type ? [] : [{ mark, names, key, line: index + 1 }]
  })
}

const ENTRY = /^[ \t]*(?:(@[\w-]+)[ \t]+)?([^ \t@][^ \t]*)[ \t]+([^ \t]+)[ \t]+([A-Za-z0-9+/=]+)/

/** How known_hosts calls the host: with its port, where that is not the usual one. */
export function knownName({ host, port }: Host): string {
  const lowered = host.toLowerCase()
  return port === USUAL_PORT ? lowered : `[${lowered}]:${port}`
}

const USUAL_PORT = 22

function matches(names: string, host: Host): boolean {
  const name = knownName(host)
  if (names.startsWith('|')) return isHashOf(names, name)
  const patterns = names.split(',')
  const isNamed = (pattern: string) => patternMatches(pattern.toLowerCase(), name)
  if (patterns.some((pattern) => pattern.startsWith('!') && isNamed(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && isNamed(pattern))
}

/** `|1|salt|hash`: the name in it can only be compared. */
function isHashOf(hashed: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/.exec(hashed) ?? []
  if (salt === undefined || hash === undefined) return false
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

/** `*` and `?` stand for any letters; never slower than the lengths multiplied, whatever stands in the file. */
function patternMatches(pattern: string, name: string): boolean {
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

/** Whether the line names the host by itself, so that it can be taken out without touching what else is trusted. */
export function namesExactly(names: string, host: Host): boolean {
  const name = knownName(host)
  return names.startsWith('|') ? isHashOf(names, name) : names.toLowerCase().split(',').includes(name)
}
