/** Sums what passed through: files, records, units and money, by route, party and operation. */
import { DateTime } from 'luxon'
import type { Configuration } from '../config/configuration.ts'
import { type Measure, MEASURES, type OperationName } from '../contract/operations.ts'
import type { ActiveRecord, ActiveWork, TimeRange } from '../domain/activity.ts'
import type { Journal } from '../domain/journal.ts'
import type { RecordState } from '../domain/record.ts'
import { formatAccount } from '../domain/route.ts'
import { readItems } from '../operations/order-lines.ts'
import { isParty } from './party-apis.ts'
import { readPages } from '../support/async.ts'
import type { Mutable } from '../support/object-paths.ts'
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  rescaleExactly,
} from '../support/decimal.ts'

/** One route, party and operation. `units` and `amount` are those of the accepted records. */
export interface ActivityRow {
  readonly route: string
  readonly direction: ActiveWork['direction']
  /** `retailer/1000`. */
  readonly party: string
  readonly operation: string
  readonly files: number
  readonly records: number
  readonly accepted: number
  readonly refused: number
  /** Duplicates, and records that wait or were left out. */
  readonly other: number
  readonly units: number
  /** US dollars; left out where the records of the operation have no amount. */
  readonly amount?: string
  /** Accepted records whose contents were pruned or are not in the journal: the sums lack them. */
  readonly unknown: number
}

interface ActivityRequest extends TimeRange {
  readonly route?: string
  /** `retailer/1000`, or the id alone. */
  readonly party?: string
}

const PAGE = 500

/** Reads the journal page by page; the memory grows with the number of rows of the answer alone. */
export async function sumActivity(
  journal: Journal,
  { routes }: Pick<Configuration, 'routes'>,
  request: ActivityRequest,
): Promise<ActivityRow[]> {
  const sums = createSums(routes)
  const read = (after: ActiveWork | undefined) => journal.listActiveWork(request, after, PAGE)
  for await (const page of readPages<ActiveWork, ActiveWork | undefined>(read, undefined, (last) => last)) {
    const works = page.filter(({ route }) => request.route === undefined || request.route === route)
    for (const work of works) await addWork(journal, sums, work)
  }
  return sums
    .list()
    .filter(({ party }) => isParty(party, request.party))
    .toSorted(compareRows)
    .map(toRow)
}

/** One sum for each route, party and operation. */
function createSums(routes: Configuration['routes']) {
  const sums = new Map<string, ActivitySum>()
  const find = (work: ActiveWork, { operation, account }: Pick<ActiveRecord, 'operation' | 'account'>) => {
    const key = JSON.stringify([work.route, work.direction, account, operation])
    const known = sums.get(key) ?? createSum(work, { operation, account })
    sums.set(key, known)
    return known
  }
  return {
    find,
    /** Of work without records in the journal: what the configuration says of its route. */
    findOfRoute(work: ActiveWork) {
      const { operation = '', party } = routes.find(({ name }) => name === work.route) ?? {}
      return find(work, { operation, account: party === undefined ? '' : formatAccount(party) })
    },
    list: () => [...sums.values()],
  }
}

async function addWork(journal: Journal, sums: ReturnType<typeof createSums>, work: ActiveWork) {
  const seen = new Set<ActivitySum>()
  const read = (after: number) => journal.listActiveRecords(work, after, PAGE)
  for await (const records of readPages(read, 0, ({ number }) => number)) {
    for (const record of records) {
      const sum = sums.find(work, record)
      seen.add(sum)
      addRecord(sum, work, record)
    }
  }
  if (seen.size === 0) {
    const sum = sums.findOfRoute(work)
    seen.add(sum)
    addReport(sum, work)
  }
  for (const sum of seen) sum.files++
}

function compareRows(one: ActivitySum, other: ActivitySum): number {
  const key = ({ route, party, operation }: ActivitySum) => `${route} ${party} ${operation}`
  return key(one) < key(other) ? -1 : 1
}

/** The days from `from` to the end of `to`, in the zone. Undefined where a text is no date. */
export function toDays(from: string, to: string, zone: string): TimeRange | undefined {
  const first = DateTime.fromISO(from, { zone })
  const last = DateTime.fromISO(to, { zone })
  if (!first.isValid || !last.isValid) return undefined
  return { from: first.startOf('day').toMillis(), to: last.plus({ days: 1 }).startOf('day').toMillis() }
}

// What the records of an operation say of units and money.

type ActivitySum = Mutable<Omit<ActivityRow, 'amount'>> & { amount?: Decimal }

const NOTHING: Decimal = { units: 0n, scale: 2 }

function createSum(
  { route, direction }: ActiveWork,
  { operation, account }: Pick<ActiveRecord, 'operation' | 'account'>,
) {
  const counts = { files: 0, records: 0, accepted: 0, refused: 0, other: 0, units: 0, unknown: 0 }
  const { amount, prices } = MEASURES[operation as OperationName] ?? {}
  const hasAmount = amount !== undefined || prices !== undefined
  return { route, direction, party: account, operation, ...counts, ...(hasAmount && { amount: NOTHING }) }
}

/** What is in a delivered file was received, whether it is acknowledged yet or not. */
export const IN_FILE: readonly RecordState[] = [
  'accepted',
  'exported',
  'collected',
  'sending',
  'uncertain',
  'deferred',
]

function addRecord(
  sum: ActivitySum,
  { direction }: ActiveWork,
  { operation, state, body, isPruned }: ActiveRecord,
) {
  sum.records++
  const isAccepted = direction === 'incoming' ? state === 'accepted' : IN_FILE.includes(state)
  if (!isAccepted) {
    if (state === 'rejected') sum.refused++
    else sum.other++
    return
  }
  sum.accepted++
  const measure = MEASURES[operation as OperationName]
  if (measure === undefined) return
  const measured = body === undefined || isPruned ? undefined : measureBody(JSON.parse(body), measure)
  if (measured === undefined) sum.unknown++
  else {
    sum.units += measured.units
    if (sum.amount !== undefined) sum.amount = addDecimals(sum.amount, measured.amount)
  }
}

/** A report, or a file that was refused as a whole or is a duplicate: the journal has no records of it. */
function addReport(sum: ActivitySum, { direction, records }: ActiveWork): void {
  sum.records += records
  if (direction === 'outgoing') sum.accepted += records
  if (sum.operation in MEASURES) sum.unknown += records
}

type Body = Readonly<Record<string, unknown>>

/** Undefined where the body lacks a quantity or an amount. */
function measureBody(body: Body, { lines, amount, prices = [] }: Measure) {
  let units = 0
  let total = amount === undefined ? NOTHING : toDecimal(body[amount])
  for (const line of lines === undefined ? [] : readItems(body, lines)) {
    // Spec: further packages of one item do not count.
    if (typeof line['part'] === 'number' && line['part'] > 1) continue
    const quantity = line['quantity']
    if (typeof quantity !== 'number') return undefined
    units += quantity
    if (prices.length === 0 || total === undefined) continue
    const price = toDecimal(prices.map((name) => line[name]).find((value) => value !== undefined))
    total = price && addDecimals(total, multiplyDecimals(price, { units: BigInt(quantity), scale: 0 }))
  }
  return total === undefined ? undefined : { units, amount: total }
}

function toDecimal(value: unknown): Decimal | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

function toRow({ amount, ...row }: ActivitySum): ActivityRow {
  if (amount === undefined) return row
  return { ...row, amount: formatDecimal(rescaleExactly(amount, 2) ?? amount) }
}
