/** Files that are about to get their names. Their notes go away with the change of state that says what came of them. */
import { type Kysely, sql } from 'kysely'
import type { Naming, NamingJournal } from '../domain/naming.ts'
import { assert } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import { read, type Store, writeHolding } from './store.ts'

export function namingCalls(store: Store): NamingJournal {
  return {
    identity: () => read(store, identityOf),
    noteNamings: (lease, subject, namings) =>
      writeHolding(store, lease, (tables) => replaceNamings(tables, subject, namings)),
    namingsOf: (subject) =>
      read(store, async (tables) => {
        const rows = await tables
          .selectFrom('namings')
          .selectAll()
          .where('subject', '=', subject)
          .orderBy('name')
          .execute()
        return rows.map(({ name, working, evidence }) => ({ name, working, evidence: JSON.parse(evidence) }))
      }),
    notedWorkingNames: (names) =>
      read(store, async (tables) => {
        const { rows } = await sql<{ working: string }>`
          select distinct batch.working from ${batchOf(names, { working: (name) => name })}
          join namings on namings.working = batch.working`.execute(tables)
        return rows.map(({ working }) => working)
      }),
  }
}

async function identityOf(tables: Kysely<Tables>): Promise<string> {
  const row = await tables.selectFrom('identity').select('id').executeTakeFirst()
  assert(row, 'a journal has an identity')
  return row.id
}

export async function replaceNamings(
  tables: Kysely<Tables>,
  subject: string,
  namings: readonly Naming[],
): Promise<void> {
  await endNamings(tables, subject)
  if (namings.length === 0) return
  const rows = namings.map(({ evidence, ...naming }) => ({
    subject,
    ...naming,
    evidence: JSON.stringify(evidence),
  }))
  await tables.insertInto('namings').values(rows).execute()
}

/** What came of the subject is known. */
export async function endNamings(tables: Kysely<Tables>, subject: string): Promise<void> {
  await tables.deleteFrom('namings').where('subject', '=', subject).execute()
}
