/** Compares attempts with the events: each started attempt must be in the table, with its result and its note. */
import { sql } from 'kysely'
import { iterateIds, jsonRows } from './rows.ts'
import { type Mention, mapSums, type Summed, sumText } from './event-detail.ts'
import { createIdSet, type ParsedEvent, splitIntoBatches, type Verifier } from './verify-check.ts'
import type { EventRow } from './schema.ts'

interface AttemptRow {
  readonly id: number
  readonly attempts: number
  readonly attempt: number
  readonly is_there: number
  readonly result: string | null
  readonly http: number | null
  readonly note: string | null
  readonly planned_note: string | null
}

/** The state of the walk from the last event to the first, for attempts. */
interface Walk extends Verifier {
  /** How many attempts of a record began after the current event. */
  readonly started: { of(id: number): number; count(id: number): void }
  /** Records whose current attempt had its result, or its note, in a later event. */
  readonly answered: ReturnType<typeof createIdSet>
  readonly noted: ReturnType<typeof createIdSet>
}

export function createAttemptCheck(check: Verifier) {
  const walk: Walk = { ...check, started: countIds(), answered: createIdSet(), noted: createIdSet() }
  return {
    async checkEvent({ event, detail }: ParsedEvent): Promise<void> {
      for (const mention of detail.records ?? []) {
        if (event.kind === 'records-answered') await checkAnswered(walk, event, mention)
        if (event.kind === 'attempts-started') await checkStarted(walk, event, mention)
        if (event.kind === 'records-collected') await checkFirst(walk, event, [...iterateIds(mention.ids)])
      }
      if (event.kind === 'attempts-noted' && detail.notes !== undefined)
        await checkNoted(walk, event, detail.notes)
      // The ids of a discarded plan may have been given again.
      const planned = [...iterateIds(detail.planned?.ids ?? [])]
      await checkFirst(
        walk,
        event,
        planned.filter((id) => !check.seen.planned.has(id)),
      )
    },
    finish: () => checkUnknownAttempts(check),
  }
}

/** Nearly all records have one attempt or none. */
function countIds(): Walk['started'] {
  const once = createIdSet()
  const more = new Map<number, number>()
  const of = (id: number) => more.get(id) ?? (once.has(id) ? 1 : 0)
  return {
    of,
    count(id) {
      if (once.has(id)) more.set(id, of(id) + 1)
      else once.add(id)
    },
  }
}

async function* selectAttempts({ db, started }: Walk, ids: readonly number[]): AsyncGenerator<AttemptRow> {
  for (const chunk of splitIntoBatches(ids)) {
    const batch = jsonRows(chunk, { id: (id) => id, later: (id) => started.of(id) })
    const { rows } = await sql<AttemptRow>`
      select records.id, records.attempts, records.attempts - batch.later as attempt,
        attempts.record_id is not null as is_there, attempts.result, attempts.http, attempts.note,
        bodies.note as planned_note
      from ${batch} cross join records
        left join attempts on attempts.record_id = records.id and attempts.attempt = records.attempts - batch.later
        left join bodies on bodies.record_id = records.id
      where records.id = batch.id order by records.id`.execute(db)
    yield* rows
  }
}

async function checkAnswered(walk: Walk, event: EventRow, { ids, state, http }: Mention): Promise<void> {
  const asked = [...iterateIds(ids)].filter((id) => walk.answered.add(id))
  for await (const row of selectAttempts(walk, asked)) {
    if (row.is_there === 0) continue
    if (row.result !== state)
      reportDifference(walk, event, row, { what: 'result', is: row.result, was: state })
    if (http !== undefined && row.http !== http) {
      reportDifference(walk, event, row, { what: 'HTTP status', is: row.http, was: http })
    }
  }
}

async function checkNoted(walk: Walk, event: EventRow, notes: Summed): Promise<void> {
  const asked = [...iterateIds(notes.ids)].filter((id) => walk.noted.add(id))
  const sums = mapSums(notes)
  for await (const row of selectAttempts(walk, asked)) {
    if (row.is_there === 0 || walk.seen.pruned.has(row.id)) continue
    if (row.note === null || sumText(row.id, row.note) !== sums.get(row.id))
      reportChangedNote(walk, event, row)
  }
}

async function checkStarted(walk: Walk, event: EventRow, { ids }: Mention): Promise<void> {
  const all = [...iterateIds(ids)]
  for await (const row of selectAttempts(walk, all)) {
    const { id, attempt } = row
    if (row.is_there === 0) {
      const which = attempt < 1 ? 'an attempt of it' : `its attempt ${attempt}`
      walk.found.add('record', id, `record ${id}: ${which} is missing, or their number is another`, event)
      continue
    }
    if (!walk.answered.has(id) && row.result !== null) {
      reportDifference(walk, event, row, { what: 'result', is: row.result, was: null })
    }
    if (!walk.noted.has(id) && row.note !== row.planned_note) reportChangedNote(walk, event, row)
  }
  for (const id of all) {
    walk.started.count(id)
    walk.answered.remove(id)
    walk.noted.remove(id)
  }
}

/** No attempt of a record began before the event that added the record to the journal. */
async function checkFirst(walk: Walk, event: EventRow, ids: readonly number[]): Promise<void> {
  for await (const { id, attempts, attempt } of selectAttempts(walk, ids)) {
    if (attempt === 0) continue
    const message = `record ${id}: its number of attempts is ${attempts}, and ${attempts - attempt} began`
    walk.found.add('record', id, message, event)
  }
}

async function checkUnknownAttempts({ db, found }: Verifier): Promise<void> {
  const { rows } = await sql<{ id: number; attempt: number }>`
    select records.id, attempt from attempts cross join records
    where records.id = attempts.record_id and (attempt > records.attempts or attempt < 1)`.execute(db)
  for (const { id, attempt } of rows) {
    found.add(
      'record',
      id,
      `record ${id}: its attempt ${attempt} has no event: it was added to the table directly`,
    )
  }
}

function reportDifference(
  { found }: Walk,
  event: EventRow,
  { id, attempt }: AttemptRow,
  { what, is, was }: { what: string; is: string | number | null; was: string | number | null },
): void {
  const message = `record ${id}: the ${what} of its attempt ${attempt} is ${is ?? 'none'}, and was ${was ?? 'none'}`
  found.add('record', id, message, event)
}

function reportChangedNote({ found }: Walk, event: EventRow, { id, attempt }: AttemptRow): void {
  found.add('record', id, `record ${id}: the note of its attempt ${attempt} is not what was noted`, event)
}
