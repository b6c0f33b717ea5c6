/** Gives all records of an order the same lane, whatever step they are from, so that they are sent in order. */
import type { FileEntry } from '../../domain/file.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { Draft, LineRange } from '../../domain/translator.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import type { ResourceFinder } from '../references/finder.ts'
import type { ResolvedDraft } from '../references/resolver.ts'
import { findFirstEnding } from './returned-rows.ts'
import type { RouteStep } from './steps.ts'

/**
 * The lane is the id of the order. An invoice names its order by number, which is looked up. A refused record also gets
 * the lane of its order, because later records wait for its correction. If the number of a valid record matches no order,
 * or several, the number is a lane of its own.
 */
export function createOrderLanes({ route }: InboundContext, findOrders: ResourceFinder) {
  const { lane } = INBOUND_RULES[route.operation]
  /** The lane of each draft; undefined for a refused one whose order is not known. */
  return async (drafts: readonly Draft[], resolved: readonly ResolvedDraft[]) => {
    const named = resolved.map((draft, index): NamedOrder | undefined => {
      const { body = {}, order } = draft
      if (isValid(draft)) return readOrderFields(body)
      return order === undefined ? findNamedOrder(drafts[index]) : { id: order.id }
    })
    const found = await findOrders(named.flatMap(({ number } = {}) => number ?? []))
    return resolved.map((draft, index) => {
      const { id, number } = named[index] ?? {}
      const [one, another] = number === undefined ? [] : (found.get(number) ?? [])
      const known = id ?? (another === undefined ? one?.id : undefined)
      if (!isValid(draft)) return known
      return number === undefined ? lane(draft.body ?? {}) : (known ?? `PO ${number}`)
    })
  }
}

/** An order by its id or, where the id is not given, by its number. */
interface NamedOrder {
  readonly id?: string
  readonly number?: string
}

function isValid(draft: ResolvedDraft): boolean {
  return draft.body !== undefined && draft.problems.length === 0
}

function readOrderFields(fields: Readonly<Record<string, unknown>>): NamedOrder | undefined {
  const { order_id: id, purchase_order_number: number } = fields
  if (typeof id === 'number') return { id: String(id) }
  return typeof number === 'string' ? { number } : undefined
}

/** Reads which order the file names, also where the record has other problems. */
function findNamedOrder(draft: Draft | undefined): NamedOrder | undefined {
  const reference = draft?.references.find(({ kind }) => kind === 'order')
  return reference === undefined
    ? readOrderFields(draft?.body ?? draft?.about ?? {})
    : { number: reference.key }
}

// Refused records join the lane of their order later, when the order was not known at planning.

interface LaneJoin {
  readonly context: InboundContext
  readonly file: FileEntry
  readonly refused: RefusedRows
}

/** How many records join their lanes in one transaction. */
const JOIN_BATCH = 500

/** A refused record without a known order gets the lane of a later record that shares one of its rows. */
export async function joinLanesByRows(
  { context, file, step, refused }: LaneJoin & { readonly step: RouteStep },
  records: readonly PlannedRecord[],
  drafts: readonly Draft[],
): Promise<void> {
  const { number: stepNumber = 1 } = step
  const joins = new Map<number, string>()
  for (const [index, { number, lines, lane, problems, skipped }] of records.entries()) {
    if (lane === undefined && problems.length > 0 && !skipped) {
      refused.add(stepNumber, number, lines)
      refused.addName(number, findNamedOrder(drafts[index])?.number)
    }
    if (lane === undefined) continue
    for (const each of refused.findMeeting(stepNumber, lines)) joins.set(each, lane)
  }
  if (joins.size === 0) return
  const list = [...joins].map(([number, lane]) => ({ number, lane }))
  await context.journal.assignLanes(context.lease, file.id, list)
}

/** Looks the order numbers of refused records up again: an earlier step may have created the order meanwhile. */
export async function joinLanesByOrderNumber({ context, file, refused }: LaneJoin): Promise<void> {
  const { journal, lease, route } = context
  const named = refused.listNamed()
  for (let start = 0; start < named.length; start += JOIN_BATCH) {
    const batch = named.slice(start, start + JOIN_BATCH)
    const numbers = [...new Set(batch.map(({ order }) => order))]
    const known = await journal.findResourcesByKey(formatAccount(route.party), 'order', numbers)
    const joins = batch.flatMap(({ number, order }) => {
      const [one, another] = known.filter(({ key }) => key === order)
      return one === undefined || another !== undefined ? [] : { number, lane: one.id }
    })
    if (joins.length > 0) await journal.assignLanes(lease, file.id, joins)
  }
}

// Rows of refused records without a known order. A later step's record with such a row is of the same order.

interface RefusedRow {
  readonly first: number
  readonly last: number
  readonly number: number
}

export type RefusedRows = ReturnType<typeof createRefusedRows>

/** Collects refused rows while a file is planned, step after step. */
export function createRefusedRows() {
  const rowsByStep = new Map<number, { rows: RefusedRow[]; isSorted: boolean }>()
  /** Refused records with the numbers of their orders. */
  const named: { readonly number: number; readonly order: string }[] = []
  return {
    /** Notes the order number that the record gives, if it gives one. */
    addName(number: number, order: string | undefined): void {
      if (order !== undefined) named.push({ number, order })
    },
    listNamed: () => named,
    add(step: number, number: number, lines: readonly LineRange[]): void {
      const own = rowsByStep.get(step) ?? { rows: [], isSorted: false }
      own.rows.push(...lines.map(([first, last]) => ({ first, last, number })))
      rowsByStep.set(step, own)
    },
    /** The numbers of refused records of earlier steps that share a row with these lines. */
    findMeeting(step: number, lines: readonly LineRange[]): Set<number> {
      const numbers = new Set<number>()
      for (const [earlier, own] of rowsByStep) {
        if (earlier >= step) continue
        // An earlier step is planned completely, so no row is added after the sort.
        if (!own.isSorted) own.rows.sort((one, other) => one.first - other.first)
        own.isSorted = true
        for (const range of lines)
          for (const each of findOverlapping(own.rows, range)) numbers.add(each.number)
      }
      return numbers
    },
  }
}

/** The rows are sorted and, being of one step, do not overlap each other. */
function* findOverlapping(rows: readonly RefusedRow[], [first, last]: LineRange): Generator<RefusedRow> {
  for (let at = findFirstEnding(rows, first, (row) => row.last); at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined || row.first > last) return
    yield row
  }
}
