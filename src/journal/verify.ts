/**
 * Verifies the chain: compares each event with the one before it, and the tables with the last event about
 * each row. It goes from the last event to the first: the first event that it meets of a row shows how the
 * row should be now, so that it must remember only a bit for each row.
 */
import { sql } from 'kysely'
import type { Anchor, AuditJournal, AuditReport, Mismatch } from '../domain/audit.ts'
import { EventDetailSchema } from './event-detail.ts'
import { findLastAnchor, hashEvent, selectEventsBackwards, selectHead } from './events.ts'
import { createInterchangeCheck } from './interchanges/verify.ts'
import { prune } from './prune.ts'
import { jsonRows } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'
import { type BoundStore, yieldToEventLoop } from './store.ts'
import { collectMismatches, type Mismatches, type ParsedEvent } from './verify-check.ts'
import { createRecordCheck } from './verify-records.ts'
import { createRowCheck } from './verify-rows.ts'

/** How many events are read at once. One event may be about some hundreds of records. */
const PAGE_SIZE = 16

async function verifyChain(db: Db, anchor: Anchor | undefined): Promise<AuditReport> {
  const found = collectMismatches()
  const head = await selectHead(db)
  const records = createRecordCheck(db, found)
  const rows = createRowCheck(db, found)
  const interchanges = createInterchangeCheck(db, found)
  let later: EventRow | undefined
  let events = 0
  let lastAt: number | undefined
  for (;;) {
    const page = await selectEventsBackwards(db, later?.id, PAGE_SIZE)
    if (page.length === 0) break
    for (const event of page) {
      if (later !== undefined) checkLink(event, later, found)
      lastAt ??= event.at
      if (anchor?.event === event.id && anchor.hash !== event.hash) reportAnchorMismatch(event, found)
      later = event
      events++
    }
    // A repaired hash shows only at the next event, so a page is compared with the tables whatever its hashes are.
    const parsed = page.flatMap((event) => parseEvent(event, found))
    await yieldToEventLoop()
    await records.checkPage(parsed)
    await rows.checkPage(parsed)
    await interchanges.checkPage(parsed)
  }
  if (later === undefined) found.add('event', 1, 'the chain is empty: all of its events were removed')
  else checkLink({ id: 0, hash: '' }, later, found)
  if (anchor !== undefined) checkAnchorExists(anchor, head, found)
  await records.finish()
  await rows.finish()
  await interchanges.finish()
  return {
    events,
    ...(later === undefined ? {} : { firstAt: later.at }),
    ...(lastAt === undefined ? {} : { lastAt }),
    head,
    compared: { records: records.compared(), ...rows.compared() },
    found: found.count(),
    findings: await addRecordNames(db, found.list()),
  }
}

/** `previous` is the existing event before this one; its id is 0 before the first. */
function checkLink(previous: { id: number; hash: string }, event: EventRow, found: Mismatches): void {
  const first = previous.id + 1
  if (event.id !== first) {
    const which = event.id - 1 === first ? `event ${first} is` : `events ${first} to ${event.id - 1} are`
    const why =
      first === 1
        ? ': the beginning of the chain was removed'
        : `; the next one, ${event.kind}, does not follow it`
    found.add('event', first, `${which} missing${why}`, event)
  } else if (hashEvent(previous.hash, event) !== event.hash) {
    const message = `event ${event.id} (${event.kind}) or the hash of the one before it is not what was written`
    found.add('event', event.id, message, event)
  }
}

function reportAnchorMismatch(event: EventRow, found: Mismatches): void {
  const message = `event ${event.id} is not the one that was anchored: the chain up to it was rewritten`
  found.add('anchor', event.id, message, event)
}

function checkAnchorExists(anchor: Anchor, head: Anchor, found: Mismatches): void {
  if (anchor.event <= head.event) return
  const message = `the anchor is event ${anchor.event}, and the chain ends with event ${head.event}: its end was cut off`
  found.add('anchor', anchor.event, message)
}

function parseEvent(event: EventRow, found: Mismatches): ParsedEvent[] {
  try {
    return [{ event, detail: EventDetailSchema.parse(JSON.parse(event.detail)) }]
  } catch {
    found.add('event', event.id, `event ${event.id} (${event.kind}) has an unknown content`, event)
    return []
  }
}

/** Reads one consistent state, because other bridges may write meanwhile. */
async function readConsistently<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await sql`begin`.execute(db)
  try {
    return await work()
  } finally {
    await sql`rollback`.execute(db)
  }
}

export function createAuditJournal({ store, reads }: BoundStore): AuditJournal {
  return {
    findSubmission: reads((db, fileId) =>
      findLastAnchor(db, sql`subject = ${fileId} and kind = 'file-submitted'`),
    ),
    verifyChain: reads((db, { anchor }) => readConsistently(db, () => verifyChain(db, anchor))),
    prune: (request) => prune(store, request),
  }
}

type NamedRow = Pick<
  Row<'records'>,
  'id' | 'route' | 'lines' | 'key_values' | 'natural_key' | 'operation'
> & { readonly file: string | null }

/** Adds the origin of each record to its finding. A missing record has only its number. */
async function addRecordNames(db: Db, findings: readonly Mismatch[]): Promise<Mismatch[]> {
  const ids = findings.flatMap((finding) => getRecordId(finding) ?? [])
  const { rows } = await sql<NamedRow>`
    select records.id, records.route, files.name as file, records.lines, key_values, natural_key, operation
    from ${jsonRows(ids, { id: (id) => id })} cross join records left join files on files.id = records.file_id
    where records.id = batch.id`.execute(db)
  const names = new Map(rows.map((row) => [row.id, formatRecordName(row)]))
  return findings.map((finding) => {
    const id = getRecordId(finding)
    const name = id === undefined ? undefined : names.get(id)
    if (name === undefined) return finding
    return { ...finding, message: finding.message.replace(`record ${id}`, () => `record ${id} (${name})`) }
  })
}

/** The id of a document begins with that of its record. */
function getRecordId({ about, id }: Mismatch): number | undefined {
  return about === 'record' || about === 'document' ? Number.parseInt(id, 10) || undefined : undefined
}

/** `orders-in, badday.csv line 3, BD-0004`; for an exported record, its operation and id. */
function formatRecordName({ route, file, lines, key_values, natural_key, operation }: NamedRow): string {
  const [range] = JSON.parse(lines) as [number, number][]
  const line = range === undefined ? '' : ` line ${range[0]}`
  const cells = (JSON.parse(key_values) as string[]).filter((cell) => cell !== '').join(', ')
  const key = cells || (natural_key ?? '')
  return [route, file === null ? operation : `${file}${line}`, ...(key === '' ? [] : [key])].join(', ')
}
