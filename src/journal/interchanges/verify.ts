/** Compares interchanges, parts, answers and control numbers with the events, from the last one to the first. */
import { sql } from 'kysely'
import { jsonRows, selectFirst } from '../rows.ts'
import type { Db, EventRow, Row } from '../schema.ts'
import { createIdSet, type Mismatches, type ParsedEvent } from '../verify-check.ts'
import { type AnswerMention, mentionAnswer } from './answers.ts'
import { mentionReservation, NO_RESERVATION, type ReservationMention } from './numbers.ts'
import { digestInterchanges, digestPart, digestReceived, digestUnbundling, isEmptied } from './digests.ts'

export function createInterchangeCheck(db: Db, found: Mismatches) {
  const checks = [
    createKeyCheck(db, found),
    createSetCheck(db, found, PARTS),
    createSetCheck(db, found, UNBUNDLINGS),
    createAnswerCheck(db, found),
    createCounterCheck(db, found),
    createReservationCheck(db, found),
    createReceivedCheck(db, found),
  ]
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      for (const check of checks) for (const parsed of page) await check.checkEvent(parsed)
    },
    async finish(): Promise<void> {
      for (const check of checks) await check.finish()
    },
  }
}

interface Check {
  checkEvent(parsed: ParsedEvent): Promise<void>
  finish(): Promise<void>
}

/** One event covers the interchanges from its first one to the first one of the next event. */
function createKeyCheck(db: Db, found: Mismatches): Check {
  const files = createIdSet()
  /** By the id of a file: the first interchange of the event that was met last. */
  const firstMet = new Map<string, number>()
  const discarded = new Set<string>()
  const differ = (file: string, range: string, event: EventRow) => {
    const message = `${range} of file ${file} are not what was noted: a number, verdict, partner or hash differs`
    found.add('interchange', file, message, event)
  }
  return {
    async checkEvent({ event, detail }) {
      const { subject: file, kind } = event
      if (file === null) return
      if (kind === 'unbundling-discarded') discarded.add(file)
      const { interchanges: noted } = detail
      if (noted !== undefined && !discarded.has(file)) {
        if (detail.file !== undefined) files.add(detail.file.number)
        const next = firstMet.get(file) ?? Number.MAX_SAFE_INTEGER
        firstMet.set(file, noted.first)
        const rows = await selectRange(db, file, { first: noted.first, next })
        if (digestInterchanges(rows) === noted.digest) return
        differ(file, `interchanges ${noted.first} to ${noted.last}`, event)
      }
      // Before it was received a file had no interchanges, so that nothing of it has to be remembered.
      if (kind !== 'file-received') return
      const next = firstMet.get(file)
      if (next !== undefined && (await selectRange(db, file, { first: 0, next })).length > 0)
        differ(file, `those before interchange ${next}`, event)
      firstMet.delete(file)
      discarded.delete(file)
    },
    async finish() {
      const { rows } = await sql<{ number: number; id: string }>`
        select distinct files.number, files.id from interchanges cross join files
        where files.id = interchanges.file_id`.execute(db)
      for (const { number, id } of rows) {
        if (files.has(number)) continue
        const message = `the interchanges of file ${id} have no event: they were added to the table directly`
        found.add('interchange', id, message)
      }
    },
  }
}

async function selectRange(db: Db, file: string, { first, next }: { first: number; next: number }) {
  const { rows } = await sql<Row<'interchanges'>>`
    select * from interchanges where file_id = ${file} and ordinal >= ${first} and ordinal < ${next}
    order by ordinal`.execute(db)
  return rows
}

/** A table with selections of sets, one row for a file. */
interface SetTable<Table extends 'parts' | 'unbundlings'> {
  readonly table: Table
  readonly readDigest: (detail: ParsedEvent['detail']) => string | undefined
  readonly digest: (row: Row<Table>) => string
  readonly selections: (row: Row<Table>) => readonly string[]
  readonly what: string
}

const PARTS: SetTable<'parts'> = {
  table: 'parts',
  readDigest: ({ part }) => part?.digest,
  digest: digestPart,
  selections: ({ sets }) => [sets],
  what: 'the sets of part',
}

