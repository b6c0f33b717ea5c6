/** Stores what partners answer to outgoing interchanges, and carries it out at the records of the route that sent them. */
import { sql } from 'kysely'
import {
  chooseOutcome,
  compareRuns,
  countSets,
  describeMismatches,
  type SetRun,
  toSetRuns,
} from '../../domain/answered-sets.ts'
import type {
  AnsweredDelivery,
  AppliedAnswers,
  InterchangeJournal,
  NewReceivedAnswer,
  ReceivedAnswerEntry,
  RefusedDelivery,
  UnansweredDelivery,
} from '../../domain/interchange-journal.ts'
import type { Resource } from '../../domain/api.ts'
import type { Dismissal } from '../../domain/decision.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { toDeliveryEntry } from '../deliveries.ts'
import { digestReceived } from './digests.ts'
import { appendDeliveryEvent, insertDeliveryDecision, selectDecisionDetail } from '../events.ts'
import { jsonRows, omitNull, selectFirst, selectIdRuns } from '../rows.ts'
import type { Db, Row } from '../schema.ts'
import type { BoundStore, RouteTx } from '../store.ts'
import {
  IS_OPEN_REFUSAL,
  IS_UNANSWERED,
  isAwaitingDecision,
  mentionReservation,
  type ReservationMention,
} from './numbers.ts'

export function createReceivedAnswerJournal({ reads, leased }: BoundStore) {
  return {
    applyReceivedAnswers: leased(applyAnswers),
    listPartlyConfirmedDeliveries: reads(async (db, route) => {
      const { rows } = await sql<Row<'deliveries'>>`
        select * from deliveries
        where state not in ('acknowledged', 'done') and state = 'delivered' and confirmed_at is null
          and route = ${route} and exists (
            select 1 from records where records.delivery_id = deliveries.id and ${IS_CONFIRMED_OPEN})
        order by sequence`.execute(db)
      return rows.map(toDeliveryEntry)
    }),
    listReceivedAnswers: reads((db, of, limit) => {
      const isMeant =
        'file' in of
          ? sql`received_answers.file_id = ${of.file}`
          : sql`received_answers.delivery_id = ${of.delivery}`
      return selectAnswers(db, sql`${isMeant} order by received_answers.number limit ${limit}`)
    }),
    findSetVerdict: reads(async (db, deliveryId: string, record: number) => {
      const row = await selectFirst(
        db,
        sql<Pick<Row<'answered_sets'>, 'verdict' | 'answer'>>`
          select verdict, answer from answered_sets
            join number_reservations on number_reservations.delivery_id = answered_sets.delivery_id
          where answered_sets.delivery_id = ${deliveryId}
            and (number_reservations.sets = 1 or ${record} between first_set and last_set) limit 1`,
      )
      if (row === undefined) return undefined
      const [answer] = await selectAnswers(db, sql`received_answers.number = ${row.answer}`)
      return { verdict: row.verdict, ...(answer && { answer }) }
    }),
    releaseRefused: leased(releaseRefused),
    listRefusedDeliveries: reads(selectRefused),
    listUnansweredDeliveries: reads(selectUnanswered),
    isAwaitingDecision: reads(isAwaitingDecision),
  } satisfies Partial<InterchangeJournal>
}

/** Condition on `records`: its set was accepted, and it is not acknowledged yet. The words are those of an index. */
const IS_CONFIRMED_OPEN = sql<boolean>`(records.confirmed = 1 and records.state in ('collected', 'sending', 'deferred'))`

// Matching: which delivery an answer is about, and what it says of each set that is not known yet.

/** The control numbers of an interchange that a delivery carries. */
type SentInterchange = Row<'number_reservations'> & { readonly delivery_id: string }

