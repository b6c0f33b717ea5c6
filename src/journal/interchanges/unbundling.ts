/** Stores what a file of interchanges holds, and the files that its routes get of it. */
import { type RawBuilder, sql } from 'kysely'
import type {
  InterchangeEntry,
  InterchangeJournal,
  InterchangeKey,
  NewPart,
  Unbundling,
} from '../../domain/interchange-journal.ts'
import { assert } from '../../support/errors.ts'
import { appendFileEvent } from '../events.ts'
import { selectFiles, updateFile } from '../files.ts'
import { noteVersion } from '../leases.ts'
import { changeRows, jsonRows, omitNull, selectFirst } from '../rows.ts'
import type { Db, Row } from '../schema.ts'
import type { BoundStore, RouteTx } from '../store.ts'
import { HAS_UNDELIVERED_ANSWER, insertAnswers, mentionAnswers } from './answers.ts'
import {
  digestInterchanges,
  digestPart,
  digestUnbundling,
  formatSelection,
  parseSelection,
} from './digests.ts'
import { addReceivedAnswers } from './received.ts'

export function createUnbundlingJournal({ reads, leased, leasedIfChanged }: BoundStore) {
  return {
    findEarlierInterchange: reads(findEarlierInterchange),
    countCorrectable: reads(countCorrectable),
    startUnbundling: leasedIfChanged(async (tx, fileId) => {
      const { db, now } = tx
      await updateFile(tx, fileId, 'received', { state: 'received' })
      const removed = await changeRows(db, sql`delete from interchanges where file_id = ${fileId}`)
      if (removed === 0) return false
      await appendFileEvent(db, now, { id: fileId, kind: 'unbundling-discarded' })
      return true
    }),
    addInterchanges: leasedIfChanged(addInterchanges),
    markFileUnbundled: leased(unbundleFile),
    markPartsFinished: leased(finishParts),
    listParts: reads((db, fileId) => selectFiles(db, sql`files.part_of = ${fileId} order by files.number`)),
    getPartSets: reads(async (db, partId) => {
      const row = await db.selectFrom('parts').selectAll().where('file_id', '=', partId).executeTakeFirst()
      return row && parseSelection(row.sets)
    }),
    getUnrouted: reads(async (db, fileId) => {
      const row = await db
        .selectFrom('unbundlings')
        .selectAll()
        .where('file_id', '=', fileId)
        .executeTakeFirst()
      const { unrouted = '[]', ambiguous = '[]' } = row ?? {}
      return { unrouted: parseSelection(unrouted), ambiguous: parseSelection(ambiguous) }
    }),
    listInterchanges: reads((db, fileId, afterOrdinal, limit) =>
      selectInterchanges(
        db,
        sql`file_id = ${fileId} and ordinal > ${afterOrdinal} order by ordinal limit ${limit}`,
      ),
    ),
    findInterchangeAt: reads(async (db, fileId, segment) => {
      const isBefore = sql`file_id = ${fileId} and segment <= ${segment}`
      return (await selectInterchanges(db, sql`${isBefore} order by ordinal desc limit 1`))[0]
    }),
  } satisfies Partial<InterchangeJournal>
}

/** A file that could not be used gave nothing to anybody, and a rejects file has the number of its source again. */
async function findEarlierInterchange(
  db: Db,
  key: InterchangeKey & { readonly sha256?: string },
  since: number,
  notFile: string,
) {
  const { syntax, sender, receiver, usage, number, sha256 = '' } = key
  const finding = sql<{ file: string; name: string; sha256: string }>`
    select files.id as file, files.name, interchanges.sha256
    from interchanges cross join files
    where interchanges.number = ${number} and sender = ${sender} and receiver = ${receiver} and usage = ${usage}
      and syntax = ${syntax} and verdict = 'taken' and file_id <> ${notFile}
      and files.id = interchanges.file_id and files.received_at >= ${since}
      and (files.outcome is null or files.outcome not in ('unusable', 'vanished'))
      and files.name not like '%.rejects.%' and files.name not like '%.exceptions.%'
    order by interchanges.sha256 <> ${sha256}, files.number, ordinal limit 1`
  return selectFirst(db, finding)
}

/** The segments and the sets of an interchange are those up to the next one. */
async function countCorrectable(db: Db, fileId: string, key: InterchangeKey): Promise<number> {
  const { syntax, sender, receiver, usage, number } = key
  const counting = sql<{ count: number }>`
    with counted as (
      select interchanges.*, lead(segment, 1, 9e15) over (order by ordinal) as next_segment,
        sum(sets) over (order by ordinal) as last_set
      from interchanges where file_id = ${fileId}),
    meant as (
      select * from counted where number = ${number} and sender = ${sender} and receiver = ${receiver}
        and usage = ${usage} and syntax = ${syntax} and verdict = 'taken' order by ordinal limit 1)
    select (
      select count(*) from meant join files as part on part.part_of = meant.file_id
        join records on records.file_id = part.id
      where (records.state = 'held' or records.state = 'rejected' and records.corrected = 0)
        and records.lines ->> '$[0][0]' between meant.segment and meant.next_segment - 1
    ) + (
      select coalesce(sum(max(0, min(run.last, last_set) - max(run.first, last_set - sets + 1) + 1)), 0)
      from meant join (
        select file_id, coalesce(each.value ->> 0, each.value) as first, coalesce(each.value ->> 1, each.value) as last
        from unbundlings, json_each(unbundlings.unrouted) as each
        union all
        select file_id, coalesce(each.value ->> 0, each.value), coalesce(each.value ->> 1, each.value)
        from unbundlings, json_each(unbundlings.ambiguous) as each
      ) as run on run.file_id = meant.file_id
    ) as count`
  return (await selectFirst(db, counting))?.count ?? 0
}

