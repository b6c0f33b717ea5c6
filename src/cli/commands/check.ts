/** `dropbridge check`: the configuration, the mappings and their examples, without sending anything. */
import { randomUUID } from 'node:crypto'
import { checkConfiguration } from '../../bridge/check.ts'
import { checkMailboxes } from '../../bridge/check-mailboxes.ts'
import { checkOnline, type OnlineCheck } from '../../bridge/check-online.ts'
import type { Configuration } from '../../config/configuration.ts'
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
  const asked = online ? await askAround(terminal, configuration) : []
  const wrong = [...offline.failures, ...asked.flatMap((each) => each.wrong)]
  const failures = [...wrong, ...asked.flatMap(({ refused }) => refused)]
  const unanswered = asked.flatMap((each) => each.unanswered)
  const found = { ...offline, failures, ...(online ? { unanswered } : {}) }
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
  if (wrong.length > 0) return EXIT.badConfiguration
  if (failures.length > 0) return EXIT.refusedCredentials
  return unanswered.length > 0 ? EXIT.unavailable : EXIT.ok
}

/** The API, and the servers of mailboxes. */
async function askAround({ clock }: Terminal, configuration: Configuration): Promise<OnlineCheck[]> {
  const base = { clock, random: Math.random, newId: randomUUID }
  const options = { ...base, version: VERSION, isImpatient: true }
  return [await checkOnline(configuration, options), await checkMailboxes(configuration, options)]
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
    return `${right} as far as they could be checked: not everybody gave an answer. Check again when they do, or look at the addresses if they should.`
  }
  return `${right}. ${online ? 'The API and the servers of mailboxes take the credentials. Whether they may read, write and move in each folder was not tried.' : 'The API, the servers of mailboxes and the credentials were not tried: --online does.'}`
}
