/**
 * Verifies the chain: compares each event with the one before it, and the tables with the last event about
 * each row. It goes from the last event to the first: the first event that it meets of a row shows how the
 * row should be now, so that it must remember only a bit for each row.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Anchor, AuditJournal, AuditReport, Mismatch } from '../domain/audit.ts'
import {
  digestCorrection,
  digestPause,
  digestDecision,
  digestDelivery,
  digestFile,
  type EventDetail,
} from './event-detail.ts'
import { findLastAnchor, selectEventsBackwards, selectHead } from './events.ts'
import { createInterchangeCheck } from './interchanges/verify.ts'
import { prune } from './prune.ts'
import { exists, jsonRows } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'
import { type BoundStore, yieldToEventLoop } from './store.ts'
import {
  checkLink,
  collectMismatches,
  createIdSet,
  type IdSet,
  type Mismatches,
  type ParsedEvent,
  parseEvent,
  readConsistently,
} from './verify-check.ts'
import { createRecordCheck } from './verify-records.ts'
import { type RunMention, toRunMention } from './scheduled-runs.ts'
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

function reportAnchorMismatch(event: EventRow, found: Mismatches): void {
  const message = `event ${event.id} is not the one that was anchored: the chain up to it was rewritten`
  found.add('anchor', event.id, message, event)
}

function checkAnchorExists(anchor: Anchor, head: Anchor, found: Mismatches): void {
  if (anchor.event <= head.event) return
  const message = `the anchor is event ${anchor.event}, and the chain ends with event ${head.event}: its end was cut off`
  found.add('anchor', anchor.event, message)
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

// Compares files, deliveries, documents, decisions and scheduled runs with the events.

export function createRowCheck(db: Db, found: Mismatches) {
  const files = checkWork(db, found, FILES)
  const deliveries = checkWork(db, found, DELIVERIES)
  const checkDocuments = createDocumentCheck(db, found)
  const runs = createRunCheck(db, found)
  const pauses = createPauseCheck(db, found)
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      await files.checkPage(page)
      await deliveries.checkPage(page)
      await checkDocuments(page)
      await checkDecisions(db, found, page)
      await checkCorrections(db, found, page)
      await runs.checkPage(page)
      await pauses.checkPage(page)
    },
    async finish(): Promise<void> {
      await files.finish()
      await deliveries.finish()
      await runs.finish()
      await pauses.finish()
    },
    compared: () => ({ files: files.compared(), deliveries: deliveries.compared() }),
  }
}

/** Numbers within groups, such as the sequence numbers of a route. */
function createGroupedSet() {
  const groups = new Map<string, IdSet>()
  let size = 0
  return {
    has: (group: string, id: number) => groups.get(group)?.has(id) === true,
    /** Returns whether it is new. */
    add(group: string, id: number): boolean {
      const known = groups.get(group) ?? createIdSet()
      groups.set(group, known)
      if (!known.add(id)) return false
      size++
      return true
    },
    size: () => size,
  }
}

interface RowState {
  readonly state: string
  readonly outcome?: string | null
  readonly digest: string
}

interface Comparison {
  readonly about: Mismatch['about']
  readonly id: string
  readonly title: string
  /** The last event about the row, and the state in it. */
  readonly event: EventRow
  readonly last: RowState
  readonly row: (RowState & { readonly name?: string }) | undefined
  /** The parts of the digest, as messages name them. */
  readonly contents: string
}

function compareRow(found: Mismatches, { about, id, title, event, last, row, contents }: Comparison): void {
  if (row === undefined) {
    found.add(about, id, `${title} is missing; it was ${last.state}`, event)
    return
  }
  const named = row.name === undefined ? title : `${title} (${row.name})`
  const is = formatState(row)
  const was = formatState(last)
  if (is !== was) found.add(about, id, `${named} is ${is}, and was ${was}`, event)
  else if (row.digest !== last.digest) {
    found.add(about, id, `${named} is not what it was: ${contents} differs`, event)
  }
}

