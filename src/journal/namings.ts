/** Stores notes of files that are about to get their names. The change of state that records the result removes them. */
import { sql } from 'kysely'
import type { Naming, NamingJournal } from '../domain/mailbox.ts'
import { assert } from '../support/errors.ts'
import { jsonRows } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore } from './store.ts'

export function createNamingJournal({ reads, leased }: BoundStore): NamingJournal {
  return {
    getIdentity: reads(async (db) => (await selectIdentity(db)).id),
    saveNamings: leased(({ db }, subject, namings) => replaceNamings(db, subject, namings)),
    listNamings: reads(async (db, subject) => {
      const { rows } = await sql<Row<'namings'>>`
        select * from namings where subject = ${subject} order by name`.execute(db)
      return rows.map(({ name, working, evidence }) => ({ name, working, evidence: JSON.parse(evidence) }))
    }),
    findKnownWorkingNames: reads(async (db, names) => {
      const { rows } = await sql<{ working: string }>`
        select distinct batch.working from ${jsonRows(names, { working: (name) => name })}
        join namings on namings.working = batch.working`.execute(db)
      return rows.map(({ working }) => working)
    }),
  }
}

export async function selectIdentity(db: Db): Promise<Row<'identity'>> {
  const row = await db.selectFrom('identity').selectAll().executeTakeFirst()
  assert(row, 'a journal has an identity')
  return row
}

export async function replaceNamings(db: Db, subject: string, namings: readonly Naming[]): Promise<void> {
  await removeNamings(db, subject)
  if (namings.length === 0) return
  const rows = namings.map(({ evidence, ...naming }) => ({
    subject,
    ...naming,
    evidence: JSON.stringify(evidence),
  }))
  await db.insertInto('namings').values(rows).execute()
}

/** Call it when the result of the naming is known. */
export async function removeNamings(db: Db, subject: string): Promise<void> {
  await db.deleteFrom('namings').where('subject', '=', subject).execute()
}
