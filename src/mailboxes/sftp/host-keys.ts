/** Checks that a server is the trusted one, by known_hosts or a pinned fingerprint, before anything is sent. */
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { BridgeError, getErrorMessage } from '../../support/errors.ts'
import {
  findKeyFamily,
  findKnownHost,
  FINGERPRINT,
  formatFingerprint,
  formatHostKey,
  formatHostName,
  type HostKey,
  isSameKey,
  KEY_FAMILIES,
  type KeyFamily,
  type KnownHost,
  parseHostKey,
  readKnownHosts,
} from './known-hosts.ts'
import type { SftpServer } from './options.ts'
import { openSocket, suggestServerFix } from './socket.ts'
import { ssh2 } from './ssh2.ts'

type HostTrust = Pick<SftpServer, 'mailbox' | 'host' | 'port' | 'trust'>

/** For `connect` of ssh2. */
export interface KeyOffer {
  readonly algorithms: { readonly serverHostKey: ServerHostKeyAlgorithm[] }
  /** False ends the connection before any secret is sent, the user's name included. */
  readonly hostVerifier: (blob: Buffer) => boolean
}

/** Connects only to a trusted server; else throws `host-key-changed` or `host-key-unknown`. */
export async function withTrustedHost<Connection>(
  server: HostTrust,
  connect: (offer: KeyOffer) => Promise<Connection>,
): Promise<Connection> {
  const judge = await createKeyPolicy(server)
  const shown: HostKey[] = []
  let refusal: BridgeError | undefined
  const attempt = async (families: readonly KeyFamily[]) => {
    let isRefused = false
    const hostVerifier = (blob: Buffer): boolean => {
      const key = parseHostKey(blob)
      if (key !== undefined) shown.push(key)
      const found = key === undefined ? keyUnreadableError(server) : judge.check(key)
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
  for (const family of judge.getOtherFamilies(shown)) {
    const next = await attempt([family])
    if (next !== undefined) return next.connection
  }
  throw refusal ?? keyUnreadableError(server)
}

interface KeyPolicy {
  /** The key families to request, best first: an unknown key must not hide a known one. */
  readonly families: readonly KeyFamily[]
  readonly check: (key: HostKey) => BridgeError | undefined
  /** Returns further families to request after these keys: a fingerprint does not name the kind of its key. */
  readonly getOtherFamilies: (shown: readonly HostKey[]) => readonly KeyFamily[]
}

async function createKeyPolicy(server: HostTrust): Promise<KeyPolicy> {
  const { pinned = [], knownHostsFile } = server.trust
  if (pinned.length > 0) return createPinPolicy(server, pinned)
  const text = knownHostsFile === undefined ? '' : await readKnownHosts(knownHostsFile)
  const known = findKnownHost(text, server)
  return {
    families: sortFamilies(known.trusted.map(({ key }) => key.type)),
    check: (key) => checkAgainstFile(server, known, key),
    getOtherFamilies: () => [],
  }
}

function sortFamilies(types: readonly string[]): KeyFamily[] {
  const isKnown = (family: KeyFamily) => family.types.some((type) => types.includes(type))
  return [...KEY_FAMILIES.filter(isKnown), ...KEY_FAMILIES.filter((family) => !isKnown(family))]
}

function createPinPolicy(server: HostTrust, pinned: readonly string[]): KeyPolicy {
  const keys = pinned.flatMap((pin) => parsePinnedKey(pin) ?? [])
  const fingerprints = [...pinned.filter((pin) => FINGERPRINT.test(pin)), ...keys.map(formatFingerprint)]
  return {
    families: sortFamilies(keys.map(({ type }) => type)),
    check: (key) => {
      if (fingerprints.includes(formatFingerprint(key))) return undefined
      const ofType = keys.filter(({ type }) => type === key.type)
      const old = ofType.length > 0 ? ofType.map(formatHostKey) : fingerprints
      return keyChangedError(server, key, `${old.join(' or ')}, as hostKey of the mailbox says`)
    },
    getOtherFamilies: (shown) =>
      fingerprints.length === keys.length
        ? []
        : KEY_FAMILIES.filter(({ types }) => !shown.some(({ type }) => types.includes(type))),
  }
}

/** The key in `ssh-ed25519 AAAA… comment`, as a .pub file has it. */
export function parsePinnedKey(pin: string): HostKey | undefined {
  const [type, base64 = ''] = pin.trim().split(/\s+/)
  const key = parseHostKey(Buffer.from(base64, 'base64'))
  return key !== undefined && key.type === type && findKeyFamily(type) !== undefined ? key : undefined
}

function checkAgainstFile(server: HostTrust, known: KnownHost, key: HostKey): BridgeError | undefined {
  const file = server.trust.knownHostsFile ?? ''
  const revoked = known.revoked.find((each) => isSameKey(each.key, key))
  if (revoked !== undefined) {
    const which = `the key ${formatHostKey(key)}, which is revoked in ${file} line ${revoked.line}`
    const message = `${formatHostName(server)} shows ${which}: others may have it. Nothing was sent.`
    return new BridgeError('host-key-changed', message, { fix: formatKeyChangeFix(server) })
  }
  if (known.trusted.some((each) => isSameKey(each.key, key))) return undefined
  const ofType = known.trusted.filter((each) => each.key.type === key.type)
  const old = ofType.length > 0 ? ofType : known.trusted
  if (old.length === 0) return keyUnknownError(server, known, key)
  const oldKeys = old.map((each) => `${formatHostKey(each.key)} (${file} line ${each.line})`)
  return keyChangedError(server, key, oldKeys.join(' or '))
}

function keyChangedError(server: HostTrust, key: HostKey, old: string): BridgeError {
  const message = `${formatHostName(server)} shows another host key than before. Trusted: ${old}. Shown now: ${formatHostKey(key)}. A third party may be listening in between. Nothing was sent.`
  return new BridgeError('host-key-changed', message, { fix: formatKeyChangeFix(server) })
}

function formatKeyChangeFix({ mailbox, trust }: HostTrust): string {
  const isPinned = (trust.pinned ?? []).length > 0
  const then = isPinned
    ? `correct \`hostKey\` of the mailbox ${mailbox}`
    : `run \`dropbridge trust-host ${mailbox} --replace --fingerprint …\``
  return `Ask the operator of the server whether their key has changed, and for the new fingerprint. Only then ${then}. Other mailboxes go on.`
}

function keyUnknownError(server: HostTrust, known: KnownHost, key: HostKey): BridgeError {
  const [line] = known.authorities
  const certificates = `Line ${line} trusts an authority, and certificates of hosts are not understood here.`
  const authority = line === undefined ? '' : ` ${certificates}`
  const { knownHostsFile } = server.trust
  const place = knownHostsFile === undefined ? 'is not known' : `is not known in ${knownHostsFile}`
  const message = `${formatHostName(server)} ${place}.${authority} It shows the key ${formatHostKey(key)}. Nothing was sent.`
  return new BridgeError('host-key-unknown', message, {
    // The fingerprint may be that of an attacker in between, so the command does not contain it.
    fix: `Ask the operator of the server for the fingerprint of its key, and trust that one: \`dropbridge trust-host ${server.mailbox} --fingerprint …\`. Other mailboxes go on.`,
  })
}

function keyUnreadableError(server: HostTrust): BridgeError {
  const message = `${formatHostName(server)} shows a host key that cannot be read.`
  return new BridgeError('host-key-unknown', message)
}

/** The library reports it only by message. */
function isNoCommonKey(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no matching host key format')
}

// Finds out which host keys a server has without logging in, as ssh-keyscan does.

type ServerAddress = Pick<SftpServer, 'host' | 'port' | 'proxy' | 'timeoutMs'>

/** One connection for each kind of key. The server has proven that the keys are its own. */
export async function scanHostKeys(server: ServerAddress, signal: AbortSignal): Promise<HostKey[]> {
  const keys: HostKey[] = []
  for (const algorithms of KEY_GROUPS) {
    const key = await scanHostKey(server, algorithms, signal)
    if (key !== undefined) keys.push(key)
  }
  return keys
}

const CURVES = KEY_FAMILIES.filter(({ name }) => name.startsWith('ECDSA'))

const KEY_GROUPS: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ...KEY_FAMILIES.filter((family) => !CURVES.includes(family)).map(({ algorithms }) => algorithms),
  CURVES.flatMap(({ algorithms }) => algorithms),
]

/** Undefined when the server has none of this kind. */
async function scanHostKey(
  server: ServerAddress,
  algorithms: readonly ServerHostKeyAlgorithm[],
  signal: AbortSignal,
): Promise<HostKey | undefined> {
  const sock = await openSocket(server, server.proxy, signal)
  const client = new ssh2.Client()
  let shown: HostKey | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject)
      sock.on('close', () => reject(new Error('the server closed the connection')))
      // After the key exchange the server has signed with its key; the next message would be the user's name.
      client.on('handshake', () => {
        sock.destroy()
        resolve()
      })
      client.connect({
        sock,
        username: '',
        authHandler: () => false,
        readyTimeout: server.timeoutMs,
        algorithms: { serverHostKey: [...algorithms] },
        hostVerifier: (blob: Buffer) => {
          shown = parseHostKey(blob)
          return shown !== undefined
        },
      })
    })
    return shown
  } catch (error) {
    if (isNoCommonKey(error)) return undefined
    const why = getErrorMessage(error, 'the connection failed')
    const message = `The SFTP server ${server.host}:${server.port} cannot be asked for its host keys: ${why}.`
    const fix = suggestServerFix(server, server.proxy)
    throw new BridgeError('mailbox-unreachable', message, { cause: error, fix })
  } finally {
    sock.destroy()
  }
}
