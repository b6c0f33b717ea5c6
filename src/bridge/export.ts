/** A report that is made once: asked for, written, and forgotten. Nothing is acknowledged, and nothing remembered. */
import { createClient } from '../client/client.ts'
import type { Configuration } from '../config/configuration.ts'
import type { OutboundRoute } from '../config/routes.ts'
import type { Select } from '../config/select.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Selection } from '../domain/selection.ts'
import { createFormats } from '../formats/formats.ts'
import { openJournal } from '../journal/open.ts'
import { emptyTally, reportLines, type ReportTally } from '../pipelines/outbound/report-lines.ts'
import { watched } from '../pipelines/outbound/report.ts'
import { readSelected } from '../pipelines/outbound/selected.ts'
import { type KeepingParts, keptPages } from '../pipelines/references/kept.ts'
import type { Clock } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { loadMappings } from './mappings.ts'
import { type RouteTurn, selectionAt } from './outbound-route.ts'
import { lastDate } from './schedule/schedule.ts'
import { dateIn } from './schedule/zone-time.ts'

export interface ExportOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly version: string
  readonly notify: Observer
  readonly signal: AbortSignal
  /** In place of what the route itself would show. */
  readonly select?: Select
  /** The records as the API shows them, one JSON text on each line, instead of the mapping's rows. */
  readonly asJson: boolean
}

export interface Exported {
  readonly tally: ReportTally
  /** What was named and is not there. */
  readonly missing: readonly string[]
}

/** Hands the bytes of the file to `write`. Without a selection: what the report holds, or what nobody has acknowledged. */
export async function exportOnce(
  configuration: Configuration,
  route: OutboundRoute,
  options: ExportOptions,
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Exported> {
  const { clock, random, version, asJson } = options
  const { baseUrl, timeoutMs, connections } = configuration.api
  const selection = await selectionFor(route, options)
  const tally = emptyTally()
  const linesOf = asJson
    ? (pages: Pages) => jsonLines(pages, tally)
    : await rowsFor(configuration, route, { tally, clock })
  const api = createClient({ baseUrl, timeoutMs, connections, clock, random, version, ...route.credentials })
  try {
    const { pages, missing } = readSelected(api, route, selection)
    await write(linesOf(watched({ ...options, route }, pages)))
    return { tally, missing: missing() }
  } finally {
    await api.close()
  }
}

type Pages = AsyncIterable<readonly Resource[]>

async function selectionFor(route: OutboundRoute, { select, clock }: ExportOptions): Promise<Selection> {
  const chosen = select ?? route.report?.select
  return chosen === undefined
    ? { query: OPERATIONS[route.operation].query }
    : selectionAt(chosen, clock.now(), turnNow(route, clock.now()))
}

/** What the words of a report for business dates mean right now: what its next turn would show, as far as it is there. */
function turnNow({ schedule }: OutboundRoute, now: number): RouteTurn | undefined {
  if (schedule?.kind !== 'daily') return undefined
  return { date: dateIn(schedule.zone, now), dueAt: now, previousAt: lastDate(schedule, now).dueAt }
}

async function rowsFor(
  configuration: Configuration,
  route: OutboundRoute,
  { tally, clock }: { readonly tally: ReportTally; readonly clock: Clock },
): Promise<(pages: Pages) => AsyncIterable<Uint8Array>> {
  const mapping = (await loadMappings({ ...configuration, routes: [route] })).get(route.name)
  assert(mapping?.direction === 'outbound', `route ${route.name} has no mapping`)
  const { composer } = mapping
  const parts = { composer, format: createFormats(), operation: route.operation }
  if (composer.takesKept !== true) return (pages) => reportLines(parts, pages, tally)
  return (pages) =>
    reportLines(parts, remembered(pages, { route, composer, path: configuration.journal.path, clock }), tally)
}

/** The journal is only looked into, and only for mappings that write what is kept in it. */
async function* remembered(
  pages: Pages,
  { path, clock, ...parts }: Omit<KeepingParts, 'journal'> & { readonly path: string; readonly clock: Clock },
): AsyncGenerator<readonly Resource[], void, undefined> {
  const journal = await openJournal({ path, clock })
  try {
    yield* keptPages({ ...parts, journal }, pages)
  } finally {
    await journal.close()
  }
}

async function* jsonLines(pages: Pages, tally: ReportTally): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const page of pages) {
    tally.records += page.length
    yield Buffer.from(page.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
}

/** The outbound route of this name. */
export function outboundRouteNamed({ routes }: Configuration, name: string): OutboundRoute {
  const outbound = routes.filter((route) => route.direction === 'outbound')
  const found = outbound.find((route) => route.name === name)
  if (found !== undefined) return found
  const known = outbound.map((route) => route.name).join(', ')
  const what = routes.some((route) => route.name === name)
    ? `the route ${name} takes files in and writes none`
    : `there is no route "${name}"`
  throw new BridgeError('usage-wrong', `${what}; the routes that write files are ${known || 'none'}`)
}
