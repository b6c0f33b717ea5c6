/** `dropbridge check`: the configuration, the mappings and their examples, without sending anything. */
import { randomUUID } from 'node:crypto'
import {
  checkConfiguration,
  type CheckedInbox,
  type CheckFinding,
  checkJournal,
  checkMailboxes,
  checkOnline,
} from '../../app/check.ts'
import { EXIT } from '../../support/errors.ts'
import { VERSION } from '../../support/process.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG } from '../command.ts'
import { readConfiguration } from '../context.ts'
import { formatExampleCount } from '../format/text.ts'

export const checkCommand = defineCommand({
  options: { config: CONFIG_FLAG, json: JSON_FLAG, online: flag('Try the API and its credentials too') },
  async run(terminal, { config, json, online }) {
    const configuration = await readConfiguration(terminal, config)
    const offline = await checkConfiguration(configuration)
    const { clock } = terminal
    const options = { clock, random: Math.random, newId: randomUUID, version: VERSION, isImpatient: true }
    // The API, and the servers of mailboxes.
    const asked = online
      ? [await checkOnline(configuration, options), await checkMailboxes(configuration, options)]
      : []
    const journal = await checkJournal(configuration, options)
    const warnings = [...offline.warnings, ...journal.warnings]
    const wrong = [
      ...offline.failures.map((message): CheckFinding => ({ message })),
      ...journal.failures,
      ...asked.flatMap((each) => each.errors),
    ]
    const failures = [...wrong, ...asked.flatMap(({ refused }) => refused)]
    const unanswered = asked.flatMap((each) => each.unanswered)
    if (json) {
      terminal.out(
        JSON.stringify({ ...offline, warnings, failures, ...(online ? { unanswered } : {}) }, null, 2),
      )
    } else {
      for (const { route, mapping, examples } of offline.routes)
        terminal.out(`${route}: ${mapping}: ${formatExampleCount(examples)}`)
      for (const inbox of offline.inboxes) terminal.out(formatInbox(inbox))
      if (journal.failures.length === 0) {
        const absent = journal.missing.map(({ route, path }) => `${route}: the inbox ${path}`)
        if (journal.isNew) absent.unshift(`journal: ${configuration.journal.path}`)
        for (const what of absent) terminal.out(`${what} is not there; the first run creates it`)
      }
      for (const warning of warnings) terminal.say(`warning: ${warning}`)
      for (const failure of failures) terminal.say(formatFinding('wrong', failure))
      for (const each of unanswered) terminal.say(formatFinding('no answer', each))
      terminal.say(formatVerdict(failures.length > 0, unanswered.length > 0, online))
    }
    if (wrong.length > 0) return EXIT.badConfiguration
    if (failures.length > 0) return EXIT.refusedCredentials
    return unanswered.length > 0 ? EXIT.unavailable : EXIT.ok
  },
})

/** `inbox van (van:in): 850 of northlight to orders-in, 856 to shipments-in` */
function formatInbox({ inbox, from, routes }: CheckedInbox): string {
  const takers = routes.map(({ route, document, partner }) => {
    const whose = partner === undefined ? '' : ` of ${partner}`
    return `${document}${whose} to ${route}`
  })
  return `inbox ${inbox} (${from}): ${takers.join(', ')}`
}

function formatFinding(kind: string, { message, fix }: CheckFinding): string {
  return `${kind}: ${message}${fix === undefined ? '' : `\n    fix: ${fix}`}`
}

function formatVerdict(hasFailures: boolean, isUnanswered: boolean, online: boolean): string {
  if (hasFailures) return 'The configuration has errors.'
  if (isUnanswered)
    return 'The check is not complete: some servers gave no usable answer. Follow the fixes above, then check again.'
  return `The configuration and the mappings are right. ${online ? 'The API and the servers of mailboxes take the credentials. Whether they may read, write and move in each folder was not tried.' : 'The API, the servers of mailboxes and the credentials were not tried: --online does.'}`
}
