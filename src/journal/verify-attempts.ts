/** Attempts as the chain says they were, against the table: each that began is there, with its result and its note. */
import { sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Mention, Summed } from './event-detail.ts'
import { idSet } from './id-set.ts'
import { eachOf } from './ids.ts'
import type { EventTable } from './schema.ts'
import { sumOf } from './sums.ts'
import { type Check, inParts, type Told } from './verify-check.ts'

interface AttemptRow {
  readonly id: number
  readonly attempts: number
  /** Which attempt it was that the event is about. */
  readonly attempt: number
  readonly is_there: number
  readonly result: string | null
  readonly http: number | null
  readonly note: string | null
  readonly planned_note: string | null
}

/** What the walk knows of attempts; it goes from the last of them to the first. */
interface Walk extends Check {
  /** How many attempts of a record began later than where the walk is. */
  readonly begun: { of(id: number): number; count(id: number): void }
  /** Records of whose attempt, where the walk is, a later event told the result, or the note. */
  readonly answered: ReturnType<typeof idSet>
  readonly noted: ReturnType<typeof idSet>
}

export function attemptCheck(check: Check) {
  const walk: Walk = { ...check, begun: counts(), answered: idSet(), noted: idSet() }
  return {
    async look({ event, detail }: Told): Promise<void> {
      for (const mention of detail.records ?? []) {
        if (event.kind === 'records-answered') await checkAnswered(walk, event, mention)
        if (event.kind === 'records-begun') await checkBegun(walk, event, mention)
        if (event.kind === 'records-collected') await checkFirst(walk, event, [...eachOf(mention.ids)])
      }
      if (event.kind === 'attempts-noted' && detail.notes !== undefined)
        await checkNoted(walk, event, detail.notes)
      // Of a plan that was thrown away the ids may have been given again.
      const planned = [...eachOf(detail.planned?.ids ?? [])]
      await checkFirst(
        walk,
        event,
        planned.filter((id) => !check.met.planned.has(id)),
      )
    },
    finish: () => checkStrangers(check),
  }
}

/** Nearly all records have one attempt or none. */
function counts(): Walk['begun'] {
  const once = idSet()
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

async function* attemptsOf({ tables, begun }: Walk, ids: readonly number[]): AsyncGenerator<AttemptRow> {
  for (const some of inParts(ids)) {
    const batch = batchOf(some, { id: (id) => id, later: (id) => begun.of(id) })
    const { rows } = await sql<AttemptRow>`
      select records.id, records.attempts, records.attempts - batch.later as attempt,
        attempts.record_id is not null as is_there, attempts.result, attempts.http, attempts.note,
        bodies.note as planned_note
      from ${batch} cross join records
        left join attempts on attempts.record_id = records.id and attempts.attempt = records.attempts - batch.later
        left join bodies on bodies.record_id = records.id
      where records.id = batch.id order by records.id`.execute(tables)
    yield* rows
  }
}

async function checkAnswered(walk: Walk, event: EventTable, { ids, state, http }: Mention): Promise<void> {
  const asked = [...eachOf(ids)].filter((id) => !walk.answered.has(id))
  for (const id of asked) walk.answered.add(id)
  for await (const row of attemptsOf(walk, asked)) {
    if (row.is_there === 0) continue
    if (row.result !== state) differ(walk, event, { row, what: 'result', is: row.result, was: state })
    if (http !== undefined && row.http !== http) {
      differ(walk, event, { row, what: 'HTTP status', is: row.http, was: http })
    }
  }
}

async function checkNoted(walk: Walk, event: EventTable, { ids, sums }: Summed): Promise<void> {
  const all = [...eachOf(ids)]
  const sumsOf = new Map(all.map((id, place) => [id, sums[place]]))
  const asked = all.filter((id) => !walk.noted.has(id))
  for (const id of asked) walk.noted.add(id)
  for await (const row of attemptsOf(walk, asked)) {
    if (row.is_there === 0 || walk.met.forgotten.has(row.id)) continue
    if (row.note === null || sumOf(row.id, row.note) !== sumsOf.get(row.id)) isAnotherNote(walk, event, row)
  }
}

async function checkBegun(walk: Walk, event: EventTable, { ids }: Mention): Promise<void> {
  const all = [...eachOf(ids)]
  for await (const row of attemptsOf(walk, all)) {
    const { id, attempt } = row
    if (row.is_there === 0) {
      const which = attempt < 1 ? 'an attempt of it' : `its attempt ${attempt}`
      walk.found.add('record', id, `record ${id}: ${which} is missing, or their number is another`, event)
      continue
    }
    if (!walk.answered.has(id) && row.result !== null) {
      differ(walk, event, { row, what: 'result', is: row.result, was: null })
    }
    if (!walk.noted.has(id) && row.note !== row.planned_note) isAnotherNote(walk, event, row)
  }
  for (const id of all) {
    walk.begun.count(id)
    walk.answered.remove(id)
    walk.noted.remove(id)
  }
}

/** Before the event that brought a record into the journal, no attempt of it began. */
async function checkFirst(walk: Walk, event: EventTable, ids: readonly number[]): Promise<void> {
  for await (const { id, attempts, attempt } of attemptsOf(walk, ids)) {
    if (attempt === 0) continue
    const message = `record ${id}: its number of attempts is ${attempts}, and ${attempts - attempt} began`
    walk.found.add('record', id, message, event)
  }
}

async function checkStrangers({ tables, found }: Check): Promise<void> {
  const { rows } = await sql<{ id: number; attempt: number }>`
    select records.id, attempt from attempts cross join records
    where records.id = attempts.record_id and (attempt > records.attempts or attempt < 1)`.execute(tables)
  for (const { id, attempt } of rows) {
    found.add('record', id, `record ${id}: its attempt ${attempt} was put there: no event tells of it`)
  }
}

interface Difference {
  readonly row: AttemptRow
  readonly what: string
  readonly is: string | number | null
  readonly was: string | number | null
}

function differ({ found }: Walk, event: EventTable, { row, what, is, was }: Difference): void {
  const { id, attempt } = row
  const message = `record ${id}: the ${what} of its attempt ${attempt} is ${is ?? 'none'}, and was ${was ?? 'none'}`
  found.add('record', id, message, event)
}

function isAnotherNote({ found }: Walk, event: EventTable, { id, attempt }: AttemptRow): void {
  found.add('record', id, `record ${id}: the note of its attempt ${attempt} is not what was noted`, event)
}
