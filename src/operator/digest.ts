/** One digest of what happened in a range of the journal: built after the fact, so that it tells what is so. */
import type { Configuration } from '../config/configuration.ts'
import { type Concern, type ConcernChange, concernKey } from '../domain/attention.ts'
import type { Journal, WorkOf } from '../domain/journal.ts'
import type { Digest, NoticeMatter, ToldConcern, ToldDelivery, ToldFile } from '../domain/notice.ts'
import type { StateCounts } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { resultsPlace } from './places.ts'

/** So many files and deliveries are looked at, and so many of them are named. */
export const MATTER_MAX = 2000
const NAMED_MAX = 100

/** So many records in trouble are looked through for their codes. */
const TROUBLED_MAX = 1000

export interface DigestRequest {
  readonly id: string
  readonly at: number
  readonly matter: NoticeMatter
  readonly on: 'trouble' | 'always'
  /** All when left out. */
  readonly routes?: readonly string[]
  /** The changes of findings in the range. */
  readonly changes: readonly ConcernChange[]
}

export interface Sources {
  readonly journal: Journal
  readonly configuration: Configuration
}

/** Undefined when nothing of it is worth a notice. */
export async function digestOf(sources: Sources, request: DigestRequest): Promise<Digest | undefined> {
  const { matter } = request
  const files = await gather(matter.files, (id) => toldFile(sources, id), request)
  const deliveries = await gather(matter.deliveries, (id) => toldDelivery(sources, id), request)
  const { attention, failures, recovered } = changesIn(request, sources.configuration)
  const trouble =
    files.some(isTroubled) ||
    deliveries.some(isTroubled) ||
    attention.raised.length + attention.ended.length + failures.length + recovered.length > 0
  const isEmpty = files.length + deliveries.length === 0 && !trouble
  if (isEmpty || (request.on === 'trouble' && !trouble)) return undefined
  const worth = <Told extends ToldFile | ToldDelivery>(all: readonly Told[]) =>
    request.on === 'always' ? all : all.filter(isTroubled)
  const named = { files: worth(files), deliveries: worth(deliveries) }
  return {
    id: request.id,
    at: isoTime(request.at),
    trouble,
    totals: {
      files: files.length,
      deliveries: deliveries.length,
      incoming: sumOf(files),
      outgoing: sumOf(deliveries),
    },
    files: named.files.slice(-NAMED_MAX),
    deliveries: named.deliveries.slice(-NAMED_MAX),
    more: Math.max(0, named.files.length - NAMED_MAX) + Math.max(0, named.deliveries.length - NAMED_MAX),
    attention,
    failures,
    recovered,
  }
}

function isMeant({ routes }: DigestRequest, route: string | undefined): boolean {
  return routes === undefined || route === undefined || routes.includes(route)
}

async function gather<Told extends { readonly route: string }>(
  ids: readonly string[],
  tell: (id: string) => Promise<Told | undefined>,
  request: DigestRequest,
): Promise<Told[]> {
  const told: Told[] = []
  for (const id of ids) {
    const one = await tell(id)
    if (one !== undefined && isMeant(request, one.route)) told.push(one)
  }
  return told
}

async function toldFile({ journal, configuration }: Sources, id: string): Promise<ToldFile | undefined> {
  const file = await journal.file(id)
  if (file === undefined) return undefined
  const { route, name, outcome = 'processed', problems } = file
  const counts = await journal.countRecords({ file: id })
  return {
    route,
    file: name,
    outcome,
    records: counts,
    codes: countCodes([problems.map(({ code }) => code), ...(await codesOf(journal, { file: id }, counts))]),
    results: resultsPlace(configuration, file)?.words ?? '',
  }
}

async function toldDelivery({ journal }: Sources, id: string): Promise<ToldDelivery | undefined> {
  const delivery = await journal.delivery(id)
  if (delivery === undefined) return undefined
  const { route, name, state } = delivery
  const counts = await journal.countRecords({ delivery: id })
  return {
    route,
    file: name,
    state,
    records: counts,
    codes: countCodes(await codesOf(journal, { delivery: id }, counts)),
  }
}

/** The codes of each record in trouble; messages may hold cells, and stay where they are. */
async function codesOf(journal: Journal, work: WorkOf, counts: StateCounts): Promise<string[][]> {
  if (troubledIn(counts) === 0) return []
  const records = await journal.troubledRecords(work, TROUBLED_MAX)
  return records.map(({ problems }) => [...new Set(problems.map(({ code }) => code))])
}

function countCodes(codes: readonly (readonly string[])[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const code of codes.flat()) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

function isTroubled(told: ToldFile | ToldDelivery): boolean {
  return troubledIn(told.records) > 0 || ('outcome' in told && told.outcome === 'unusable')
}

function troubledIn({ rejected = 0, held = 0, uncertain = 0 }: StateCounts): number {
  return rejected + held + uncertain
}

function sumOf(all: readonly { readonly records: StateCounts }[]): StateCounts {
  const sum: Record<string, number> = {}
  for (const { records } of all) {
    for (const [state, count] of Object.entries(records)) sum[state] = (sum[state] ?? 0) + count
  }
  return sum
}

/** What came and went within the range needs nobody. */
function changesIn(
  request: DigestRequest,
  { routes }: Configuration,
): Pick<Digest, 'attention' | 'failures' | 'recovered'> {
  const { changes } = request
  const last = new Map(changes.map((change) => [concernKey(change.concern), change]))
  const first = new Map(changes.toReversed().map((change) => [concernKey(change.concern), change]))
  const meant = [...last].filter(([, { concern }]) => isMeant(request, concern.route))
  const raised = meant.filter(([, { change }]) => change === 'raised').map(([, { concern }]) => concern)
  const ended = meant
    .filter(([key, { change }]) => change === 'ended' && first.get(key)?.change === 'ended')
    .map(([, { concern }]) => concern)
  const failing = new Set(raised.filter(isFailure).map(({ route }) => route))
  return {
    attention: {
      raised: raised.filter((concern) => !isFailure(concern)).map(toldConcern),
      ended: ended.filter((concern) => !isFailure(concern)).map(toldConcern),
    },
    failures: raised
      .filter(isFailure)
      .map(({ route = '', subject: code, message }) => ({ route, code, message })),
    // A route that is gone does not work again.
    recovered: routes.flatMap(({ name }) =>
      !failing.has(name) && ended.some((concern) => isFailure(concern) && concern.route === name)
        ? [name]
        : [],
    ),
  }
}

function isFailure({ code }: Concern): boolean {
  return code === 'route-failing'
}

function toldConcern({ code, route, message, cure }: Concern): ToldConcern {
  return { code, message, cure, ...(route === undefined ? {} : { route }) }
}

/** What was to be told is settled by now; whoever got the first try of it is told so. */
export function nothingLeft(id: string, at: number): Digest {
  return {
    id,
    at: isoTime(at),
    trouble: false,
    totals: { files: 0, deliveries: 0, incoming: {}, outgoing: {} },
    files: [],
    deliveries: [],
    more: 0,
    attention: { raised: [], ended: [] },
    failures: [],
    recovered: [],
  }
}
