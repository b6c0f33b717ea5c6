/** Stores the answers that are due for files of interchanges: their numbers once they are decided, and their deliveries. */
import { type RawBuilder, sql } from 'kysely'
import type { DeliveryEntry, NewReport } from '../../domain/delivery.ts'
import type {
  AnswerEntry,
  PartnerActivity,
  InterchangeJournal,
  NewAnswer,
} from '../../domain/interchange-journal.ts'
import { assert } from '../../support/errors.ts'
import { insertDelivery } from '../deliveries.ts'
import { appendDeliveryEvent, appendFileEvent } from '../events.ts'
import { holdIfMaybeDelivered } from '../restore.ts'
import { exists, type IdRuns, iterateIds, jsonRows, omitNull, toIdRuns } from '../rows.ts'
import type { Db, Row } from '../schema.ts'
import type { BoundStore, RouteTx } from '../store.ts'
import { digestAnswer } from './digests.ts'
import { advanceCounter, mentionCounter } from './numbers.ts'

export function createAnswerJournal({ reads, leased }: BoundStore) {
  return {
    listAnswers: reads((db, fileId) => selectAnswers(db, sql`file_id = ${fileId} order by number`)),
    decideAnswer: leased(decideAnswer),
    createAnswerDelivery: leased(createAnswerDelivery),
    // Held deliveries count too; the first condition on deliveries is that of their partial index.
    listOverdueAnswers: reads((db, now, limit) =>
      selectAnswers(
        db,
        sql`due_at <= ${now} and number in (
            select number from interchange_answers where delivery_id is null
            union all
            select interchange_answers.number from deliveries cross join interchange_answers
            where deliveries.state not in ('acknowledged', 'done') and deliveries.state = 'composed'
              and interchange_answers.delivery_id = deliveries.id)
          order by due_at, number limit ${limit}`,
      ),
    ),
    listPartnerActivity: reads(async (db) => {
      const { rows } = await sql<PartnerActivity>`
        select interchanges.partner, count(*) as interchanges, max(files.received_at) as "lastAt"
        from interchanges join files on files.id = interchanges.file_id
        where interchanges.partner is not null group by interchanges.partner order by interchanges.partner`.execute(
        db,
      )
      return rows
    }),
    isInterchangeAnswered: reads((db, interchange, of) =>
      exists(
        db,
        sql`interchange_answers as answer
          where answer.file_id in (select id from files where files.id = ${of} or files.retake_of = ${of})
            and ${answersOrdinal(sql`${interchange.ordinal}`)}
        union all
        select 1 from interchanges cross join interchange_answers as answer
          where interchanges.number = ${interchange.number} and interchanges.sender = ${interchange.sender}
            and interchanges.receiver = ${interchange.receiver} and interchanges.usage = ${interchange.usage}
            and interchanges.syntax = ${interchange.syntax} and interchanges.verdict = 'taken'
            and interchanges.sha256 = ${interchange.sha256} and answer.file_id = interchanges.file_id
            and ${answersOrdinal(sql`interchanges.ordinal`)}`,
      ),
    ),
    findAnswerOfDelivery: reads(async (db, deliveryId) => {
      const [answer] = await selectAnswers(db, sql`delivery_id = ${deliveryId}`)
      return answer
    }),
  } satisfies Partial<InterchangeJournal>
}

/** Condition on `answer`: it names the interchange with this ordinal of its file. Ordinals are stored as runs. */
const answersOrdinal = (ordinal: RawBuilder<unknown>) => sql<boolean>`exists (
  select 1 from json_each(answer.interchanges) as run
  where case run.type when 'array' then ${ordinal} between run.value ->> 0 and run.value ->> 1
    else ${ordinal} = run.value end)`

/** Condition on `files`: an answer to it is not delivered. Also one that is not decided yet. */
export const HAS_UNDELIVERED_ANSWER = sql<boolean>`exists (
  select 1 from interchange_answers left join deliveries on deliveries.id = interchange_answers.delivery_id
  where interchange_answers.file_id = files.id and (deliveries.id is null or deliveries.state = 'composed'))`

export async function insertAnswers(db: Db, fileId: string, answers: readonly NewAnswer[]): Promise<void> {
  for (const { id, scope, partner, interchanges, groups, dueAt } of answers) {
    assert(interchanges.length > 0, `Answer ${id} answers no interchange.`)
    const { syntax, sender, receiver, usage } = scope
    const columns = { id, file_id: fileId, syntax, sender, receiver, usage, partner, groups, due_at: dueAt }
    await db
      .insertInto('interchange_answers')
      .values({ ...columns, interchanges: JSON.stringify(toIdRuns(interchanges)) })
      .execute()
  }
}

