/** `dropbridge check`: the configuration, the mappings and their examples, without sending anything. */
import { checkConfiguration } from '../../bridge/check.ts'
import { checkOnline } from '../../bridge/check-online.ts'
import { systemClock } from '../../support/clock.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfiguration } from '../context.ts'
import type { Terminal } from '../terminal.ts'
import { VERSION } from '../version.ts'

export interface CheckOptions {
  readonly config: string
  readonly json: boolean
  /** Whether the API is asked too. */
  readonly online: boolean
}

export async function check(terminal: Terminal, { config, json, online }: CheckOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const offline = await checkConfiguration(configuration)
  const asked = online
    ? await checkOnline(configuration, { clock: systemClock, random: Math.random, version: VERSION })
    : []
  const found = { ...offline, failures: [...offline.failures, ...asked] }
  if (json) {
    terminal.out(JSON.stringify(found, null, 2))
  } else {
    for (const { route, mapping, examples } of found.routes) {
      terminal.out(`${route}: ${mapping}: ${examples === 1 ? 'one example' : `${examples} examples`}`)
    }
    for (const warning of found.warnings) terminal.say(`worth a look: ${warning}`)
    for (const failure of found.failures) terminal.say(`wrong: ${failure}`)
    terminal.say(
      found.failures.length === 0
        ? `The configuration and the mappings are right. ${online ? 'The API takes the credentials.' : 'The API and its credentials were not tried: --online does.'}`
        : 'The configuration needs work.',
    )
  }
  return found.failures.length === 0 ? EXIT.ok : EXIT.badConfiguration
}
