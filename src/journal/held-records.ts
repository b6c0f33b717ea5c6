/** Holds the remaining records of a file for a person, and finds held records. */
import { type RawBuilder, sql } from 'kysely'
import type { AnswerSummary, HeldFile, HeldRecord, RecordKeyQuery } from '../domain/decision.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import { appendStateEvent } from './events.ts'
import { assertSendable } from './records.ts'
import { omitNull, selectIdRuns } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { WAITS_FOR_CLOSE } from './steps.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createHeldRecordJournal({ reads, leased }: BoundStore) {
  return {
    holdRemainingRecords: leased(holdRemainingRecords),
    summarizeAnswers: reads(summarizeAnswers),
    listHeldFiles: reads(selectHeldFiles),
    listHeldRecords: reads(selectHeldRecords),
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
