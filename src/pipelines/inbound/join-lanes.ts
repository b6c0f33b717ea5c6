/** Refused records whose orders were not known when they were planned join the lanes of these orders afterwards. */
import type { FileEntry } from '../../domain/journal.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import type { Draft } from '../../domain/translator.ts'
import type { InboundParts } from '../parts.ts'
import { orderNamedBy } from './order-lanes.ts'
import type { RefusedRows } from './refused-rows.ts'
import type { Step } from './steps.ts'

export interface Joining {
  readonly parts: InboundParts
  readonly file: FileEntry
  /** Of all steps. */
  readonly refused: RefusedRows
}

/** How many join in one transaction. */
const JOINED_AT_ONCE = 500

/** A refused record whose order is not known is of the order of a later record with one of its rows. */
export async function joinByRows(
  { parts, file, step, refused }: Joining & { readonly step: Step },
  records: readonly PlannedRecord[],
  drafts: readonly Draft[],
): Promise<void> {
  const { number: turn = 1 } = step
  const joins = new Map<number, string>()
  for (const [index, { number, lines, lane, problems, skipped }] of records.entries()) {
    if (lane === undefined && problems.length > 0 && !skipped) {
      refused.add(turn, number, lines)
      refused.name(number, orderNamedBy(drafts[index])?.number)
    }
    if (lane === undefined) continue
    for (const each of refused.meeting(turn, lines)) joins.set(each, lane)
  }
  if (joins.size === 0) return
  const list = [...joins].map(([number, lane]) => ({ number, lane }))
  await parts.journal.joinLanes(parts.lease, file.id, list)
}

/** An order whose number nobody knew when its refused record was planned may be known by now. */
export async function joinByNumber({ parts, file, refused }: Joining): Promise<void> {
  const { journal, lease, route } = parts
  const named = refused.named()
  for (let start = 0; start < named.length; start += JOINED_AT_ONCE) {
    const some = named.slice(start, start + JOINED_AT_ONCE)
    const numbers = [...new Set(some.map(({ order }) => order))]
    const known = await journal.findResources(accountOf(route.party), 'order', numbers)
    const joins = some.flatMap(({ number, order }) => {
      const [one, another] = known.filter(({ key }) => key === order)
      return one === undefined || another !== undefined ? [] : { number, lane: one.id }
    })
    if (joins.length > 0) await journal.joinLanes(lease, file.id, joins)
  }
}
