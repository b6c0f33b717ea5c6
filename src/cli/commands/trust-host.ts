/** `dropbridge trust-host`: shows the host key of an SFTP server, and trusts it when a person says so. */
import { type SeenHost, seeHost } from '../../bridge/trust-host.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfiguration } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface TrustHostOptions {
  readonly config: string
  readonly json: boolean
  readonly mailbox: string
  /** What the server's people say that its key is. */
  readonly fingerprint: string | undefined
  /** Whether what it shows is trusted as it is. */
  readonly yes: boolean
  /** Whether a key may take the place of another one. */
  readonly replace: boolean
}

export async function trustHost(terminal: Terminal, options: TrustHostOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, options.config)
  const host = await seeHost(configuration, options.mailbox, terminal.signal)
  if (!options.json) show(terminal, host)
  const chosen = await choose(terminal, host, options).catch((error: unknown) => {
    // What is seen is data, whatever is made of it.
    if (options.json) terminal.out(JSON.stringify(dataOf(host, []), null, 2))
    throw error
  })
  if (chosen.length > 0) await host.trust(chosen, { replace: host.state === 'changed' })
  const isTrusted = host.state === 'trusted' || chosen.length > 0
  if (options.json) terminal.out(JSON.stringify(dataOf(host, chosen), null, 2))
  else terminal.say(verdictOf(host, chosen))
  return isTrusted ? EXIT.ok : EXIT.refusedCredentials
}

function show(terminal: Terminal, { name, shown, trusted, state }: SeenHost): void {
  for (const { words } of shown) terminal.out(`${name} shows ${words}`)
  if (state === 'changed') for (const { words } of trusted) terminal.out(`${name} is trusted with ${words}`)
}

/** The fingerprints that are trusted from now on; none where nothing is to be changed. */
async function choose(terminal: Terminal, host: SeenHost, options: TrustHostOptions): Promise<string[]> {
  const { fingerprint, yes, replace } = options
  const all = host.shown.map((key) => key.fingerprint)
  if (fingerprint !== undefined && !all.includes(fingerprint)) throw otherFingerprint(host, fingerprint)
  if (host.state === 'trusted') return []
  if (host.by === 'configuration') throw changed(host, `Correct hostKey of the mailbox ${host.mailbox}.`)
  if (host.state === 'changed' && !replace) {
    throw changed(host, 'If that is right, run the command again with --replace.')
  }
  if (fingerprint !== undefined) return [fingerprint]
  if (yes) return all
  if (terminal.ask === undefined || options.json) throw unsaid(host)
  const answer = (await terminal.ask('Does the fingerprint stand in what you were given? yes or no: ')).trim()
  if (all.includes(answer)) return [answer]
  return answer.toLowerCase() === 'yes' ? all : []
}

function otherFingerprint({ name, shown }: SeenHost, fingerprint: string): BridgeError {
  const words = shown.map((key) => key.words).join(' and ')
  return new BridgeError(
    'host-key-unknown',
    `${name} shows ${words}, and not ${JSON.stringify(fingerprint)}. Nothing was changed.`,
  )
}

function changed({ name, shown, trusted }: SeenHost, cure: string): BridgeError {
  const [now, before] = [shown, trusted].map((keys) => keys.map(({ words }) => words).join(' and '))
  return new BridgeError(
    'host-key-changed',
    `${name} shows another host key than before. Trusted: ${before}. Shown now: ${now}. Nothing was changed. ${cure}`,
  )
}

function unsaid({ name }: SeenHost): BridgeError {
  return new BridgeError(
    'host-key-unknown',
    `Nobody is here to say whether the key of ${name} is right. Give the fingerprint that you were given: --fingerprint SHA256:…`,
  )
}

function verdictOf({ name, file, state, by }: SeenHost, chosen: readonly string[]): string {
  if (chosen.length > 0) return `${name} is trusted from now on, in ${file}`
  if (state !== 'trusted') return 'nothing was changed'
  return `${name} is trusted already, ${by === 'configuration' ? 'by hostKey of the mailbox' : `in ${file}`}`
}

function dataOf({ mailbox, name, file, by, state, shown, trusted }: SeenHost, chosen: readonly string[]) {
  return { mailbox, host: name, by, file, state, shown, trusted, added: chosen }
}