const UNBUNDLINGS: SetTable<'unbundlings'> = {
  table: 'unbundlings',
  readDigest: ({ unbundling }) => unbundling?.digest,
  digest: digestUnbundling,
  selections: ({ unrouted, ambiguous }) => [unrouted, ambiguous],
  what: 'the sets without a route of file',
}

function createSetCheck<Table extends 'parts' | 'unbundlings'>(
  db: Db,
  found: Mismatches,
  { table, readDigest, digest, selections, what }: SetTable<Table>,
): Check {
  const met = createIdSet()
  return {
    async checkEvent({ event, detail }) {
      const was = readDigest(detail)
      const { subject: id } = event
      if (was === undefined || id === null || detail.file === undefined) return
      met.add(detail.file.number)
      const row = await selectFirst(
        db,
        sql<Row<Table> & { readonly pruned_at: number | null }>`
          select ${sql.table(table)}.*, files.pruned_at from ${sql.table(table)}
          join files on files.id = ${sql.table(table)}.file_id where files.id = ${id}`,
      )
      if (row === undefined) found.add('file', id, `${what} ${id} are missing`, event)
      else if (digest(row) !== was && !(row.pruned_at !== null && isEmptied(selections(row))))
        found.add('file', id, `${what} ${id} are not those that it had`, event)
    },
    async finish() {
      const { rows } = await sql<{ number: number; id: string }>`
        select files.number, files.id from ${sql.table(table)} cross join files where files.id = file_id`.execute(
        db,
      )
      for (const { number, id } of rows) {
        if (met.has(number)) continue
        found.add('file', id, `${what} ${id} have no event: they were added to the table directly`)
      }
    },
  }
}

function createAnswerCheck(db: Db, found: Mismatches): Check {
  const met = createIdSet()
  return {
    async checkEvent({ event, detail }) {
      const latest = (detail.answers ?? []).filter(({ number }) => met.add(number))
      if (latest.length === 0) return
      const { rows } = await sql<Row<'interchange_answers'>>`
        select interchange_answers.* from ${jsonRows(latest, { id: 'id' })} cross join interchange_answers
        where interchange_answers.id = batch.id`.execute(db)
      const byId = new Map(rows.map((row) => [row.id, mentionAnswer(row)]))
      for (const was of latest) {
        const difference = describeDifference(byId.get(was.id), was)
        if (difference !== undefined) found.add('answer', was.id, `answer ${was.id}${difference}`, event)
      }
    },
    async finish() {
      const { rows } = await sql<{ number: number; id: string }>`
        select number, id from interchange_answers`.execute(db)
      for (const { number, id } of rows) {
        if (met.has(number)) continue
        found.add('answer', id, `answer ${id} has no event: it was added to the table directly`)
      }
    },
  }
}

function describeDifference(is: AnswerMention | undefined, was: AnswerMention): string | undefined {
  if (is === undefined) return ' is missing'
  const [numbers, earlierNumbers] = [is, was].map((each) => each.numbers?.join(' and ') ?? 'none')
  if (numbers !== earlierNumbers) return `: its control numbers are ${numbers}, and were ${earlierNumbers}`
  const [delivery = 'none', earlierDelivery = 'none'] = [is.delivery, was.delivery]
  if (delivery !== earlierDelivery) return `: its delivery is ${delivery}, and was ${earlierDelivery}`
  return is.digest === was.digest ? undefined : ' is not what it was: what it answers, or when, differs'
}

function createReservationCheck(db: Db, found: Mismatches): Check {
  const met = createIdSet()
  const describe = (id: number) => `the control numbers of outgoing file ${id}`
  return {
    async checkEvent({ event, detail }) {
      const latest = (detail.reservations ?? []).filter(({ id }) => met.add(id))
      if (latest.length === 0) return
      const { rows } = await sql<Row<'number_reservations'>>`
        select number_reservations.* from ${jsonRows(latest, { id: 'id' })} cross join number_reservations
        where number_reservations.id = batch.id`.execute(db)
      const byId = new Map(rows.map((row) => [row.id, mentionReservation(row)]))
      for (const was of latest) {
        const is = byId.get(was.id)
        if (was.digest === NO_RESERVATION) {
          if (is === undefined) continue
          found.add(
            'numbers',
            String(was.id),
            `${describe(was.id)} are there although they were removed`,
            event,
          )
          continue
        }
        const difference = describeReservation(is, was)
        if (difference !== undefined)
          found.add('numbers', String(was.id), `${describe(was.id)} ${difference}`, event)
      }
    },
    async finish() {
      const { rows } = await sql<{ id: number }>`select id from number_reservations`.execute(db)
      for (const { id } of rows) {
        if (met.has(id)) continue
        found.add(
          'numbers',
          String(id),
          `${describe(id)} have no event: they were added to the table directly`,
        )
      }
    },
  }
}

