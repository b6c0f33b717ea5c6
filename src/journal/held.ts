/** Records that wait for a person: how they come to it, and how they are found. */
import { type Kysely, sql } from 'kysely'
import type { AnswersSoFar, HeldFile, HeldJournal, HeldRecord, KeyMeant } from '../domain/held.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem, ProblemCode } from '../domain/problem.ts'
import { entryOf, selectFiles } from './file-rows.ts'
import { idsWhere } from './ids.ts'
import { isCalled } from './key-meant.ts'
import { present } from './present.ts'
import { chainState } from './record-events.ts'
import type { Tables } from './schema.ts'
import { WAITS_FOR_CLOSE } from './steps.ts'
import { type Store, read, writeHolding } from './store.ts'
import { assertMayBeSent, workOf } from './work.ts'

type HeldCalls = Pick<HeldJournal, 'holdRest' | 'answersSoFar' | 'heldFiles' | 'heldRecords'> &
  Pick<Journal, 'filesCalled' | 'isTaken'>

export function heldCalls(store: Store): HeldCalls {
  return {
    holdRest: (lease, fileId, reason) =>
      writeHolding(store, lease, async (tables, now) => {
        await assertMayBeSent(tables, workOf({ file: fileId }), lease.route)
        return holdRest(tables, { fileId, reason, now })
      }),
    answersSoFar: (fileId, limit) => read(store, (tables) => answersSoFar(tables, fileId, limit)),
    filesCalled: (nameOrId, limit) =>
      read(store, async (tables) => {
        const rows = await selectFiles(tables)
          .where((is) => is.or([is('files.id', '=', nameOrId), is('files.name', '=', nameOrId)]))
          .orderBy('files.number', 'desc')
          .limit(limit)
          .execute()
        return rows.map(entryOf)
      }),
    isTaken: (route, { name, size, modifiedAt }) =>
      read(store, async (tables) => {
        const taken = await tables
          .selectFrom('files')
          .select('id')
          .where('route', '=', route)
          .where('name', '=', name)
          .where('size', '=', size)
          .where('modified_at', '=', modifiedAt)
          .where((is) => is.or([is('outcome', 'is', null), is('outcome', '<>', 'vanished')]))
          .limit(1)
          .executeTakeFirst()
        return taken !== undefined
      }),
    heldFiles: (limit, fileId) => read(store, (tables) => heldFiles(tables, limit, fileId)),
    heldRecords: (limit, of) => read(store, (tables) => heldRecords(tables, limit, of)),
  }
}

/** What an earlier attempt was answered says nothing of why the record is held. */
async function holdRest(
  tables: Kysely<Tables>,
  { fileId, reason, now }: { fileId: string; reason: Problem; now: number },
): Promise<number> {
  const isLeft = sql`file_id = ${fileId} and state in ('planned', 'deferred')`
  const ids = await idsWhere(tables, isLeft)
  const { numAffectedRows = 0n } = await sql`
    update records set state = 'held', holds_key = 0, http = null, problems = ${JSON.stringify([reason])},
      changed_at = ${now}
    where ${isLeft}`.execute(tables)
  await chainState(tables, now, { kind: 'records-held', subject: fileId, state: 'held', ids, http: null })
  return Number(numAffectedRows)
}

/** The decision after which the file was last begun anew. A settlement of a file that was not done yet begins nothing anew. */
const LAST_RELEASE = (fileId: string) => sql<number | null>`(
  select max(id) from decisions where file_id = ${fileId} and (action = 'release'
    or action = 'settle-absent' and decided_at = (select taken_up_at from files where files.id = ${fileId})))`

/** As a condition on `records`: the API has answered it, and it is of the last release of its file, if there was one. */
const ANSWERED = (fileId: string) => sql<boolean>`
  records.file_id = ${fileId} and records.attempts > 0
  and (records.state = 'accepted' or (records.state = 'rejected' and records.http is not null))
  and (${LAST_RELEASE(fileId)} is null
    or exists (select 1 from decided_records where decided_records.record_id = records.id
      and decision_id = ${LAST_RELEASE(fileId)}))`

