/** Records that wait for a person: held ones, and rejected ones that no later file corrected. */
import { type RawBuilder, sql } from 'kysely'
import type {
  AnswerSummary,
  Dismissal,
  HeldFile,
  HeldRecord,
  OpenRejection,
  RecordKeyQuery,
  RejectedFile,
} from '../domain/decision.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import { groupBy } from '../support/collections.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { appendFileEvent, appendStateEvent, insertDecision, selectDecisionDetail } from './events.ts'
import { assertSendable } from './records.ts'
import { changeRows, exists, jsonRows, omitNull, selectIdRuns } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { WAITS_FOR_CLOSE } from './steps.ts'
import type { BoundStore, RouteTx, Tx } from './store.ts'

export function createHeldRecordJournal({ reads, writes, leased }: BoundStore) {
  return {
    holdRemainingRecords: leased(holdRemainingRecords),
    summarizeAnswers: reads(summarizeAnswers),
    listHeldFiles: reads(selectHeldFiles),
    listHeldRecords: reads(selectHeldRecords),
    listRejectedFiles: reads(selectRejectedFiles),
    findRejectedRecords: reads(selectRejectedRecords),
    markSetsCorrected: leased(markSetsCorrected),
    dismissRejected: writes(dismissRejected),
  } satisfies Partial<Journal>
}

/** Clears the answer of an earlier attempt, which does not explain why the record is held. */
async function holdRemainingRecords(tx: RouteTx, fileId: string, reason: Problem): Promise<number> {
  const { db, now } = tx
  await assertSendable(tx, { file: fileId })
  const isLeft = sql`file_id = ${fileId} and state in ('planned', 'deferred')`
  const ids = await selectIdRuns(db, isLeft)
  const { numAffectedRows = 0n } = await sql`
    update records set state = 'held', owns_key = 0, http = null, problems = ${JSON.stringify([reason])},
      changed_at = ${now}
    where ${isLeft}`.execute(db)
  const event = { kind: 'records-held', subject: fileId, state: 'held', http: null } as const
  await appendStateEvent(db, now, { ...event, ids })
  return Number(numAffectedRows)
}

/** The decision that last restarted the file. A resolution before the file is done restarts nothing. */
const selectLastRelease = (fileId: string) => sql<number | null>`(
  select max(id) from decisions where file_id = ${fileId} and (action = 'release'
    or action = 'resolve-absent' and decided_at = (select taken_up_at from files where files.id = ${fileId})))`

/** Condition on `records`: the API has answered it, and the last release of its file, if any, included it. */
const isAnswered = (fileId: string) => sql<boolean>`
  records.file_id = ${fileId} and records.attempts > 0
  and (records.state = 'accepted' or (records.state = 'rejected' and records.http is not null))
  and (${selectLastRelease(fileId)} is null
    or exists (select 1 from decided_records where decided_records.record_id = records.id
      and decision_id = ${selectLastRelease(fileId)}))`

