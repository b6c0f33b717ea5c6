/** Whether the server of a mailbox is trusted, and trusting it because a person says so. Never logs in. */
import type { Configuration } from '../config/configuration.ts'
import type { SftpConfiguration } from '../config/sftp.ts'
import { fingerprintOf, type HostKey, isSameKey, keyInWords } from '../mailboxes/sftp/host-key.ts'
import { pinnedKey } from '../mailboxes/sftp/host-keys.ts'
import { knownHost, knownName, readKnownHosts } from '../mailboxes/sftp/known-hosts.ts'
import { hostKeysShownBy } from '../mailboxes/sftp/scan.ts'
import { trustKeys } from '../mailboxes/sftp/trusting.ts'
import { BridgeError } from '../support/errors.ts'
import { didYouMean } from '../support/nearest.ts'

export interface SeenKey {
  readonly type: string
  readonly fingerprint: string
  /** `ED25519 SHA256:…` */
  readonly words: string
}

/** `changed` when the server shows another key than the one that is trusted, of whatever kind. */
type TrustState = 'trusted' | 'unknown' | 'changed'

export interface SeenHost {
  readonly mailbox: string
  /** As known_hosts calls it. */
  readonly name: string
  /** What the trust stands in: the known hosts, or the configuration itself, which is for people to write. */
  readonly by: 'known-hosts' | 'configuration'
  readonly file: string
  readonly state: TrustState
  /** What the server shows now. */
  readonly shown: readonly SeenKey[]
  /** What is trusted so far. */
  readonly trusted: readonly SeenKey[]
  /** Trusts these of the shown keys; with `replace`, and those of before no more. */
  readonly trust: (fingerprints: readonly string[], how: { readonly replace: boolean }) => Promise<void>
}

/** Asks the server which keys it has. Throws `usage-wrong` where the mailbox is no SFTP server. */
export async function seeHost(
  { mailboxes }: Configuration,
  mailbox: string,
  signal: AbortSignal,
): Promise<SeenHost> {
  const found = mailboxes[mailbox]
  if (found === undefined) {
    const hint = didYouMean(mailbox, Object.keys(mailboxes))
    throw new BridgeError('usage-wrong', `There is no mailbox ${JSON.stringify(mailbox)}.${hint}`)
  }
  if (found.type !== 'sftp') {
    throw new BridgeError(
      'usage-wrong',
      `The mailbox ${mailbox} is a folder of this machine: nothing to trust.`,
    )
  }
  const shown = await hostKeysShownBy(found, signal)
  if (shown.length === 0) {
    const message = `${knownName(found)} shows no host key of a kind that is understood (ED25519, ECDSA, RSA).`
    throw new BridgeError('mailbox-unreachable', message)
  }
  const { knownHostsFile } = found.trust
  return {
    mailbox,
    name: knownName(found),
    file: knownHostsFile,
    shown: shown.map(seen),
    ...(found.trust.pinned === undefined
      ? await stateByFile(found, shown)
      : stateByPins(found.trust.pinned, shown)),
    trust: (fingerprints, how) => {
      const chosen = shown.filter((key) => fingerprints.includes(fingerprintOf(key)))
      return trustKeys(knownHostsFile, found, chosen, how)
    },
  }
}

function seen(key: HostKey): SeenKey {
  return { type: key.type, fingerprint: fingerprintOf(key), words: keyInWords(key) }
}

async function stateByFile(
  server: SftpConfiguration,
  shown: readonly HostKey[],
): Promise<Pick<SeenHost, 'by' | 'state' | 'trusted'>> {
  const file = server.trust.knownHostsFile
  const known = knownHost(await readKnownHosts(file), server)
  const revoked = known.revoked.find(({ key }) => shown.some((each) => isSameKey(each, key)))
  if (revoked !== undefined) {
    const message = `${knownName(server)} shows the key ${keyInWords(revoked.key)}, which is revoked in ${file} line ${revoked.line}. Nothing was changed.`
    throw new BridgeError('host-key-changed', message)
  }
  const trusted = known.trusted.map(({ key }) => key)
  return { by: 'known-hosts', state: stateOf(trusted, shown), trusted: trusted.map(seen) }
}

/** A kind of key that is trusted must be the same; a further kind is no change. */
function stateOf(trusted: readonly HostKey[], shown: readonly HostKey[]): TrustState {
  if (trusted.length === 0) return 'unknown'
  const isTrusted = (key: HostKey) => trusted.some((each) => isSameKey(each, key))
  const isChanged = shown.some((key) => !isTrusted(key) && trusted.some(({ type }) => type === key.type))
  return isChanged || !shown.some(isTrusted) ? 'changed' : 'trusted'
}

function stateByPins(
  pins: readonly string[],
  shown: readonly HostKey[],
): Pick<SeenHost, 'by' | 'state' | 'trusted'> {
  const trusted = pins.map((pin): SeenKey => {
    const key = pinnedKey(pin)
    return key === undefined ? { type: 'any', fingerprint: pin, words: pin } : seen(key)
  })
  const isShown = ({ fingerprint }: SeenKey) => shown.some((key) => fingerprintOf(key) === fingerprint)
  return { by: 'configuration', state: trusted.some(isShown) ? 'trusted' : 'changed', trusted }
}