async function addInterchanges(
  tx: RouteTx,
  fileId: string,
  interchanges: readonly InterchangeEntry[],
): Promise<boolean> {
  const { db, now } = tx
  await updateFile(tx, fileId, 'received', { state: 'received' })
  const rows = interchanges.map((entry) => toRow(fileId, entry))
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return false
  const known = await selectFirst(
    db,
    sql<{
      last: number
    }>`select coalesce(max(ordinal), 0) as last from interchanges where file_id = ${fileId}`,
  )
  let before = known?.last ?? 0
  for (const { ordinal } of rows) {
    assert(ordinal > before, `Interchange ${ordinal} of file ${fileId} is not behind number ${before}.`)
    before = ordinal
  }
  const batch = jsonRows(rows, {
    file_id: 'file_id',
    ordinal: 'ordinal',
    segment: 'segment',
    syntax: 'syntax',
    sender: 'sender',
    receiver: 'receiver',
    usage: 'usage',
    number: 'number',
    sha256: 'sha256',
    sets: 'sets',
    verdict: 'verdict',
    partner: 'partner',
    earlier_file: 'earlier_file',
  })
  await sql`
    insert into interchanges (file_id, ordinal, segment, syntax, sender, receiver, usage, number, sha256, sets, verdict,
      partner, earlier_file)
    select file_id, ordinal, segment, syntax, sender, receiver, usage, number, sha256, sets, verdict, partner,
      earlier_file from ${batch}`.execute(db)
  const noted = { first: first.ordinal, last: last.ordinal, digest: digestInterchanges(rows) }
  await appendFileEvent(db, now, { id: fileId, kind: 'interchanges-noted', more: { interchanges: noted } })
  return true
}

function toRow(fileId: string, entry: InterchangeEntry): Row<'interchanges'> {
  const { earlier, partner = null, ...columns } = entry
  return { ...columns, file_id: fileId, partner, earlier_file: earlier?.file ?? null }
}

async function unbundleFile(tx: RouteTx, fileId: string, unbundling: Unbundling) {
  const { db, now } = tx
  const { parts, answers, unrouted, ambiguous, received, problems } = unbundling
  const version = await noteVersion(tx)
  const changes = { state: 'planned', planned_at: now, problems: JSON.stringify(problems), version } as const
  await updateFile(tx, fileId, 'received', changes)
  for (const part of parts) await addPart(tx, fileId, part)
  const rest = {
    file_id: fileId,
    unrouted: formatSelection(unrouted),
    ambiguous: formatSelection(ambiguous),
  }
  await db.insertInto('unbundlings').values(rest).execute()
  await insertAnswers(db, fileId, answers)
  const due = await mentionAnswers(
    db,
    answers.map(({ id }) => id),
  )
  const { mentions, reservations, answered } = await addReceivedAnswers(db, { now, fileId }, received)
  const more = {
    unbundling: { parts: parts.length, digest: digestUnbundling(rest) },
    answers: due,
    ...(mentions.length > 0 && { received: mentions }),
    ...(reservations.length > 0 && { reservations }),
  }
  await appendFileEvent(db, now, { id: fileId, kind: 'file-unbundled', more })
  return answered
}

/** Its route is another than that of the lease, and finds it among its unfinished files. */
async function addPart({ db, now }: RouteTx, parentId: string, { id, route, sets }: NewPart): Promise<void> {
  assert(sets.length > 0, `Part ${id} for route ${route} has no sets.`)
  await sql`
    insert into files (id, route, folder, name, size, modified_at, state, sha256, claimed_at, received_at, part_of)
    select ${id}, ${route}, folder, name, size, modified_at, 'received', sha256, claimed_at, received_at, id
    from files where id = ${parentId}`.execute(db)
  const row = { file_id: id, sets: formatSelection(sets) }
  await db.insertInto('parts').values(row).execute()
  await appendFileEvent(db, now, { id, kind: 'part-received', more: { part: { digest: digestPart(row) } } })
}

async function finishParts(tx: RouteTx, fileId: string): Promise<boolean> {
  const { db, now, route } = tx
  const finished = await changeRows(
    db,
    sql`update files set state = 'submitted', outcome = 'processed', submitted_at = ${now}
      where id = ${fileId} and route = ${route} and state = 'planned'
        and not exists (select 1 from files as part where part.part_of = files.id and part.state <> 'closed')
        and not ${HAS_UNDELIVERED_ANSWER}`,
  )
  if (finished === 1) {
    await appendFileEvent(db, now, { id: fileId })
    return true
  }
  // Leaves the state as it is, or stops the program when the file is not planned at all.
  await updateFile(tx, fileId, 'planned', { state: 'planned' })
  return false
}

async function selectInterchanges(db: Db, condition: RawBuilder<unknown>): Promise<InterchangeEntry[]> {
  const { rows } = await sql<Omit<Row<'interchanges'>, 'file_id'> & { readonly earlier_name: string | null }>`
    select ordinal, segment, syntax, sender, receiver, usage, interchanges.number, interchanges.sha256, sets, verdict,
      partner, earlier_file, earlier.name as earlier_name
    from interchanges left join files as earlier on earlier.id = interchanges.earlier_file
    where ${condition}`.execute(db)
  return rows.map(({ partner, earlier_file, earlier_name, ...columns }) => ({
    ...columns,
    ...omitNull({ partner }),
    ...(earlier_file === null ? {} : { earlier: { file: earlier_file, name: earlier_name ?? '' } }),
  }))
}