function describeReservation(
  is: ReservationMention | undefined,
  was: ReservationMention,
): string | undefined {
  const numbers = was.numbers?.join(' and ') ?? 'none'
  if (is === undefined) return `are missing, and were ${numbers}`
  const now = is.numbers?.join(' and ') ?? 'none'
  if (now !== numbers) return `are ${now}, and were ${numbers}`
  const [delivery = 'none', earlier = 'none'] = [is.delivery, was.delivery]
  if (delivery !== earlier) return `are of delivery ${delivery}, and were of ${earlier}`
  return is.digest === was.digest ? undefined : 'are not what they were: their scope, route or time differs'
}

/** Answers of partners, with the sets that they judge. No record is confirmed without one. */
function createReceivedCheck(db: Db, found: Mismatches): Check {
  const met = createIdSet()
  return {
    async checkEvent({ event, detail }) {
      for (const { number, digest } of detail.received ?? []) {
        if (!met.add(number)) continue
        const is = await digestReceived(db, number)
        const subject = String(number)
        if (is === undefined) found.add('answer', subject, `received answer ${number} is missing`, event)
        else if (is !== digest)
          found.add(
            'answer',
            subject,
            `received answer ${number} is not what it was: a verdict differs`,
            event,
          )
      }
    },
    async finish() {
      const { rows } = await sql<{ number: number }>`select number from received_answers`.execute(db)
      for (const { number } of rows) {
        if (met.has(number)) continue
        const message = `received answer ${number} has no event: it was added to the table directly`
        found.add('answer', String(number), message)
      }
      const { rows: unproven } = await sql<{ id: number }>`
        select records.id from records join number_reservations on number_reservations.delivery_id = records.delivery_id
        where records.confirmed = 1 and not exists (
          select 1 from answered_sets where answered_sets.delivery_id = records.delivery_id and verdict <> 'R'
            and (number_reservations.sets = 1 or records.number between first_set and last_set))`.execute(db)
      for (const { id } of unproven)
        found.add('record', id, `record ${id} is confirmed, and no answer of its partner accepted it`)
    },
  }
}

function createCounterCheck(db: Db, found: Mismatches): Check {
  const met = new Set<string>()
  const differ = (scope: string, message: string, event?: EventRow) =>
    found.add('numbers', scope, `the control numbers of ${scope} ${message}`, event)
  return {
    async checkEvent({ event, detail }) {
      for (const [syntax, sender, receiver, usage, interchange, group] of detail.counters ?? []) {
        const scope = formatScope({ syntax, sender, receiver, usage })
        if (met.has(scope)) continue
        met.add(scope)
        const row = await selectFirst(
          db,
          sql<Row<'number_counters'>>`select * from number_counters
            where syntax = ${syntax} and sender = ${sender} and receiver = ${receiver} and usage = ${usage}`,
        )
        const is = row && `${row.last_interchange} and ${row.last_group}`
        const was = `${interchange} and ${group}`
        if (is === undefined) differ(scope, `are missing, and were ${was}`, event)
        else if (is !== was) differ(scope, `are ${is}, and were ${was}`, event)
      }
    },
    async finish() {
      const { rows } = await sql<Row<'number_counters'>>`select * from number_counters`.execute(db)
      for (const scope of rows.map(formatScope))
        if (!met.has(scope)) differ(scope, 'have no event: they were added to the table directly')
    },
  }
}

interface ScopeNames {
  readonly syntax: string
  readonly sender: string
  readonly receiver: string
  readonly usage: string
}

/** `x12 ZZ:HAVEN to 12:7755550100, production` */
function formatScope({ syntax, sender, receiver, usage }: ScopeNames): string {
  return `${syntax} ${sender} to ${receiver}, ${usage}`
}
