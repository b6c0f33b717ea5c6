/** Stores corrections of refused records: noted before the corrected file is left, and bound to it once it is taken. */
import { sql } from 'kysely'
import type {
  CorrectableRecord,
  Correction,
  CorrectionLink,
  CorrectionStart,
  DecisionJournal,
  NewCorrection,
  RefusedCounts,
  RefusedFate,
  WaitingCorrection,
} from '../domain/decision.ts'
import type { FileState } from '../domain/file.ts'
import type { Problem } from '../domain/problem.ts'
import type { RecordState } from '../domain/record.ts'
import type { LineRange } from '../domain/translator.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { digestCorrection } from './event-detail.ts'
import { appendFileEvent, insertDecision, selectDecisionDetail } from './events.ts'
import { IS_OPEN_CORRECTION, IS_UNCORRECTED, isBeingCorrected } from './held-records.ts'
import { removeNamings } from './namings.ts'
import { jsonRows, omitNull } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createCorrectionJournal({ reads, leased }: BoundStore) {
  return {
    listCorrectableRecords: reads(selectCorrectable),
    startCorrection: leased(startCorrection),
    renameCorrection: leased((tx, id, name) => changeCorrection(tx, id, { name })),
    markCorrectionLeft: leased(async (tx, id) => {
      await removeNamings(tx.db, formatCorrectionSubject(id))
      await changeCorrection(tx, id, { left_at: tx.now })
    }),
    giveUpCorrection: leased(async (tx, id) => {
      await removeNamings(tx.db, formatCorrectionSubject(id))
      await changeCorrection(tx, id, { given_up_at: tx.now })
    }),
    listCorrections: reads(selectCorrections),
    listWaitingCorrections: reads(selectWaiting),
    countRefused: reads(countRefused),
    listRefusedFates: reads(selectRefusedFates),
    listCorrectionLinks: reads(selectCorrectionLinks),
  } satisfies Partial<DecisionJournal>
}

/** Under which the namings of a corrected file and of its marker or manifest are saved. */
export function formatCorrectionSubject(id: number): string {
  return `correction-${id}`
}

interface CorrectableRow {
  readonly id: number
  readonly number: number
  readonly operation: string
  readonly state: RecordState
  readonly lines: string
  readonly keyValues: string
  readonly problems: string
  readonly correction: number | null
}

/** Each state has an index of its file. */
async function selectCorrectable(db: Db, fileId: string, limit: number): Promise<CorrectableRecord[]> {
  const { rows } = await sql<CorrectableRow>`
    select id, number, operation, state, lines, key_values as "keyValues", problems, (
      select max(corrections.decision_id) from decided_records
        join corrections on corrections.decision_id = decided_records.decision_id
        left join files as taken on taken.id = corrections.taken_as
      where decided_records.record_id = records.id and ${IS_OPEN_CORRECTION}) as correction
    from records where id in (
      select id from records where file_id = ${fileId} and ${IS_UNCORRECTED}
      union all
      select id from records where file_id = ${fileId} and state = 'held'
        and problems ->> '$[0].code' = 'earlier-step-failed')
    order by number limit ${limit}`.execute(db)
  return rows.map(({ lines, keyValues, problems, correction, ...row }) => ({
    ...row,
    lines: JSON.parse(lines) as CorrectableRecord['lines'],
    keyValues: JSON.parse(keyValues) as string[],
    problems: JSON.parse(problems) as Problem[],
    ...omitNull({ correction }),
  }))
}

