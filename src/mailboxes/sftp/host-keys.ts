/** Whether a server is the one that is trusted: it shows a key that known_hosts or a pinned fingerprint names, or nothing is sent. */
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { BridgeError } from '../../support/errors.ts'
import {
  familyOf,
  fingerprintOf,
  FINGERPRINT,
  type HostKey,
  hostKeyOf,
  isSameKey,
  KEY_FAMILIES,
  type KeyFamily,
  keyInWords,
} from './host-key.ts'
import type { SftpServer } from './options.ts'
import { type KnownHost, knownHost, knownName, readKnownHosts } from './known-hosts.ts'

/** A mailbox's server and what is trusted of it. */
export type HostTrust = Pick<SftpServer, 'mailbox' | 'host' | 'port' | 'trust'>

/** For `connect` of ssh2. */
export interface KeyOffer {
  readonly algorithms: { readonly serverHostKey: ServerHostKeyAlgorithm[] }
  /** False ends the connection before anything is sent that could be a secret, the user's name included. */
  readonly hostVerifier: (blob: Buffer) => boolean
}

/**
 * Connects so that only a trusted server is spoken to. Another key than the trusted ones throws `host-key-changed`, a server
 * of which nothing is known `host-key-unknown`; everything else that `connect` throws passes through.
 */
export async function withTrustedHost<Connection>(
  server: HostTrust,
  connect: (offer: KeyOffer) => Promise<Connection>,
): Promise<Connection> {
  const judge = await judgeOf(server)
  const shown: HostKey[] = []
  let refusal: BridgeError | undefined
  const attempt = async (families: readonly KeyFamily[]) => {
    let isRefused = false
    const hostVerifier = (blob: Buffer): boolean => {
      const key = hostKeyOf(blob)
      if (key !== undefined) shown.push(key)
      const found = key === undefined ? unreadable(server) : judge.refusalOf(key)
      isRefused = found !== undefined
      refusal ??= found
      return !isRefused
    }
    const serverHostKey = families.flatMap(({ algorithms }) => algorithms)
    try {
      return { connection: await connect({ algorithms: { serverHostKey }, hostVerifier }) }
    } catch (error) {
      if (isRefused || (shown.length > 0 && isNoCommonKey(error))) return undefined
      throw error
    }
  }
  const first = await attempt(judge.families)
  if (first !== undefined) return first.connection
  for (const family of judge.othersThan(shown)) {
    const next = await attempt([family])
    if (next !== undefined) return next.connection
  }
  throw refusal ?? unreadable(server)
}

interface Judge {
  /** Which keys the server is asked for, best first: one that is known must not be hidden behind one that is not. */
  readonly families: readonly KeyFamily[]
  readonly refusalOf: (key: HostKey) => BridgeError | undefined
  /** What else to ask a server for that showed these keys: a fingerprint does not say of which kind its key is. */
  readonly othersThan: (shown: readonly HostKey[]) => readonly KeyFamily[]
}

async function judgeOf(server: HostTrust): Promise<Judge> {
  const { pinned = [], knownHostsFile } = server.trust
  if (pinned.length > 0) return judgeByPins(server, pinned)
  const text = knownHostsFile === undefined ? '' : await readKnownHosts(knownHostsFile)
  const known = knownHost(text, server)
  return {
    families: preferred(known.trusted.map(({ key }) => key.type)),
    refusalOf: (key) => refusedByFile(server, known, key),
    othersThan: () => [],
  }
}

function preferred(types: readonly string[]): KeyFamily[] {
  const isKnown = (family: KeyFamily) => family.types.some((type) => types.includes(type))
  return [...KEY_FAMILIES.filter(isKnown), ...KEY_FAMILIES.filter((family) => !isKnown(family))]
}