async function decideAnswer(
  tx: RouteTx,
  id: string,
  { byStructure, start }: { readonly byStructure: boolean; readonly start: number },
): Promise<AnswerEntry> {
  const { db, now } = tx
  const answer = await getAnswer(tx, id)
  if (answer.decided !== undefined) return answer
  const { file, scope, interchanges, groups } = answer
  const asked = { interchanges: interchanges.length, groups, start }
  const { numbers, counter } = await advanceCounter(db, scope, asked)
  await sql`
    update interchange_answers set decided_at = ${now}, by_structure = ${Number(byStructure)},
      interchange_number = ${numbers.interchange}, group_number = ${numbers.group}
    where id = ${id}`.execute(db)
  const more = { answers: await mentionAnswers(db, [id]), counters: [mentionCounter(counter)] }
  await appendFileEvent(db, now, { id: file, kind: 'answer-decided', more })
  return { ...answer, decided: { at: now, numbers, byStructure } }
}

async function createAnswerDelivery(
  tx: RouteTx,
  answerId: string,
  delivery: Omit<NewReport, 'scheduledRun' | 'reservation'>,
): Promise<DeliveryEntry> {
  const { db, now } = tx
  const answer = await getAnswer(tx, answerId)
  assert(answer.decided !== undefined, `Answer ${answerId} is not decided.`)
  assert(answer.delivery === undefined, `Answer ${answerId} has the delivery ${answer.delivery} already.`)
  const entry = await insertDelivery(tx, delivery)
  await sql`update interchange_answers set delivery_id = ${entry.id} where id = ${answerId}`.execute(db)
  await appendDeliveryEvent(db, now, {
    id: entry.id,
    more: { answers: await mentionAnswers(db, [answerId]) },
  })
  return { ...entry, ...(await holdIfMaybeDelivered(tx, entry.id)) }
}

/** The answer, which is one to a file of the route of the lease. */
async function getAnswer({ db, route }: RouteTx, id: string): Promise<AnswerEntry> {
  const [answer] = await selectAnswers(
    db,
    sql`id = ${id} and file_id in (select files.id from files where route = ${route})`,
  )
  assert(answer, `Answer ${id} is not one of ${route}.`)
  return answer
}

async function selectAnswers(db: Db, condition: RawBuilder<unknown>): Promise<AnswerEntry[]> {
  const { rows } = await sql<Row<'interchange_answers'>>`
    select * from interchange_answers where ${condition}`.execute(db)
  return rows.map(toAnswerEntry)
}

function toAnswerEntry(row: Row<'interchange_answers'>): AnswerEntry {
  const { syntax, sender, receiver, usage, decided_at: at } = row
  const numbers = { interchange: row.interchange_number ?? 0, group: row.group_number ?? 0 }
  return {
    id: row.id,
    file: row.file_id,
    scope: { syntax, sender, receiver, usage },
    partner: row.partner,
    interchanges: [...iterateIds(JSON.parse(row.interchanges) as IdRuns)],
    groups: row.groups,
    dueAt: row.due_at,
    ...(at === null ? {} : { decided: { at, numbers, byStructure: row.by_structure === 1 } }),
    ...omitNull({ delivery: row.delivery_id }),
  }
}

/** An answer as an event has it. */
export interface AnswerMention {
  /** The order of its creation. */
  readonly number: number
  readonly id: string
  readonly digest: string
  readonly numbers?: readonly [interchange: number, group: number]
  readonly byStructure?: boolean
  readonly delivery?: string
}

/** Answers as they are now, for an event. */
export async function mentionAnswers(db: Db, ids: readonly string[]): Promise<AnswerMention[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Row<'interchange_answers'>>`
    select interchange_answers.* from ${jsonRows(ids, { id: (id) => id })} cross join interchange_answers
    where interchange_answers.id = batch.id order by interchange_answers.number`.execute(db)
  return rows.map(mentionAnswer)
}

export function mentionAnswer(row: Row<'interchange_answers'>): AnswerMention {
  const { number, id, interchange_number: interchange, group_number: group, by_structure, delivery_id } = row
  return {
    number,
    id,
    digest: digestAnswer(row),
    ...(interchange === null || group === null ? {} : { numbers: [interchange, group] }),
    ...(by_structure === null ? {} : { byStructure: by_structure === 1 }),
    ...omitNull({ delivery: delivery_id }),
  }
}