function formatState({ state, outcome = null }: RowState): string {
  return outcome === null ? state : `${state} (${outcome})`
}

interface WorkKind<Table extends 'files' | 'deliveries'> {
  readonly table: Table
  readonly about: 'file' | 'delivery'
  /** The columns with its group and its number in the group. */
  readonly number: RawBuilder<unknown>
  readonly readState: (detail: EventDetail) => (RowState & { readonly number: number }) | undefined
  readonly groupOf: (event: EventRow) => string
  readonly digest: (row: Row<Table>) => string
  readonly formatTitle: (work: { id: string; group: string; number: number }) => string
  readonly contents: string
}

const FILES: WorkKind<'files'> = {
  table: 'files',
  about: 'file',
  number: sql`'' as "group", number`,
  readState: ({ file }) => file,
  groupOf: () => '',
  digest: digestFile,
  formatTitle: ({ id }) => `file ${id}`,
  contents: 'a name, time or hash',
}

const DELIVERIES: WorkKind<'deliveries'> = {
  table: 'deliveries',
  about: 'delivery',
  number: sql`route as "group", sequence as number`,
  readState: ({ delivery }) => delivery && { ...delivery, number: delivery.sequence },
  groupOf: ({ route }) => route ?? '',
  digest: digestDelivery,
  formatTitle: ({ group, number }) => `delivery ${group} ${number}`,
  contents: 'a name, time, count or hash',
}

function checkWork<Table extends 'files' | 'deliveries'>(db: Db, found: Mismatches, kind: WorkKind<Table>) {
  const { table, about, contents } = kind
  const met = createGroupedSet()
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      const latest = page.flatMap(({ event, detail }) => {
        const last = kind.readState(detail)
        const { subject: id } = event
        if (last === undefined || id === null || !met.add(kind.groupOf(event), last.number)) return []
        return [{ event, id, last }]
      })
      if (latest.length === 0) return
      const batch = jsonRows(latest, { id: 'id' })
      const { rows } = await sql<Row<Table> & Row<'files' | 'deliveries'>>`
        select * from ${sql.table(table)} where id in (select batch.id from ${batch})`.execute(db)
      const byId = new Map(rows.map((row) => [row.id, { ...row, digest: kind.digest(row) }]))
      for (const { event, id, last } of latest) {
        const title = kind.formatTitle({ id, group: kind.groupOf(event), number: last.number })
        compareRow(found, { about, id, title, event, last, row: byId.get(id), contents })
      }
    },
    async finish(): Promise<void> {
      const { rows } = await sql<{ id: string; group: string; number: number }>`
        select id, ${kind.number} from ${sql.table(table)}`.execute(db)
      for (const row of rows) {
        if (met.has(row.group, row.number)) continue
        found.add(about, row.id, `${kind.formatTitle(row)} has no event: it was added to the table directly`)
      }
    },
    compared: () => met.size(),
  }
}

function createDocumentCheck(db: Db, found: Mismatches) {
  const met = createGroupedSet()
  return async (page: readonly ParsedEvent[]): Promise<void> => {
    for (const { event, detail } of page) {
      const latest = (detail.documents ?? []).filter(([id, kind]) => met.add(kind, id))
      if (latest.length === 0) continue
      const batch = jsonRows<(typeof latest)[number]>(latest, {
        id: ([id]) => id,
        kind: ([, kind]) => kind,
        state: ([, , state]) => state,
      })
      const { rows } = await sql<{ id: number; kind: string; is: string | null; was: string }>`
        select batch.id, batch.kind, documents.state as "is", batch.state as was
        from ${batch} left join documents on documents.record_id = batch.id and documents.kind = batch.kind
        where documents.state is not batch.state`.execute(db)
      for (const { id, kind, is, was } of rows) {
        const message = `the ${kind} of record ${id} is ${is ?? 'missing'}, and was ${was}`
        found.add('document', `${id} ${kind}`, message, event)
      }
    }
  }
}

