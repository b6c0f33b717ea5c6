/**
 * The check of the chain: each event against the one before it, and what the chain says last of each row against the
 * tables. It goes from the last event to the first: what it meets first of a row is what should stand there now, so that
 * all it must remember is a bit for each row.
 */
import { type Kysely, sql } from 'kysely'
import type { Anchor, AuditReport } from '../domain/audit.ts'
import { chainTail, hashOf, headOf } from './chain.ts'
import { EventDetailSchema } from './event-detail.ts'
import { ownTurn } from './turns.ts'
import { type Findings, findings } from './findings.ts'
import type { EventTable, Tables } from './schema.ts'
import type { Told } from './verify-check.ts'
import { withNames } from './verify-names.ts'
import { recordCheck } from './verify-records.ts'
import { rowCheck } from './verify-rows.ts'

/** How many events are read at once. One tells of some hundreds of records. */
const PAGE = 16

export async function verifyChain(tables: Kysely<Tables>, anchor: Anchor | undefined): Promise<AuditReport> {
  const found = findings()
  const head = await headOf(tables)
  const records = recordCheck(tables, found)
  const rows = rowCheck(tables, found)
  let later: EventTable | undefined
  let events = 0
  let lastAt: number | undefined
  for (;;) {
    const page = await chainTail(tables, later?.id, PAGE)
    if (page.length === 0) break
    for (const event of page) {
      if (later !== undefined) checkLink(event, later, found)
      lastAt ??= event.at
      if (anchor?.event === event.id && anchor.hash !== event.hash) notTheAnchored(event, found)
      later = event
      events++
    }
    // A mended hash shows at the next event only, so a page is compared with the tables whatever its hashes say.
    const told = page.flatMap((event) => detailOf(event, found))
    await ownTurn()
    await records.look(told)
    await rows.look(told)
  }
  checkFirst(later, found)
  if (anchor !== undefined) checkAnchorIsThere(anchor, head, found)
  await records.finish()
  await rows.finish()
  return {
    events,
    ...(later === undefined ? {} : { firstAt: later.at }),
    ...(lastAt === undefined ? {} : { lastAt }),
    head,
    compared: { records: records.compared(), ...rows.compared() },
    found: found.count(),
    findings: await withNames(tables, found.list()),
  }
}

function checkLink(event: EventTable, later: EventTable, found: Findings): void {
  if (event.id !== later.id - 1) {
    const gap = later.id - event.id - 1
    const which = gap === 1 ? `event ${event.id + 1} is` : `events ${event.id + 1} to ${later.id - 1} are`
    found.add(
      'event',
      event.id + 1,
      `${which} missing; the next one, ${later.kind}, is of another time`,
      later,
    )
  } else if (hashOf(event.hash, later) !== later.hash) wrongHash(later, found)
}

function wrongHash(event: EventTable, found: Findings): void {
  const message = `event ${event.id} (${event.kind}) or the hash of the one before it is not what was written`
  found.add('event', event.id, message, event)
}

function checkFirst(first: EventTable | undefined, found: Findings): void {
  if (first === undefined) {
    found.add('event', 1, 'the chain is empty: all of its events were removed')
  } else if (first.id !== 1) {
    const which = first.id === 2 ? 'event 1 is' : `events 1 to ${first.id - 1} are`
    found.add('event', 1, `${which} missing: the beginning of the chain was removed`, first)
  } else if (hashOf('', first) !== first.hash) wrongHash(first, found)
}

function notTheAnchored(event: EventTable, found: Findings): void {
  const message = `event ${event.id} is not the one that was anchored: what is up to it was written anew`
  found.add('anchor', event.id, message, event)
}

function checkAnchorIsThere(anchor: Anchor, head: Anchor, found: Findings): void {
  if (anchor.event <= head.event) return
  const message = `the anchor is event ${anchor.event}, and the chain ends with event ${head.event}: its end was cut off`
  found.add('anchor', anchor.event, message)
}

function detailOf(event: EventTable, found: Findings): Told[] {
  try {
    return [{ event, detail: EventDetailSchema.parse(JSON.parse(event.detail)) }]
  } catch {
    found.add('event', event.id, `event ${event.id} (${event.kind}) says what no event says`, event)
    return []
  }
}

/** Everything at one moment: other bridges may write meanwhile. */
export async function atOneMoment<T>(tables: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  await sql`begin`.execute(tables)
  try {
    return await work()
  } finally {
    await sql`rollback`.execute(tables)
  }
}
