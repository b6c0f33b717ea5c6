/** Shows the host keys of an SFTP server and trusts them when a person says so. It never logs in. */
import type { Configuration } from '../config/configuration.ts'
import type { SftpConfiguration } from '../config/mailboxes.ts'
import {
  findKnownHost,
  formatFingerprint,
  formatHostKey,
  formatHostName,
  type HostKey,
  isSameKey,
  readKnownHosts,
  saveTrustedKeys,
} from '../mailboxes/sftp/known-hosts.ts'
import { parsePinnedKey, scanHostKeys } from '../mailboxes/sftp/host-keys.ts'
import { BridgeError } from '../support/errors.ts'
import { unknownNameError } from '../support/text.ts'

interface HostKeySummary {
  readonly type: string
  readonly fingerprint: string
  /** `ED25519 SHA256:…` */
  readonly text: string
}

/** `changed`: the server shows another key than the trusted one, of whatever kind. */
type TrustState = 'trusted' | 'unknown' | 'changed'

interface TrustInspection {
  /** Where the trust is stored: in the known hosts, or in the configuration itself, which only people write. */
  readonly by: 'known-hosts' | 'configuration'
  readonly state: TrustState
  readonly trusted: readonly HostKeySummary[]
}

export type HostInspection = Awaited<ReturnType<typeof inspectHost>>

/** Asks the server which keys it has. Throws `usage-wrong` where the mailbox is no SFTP server. */
export async function inspectHost({ mailboxes }: Configuration, mailbox: string, signal: AbortSignal) {
  const found = mailboxes[mailbox]
  if (found === undefined) {
    throw unknownNameError(`There is no mailbox "${mailbox}"`, mailbox, Object.keys(mailboxes))
  }
  if (found.type !== 'sftp') {
    const fix = 'Nothing to do: only SFTP servers have keys to trust.'
    throw new BridgeError('usage-wrong', `The mailbox ${mailbox} is a folder of this machine.`, { fix })
  }
  const shown = await scanHostKeys(found, signal)
  if (shown.length === 0) {
    const message = `${formatHostName(found)} shows no host key of a kind that is understood (ED25519, ECDSA, RSA).`
    throw new BridgeError('mailbox-unreachable', message)
  }
  const { knownHostsFile, pinned } = found.trust
  const compared =
    pinned === undefined ? await compareWithKnownHosts(found, shown) : compareWithPins(pinned, shown)
  return {
    mailbox,
    /** The server's name in known_hosts. */
    name: formatHostName(found),
    file: knownHostsFile,
    shown: shown.map(summarizeKey),
    ...compared,
    /** Trusts these of the shown keys; with `replace`, no longer the earlier ones. */
    trust: (fingerprints: readonly string[], how: { readonly replace: boolean }) => {
      const chosen = shown.filter((key) => fingerprints.includes(formatFingerprint(key)))
      return saveTrustedKeys(knownHostsFile, found, chosen, how)
    },
  }
}

function summarizeKey(key: HostKey): HostKeySummary {
  return { type: key.type, fingerprint: formatFingerprint(key), text: formatHostKey(key) }
}

async function compareWithKnownHosts(server: SftpConfiguration, shown: readonly HostKey[]) {
  const file = server.trust.knownHostsFile
  const known = findKnownHost(await readKnownHosts(file), server)
  const revoked = known.revoked.find(({ key }) => shown.some((each) => isSameKey(each, key)))
  if (revoked !== undefined) {
    const message = `${formatHostName(server)} shows the key ${formatHostKey(revoked.key)}, which is revoked in ${file} line ${revoked.line}. Nothing was changed.`
    const fix = `Have the server show another key. If the key is not revoked after all, remove line ${revoked.line}.`
    throw new BridgeError('host-key-changed', message, { fix })
  }
  const trusted = known.trusted.map(({ key }) => key)
  return { by: 'known-hosts', state: getTrustState(trusted, shown), trusted: trusted.map(summarizeKey) }
}

/** A trusted kind of key must not change; an additional kind is no change. */
function getTrustState(trusted: readonly HostKey[], shown: readonly HostKey[]): TrustState {
  if (trusted.length === 0) return 'unknown'
  const isTrusted = (key: HostKey) => trusted.some((each) => isSameKey(each, key))
  const isChanged = shown.some((key) => !isTrusted(key) && trusted.some(({ type }) => type === key.type))
  return isChanged || !shown.some(isTrusted) ? 'changed' : 'trusted'
}

function compareWithPins(pins: readonly string[], shown: readonly HostKey[]): TrustInspection {
  const trusted = pins.map((pin): HostKeySummary => {
    const key = parsePinnedKey(pin)
    return key === undefined ? { type: 'any', fingerprint: pin, text: pin } : summarizeKey(key)
  })
  const isShown = ({ fingerprint }: HostKeySummary) =>
    shown.some((key) => formatFingerprint(key) === fingerprint)
  return { by: 'configuration', state: trusted.some(isShown) ? 'trusted' : 'changed', trusted }
}
