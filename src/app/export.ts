/** Writes a report once. It acknowledges nothing and stores nothing. */
import { createClient } from '../client/client.ts'
import type { Configuration } from '../config/configuration.ts'
import type { OutboundRoute } from '../config/routes.ts'
import type { SelectRule } from '../config/select.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { Selection } from '../domain/route.ts'
import { createFormats, createInterchangeFormat } from '../formats/formats.ts'
import { openJournal } from '../journal/open.ts'
import { createTally, writeReportLines, type ReportTally } from '../pipeline/outbound/file-rows.ts'
import { trackProgress } from '../pipeline/outbound/compose.ts'
import { readSelected } from '../pipeline/outbound/listing.ts'
import { addAttributesToPages } from '../pipeline/references/order-attributes.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { unknownNameError } from '../support/text.ts'
import { type BridgeOptions, loadMappings } from './context.ts'
import {
  type BusinessDateRun,
  buildOutgoingInterchanges,
  buildSelection,
} from '../pipeline/route-settings.ts'
import { findLastDate } from '../schedule/schedule.ts'
import { getLocalDate } from '../schedule/zone-time.ts'

interface ExportOptions extends Pick<BridgeOptions, 'clock' | 'random' | 'version' | 'notify'> {
  readonly signal: AbortSignal
  /** Replaces the route's own selection. */
  readonly select?: SelectRule
  /** The records as the API shows them, one JSON text on each line, instead of the mapping's rows. */
  readonly asJson: boolean
}

export interface ExportResult {
  readonly tally: ReportTally
  /** The records that the selection names and that do not exist. */
  readonly missing: readonly string[]
}

/** Passes the bytes of the file to `write`. Without a selection: what the report shows, or all unacknowledged records. */
export async function exportOnce(
  configuration: Configuration,
  route: OutboundRoute,
  options: ExportOptions,
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<ExportResult> {
  const { clock, random, version, asJson } = options
  const { baseUrl, timeoutMs, connections } = configuration.api
  const selection = await chooseSelection(route, options)
  const tally = createTally()
  const linesOf = asJson
    ? (pages: Pages) => writeJsonLines(pages, tally)
    : await createRowWriter(configuration, route, tally, clock)
  const api = createClient({ baseUrl, timeoutMs, connections, clock, random, version, ...route.credentials })
  try {
    const { pages, missing } = readSelected(api, route, selection)
    await write(linesOf(trackProgress({ ...options, route }, pages)))
    return { tally, missing: missing() }
  } finally {
    await api.close()
  }
}

type Pages = AsyncIterable<readonly Resource[]>

async function chooseSelection(route: OutboundRoute, { select, clock }: ExportOptions): Promise<Selection> {
  const chosen = select ?? route.report?.select
  return chosen === undefined
    ? { query: OPERATIONS[route.operation].query }
    : buildSelection(chosen, clock.now(), buildCurrentRun(route, clock.now()))
}

/** The business date of an export right now: it shows what the next run of the report would, as far as it exists. */
function buildCurrentRun({ schedule }: OutboundRoute, now: number): BusinessDateRun | undefined {
  if (schedule?.kind !== 'daily') return undefined
  return { date: getLocalDate(schedule.zone, now), dueAt: now, previousAt: findLastDate(schedule, now).dueAt }
}

async function createRowWriter(
  configuration: Configuration,
  route: OutboundRoute,
  tally: ReportTally,
  clock: ExportOptions['clock'],
): Promise<(pages: Pages) => AsyncIterable<Uint8Array>> {
  const mapping = (await loadMappings({ ...configuration, routes: [route] })).get(route.name)
  assert(mapping?.direction === 'outbound', `route ${route.name} has no mapping`)
  const { composer } = mapping
  const interchanges = createInterchangeFormat()
  const written = buildOutgoingInterchanges(configuration, route, composer.write, interchanges)
  // Nothing is delivered, so no control numbers are reserved.
  const envelope = written && {
    ...written.envelope,
    at: clock.now(),
    numbers: { interchange: 0, group: 0 },
  }
  const context = { composer, format: createFormats(), operation: route.operation, envelope }
  if (composer.takesKept !== true) return (pages) => writeReportLines(context, pages, tally)
  /** Opens the journal only for mappings that write values kept in it. */
  async function* addStoredValues(pages: Pages): AsyncGenerator<readonly Resource[]> {
    const journal = await openJournal({ path: configuration.journal.path, clock })
    try {
      yield* addAttributesToPages({ route, composer, journal }, pages)
    } finally {
      await journal.close()
    }
  }
  return (pages) => writeReportLines(context, addStoredValues(pages), tally)
}

async function* writeJsonLines(pages: Pages, tally: ReportTally): AsyncGenerator<Uint8Array> {
  for await (const page of pages) {
    tally.records += page.length
    yield Buffer.from(page.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
}

export function getOutboundRoute({ routes }: Configuration, name: string): OutboundRoute {
  const outbound = routes.filter((route) => route.direction === 'outbound')
  const found = outbound.find((route) => route.name === name)
  if (found !== undefined) return found
  const known = outbound.map((route) => route.name)
  if (!routes.some((route) => route.name === name))
    throw unknownNameError(`there is no route "${name}" that writes files`, name, known)
  const others =
    known.length === 0 ? 'no route writes files' : `the routes that write files are ${known.join(', ')}`
  const fix = known.length === 0 ? 'Add a route with `to` to the configuration.' : 'Name one of those routes.'
  throw new BridgeError('usage-wrong', `the route ${name} takes files in and writes none; ${others}`, { fix })
}
