/** A server's public key, and its fingerprint as `ssh-keygen -lf` prints it. */
import { createHash } from 'node:crypto'
import type { ServerHostKeyAlgorithm } from 'ssh2'

export interface HostKey {
  /** As known_hosts names it, such as `ssh-ed25519`. */
  readonly type: string
  /** The key as it goes over the wire. */
  readonly blob: Buffer
}

/** The key in such bytes; undefined where they are none. */
export function hostKeyOf(blob: Buffer): HostKey | undefined {
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
export function fingerprintOf({ blob }: HostKey): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

export const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/

/** For people: `ED25519 SHA256:…`. */
export function keyInWords(key: HostKey): string {
  return `${familyOf(key.type)?.name ?? key.type} ${fingerprintOf(key)}`
}

export function isSameKey(one: HostKey, other: HostKey): boolean {
  return one.blob.equals(other.blob)
}

export interface KeyFamily {
  readonly name: string
  readonly types: readonly string[]
  /** What a client asks for to be shown a key of this family. */
  readonly algorithms: readonly ServerHostKeyAlgorithm[]
}

/** Best first. The last one signs with SHA-1: old servers know nothing else, and the key itself is compared anyway. */
export const KEY_FAMILIES: readonly KeyFamily[] = [
  { name: 'ED25519', types: ['ssh-ed25519'], algorithms: ['ssh-ed25519'] },
  ...(['nistp256', 'nistp384', 'nistp521'] as const).map((curve): KeyFamily => {
    const type = `ecdsa-sha2-${curve}` as const
    return { name: `ECDSA ${curve}`, types: [type], algorithms: [type] }
  }),
  { name: 'RSA', types: ['ssh-rsa'], algorithms: ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] },
]

export function familyOf(type: string): KeyFamily | undefined {
  return KEY_FAMILIES.find(({ types }) => types.includes(type))
}