function judgeByPins(server: HostTrust, pinned: readonly string[]): Judge {
  const keys = pinned.flatMap((pin) => pinnedKey(pin) ?? [])
  const fingerprints = [...pinned.filter((pin) => FINGERPRINT.test(pin)), ...keys.map(fingerprintOf)]
  return {
    families: preferred(keys.map(({ type }) => type)),
    refusalOf: (key) => {
      if (fingerprints.includes(fingerprintOf(key))) return undefined
      const ofType = keys.filter(({ type }) => type === key.type)
      const old = ofType.length > 0 ? ofType.map(keyInWords) : fingerprints
      return changed(server, key, `${old.join(' or ')}, as hostKey of the mailbox says`)
    },
    othersThan: (shown) =>
      fingerprints.length === keys.length
        ? []
        : KEY_FAMILIES.filter(({ types }) => !shown.some(({ type }) => types.includes(type))),
  }
}

/** The key in `ssh-ed25519 AAAA… comment`, as a .pub file has it. */
export function pinnedKey(pin: string): HostKey | undefined {
  const [type, base64 = ''] = pin.trim().split(/\s+/)
  const key = hostKeyOf(Buffer.from(base64, 'base64'))
  return key !== undefined && key.type === type && familyOf(type) !== undefined ? key : undefined
}

function refusedByFile(server: HostTrust, known: KnownHost, key: HostKey): BridgeError | undefined {
  const file = server.trust.knownHostsFile ?? ''
  const revoked = known.revoked.find((each) => isSameKey(each.key, key))
  if (revoked !== undefined) {
    const where = `${file} line ${revoked.line}`
    return new BridgeError(
      'host-key-changed',
      `${knownName(server)} shows the key ${keyInWords(key)}, which is revoked in ${where}: somebody else may have it. Nothing was sent.`,
      { cure: cureOfChange(server) },
    )
  }
  if (known.trusted.some((each) => isSameKey(each.key, key))) return undefined
  const ofType = known.trusted.filter((each) => each.key.type === key.type)
  const old = ofType.length > 0 ? ofType : known.trusted
  if (old.length === 0) return unknown(server, known, key)
  const words = old.map((each) => `${keyInWords(each.key)} (${file} line ${each.line})`)
  return changed(server, key, words.join(' or '))
}

function changed(server: HostTrust, key: HostKey, old: string): BridgeError {
  return new BridgeError(
    'host-key-changed',
    `${knownName(server)} shows another host key than before. Trusted: ${old}. Shown now: ${keyInWords(key)}. Somebody may be listening in between. Nothing was sent.`,
    { cure: cureOfChange(server) },
  )
}

function cureOfChange({ mailbox, trust }: HostTrust): string {
  const isPinned = (trust.pinned ?? []).length > 0
  const then = isPinned
    ? `correct \`hostKey\` of the mailbox ${mailbox}`
    : `run \`dropbridge trust-host ${mailbox} --replace\``
  return `Ask whoever runs the server whether their key has changed, and for the new fingerprint. Only then ${then}. Other mailboxes go on.`
}

function unknown(server: HostTrust, known: KnownHost, key: HostKey): BridgeError {
  const [line] = known.authorities
  const authority =
    line === undefined
      ? ''
      : ` Line ${line} trusts an authority, and certificates of hosts are not understood here.`
  const { knownHostsFile } = server.trust
  const place = knownHostsFile === undefined ? 'is not known' : `is not known in ${knownHostsFile}`
  return new BridgeError(
    'host-key-unknown',
    `${knownName(server)} ${place}.${authority} It shows the key ${keyInWords(key)}. Nothing was sent.`,
    {
      // The fingerprint that is shown may be that of somebody in between, so it is not put into anybody's mouth.
      cure: `Ask whoever runs the server for the fingerprint of its key, and trust that one: \`dropbridge trust-host ${server.mailbox} --fingerprint …\`. Other mailboxes go on.`,
    },
  )
}

function unreadable(server: HostTrust): BridgeError {
  return new BridgeError('host-key-unknown', `${knownName(server)} shows a host key that cannot be read.`)
}

/** The library has only words for it. */
export function isNoCommonKey(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no matching host key format')
}
