/** `dropbridge trust-host`: shows the host key of an SFTP server, and trusts it when a person says so. */
import type { HostInspection } from '../../app/trust-host.ts'
import { BridgeError, EXIT } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import {
  CONFIG_FLAG,
  defineCommand,
  flag,
  JSON_FLAG,
  type OptionValues,
  REQUIRED_TEXT,
  text,
} from '../command.ts'
import { readConfiguration } from '../context.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  json: JSON_FLAG,
  fingerprint: text('SHA256:…, as the operator of the server gave it to you'),
  yes: flag('Trust what it shows, unasked'),
  replace: flag('Trust it in the place of the key that was trusted before'),
} as const

export const trustHostCommand = defineCommand({
  positionals: { mailbox: REQUIRED_TEXT },
  options: OPTIONS,
  async run(terminal, { mailbox, ...options }) {
    const { config, json } = options
    // Loaded on demand: other commands load SFTP only when they connect.
    const { inspectHost } = await import('../../app/trust-host.ts')
    const configuration = await readConfiguration(terminal, config)
    const host = await inspectHost(configuration, mailbox, terminal.signal)
    if (!json) showHostKeys(terminal, host)
    const chosen = await chooseFingerprints(terminal, host, options).catch((error: unknown) => {
      // Without a decision the program still prints the keys as data.
      if (json) terminal.out(JSON.stringify(hostToJson(host, []), null, 2))
      throw error
    })
    if (chosen.length > 0) await host.trust(chosen, { replace: host.state === 'changed' })
    const isTrusted = host.state === 'trusted' || chosen.length > 0
    if (json) terminal.out(JSON.stringify(hostToJson(host, chosen), null, 2))
    else terminal.say(formatVerdict(host, chosen))
    return isTrusted ? EXIT.ok : EXIT.refusedCredentials
  },
})

function showHostKeys(terminal: Terminal, { name, shown, trusted, state }: HostInspection): void {
  for (const { text: key } of shown) terminal.out(`${name} shows ${key}`)
  if (state === 'changed') for (const { text: key } of trusted) terminal.out(`${name} is trusted with ${key}`)
}

/** The fingerprints to trust from now on; none when nothing changes. */
async function chooseFingerprints(
  terminal: Terminal,
  host: HostInspection,
  { fingerprint, yes, replace, json }: OptionValues<typeof OPTIONS>,
): Promise<string[]> {
  const all = host.shown.map((key) => key.fingerprint)
  if (fingerprint !== undefined && !all.includes(fingerprint)) {
    const message = `${host.name} shows ${formatKeys(host.shown)}, and not ${JSON.stringify(fingerprint)}. Nothing was changed.`
    throw new BridgeError('host-key-unknown', message, { fix: formatFix(host) })
  }
  if (host.state === 'trusted') return []
  if (host.by === 'configuration')
    throw changedKeyError(host, `Correct hostKey of the mailbox ${host.mailbox}.`)
  if (host.state === 'changed' && !replace) {
    throw changedKeyError(host)
  }
  if (fingerprint !== undefined) return [fingerprint]
  if (yes) return all
  if (terminal.ask === undefined || json) {
    const message = `There is no terminal to ask whether the key of ${host.name} is right.`
    throw new BridgeError('host-key-unknown', message, { fix: formatFix(host) })
  }
  const answer = (await terminal.ask('Is this the fingerprint that you were given? yes or no: ')).trim()
  if (all.includes(answer)) return [answer]
  return answer.toLowerCase() === 'yes' ? all : []
}

function formatKeys(keys: HostInspection['trusted']): string {
  return keys.map((key) => key.text).join(' and ')
}

/** The command with the mailbox that was given, and with --replace where another key is trusted. */
function formatFix({ mailbox, state }: HostInspection): string {
  const isChanged = state === 'changed'
  const options = isChanged ? ' --replace --fingerprint …' : ' --fingerprint …'
  const which = isChanged ? 'the new fingerprint' : 'the fingerprint'
  return `Ask its operator for ${which}, then: \`dropbridge trust-host ${quoteForShell(mailbox)}${options}\`.`
}

function changedKeyError(host: HostInspection, fix = formatFix(host)): BridgeError {
  const { name, shown, trusted } = host
  const message = `${name} shows another host key than before. Trusted: ${formatKeys(trusted)}. Shown now: ${formatKeys(shown)}. Nothing was changed.`
  return new BridgeError('host-key-changed', message, { fix })
}

function formatVerdict({ name, file, state, by }: HostInspection, chosen: readonly string[]): string {
  if (chosen.length > 0) return `${name} is trusted from now on, in ${file}`
  if (state !== 'trusted') return 'nothing was changed'
  return `${name} is trusted already, ${by === 'configuration' ? 'by hostKey of the mailbox' : `in ${file}`}`
}

function hostToJson(
  { mailbox, name, file, by, state, shown, trusted }: HostInspection,
  chosen: readonly string[],
) {
  return { mailbox, host: name, by, file, state, shown, trusted, added: chosen }
}