async function startCorrection(
  tx: RouteTx,
  fileId: string,
  correction: NewCorrection,
): Promise<CorrectionStart> {
  const { db, now, route } = tx
  const { records, by, why, via, folder, name, sha256, sourceSha256 } = correction
  const earlier = await selectCorrections(db, fileId, COMPARED_MAX)
  const known = earlier.find((each) => each.sha256 === sha256 && each.givenUpAt === undefined)
  if (known !== undefined) return { kind: 'known', correction: known }
  const overlapping = await findOverlapping(db, fileId, records)
  if (overlapping !== undefined) {
    const other = earlier.find(({ id }) => id === overlapping.correction)
    return { kind: 'overlapping', ...(other && { correction: other }) }
  }
  const decided = { file_id: fileId, action: 'correct', by, why, via, records: records.length } as const
  const id = await insertDecision(db, now, decided)
  await sql`
    insert into decided_records (record_id, decision_id)
    select id, ${id} from ${jsonRows(records, { id: (record) => record })}`.execute(db)
  const row = { decision_id: id, file_id: fileId, route, folder, name, sha256, source_sha256: sourceSha256 }
  await db.insertInto('corrections').values(row).execute()
  await appendCorrectionEvent(tx, id, 'correction-made')
  const [started] = await selectCorrections(db, fileId, 1)
  assert(started?.id === id, `Correction ${id} is not in the journal.`)
  return { kind: 'started', correction: started }
}

/** So many earlier corrections of the file are compared with a new one. */
const COMPARED_MAX = 10_000

/** A record that is in an unfinished correction, or waits for none; undefined where all may be corrected. */
async function findOverlapping(db: Db, fileId: string, records: readonly number[]) {
  const wanted = new Set(records)
  const correctable = await selectCorrectable(db, fileId, Number.MAX_SAFE_INTEGER)
  const found = correctable.filter(({ id }) => wanted.has(id))
  const inAnother = found.find(({ correction }) => correction !== undefined)
  if (inAnother !== undefined) return inAnother
  return found.length === wanted.size && wanted.size > 0 ? undefined : { correction: undefined }
}

async function changeCorrection(
  tx: RouteTx,
  id: number,
  changes: Partial<Pick<Row<'corrections'>, 'name' | 'left_at' | 'given_up_at'>>,
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('corrections')
    .set(changes)
    .where('decision_id', '=', id)
    .where('route', '=', tx.route)
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `Correction ${id} does not belong to route ${tx.route}.`)
  await appendCorrectionEvent(tx, id, 'correction-changed')
}

async function appendCorrectionEvent(
  { db, now }: RouteTx,
  id: number,
  kind: 'correction-made' | 'correction-changed',
): Promise<void> {
  const row = await db
    .selectFrom('corrections')
    .selectAll()
    .where('decision_id', '=', id)
    .executeTakeFirstOrThrow()
  const { name, left_at, given_up_at, file_id } = row
  const state = given_up_at !== null ? 'given-up' : left_at === null ? 'begun' : 'left'
  const correction = { id, name, state, digest: digestCorrection(row) } as const
  const made = kind === 'correction-made' ? { decision: await selectDecisionDetail(db, id) } : {}
  await appendFileEvent(db, now, { id: file_id, kind, more: { correction, ...made } })
}

type CorrectionRow = Row<'corrections'> &
  Pick<Row<'decisions'>, 'decided_by' | 'why' | 'decided_at' | 'records'> & {
    readonly state: FileState | null
    readonly outcome: string | null
  }

