/** `dropbridge trace KEY`: where an order, a record or a file is, and all that happened to it. */
import type { Configuration } from '../../config/configuration.ts'
import type { Journal } from '../../domain/journal.ts'
import { type LiveOrders, readLiveOrders } from '../../app/live-orders.ts'
import { withPartyApis } from '../../app/party-apis.ts'
import { findMarkFailure, withExistingJournal } from '../../app/journal-access.ts'
import { isEmptyTrace, listTracedRoutes, type Trace, traceKey } from '../../app/trace.ts'
import { listRouteDocuments } from '../../app/trace-interchanges.ts'
import { isoTime } from '../../support/clock.ts'
import { type BridgeError, EXIT, usageError } from '../../support/errors.ts'
import { quoteForShell, unknownNameError } from '../../support/text.ts'
import { VERSION } from '../../support/process.ts'
import type { Terminal } from '../terminal.ts'
import { formatLiveOrders } from '../format/orders.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG, REQUIRED_TEXT, text } from '../command.ts'
import { readConfiguration, readConfigurationToShow } from '../context.ts'
import { formatJournalFailure } from '../format/status.ts'
import { formatTrace } from '../format/trace.ts'

export const traceCommand = defineCommand({
  argument: 'KEY',
  positionals: { key: REQUIRED_TEXT },
  options: {
    config: CONFIG_FLAG,
    json: JSON_FLAG,
    route: text('Only records of this route'),
    live: flag('Also ask the API what it says of the order now'),
    party: text('With --live: ask only as this retailer or brand, such as retailer/1000'),
  },
  async run(terminal, { config, key, route, json, live, party }) {
    const wanted = key.trim()
    if (wanted === '') throw usageError('name an order, record or file')
    if (party !== undefined && !live)
      throw usageError('--party needs --live', 'Add --live, or leave --party out.')
    const read = live ? readConfiguration : readConfigurationToShow
    const configuration = await read(terminal, config)
    const request = { key: wanted, ...(route === undefined ? {} : { route }) }
    let failure: BridgeError | undefined
    const found = await withExistingJournal(configuration, terminal.clock, async (journal) => {
      failure = await findMarkFailure({ configuration, journal })
      if (route !== undefined) assertRouteExists(route, configuration.routes, await journal.summarizeRoutes())
      return traceKey(journal, request)
    })
    const trace = found ?? { key: wanted, files: [], deliveries: [], records: [], earlier: 0, near: [] }
    const isEmpty = isEmptyTrace(trace)
    const askApi = () =>
      askLive(terminal, configuration, { key: trace.key, ...(party === undefined ? {} : { wanted: party }) })
    if (json) {
      const asked = live ? { live: await askApi() } : {}
      terminal.out(JSON.stringify({ ...trace, ...asked }, null, 2))
      return isEmpty && (asked.live?.orders ?? []).length === 0 ? EXIT.rejects : EXIT.ok
    }
    for (const line of formatJournalFailure(failure)) terminal.say(line)
    if (isEmpty) for (const line of formatNothingFound(trace, found === undefined)) terminal.say(line)
    else {
      if (trace.requestedKey !== undefined)
        terminal.say(`Nothing goes by "${trace.requestedKey}"; this is "${trace.key}".`)
      const documents = await listRouteDocuments(configuration, listTracedRoutes(trace))
      for (const line of formatTrace(trace, documents)) terminal.out(line)
    }
    if (!live) return isEmpty ? EXIT.rejects : EXIT.ok
    // What the journal knows is printed already when the API cannot be reached.
    const asked = await askApi()
    for (const line of ['', ...formatLiveOrders(asked)]) terminal.out(line)
    return isEmpty && asked.orders.length === 0 ? EXIT.rejects : EXIT.ok
  },
})

function askLive(
  { clock }: Terminal,
  configuration: Configuration,
  { key, wanted }: { readonly key: string; readonly wanted?: string },
): Promise<LiveOrders> {
  const options = {
    clock,
    random: Math.random,
    version: VERSION,
    ...(wanted === undefined ? {} : { wanted }),
  }
  return withPartyApis(configuration, options, async (apis) => {
    const read = (journal?: Journal) => readLiveOrders(apis, journal, key, clock.now())
    return (await withExistingJournal(configuration, clock, read)) ?? read()
  })
}

/** A route that was removed from the configuration still has its records. */
function assertRouteExists(
  route: string,
  configured: readonly { readonly name: string }[],
  known: readonly { readonly route: string }[],
): void {
  const names = [...new Set([...configured.map(({ name }) => name), ...known.map((each) => each.route)])]
  if (names.includes(route)) return
  throw unknownNameError(`there is no route "${route}"`, route, names)
}

function formatNothingFound({ key, near, lastLine, prunedUntil }: Trace, isNew: boolean): string[] {
  if (isNew) return [`Nothing is known of "${key}": there is no journal yet, so nothing was ever picked up.`]
  const pruned = `The contents of what was done until ${isoTime(prunedUntil ?? 0)} were pruned, cells of refused rows among them, so not everything can be found.`
  if (lastLine !== undefined)
    return [
      `No record of ${lastLine.file} is on that line: its records stand on lines up to ${lastLine.line}.`,
      `All of the file: dropbridge trace ${quoteForShell(lastLine.file)}.`,
    ]
  return [
    `Nothing is known of "${key}".`,
    'Searched: names and ids of files, their rows, names of delivered files, and all records: their keys, cells and ids at the API.',
    ...(prunedUntil === undefined ? [] : [pruned]),
    ...(near.length === 0 ? [] : [`Similar names: ${near.join(', ')}.`]),
    'Rows of a file that was refused as a whole, or is not translated yet, are not known: dropbridge trace FILE.',
    'A file in an inbox that was not picked up is not known: dropbridge why-not FILE.',
  ]
}