/** Stores the answers of a file in the transaction that ends its unbundling. Returns what its event says of them. */
export async function addReceivedAnswers(
  db: Db,
  { now, fileId }: { readonly now: number; readonly fileId: string },
  answers: readonly NewReceivedAnswer[],
): Promise<{
  readonly mentions: readonly ReceivedMention[]
  readonly reservations: readonly ReservationMention[]
  readonly answered: readonly AnsweredDelivery[]
}> {
  const mentions: ReceivedMention[] = []
  const reservations = new Map<number, ReservationMention>()
  const answered = new Map<string, AnsweredDelivery>()
  for (const answer of answers) {
    const sent = await findSent(db, answer)
    const { number, sets } = await insertAnswer(db, { now, fileId, answer, sent })
    mentions.push(await mentionReceived(db, number))
    if (sent === undefined) continue
    answered.set(sent.delivery_id, { delivery: sent.delivery_id, route: sent.route })
    if (sent.answered_at !== null || sets < (sent.sets ?? 0)) continue
    await sql`update number_reservations set answered_at = ${now} where id = ${sent.id}`.execute(db)
    reservations.set(sent.id, mentionReservation({ ...sent, answered_at: now }))
  }
  return { mentions, reservations: [...reservations.values()], answered: [...answered.values()] }
}

const NUMBER = /^\d{1,9}$/

/** The newest interchange with the number, because numbers begin anew at some time; of this usage, and a group of this kind. */
async function findSent(
  db: Db,
  { answer, syntax, usage, partner }: NewReceivedAnswer,
): Promise<SentInterchange | undefined> {
  if (!NUMBER.test(answer.number)) return undefined
  const isGroup = answer.kind === '997' || answer.kind === '999'
  const column = isGroup ? sql.ref('group_number') : sql.ref('interchange_number')
  return selectFirst(
    db,
    sql<SentInterchange>`
      select number_reservations.* from number_reservations
      where ${column} = ${Number(answer.number)} and syntax = ${syntax} and usage = ${usage}
        and delivery_id is not null and ${isGroup ? sql`code = ${answer.code}` : sql`true`}
        and receiver in (select batch.address from ${jsonRows(partner, { address: (each) => each })})
      order by reserved_at desc, id desc limit 1`,
  )
}

