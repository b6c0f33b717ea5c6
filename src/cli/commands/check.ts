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
    : undefined
  const failures = [...offline.failures, ...(asked?.wrong ?? [])]
  const unanswered = asked?.unanswered ?? []
  const found = { ...offline, failures, ...(asked === undefined ? {} : { unanswered }) }
  if (json) {
    terminal.out(JSON.stringify(found, null, 2))
  } else {
    for (const { route, mapping, examples } of found.routes) {
      terminal.out(`${route}: ${mapping}: ${examples === 1 ? 'one example' : `${examples} examples`}`)
    }
    for (const warning of found.warnings) terminal.say(`worth a look: ${warning}`)
    for (const failure of failures) terminal.say(`wrong: ${failure}`)
    for (const each of unanswered) terminal.say(`no answer: ${each}`)
    terminal.say(verdictOf({ failures, unanswered, online }))
  }
  if (failures.length > 0) return EXIT.badConfiguration
  return unanswered.length > 0 ? EXIT.unavailable : EXIT.ok
}

function verdictOf({
  failures,
  unanswered,
  online,
}: {
  failures: readonly string[]
  unanswered: readonly string[]
  online: boolean
}): string {
  if (failures.length > 0) return 'The configuration needs work.'
  const right = 'The configuration and the mappings are right'
  if (unanswered.length > 0) {
    return `${right} as far as they could be checked: the API gave no answer. Check again when it does, or look at api.baseUrl if it should.`
  }
  return `${right}. ${online ? 'The API takes the credentials.' : 'The API and its credentials were not tried: --online does.'}`
}
