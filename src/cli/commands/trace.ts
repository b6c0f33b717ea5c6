/** `dropbridge trace KEY`: where an order, a record or a file is, and all that happened to it. */
import { readJournal } from '../../bridge/reading.ts'
import { type Trace, traceKey } from '../../bridge/trace.ts'
import { systemClock } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { readConfiguration } from '../context.ts'
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
  const configuration = await readConfiguration(terminal, config)
  const request = { key: wanted, ...(route === undefined ? {} : { route }) }
  const found = await readJournal(configuration, systemClock, async (journal) => {
    if (route !== undefined) assertRoute(route, configuration.routes, await journal.overview())
    return traceKey(journal, request)
  })
  const told = found ?? { key: wanted, files: [], deliveries: [], records: [], earlier: 0, near: [] }
  const isNothing = told.files.length + told.deliveries.length + told.records.length === 0
  if (json) terminal.out(JSON.stringify(told, null, 2))
  else if (isNothing) for (const line of nothing(told, found === undefined)) terminal.say(line)
  else for (const line of traceInWords(told)) terminal.out(line)
  return isNothing ? EXIT.rejects : EXIT.ok
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

function nothing({ key, near }: Trace, isNew: boolean): string[] {
  if (isNew) return [`Nothing is known of "${key}": there is no journal yet, so nothing was ever picked up.`]
  return [
    `Nothing is known of "${key}".`,
    'Looked for it among the names and ids of files, their rows, the names of delivered files, and in all records: their keys, cells and ids at the API.',
    ...(near.length === 0 ? [] : [`Much alike: ${near.join(', ')}.`]),
    'A file that lies in an inbox and was not picked up is not known: dropbridge why-not FILE.',
  ]
}