/** Returns the number of its row, and how many sets of the interchange are answered now. */
async function insertAnswer(
  db: Db,
  {
    now,
    fileId,
    answer: { answer, interchange, syntax, partner },
    sent,
  }: {
    readonly now: number
    readonly fileId: string
    readonly answer: NewReceivedAnswer
    readonly sent: SentInterchange | undefined
  },
): Promise<{ readonly number: number; readonly sets: number }> {
  const delivery = sent?.delivery_id ?? null
  const { runs, isStray } =
    sent === undefined ? NOTHING_SAID : toSetRuns(answer, { sets: sent.sets ?? 0, group: sent.group_number })
  const known = delivery === null ? [] : await selectRuns(db, delivery)
  const compared = compareRuns(runs, known)
  const isOfAnswer = sent === undefined && (await isAnswerOfOurs(db, { answer, syntax, partner }))
  const outcome = chooseOutcome({
    answer,
    isKnown: sent !== undefined,
    isOfAnswer,
    isStray,
    runs,
    ...compared,
  })
  const mismatches =
    sent === undefined
      ? []
      : describeMismatches(answer, { count: sent.sets ?? 0, group: sent.group_number, runs, known })
  const { number } = await db
    .insertInto('received_answers')
    .values({
      file_id: fileId,
      interchange,
      segment: answer.segment,
      kind: answer.kind,
      control_number: answer.number.slice(0, NUMBER_MAX),
      verdict: answer.verdict,
      outcome,
      reasons: JSON.stringify([...mismatches, ...answer.reasons]),
      delivery_id: delivery,
      received_at: now,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  const sets = countSets(known) + countSets(compared.fresh)
  if (delivery === null || compared.fresh.length === 0) return { number, sets }
  const batch = jsonRows(compared.fresh, {
    first: 'first',
    last: 'last',
    verdict: 'verdict',
    reasons: 'reasons',
  })
  await sql`
    insert into answered_sets (delivery_id, first_set, last_set, verdict, reasons, answer)
    select ${delivery}, first, last, verdict, reasons, ${number} from ${batch}`.execute(db)
  return { number, sets }
}

const NOTHING_SAID = { runs: [], isStray: false }

/** Longer ones are no control numbers. */
const NUMBER_MAX = 40

/** Whether it names an interchange with which the bridge answered; a partner may acknowledge those too. */
async function isAnswerOfOurs(
  db: Db,
  { answer, syntax, partner }: Pick<NewReceivedAnswer, 'answer' | 'syntax' | 'partner'>,
): Promise<boolean> {
  if (!NUMBER.test(answer.number) || answer.kind === '997' || answer.kind === '999') return false
  const number = Number(answer.number)
  const row = await selectFirst(
    db,
    sql<{ id: string }>`
      select id from interchange_answers
      where syntax = ${syntax} and interchange_number is not null and interchange_number <= ${number}
        and receiver in (select batch.address from ${jsonRows(partner, { address: (each) => each })})
        and ${number} < interchange_number + (
          select sum(case each.type when 'array' then (each.value ->> 1) - (each.value ->> 0) + 1 else 1 end)
          from json_each(interchange_answers.interchanges) as each)
      limit 1`,
  )
  return row !== undefined
}

async function selectRuns(db: Db, deliveryId: string): Promise<SetRun[]> {
  const { rows } = await sql<Row<'answered_sets'>>`
    select * from answered_sets where delivery_id = ${deliveryId} order by first_set`.execute(db)
  return rows.map(toRun)
}

function toRun({ first_set: first, last_set: last, verdict, reasons }: Row<'answered_sets'>): SetRun {
  return { first, last, verdict, reasons: JSON.parse(reasons) as string[] }
}

// Carrying out: the route that sent the interchange does it, under its own lease.

/** One transaction: what is stored of answers to deliveries that wait for them comes to their records. */
async function applyAnswers(tx: RouteTx): Promise<readonly AppliedAnswers[]> {
  const { db, route } = tx
  const { rows } = await sql<Row<'deliveries'> & { sets: number }>`
    select deliveries.*, number_reservations.sets from deliveries
      join number_reservations on number_reservations.delivery_id = deliveries.id
    where deliveries.state not in ('acknowledged', 'done') and deliveries.state = 'delivered'
      and deliveries.confirmed_at is null and deliveries.route = ${route}
      and exists (select 1 from answered_sets where answered_sets.delivery_id = deliveries.id and applied = 0)
    order by deliveries.sequence`.execute(db)
  const applied: AppliedAnswers[] = []
  for (const row of rows) applied.push(await applyToDelivery(tx, row))
  return applied
}

async function applyToDelivery(
  tx: RouteTx,
  delivery: Row<'deliveries'> & { readonly sets: number },
): Promise<AppliedAnswers> {
  const { db, now } = tx
  const { id, records: count, sets } = delivery
  const { rows } = await sql<Row<'answered_sets'> & { kind: string; control_number: string; file: string }>`
    select answered_sets.*, kind, control_number, files.name as file
    from answered_sets join received_answers on received_answers.number = answered_sets.answer
      join files on files.id = received_answers.file_id
    where answered_sets.delivery_id = ${id} and applied = 0 order by first_set`.execute(db)
  let refused = 0
  let accepted = 0
  const mentions = []
  for (const row of rows) {
    const { first, last, verdict, reasons } = toRun(row)
    // One set may hold all records.
    const isOwn = sets === count ? sql`records.number between ${first} and ${last}` : sql`true`
    const isWaiting = sql`records.delivery_id = ${id} and ${isOwn} and records.confirmed = 0
      and records.state in ('collected', 'deferred')`
    const found = describeVerdict({ ...row, first, last, reasons })
    if (verdict === 'R') {
      const ids = await selectIdRuns(db, isWaiting)
      const problems: readonly Problem[] = [problem('edi-refused-by-partner', {}, found)]
      const { numAffectedRows } = await sql`
        update records set state = 'held', problems = ${JSON.stringify(problems)}, changed_at = ${now}
        where ${isWaiting}`.execute(db)
      refused += Number(numAffectedRows ?? 0n)
      mentions.push({ state: 'held', ids })
    } else {
      const noted: Problem = { ...problem('edi-noted-by-partner', {}, found), severity: 'warning' }
      const warnings =
        verdict === 'E' ? sql`json_insert(warnings, '$[#]', json(${JSON.stringify(noted)}))` : sql`warnings`
      const { numAffectedRows } = await sql`
        update records set confirmed = 1, warnings = ${warnings}, changed_at = ${now}
        where ${isWaiting}`.execute(db)
      accepted += Number(numAffectedRows ?? 0n)
    }
  }
  await sql`update answered_sets set applied = 1 where delivery_id = ${id} and applied = 0`.execute(db)
  const isWhole = countSets(await selectRuns(db, id)) >= sets
  const file = rows.at(-1)?.file ?? ''
  if (isWhole)
    await sql`
      update deliveries set confirmed_at = ${now}, confirmed_by = ${file}
      where id = ${id} and confirmed_at is null`.execute(db)
  await appendDeliveryEvent(db, now, { id, kind: 'answers-applied', more: { records: mentions } })
  return { delivery: id, name: delivery.name, file, accepted, refused, isWhole }
}

/** `The partner refused set 2 (997 of group 17): PO104 (segment 7): invalid code` */
function describeVerdict({
  verdict,
  kind,
  control_number: number,
  first,
  last,
  reasons,
}: Pick<Row<'answered_sets'>, 'verdict'> &
  Pick<SetRun, 'first' | 'last' | 'reasons'> & {
    readonly kind: string
    readonly control_number: string
  }): string {
  const sets = first === last ? `set ${first}` : `sets ${first} to ${last}`
  const of = kind === '997' || kind === '999' ? 'group' : 'interchange'
  const what = verdict === 'R' ? 'refused' : 'accepted with errors'
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
  return `The partner ${what} ${sets} (${kind} on ${of} ${number})${why}`.slice(0, MESSAGE_MAX)
}

const MESSAGE_MAX = 1000

/** Takes the records of refused sets out of the delivery, so that the next file of the route has them. */
async function releaseRefused(tx: RouteTx, deliveryId: string, { by, why, via }: Dismissal) {
  const { db, now, route } = tx
  const isRefused = sql`records.delivery_id = ${deliveryId} and records.route = ${route} and exists (
    select 1 from answered_sets join number_reservations on number_reservations.delivery_id = answered_sets.delivery_id
    where answered_sets.delivery_id = records.delivery_id and answered_sets.verdict = 'R'
      and (number_reservations.sets = 1 or records.number between first_set and last_set))`
  const ids = await selectIdRuns(db, isRefused)
  if (ids.length === 0) return undefined
  const decided = { delivery: deliveryId, action: 'release', by, why, via, chosen: isRefused } as const
  const { id, records } = await insertDeliveryDecision(db, now, omitUndefined(decided))
  await sql`
    update records set delivery_id = null, number = 0, state = 'collected', problems = '[]', corrected = 0, changed_at = ${now}
    where id in (select record_id from decided_records where decision_id = ${id})`.execute(db)
  const more = {
    decision: await selectDecisionDetail(db, id),
    detached: ids,
    records: [{ state: 'collected', ids }],
  }
  await appendDeliveryEvent(db, now, { id: deliveryId, kind: 'decision-made', more })
  return omitUndefined({ id, file: deliveryId, action: 'release' as const, by, why, via, at: now, records })
}

// What a person must see.

async function selectAnswers(db: Db, condition: ReturnType<typeof sql>): Promise<ReceivedAnswerEntry[]> {
  const { rows } = await sql<
    Row<'received_answers'> & {
      file: string
      partner: string | null
      delivery_name: string | null
      route: string | null
      refused: number
      accepted: number
    }
  >`
    select received_answers.*, files.name as file, interchanges.partner, deliveries.name as delivery_name,
      deliveries.route,
      (select coalesce(sum(last_set - first_set + 1), 0) from answered_sets
        where answer = received_answers.number and answered_sets.verdict = 'R') as refused,
      (select coalesce(sum(last_set - first_set + 1), 0) from answered_sets
        where answer = received_answers.number and answered_sets.verdict <> 'R') as accepted
    from received_answers join files on files.id = received_answers.file_id
      left join interchanges on interchanges.file_id = files.id
        and interchanges.ordinal = received_answers.interchange
      left join deliveries on deliveries.id = received_answers.delivery_id
    where ${condition}`.execute(db)
  return rows.map((row) => ({
    number: row.control_number,
    kind: row.kind,
    verdict: row.verdict,
    outcome: row.outcome,
    reasons: JSON.parse(row.reasons) as string[],
    file: { id: row.file_id, name: row.file },
    receivedAt: row.received_at,
    refused: row.refused,
    accepted: row.accepted,
    ...(row.partner === null ? {} : { partner: row.partner }),
    ...(row.delivery_id === null
      ? {}
      : { delivery: { id: row.delivery_id, name: row.delivery_name ?? '', route: row.route ?? '' } }),
  }))
}

async function selectRefused(db: Db, limit: number): Promise<RefusedDelivery[]> {
  const { rows } = await sql<
    Omit<RefusedDelivery, 'numbers' | 'records' | 'reasons'> & {
      reasons: string
      records: string
      interchange: number
      group: number
    }
  >`
    select deliveries.id as delivery, deliveries.name, deliveries.folder, deliveries.route,
      sum(last_set - first_set + 1) as sets, min(received_answers.received_at) as since,
      min(answered_sets.reasons) as reasons, min(first_set) as "firstSet",
      number_reservations.interchange_number as interchange, number_reservations.group_number as "group",
      (select json_group_array(json_object('apiId', api_id, 'operation', operation, 'body', json(body))) from (
        select api_id, operation, case when json_valid(body) then body else 'null' end as body
        from records left join bodies on bodies.record_id = records.id
        where records.delivery_id = deliveries.id and exists (
          select 1 from answered_sets as said where said.delivery_id = records.delivery_id and said.verdict = 'R'
            and (number_reservations.sets = 1 or records.number between said.first_set and said.last_set))
        order by records.number limit ${REFUSED_NAMED})) as records
    from answered_sets join received_answers on received_answers.number = answered_sets.answer
      join deliveries on deliveries.id = answered_sets.delivery_id
      join number_reservations on number_reservations.delivery_id = deliveries.id
    where ${IS_OPEN_REFUSAL}
    group by deliveries.id order by since, deliveries.id limit ${limit}`.execute(db)
  return rows.map(({ reasons, records, interchange, group, ...row }) => ({
    ...row,
    numbers: { interchange, group },
    records: (JSON.parse(records) as { apiId: string; operation: string; body: Resource | null }[]).map(
      omitNull,
    ) as RefusedDelivery['records'],
    reasons: JSON.parse(reasons) as string[],
  }))
}

/** How many refused records of a delivery are named. */
const REFUSED_NAMED = 3

/** The first condition is that of an index. Deliveries that wait for a confirmation are listed with the others that do. */
async function selectUnanswered(db: Db, route: string, limit: number): Promise<UnansweredDelivery[]> {
  const { rows } = await sql<Row<'deliveries'> & { interchange_number: number; sets: number }>`
    select deliveries.*, number_reservations.interchange_number, number_reservations.sets
    from number_reservations cross join deliveries
    where ${IS_UNANSWERED} and number_reservations.route = ${route} and deliveries.id = number_reservations.delivery_id
      and deliveries.state in ('acknowledged', 'done') and not exists (
        select 1 from decisions where decisions.delivery_id = deliveries.id and action = 'dismiss')
    order by deliveries.delivered_at, deliveries.sequence limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ...toDeliveryEntry(row),
    interchange: row.interchange_number,
    sets: row.sets,
  }))
}

/** An answer as an event has it. */
export interface ReceivedMention {
  readonly number: number
  readonly digest: string
}

export async function mentionReceived(db: Db, number: number): Promise<ReceivedMention> {
  return { number, digest: (await digestReceived(db, number)) ?? '' }
}