async function selectCorrections(db: Db, fileId: string, limit: number): Promise<Correction[]> {
  const { rows } = await sql<CorrectionRow>`
    select corrections.*, decided_by, why, decided_at, records, taken.state, taken.outcome
    from corrections join decisions on decisions.id = corrections.decision_id
      left join files as taken on taken.id = corrections.taken_as
    where corrections.file_id = ${fileId} order by corrections.decision_id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({
    id: row.decision_id,
    file: row.file_id,
    by: row.decided_by,
    why: row.why,
    at: row.decided_at,
    records: row.records,
    folder: row.folder,
    name: row.name,
    sha256: row.sha256,
    sourceSha256: row.source_sha256,
    ...omitNull({ leftAt: row.left_at, givenUpAt: row.given_up_at }),
    ...(row.taken_as !== null && {
      takenAs: { id: row.taken_as, state: row.state ?? 'claiming', isFinished: row.outcome !== null },
    }),
  }))
}

/** A file that is taken under the name and with the bytes that were noted is the corrected one. */
export async function bindCorrection({ db, route }: RouteTx, fileId: string, sha256: string): Promise<void> {
  await sql`
    update corrections set taken_as = ${fileId}
    where decision_id = (
      select max(decision_id) from corrections join files on files.id = ${fileId}
      where corrections.route = ${route} and corrections.name = files.name and corrections.sha256 = ${sha256}
        and corrections.taken_as is null)`.execute(db)
}

async function selectWaiting(db: Db, limit: number, fileId?: string): Promise<WaitingCorrection[]> {
  const isChosen = fileId === undefined ? sql`true` : sql`corrections.file_id = ${fileId}`
  const { rows } = await sql<Omit<WaitingCorrection, 'from'> & { fromId: string; fromName: string }>`
    select corrections.decision_id as id, corrections.folder, corrections.name, decided_by as "by",
      decided_at as "at", records, corrections.route, files.id as "fromId", files.name as "fromName"
    from corrections join decisions on decisions.id = corrections.decision_id
      join files on files.id = corrections.file_id
    where corrections.taken_as is null and corrections.given_up_at is null and corrections.left_at is not null
      and ${isChosen}
    order by corrections.decision_id limit ${limit}`.execute(db)
  return rows.map(({ fromId, fromName, ...row }) => ({ ...row, from: { id: fromId, name: fromName } }))
}

/** Of `records` of the file. The records of decisions are looked up once for the file, and not for each refused record. */
function toFate(fileId: string) {
  const isGivenUp = sql`records.id in (
    select record_id from decisions join decided_records on decided_records.decision_id = decisions.id
    where decisions.file_id = ${fileId} and action in ('dismiss', 'discard', 'resolve-discard'))
    and records.id not in (
      select record_id from corrections join decided_records on decided_records.decision_id = corrections.decision_id
      where corrections.file_id = ${fileId} and corrections.taken_as is not null)`
  return sql<RefusedFate>`
    case when corrected = 0 then case when ${isBeingCorrected(fileId)} then 'underWay' else 'open' end
      when ${isGivenUp} then 'dismissed' else 'corrected' end`
}

async function countRefused(db: Db, fileId: string): Promise<RefusedCounts> {
  const { rows } = await sql<{ fate: RefusedFate; records: number }>`
    select ${toFate(fileId)} as fate, count(*) as records
    from records where file_id = ${fileId} and state = 'rejected' group by 1`.execute(db)
  const counts = { corrected: 0, dismissed: 0, underWay: 0, open: 0 }
  for (const { fate, records } of rows) counts[fate] = records
  return counts
}

async function selectRefusedFates(db: Db, fileId: string, recordIds: readonly number[]) {
  if (recordIds.length === 0) return new Map<number, RefusedFate>()
  const { rows } = await sql<{ id: number; fate: RefusedFate }>`
    select records.id, ${toFate(fileId)} as fate
    from ${jsonRows(recordIds, { id: (id) => id })} cross join records on records.id = batch.id
    where file_id = ${fileId} and state = 'rejected'`.execute(db)
  return new Map(rows.map(({ id, fate }) => [id, fate]))
}

// Which record came of which.

interface LinkRow {
  readonly id: number
  readonly name: string
  readonly by: string
  readonly why: string
  readonly at: number
  readonly leftAt: number | null
  readonly givenUpAt: number | null
  readonly fromId: string
  readonly fromName: string
  readonly intoId: string | null
  readonly intoName: string | null
  readonly headerLines: number | null
}

/** A page shows the life of no more records than come in so many corrections. */
const LINKS_MAX = 20

/** Each refused record that was corrected, and each record of a corrected file, is in few corrections. */
export async function selectCorrectionLinks(db: Db, recordIds: readonly number[]): Promise<CorrectionLink[]> {
  if (recordIds.length === 0) return []
  const batch = jsonRows(recordIds, { id: (id) => id })
  const { rows } = await sql<LinkRow>`
    select corrections.decision_id as id, corrections.name, decided_by as "by", why, decided_at as "at",
      left_at as "leftAt", given_up_at as "givenUpAt", refused.id as "fromId", refused.name as "fromName",
      taken.id as "intoId", taken.name as "intoName", taken.header_lines as "headerLines"
    from corrections join decisions on decisions.id = corrections.decision_id
      join files as refused on refused.id = corrections.file_id
      left join files as taken on taken.id = corrections.taken_as
    where corrections.decision_id in (
      select own.decision_id from ${batch} cross join decided_records on decided_records.record_id = batch.id
        join corrections as own on own.decision_id = decided_records.decision_id
      union
      select own.decision_id from ${batch} cross join records on records.id = batch.id
        join corrections as own on own.taken_as = records.file_id)
    order by corrections.decision_id desc limit ${LINKS_MAX}`.execute(db)
  const wanted = new Set(recordIds)
  const links: CorrectionLink[] = []
  for (const { id, name, by, why, at, leftAt, givenUpAt, fromId, fromName, ...into } of rows) {
    const pairs = await selectPairs(db, id, into)
    const own = pairs.filter(({ from, to }) => wanted.has(from) || (to !== undefined && wanted.has(to)))
    links.push({
      id,
      name,
      by,
      why,
      at,
      from: { id: fromId, name: fromName },
      pairs: own,
      ...omitNull({ leftAt, givenUpAt }),
      ...(into.intoId !== null && { into: { id: into.intoId, name: into.intoName ?? '' } }),
    })
  }
  return links
}

interface PairedRow {
  readonly id: number
  readonly operation: string
  readonly step: number | null
  readonly lines: string
  readonly keyValues: string
}

/** The refused records of the correction, each with the record of the corrected file that has its rows. */
async function selectPairs(
  db: Db,
  correction: number,
  { intoId, headerLines }: Pick<LinkRow, 'intoId' | 'headerLines'>,
): Promise<CorrectionLink['pairs']> {
  const columns = sql`records.id, operation, step, lines, key_values as "keyValues"`
  const refused = await sql<PairedRow>`
    select ${columns} from decided_records join records on records.id = decided_records.record_id
    where decided_records.decision_id = ${correction} order by number`.execute(db)
  const taken = await sql<PairedRow>`
    select ${columns} from records where file_id = ${intoId} order by number`.execute(db)
  const toSource = mapLines(refused.rows, taken.rows, headerLines ?? 0)
  const namePlaces = (row: PairedRow, lines: readonly (number | undefined)[]) =>
    (toSource === undefined ? [row.keyValues] : lines).map((place) =>
      JSON.stringify([row.operation, row.step, place]),
    )
  const free = new Map<string, PairedRow[]>()
  for (const row of taken.rows)
    for (const place of namePlaces(
      row,
      listLines(row).map((line) => toSource?.get(line)),
    ))
      free.set(place, [...(free.get(place) ?? []), row])
  const used = new Set<number>()
  return refused.rows.map((row) => {
    const alike = namePlaces(row, listLines(row)).flatMap((place) => free.get(place) ?? [])
    const to = alike.find(({ id }) => !used.has(id))?.id
    if (to !== undefined) used.add(to)
    return omitUndefined({ from: row.id, to })
  })
}

/**
 * The line of the source of each line of the corrected file: this has the rows of the refused records in their order, below
 * the header. Undefined where a person put line breaks into cells, or took some out: then only keys say what came of what.
 */
function mapLines(
  refused: readonly PairedRow[],
  taken: readonly PairedRow[],
  headerLines: number,
): ReadonlyMap<number, number> | undefined {
  const source = [...new Set(refused.flatMap(listLines))].toSorted((one, other) => one - other)
  const last = Math.max(0, ...taken.flatMap(listLines))
  if (last - headerLines !== source.length) return undefined
  return new Map(source.map((line, index) => [headerLines + 1 + index, line]))
}

function listLines({ lines }: PairedRow): number[] {
  const ranges = JSON.parse(lines) as readonly LineRange[]
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
}