async function summarizeAnswers(db: Db, fileId: string, limit: number): Promise<AnswerSummary> {
  const { rows: counts } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from records where ${isAnswered(fileId)} group by state`.execute(db)
  const countOf = (state: string) => counts.find((each) => each.state === state)?.count ?? 0
  const refused = countOf('rejected')
  if (refused === 0) return { accepted: countOf('accepted'), refused, refusals: [] }
  const { rows } = await sql<Pick<Row<'records'>, 'http' | 'problems'>>`
    select http, problems from records where ${isAnswered(fileId)} and state = 'rejected'
    order by number limit ${limit}`.execute(db)
  const refusals = rows.map(({ http, problems }) => ({
    problems: JSON.parse(problems) as Problem[],
    ...omitNull({ http }),
  }))
  return { accepted: countOf('accepted'), refused, refusals }
}

/** Condition on `later`, beside one on its key: it was accepted, and is newer than `records`. */
const IS_LATER_ACCEPTED = sql<boolean>`later.operation = records.operation and later.account = records.account
  and later.owns_key = 1 and later.id > records.id and later.state in ('accepted', 'duplicate')`

/** The key of a repeatable record without the file at its end; it ends with a blank. */
const REPEATABLE_KEY = sql<string>`substr(records.natural_key, 1, length(records.natural_key) - length(records.file_id))`

/** Condition on held `records`: the same record was accepted from a later file, such as a corrected one. */
const WAS_ACCEPTED_LATER = sql<boolean>`(records.owns_key = 0 and records.natural_key is not null and (
  exists (select 1 from records as later where later.natural_key = records.natural_key and ${IS_LATER_ACCEPTED})
  or substr(records.natural_key, -length(records.file_id) - 1) = ' ' || records.file_id and exists (
    select 1 from records as later
    where later.natural_key > ${REPEATABLE_KEY} and later.natural_key < rtrim(${REPEATABLE_KEY}) || '!'
      and later.natural_key = ${REPEATABLE_KEY} || later.file_id and ${IS_LATER_ACCEPTED})))`

async function selectHeldFiles(db: Db, limit: number, fileId?: string): Promise<HeldFile[]> {
  const condition = fileId === undefined ? sql`not ${WAS_ACCEPTED_LATER}` : sql`records.file_id = ${fileId}`
  const { rows } = await sql<HeldFile>`
    select files.id as file, files.name, files.route, files.received_at as "receivedAt", records.problems ->> '$[0].code' as code,
      count(*) as records, min(records.changed_at) as since
    from records join files on files.id = records.file_id
    where records.state = 'held' and records.file_id is not null and ${condition}
    group by files.id, code
    order by since, files.number limit ${limit}`.execute(db)
  return rows
}

type HeldRecordRow = Omit<HeldRecord, 'lines' | 'keyValues' | 'problems'> &
  Pick<Row<'records'>, 'lines' | 'key_values' | 'problems'>

async function selectHeldRecords(db: Db, limit: number, query?: RecordKeyQuery & { readonly route: string }) {
  const condition =
    query === undefined
      ? sql`records.state = 'held' and not ${WAS_ACCEPTED_LATER}`
      : sql`(records.state = 'held' or ${WAITS_FOR_CLOSE}) and records.route = ${query.route} and ${matchesKey(query)}`
  const { rows } = await sql<HeldRecordRow>`
    select records.id, records.number, records.lines, records.key_values, records.problems, records.route,
      files.id as file, files.name, records.changed_at as since
    from records join files on files.id = records.file_id
    where records.file_id is not null and ${condition}
    order by files.number, records.number limit ${limit}`.execute(db)
  return rows.map(({ key_values, lines, problems, ...row }) => ({
    ...row,
    lines: JSON.parse(lines),
    keyValues: JSON.parse(key_values),
    problems: JSON.parse(problems),
  }))
}

/** Condition on `records`: the key is its cells, its natural key, or `#` and its id. */
export function matchesKey({ key, isLoose = false }: RecordKeyQuery): RawBuilder<boolean> {
  const names = [
    sql<string>`records.natural_key`,
    sql<string>`'#' || records.id`,
    sql<string>`(select group_concat(value, ', ') from json_each(records.key_values) where value <> '')`,
  ]
  const compared = isLoose ? names.map(normalizeText) : names
  const wanted = sql<string>`${key}`
  return sql`${isLoose ? normalizeText(wanted) : wanted} in (${sql.join(compared)})`
}

function normalizeText(text: RawBuilder<string>): RawBuilder<string> {
  return sql`replace(lower(${text}), ' ', '')`
}

// Rejected records and unusable files that wait for a correction: no later file has them, and no person dismissed them.

/** Condition on `records`: it is rejected, not corrected and not given up. The words are those of an index. */
export const IS_UNCORRECTED = sql<boolean>`(records.state = 'rejected' and records.corrected = 0
  and records.file_id is not null)`

/**
 * Condition on `corrections` and the file that it was taken as, `taken`: its file is in the inbox or in work. One that is only
 * begun keeps no record: its process may be dead, and the next one to have the lease finishes it or gives it up.
 */
export const IS_OPEN_CORRECTION = sql<boolean>`(corrections.given_up_at is null and taken.outcome is null
  and (corrections.left_at is not null or corrections.taken_as is not null))`

/** Condition on `records` of the file: they are in a correction whose file is in the inbox or in work. */
export const isBeingCorrected = (fileId: string) => sql<boolean>`records.id in (
  select record_id from corrections join decided_records on decided_records.decision_id = corrections.decision_id
    left join files as taken on taken.id = corrections.taken_as
  where corrections.file_id = ${fileId} and ${IS_OPEN_CORRECTION})`

/** Condition: `later` is named as the rejects or exceptions file of `files`, or as that file with more behind the word. */
const IS_RETURNED_PART = sql<boolean>`(
  substr(later.name, 1, length(files.report_name)) = files.report_name
  and (substr(later.name, length(files.report_name) + 1) glob '.rejects*'
    or substr(later.name, length(files.report_name) + 1) glob '.exceptions*'))`

/**
 * Marks what was rejected in earlier files of the route and is corrected by this one: records with the same key cells that
 * are accepted, all records whose rejects file this is or whose file it takes again, and those that a person corrected in it.
 * A correction may change the key, and what is rejected again waits as a record of this file.
 */
export async function markCorrected({ db, route }: RouteTx, fileId: string): Promise<void> {
  if (!(await exists(db, sql`records where route = ${route} and ${IS_UNCORRECTED}`))) return
  await sql`
    update records set corrected = 1
    where route = ${route} and ${IS_UNCORRECTED} and file_id in (
      select files.id from files join files as later on later.route = files.route
      where later.id = ${fileId} and files.number < later.number and ${IS_RETURNED_PART})`.execute(db)
  await sql`
    update records set corrected = 1
    where route = ${route} and ${IS_UNCORRECTED} and file_id in (
        select retake_of from files where id = ${fileId}
        union all
        select earlier.id from files as part join files as whole on whole.id = part.part_of
          join files as earlier on earlier.part_of = whole.retake_of
        where part.id = ${fileId})
      and exists (select 1 from records as later where later.file_id = ${fileId})`.execute(db)
  await sql`
    update records set corrected = 1
    where route = ${route} and ${IS_UNCORRECTED} and id in (
      select record_id from corrections join decided_records on decided_records.decision_id = corrections.decision_id
      where corrections.taken_as = ${fileId})`.execute(db)
  await sql`
    update records set corrected = 1
    where route = ${route} and ${IS_UNCORRECTED} and id in (
      select earlier.id from records as later cross join records as earlier
      where later.file_id = ${fileId} and later.state in ('accepted', 'duplicate')
        and earlier.route = later.route and earlier.key_values = later.key_values
        and earlier.state = 'rejected' and earlier.corrected = 0 and earlier.file_id is not null
        and earlier.id < later.id and earlier.file_id <> later.file_id and earlier.operation = later.operation
        and exists (select 1 from json_each(later.key_values) where value <> ''))`.execute(db)
}

async function markSetsCorrected(
  { db, route }: RouteTx,
  fileId: string,
  { stem, sets }: { readonly stem: string; readonly sets: readonly string[] },
): Promise<void> {
  await sql`
    update records set corrected = 1
    where route = ${route} and ${IS_UNCORRECTED}
      and not exists (select 1 from json_each(records.key_values) where value <> '')
      and problems ->> '$[0].place.spot.set' in (select name from ${jsonRows(sets, { name: (set) => set })})
      and file_id in (
        select files.id from files join files as later on later.route = files.route
        where later.id = ${fileId} and files.number < later.number
          and (files.name = ${stem} or substr(files.name, 1, length(${stem}) + 1) = ${stem} || '.'))`.execute(
    db,
  )
}

/** Condition on `files`, as in an index: something of it was lost. */
const IS_LOST = sql<boolean>`(files.outcome in ('unusable', 'vanished') or files.source_removed = 1)`

/** Condition on `files`: a later file came under its name or as the part that was returned of it. */
const IS_REPLACED = sql<boolean>`exists (
  select 1 from files as later where later.route = files.route
    and later.name >= files.name and later.name < files.name || char(1114111)
    and (later.name = files.name or ${IS_RETURNED_PART})
    and later.number > files.number and later.received_at is not null)`

/**
 * Condition on `files`: it was refused because its columns are those of another route, and a later file of another route had
 * the same bytes and was not refused as a whole. The index of contents begins with the route, so the routes are found first,
 * one step of the index each.
 */
const IS_TAKEN_ELSEWHERE = sql<boolean>`(files.problems ->> '$[0].code' = 'file-foreign' and exists (
  with recursive routes (route) as (
    select min(route) from files
    union all
    select (select min(other.route) from files as other where other.route > routes.route)
    from routes where routes.route is not null)
  select 1 from routes cross join files as later
  where later.route = routes.route and later.sha256 = files.sha256
    and later.route <> files.route and later.number > files.number and later.outcome = 'processed'
    and later.part_of is null))`

const IS_DISMISSED = sql<boolean>`exists (
  select 1 from decisions where decisions.file_id = files.id and action = 'dismiss')`

/** Condition on `files`: it is reported, no file came in its place, and no person dismissed it. */
const IS_LEFT = sql<boolean>`(files.state in ('reported', 'closed') and not ${IS_REPLACED} and not ${IS_DISMISSED})`

/** Condition on `files` joined with `unbundlings`: no route takes some of its sets, and they are not given back yet. */
export const IS_UNROUTED = sql<boolean>`((unbundlings.unrouted <> '[]' or unbundlings.ambiguous <> '[]')
  and ${IS_LEFT})`

/** Condition on `reused`: a later file brought the same interchange, such as a corrected file under its right name, and it was taken. */
const IS_TAKEN_LATER = sql<boolean>`exists (
  select 1 from interchanges as taken join files as later on later.id = taken.file_id
    join files as own on own.id = reused.file_id
  where taken.number = reused.number and taken.sender = reused.sender and taken.receiver = reused.receiver
    and taken.usage = reused.usage and taken.syntax = reused.syntax and taken.verdict = 'taken'
    and taken.sha256 = reused.sha256 and later.number > own.number)`

/**
 * Condition on `files`: the control number of one of its interchanges came before, with other contents. It repeats the words of
 * the index `interchanges_not_taken`, which SQLite does not use otherwise.
 */
export const IS_REUSED = sql<boolean>`(files.id in (
  select file_id from interchanges as reused
  where verdict in ('unknown', 'reused') and verdict = 'reused' and not ${IS_TAKEN_LATER}) and ${IS_LEFT})`

/** Condition on `received_answers`: nothing came of it, no person dismissed its file, and no later answer
 * about the same delivery could be read in its place. The words are those of an index. */
export const IS_OPEN_ANSWER = sql<boolean>`(received_answers.outcome in ('unmatched', 'contradicts', 'unreadable', 'answer-refused') and not exists (
  select 1 from decisions where decisions.file_id = received_answers.file_id and action = 'dismiss')
  and not (received_answers.outcome = 'unreadable' and received_answers.delivery_id is not null and exists (
    select 1 from received_answers as later where later.delivery_id = received_answers.delivery_id
      and later.number > received_answers.number and later.outcome in ('matched', 'repeated'))))`

/** Of files with unrouted sets: the sender and the receiver of the first interchange that is unknown. */
const UNKNOWN_ADDRESSES = sql`(select sender || ' to ' || receiver from interchanges
  where interchanges.file_id = files.id and verdict = 'unknown' limit 1)`

/** Condition on `files`: it was lost, no file came under its name or as its rejects file, and no person dismissed it. */
const IS_UNREPLACED = sql<boolean>`(${IS_LOST} and (files.source_removed = 1 or not ${IS_REPLACED})
  and not (files.outcome = 'unusable' and ${IS_TAKEN_ELSEWHERE}) and not ${IS_DISMISSED})`

type RejectedFileRow = Omit<RejectedFile, 'codes' | 'fix' | 'reportName'> &
  Readonly<Record<'fix' | 'reportName', string | null>>

/** Files that are not submitted yet have no outcome: their records may still change. */
async function selectRejectedFiles(db: Db, limit: number, fileId?: string): Promise<RejectedFile[]> {
  const isChosen = fileId === undefined ? sql`true` : sql`files.id = ${fileId}`
  const isOfChosen = fileId === undefined ? sql`true` : sql`records.file_id = ${fileId}`
  const { rows } = await sql<RejectedFileRow>`
    select files.id as file, files.name, files.route, uncorrected.since, uncorrected.records,
      'rejected' as what, '' as code, null as addresses, null as fix,
      case when files.state in ('reported', 'closed') then files.report_name end as "reportName"
    from (select file_id, min(changed_at) as since, count(*) as records from records
        where ${IS_UNCORRECTED} and ${isOfChosen} group by file_id) as uncorrected
      cross join files on files.id = uncorrected.file_id
    where files.outcome is not null
    union all
    select files.id, files.name, files.route, coalesce(files.closed_at, files.submitted_at), 0,
      case when files.source_removed = 1 then 'source-removed' else files.outcome end,
      coalesce(files.problems ->> '$[0].code', ''), null,
      case when files.outcome = 'unusable' then files.problems ->> '$[0].fix' end, null
    from files where ${IS_UNREPLACED} and ${isChosen}
    union all
    select files.id, files.name, files.route, coalesce(files.closed_at, files.submitted_at), 0,
      case when ${UNKNOWN_ADDRESSES} is null then 'unrouted' else 'unknown' end, '', ${UNKNOWN_ADDRESSES}, null, null
    from unbundlings join files on files.id = unbundlings.file_id where ${IS_UNROUTED} and ${isChosen}
    union all
    select files.id, files.name, files.route, coalesce(files.closed_at, files.submitted_at), 0, 'reused',
      'edi-number-reused', null, null, null
    from files where ${IS_REUSED} and ${isChosen}
    union all
    select files.id, files.name, files.route, min(received_answers.received_at), 0, 'answer',
      max(received_answers.outcome), null, null, null
    from received_answers join files on files.id = received_answers.file_id
    where ${IS_OPEN_ANSWER} and ${isChosen} group by files.id
    order by since, file limit ${limit}`.execute(db)
  const codes = await countProblemCodes(
    db,
    rows.flatMap(({ what, file }) => (what === 'rejected' ? [file] : [])),
  )
  return rows.map(({ fix, reportName, ...row }) => ({
    ...row,
    ...omitNull({ fix, reportName }),
    codes: row.what === 'rejected' ? (codes.get(row.file) ?? []) : [],
  }))
}

/** The problem codes of the rejected records of these files that wait for a correction, the most frequent first. */
async function countProblemCodes(db: Db, files: readonly string[]) {
  const { rows } = await sql<{ file: string; code: string; records: number }>`
    select records.file_id as file, problem.value ->> 'code' as code, count(distinct records.id) as records
    from records cross join json_each(records.problems) as problem
    where ${IS_UNCORRECTED} and records.file_id in (select name from ${jsonRows(files, { name: (file) => file })})
    group by records.file_id, code order by records desc, code`.execute(db)
  return groupBy(rows, ({ file }) => file)
}

async function selectRejectedRecords(
  db: Db,
  limit: number,
  query: { readonly key: string; readonly route: string; readonly isLoose?: boolean },
): Promise<OpenRejection[]> {
  const { rows } = await sql<Pick<Row<'records'>, 'id' | 'lines'> & { file: string; name: string }>`
    select records.id, records.lines, files.id as file, files.name
    from records join files on files.id = records.file_id
    where ${IS_UNCORRECTED} and files.outcome is not null and records.route = ${query.route} and ${matchesKey(query)}
    order by files.number, records.number limit ${limit}`.execute(db)
  return rows.map(({ lines, ...row }) => ({ ...row, lines: JSON.parse(lines) }))
}

/**
 * Undefined, with nothing stored, where nothing of the file waits for a correction. Of a whole file, records that are being
 * corrected stay; one of them is dismissed by its own id.
 */
async function dismissRejected({ db, now }: Tx, fileId: string, dismissal: Dismissal) {
  const { by, why, via, record } = dismissal
  const isWhole =
    record === undefined &&
    ((await exists(db, sql`files where id = ${fileId} and ${IS_UNREPLACED}`)) ||
      (await exists(db, sql`files where id = ${fileId} and ${IS_REUSED}`)) ||
      (await exists(db, sql`received_answers where file_id = ${fileId} and ${IS_OPEN_ANSWER}`)) ||
      (await exists(
        db,
        sql`unbundlings join files on files.id = unbundlings.file_id where files.id = ${fileId} and ${IS_UNROUTED}`,
      )))
  const id = await insertDecision(db, now, { file_id: fileId, action: 'dismiss', by, why, via, records: 0 })
  const chosen = record === undefined ? sql`not ${isBeingCorrected(fileId)}` : sql`records.id = ${record}`
  const records = await changeRows(
    db,
    sql`insert into decided_records (record_id, decision_id)
      select id, ${id} from records where file_id = ${fileId} and ${IS_UNCORRECTED} and ${chosen}`,
  )
  if (records === 0 && !isWhole) {
    await db.deleteFrom('decisions').where('id', '=', id).execute()
    return undefined
  }
  await db.updateTable('decisions').set({ records }).where('id', '=', id).execute()
  const decided = sql`id in (select record_id from decided_records where decision_id = ${id})`
  await sql`update records set corrected = 1 where ${decided}`.execute(db)
  const mention = { state: 'rejected', ids: await selectIdRuns(db, decided) }
  const decision = await selectDecisionDetail(db, id)
  const more = { decision, ...(records === 0 ? {} : { records: [mention] }) }
  await appendFileEvent(db, now, { id: fileId, kind: 'decision-made', more })
  return omitUndefined({ id, file: fileId, action: 'dismiss' as const, by, why, via, at: now, records })
}

/** Records with the cell that people dismissed: no index of keys has them any more. */
export async function selectDismissedIds(db: Db, key: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select records.id from (
      select record_id from decisions cross join decided_records
      where action = 'dismiss' and decision_id = decisions.id order by decisions.id desc limit ${MAX_DISMISSED}) as dismissed
    cross join records
    where records.id = dismissed.record_id
      and exists (select 1 from json_each(records.key_values) where value = ${key})`.execute(db)
  return rows.map(({ id }) => id)
}

/** The latest ones are read, in some ten milliseconds. */
const MAX_DISMISSED = 10_000