async function answersSoFar(tables: Kysely<Tables>, fileId: string, limit: number): Promise<AnswersSoFar> {
  const counts = await tables
    .selectFrom('records')
    .select((is) => ['state', is.fn.countAll<number>().as('count')])
    .where(ANSWERED(fileId))
    .groupBy('state')
    .execute()
  const countOf = (state: string) => counts.find((each) => each.state === state)?.count ?? 0
  const refused = countOf('rejected')
  const rows =
    refused === 0
      ? []
      : await tables
          .selectFrom('records')
          .select(['http', 'problems'])
          .where(ANSWERED(fileId))
          .where('state', '=', 'rejected')
          .orderBy('number')
          .limit(limit)
          .execute()
  const refusals = rows.map(({ http, problems }) => ({
    problems: JSON.parse(problems) as Problem[],
    ...present({ http }),
  }))
  return { accepted: countOf('accepted'), refused, refusals }
}

/** As a condition on `later`, beside one on its key: it was accepted, and it came after `records`. */
const ACCEPTED_LATER = sql<boolean>`later.operation = records.operation and later.account = records.account
  and later.holds_key = 1 and later.id > records.id and later.state in ('accepted', 'duplicate')`

/** Of what may be repeated, the key without the file that it ends with; a blank is at its end. */
const REPEATED_KEY = sql<string>`substr(records.natural_key, 1, length(records.natural_key) - length(records.file_id))`

/** As a condition on `records` that are held: the same was accepted from a later file, as a corrected one is. */
const WENT_THROUGH = sql<boolean>`(records.holds_key = 0 and records.natural_key is not null and (
  exists (select 1 from records as later where later.natural_key = records.natural_key and ${ACCEPTED_LATER})
  or substr(records.natural_key, -length(records.file_id) - 1) = ' ' || records.file_id and exists (
    select 1 from records as later
    where later.natural_key > ${REPEATED_KEY} and later.natural_key < rtrim(${REPEATED_KEY}) || '!'
      and later.natural_key = ${REPEATED_KEY} || later.file_id and ${ACCEPTED_LATER})))`

interface HeldFileRow {
  readonly file: string
  readonly name: string
  readonly route: string
  readonly received_at: number
  readonly code: ProblemCode
  readonly records: number
  readonly since: number
}

async function heldFiles(tables: Kysely<Tables>, limit: number, fileId?: string): Promise<HeldFile[]> {
  const its = fileId === undefined ? sql`not ${WENT_THROUGH}` : sql`records.file_id = ${fileId}`
  const { rows } = await sql<HeldFileRow>`
    select files.id as file, files.name, files.route, files.received_at, records.problems ->> '$[0].code' as code,
      count(*) as records, min(records.changed_at) as since
    from records join files on files.id = records.file_id
    where records.state = 'held' and records.file_id is not null and ${its}
    group by files.id, code
    order by since, files.number limit ${limit}`.execute(tables)
  return rows.map(({ received_at, ...row }) => ({ ...row, receivedAt: received_at }))
}

interface HeldRecordRow {
  readonly id: number
  readonly number: number
  readonly lines: string
  readonly key_values: string
  readonly problems: string
  readonly route: string
  readonly file: string
  readonly name: string
  readonly since: number
}

async function heldRecords(
  tables: Kysely<Tables>,
  limit: number,
  of?: KeyMeant & { readonly route: string },
): Promise<HeldRecord[]> {
  const its =
    of === undefined
      ? sql`records.state = 'held' and not ${WENT_THROUGH}`
      : sql`(records.state = 'held' or ${WAITS_FOR_CLOSE}) and records.route = ${of.route} and ${isCalled(of)}`
  const { rows } = await sql<HeldRecordRow>`
    select records.id, records.number, records.lines, records.key_values, records.problems, records.route,
      files.id as file, files.name, records.changed_at as since
    from records join files on files.id = records.file_id
    where records.file_id is not null and ${its}
    order by files.number, records.number limit ${limit}`.execute(tables)
  return rows.map(({ key_values, lines, problems, ...row }) => ({
    ...row,
    lines: JSON.parse(lines),
    keyValues: JSON.parse(key_values),
    problems: JSON.parse(problems),
  }))
}