async function checkDecisions(db: Db, found: Mismatches, page: readonly ParsedEvent[]): Promise<void> {
  for (const { event, detail } of page) {
    if (detail.decision === undefined) continue
    const { id, action, digest } = detail.decision
    const title = `decision ${id} (${action})`
    const row = await db.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined) found.add('decision', id, `${title} is missing`, event)
    else if (digestDecision(row) !== digest) {
      found.add('decision', id, `${title} is not what was decided, by whom, or why`, event)
    }
  }
}

async function checkCorrections(db: Db, found: Mismatches, page: readonly ParsedEvent[]): Promise<void> {
  for (const { event, detail } of page) {
    if (detail.correction === undefined) continue
    const { id, digest } = detail.correction
    const row = await db
      .selectFrom('corrections')
      .selectAll()
      .where('decision_id', '=', id)
      .executeTakeFirst()
    if (row === undefined) found.add('correction', id, `correction ${id} is missing`, event)
    else if (digestCorrection(row) !== digest)
      found.add('correction', id, `correction ${id} has other contents than were noted`, event)
  }
}

/** The latest event about a pause comes first, and says what it is now. */
function createPauseCheck(db: Db, found: Mismatches) {
  const met = new Set<number>()
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      for (const { event, detail } of page) {
        for (const { id, digest } of detail.pauses ?? []) {
          if (met.has(id)) continue
          met.add(id)
          const row = await db
            .selectFrom('pauses')
            .selectAll()
            .where('decision_id', '=', id)
            .executeTakeFirst()
          if (row === undefined) found.add('pause', id, `pause ${id} is missing`, event)
          else if (digestPause(row) !== digest)
            found.add('pause', id, `pause ${id} has another route or end than was noted`, event)
        }
      }
    },
    async finish(): Promise<void> {
      // A journal that is only read may lack the table.
      if (!(await exists(db, sql`sqlite_schema where name = 'pauses'`))) return
      const rows = await db.selectFrom('pauses').select('decision_id').execute()
      for (const { decision_id: id } of rows)
        if (!met.has(id))
          found.add('pause', id, `pause ${id} has no event: it was added to the table directly`)
    },
  }
}

function createRunCheck(db: Db, found: Mismatches) {
  const met = new Set<string>()
  const describe = (route: string | null, occurrence: string) =>
    ({ about: 'run', id: `${route} ${occurrence}`, title: `run ${occurrence} of ${route}` }) as const
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      const latest = page.flatMap(({ event, detail }) =>
        (detail.runs ?? []).flatMap((mention) => {
          const run = describe(event.route, mention[0])
          if (met.has(run.id)) return []
          met.add(run.id)
          return [{ ...run, event, mention }]
        }),
      )
      if (latest.length === 0) return
      const batch = jsonRows(latest, {
        route: ({ event }) => event.route,
        occurrence: ({ mention }) => mention[0],
      })
      const { rows } = await sql<Row<'scheduled_runs'>>`
        select scheduled_runs.* from ${batch} join scheduled_runs
          on scheduled_runs.route = batch.route and scheduled_runs.occurrence = batch.occurrence`.execute(db)
      const byId = new Map(
        rows.map((row) => [`${row.route} ${row.occurrence}`, toRunState(toRunMention(row))]),
      )
      for (const { mention, ...run } of latest) {
        const contents = 'its time or its delivery'
        compareRow(found, { ...run, last: toRunState(mention), row: byId.get(run.id), contents })
      }
    },
    async finish(): Promise<void> {
      const { rows } = await sql<Pick<Row<'scheduled_runs'>, 'route' | 'occurrence'>>`
        select route, occurrence from scheduled_runs where occurrence <> 'every'`.execute(db)
      for (const { route, occurrence } of rows) {
        const { about, id, title } = describe(route, occurrence)
        if (!met.has(id)) found.add(about, id, `${title} has no event: it was added to the table directly`)
      }
    },
  }
}

function toRunState(mention: RunMention): RowState {
  return { state: mention[1], digest: mention.join() }
}
