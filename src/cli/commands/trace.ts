/** `dropbridge trace KEY`: where an order, a record or a file is, and all that happened to it. */
import { whyOlder } from '../../bridge/age-guard.ts'
import { readJournal } from '../../bridge/reading.ts'
import { isNothing, type Trace, traceKey } from '../../bridge/trace.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { readConfigurationToLook } from '../context.ts'
import { olderInWords } from '../older-in-words.ts'
import type { Terminal } from '../terminal.ts'
import { traceInWords } from '../trace-in-words.ts'

export interface TraceOptions {
  readonly config: string
  readonly key: string
  readonly route: string | undefined
  readonly json: boolean
}

export async function trace(
  terminal: Terminal,
  { config, key, route, json }: TraceOptions,
): Promise<ExitCode> {
  const wanted = key.trim()
  if (wanted === '') throw new BridgeError('usage-wrong', 'name what is looked for')
  const configuration = await readConfigurationToLook(terminal, config)
  const request = { key: wanted, ...(route === undefined ? {} : { route }) }
  let older: string | undefined
  const found = await readJournal(configuration, terminal.clock, async (journal) => {
    older = await whyOlder(configuration, journal)
    if (route !== undefined) assertRoute(route, configuration.routes, await journal.overview())
    return traceKey(journal, request)
  })
  const told = found ?? { key: wanted, files: [], deliveries: [], records: [], earlier: 0, near: [] }
  if (!json) for (const line of olderInWords(older)) terminal.say(line)
  if (json) terminal.out(JSON.stringify(told, null, 2))
  else if (isNothing(told)) for (const line of nothing(told, found === undefined)) terminal.say(line)
  else {
    if (told.asked !== undefined) terminal.say(`Nothing goes by "${told.asked}"; this is "${told.key}".`)
    for (const line of traceInWords(told)) terminal.out(line)
  }
  return isNothing(told) ? EXIT.rejects : EXIT.ok
}

/** A route that was taken out of the configuration has its records still. */
function assertRoute(
  route: string,
  configured: readonly { readonly name: string }[],
  known: readonly { readonly route: string }[],
): void {
  const names = [...new Set([...configured.map(({ name }) => name), ...known.map((each) => each.route)])]
  if (names.includes(route)) return
  throw new BridgeError('usage-wrong', `there is no route "${route}".${didYouMean(route, names)}`)
}

function nothing({ key, near, forgottenUntil }: Trace, isNew: boolean): string[] {
  if (isNew) return [`Nothing is known of "${key}": there is no journal yet, so nothing was ever picked up.`]
  return [
    `Nothing is known of "${key}".`,
    'Looked for it among the names and ids of files, their rows, the names of delivered files, and in all records: their keys, cells and ids at the API.',
    ...(forgottenUntil === undefined
      ? []
      : [
          `The contents of what was done until ${isoTime(forgottenUntil)} were forgotten, cells of refused rows among them, so not everything can be found.`,
        ]),
    ...(near.length === 0 ? [] : [`Much alike: ${near.join(', ')}.`]),
    'A file that lies in an inbox and was not picked up is not known: dropbridge why-not FILE.',
  ]
}
