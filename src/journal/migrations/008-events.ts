/** The chain of events, and what is known of when contents may be forgotten. */
import { type Kysely, sql } from 'kysely'
import { chain } from '../chain.ts'
import type { EventDetail } from '../event-detail.ts'
import type { Tables } from '../schema.ts'

export const events = {
  id: 8,
  name: 'events',
  statements: [
    `create table events (
  id integer primary key,   -- without gaps
  at integer not null,
  kind text not null,
  route text,
  subject text,             -- the id of a file or delivery
  detail text not null,     -- ids, states, counts and hashes; no personal data
  hash text not null        -- SHA-256 over the hash before it and this row
) strict`,
    // What summaries are anchored to.
    `create index events_of_submission on events (subject, id) where kind = 'file-submitted'`,

    // When the contents of what was finished were removed.
    `alter table files add column forgotten_at integer`,
    `alter table deliveries add column forgotten_at integer`,
    `create index files_to_forget on files (id) where state = 'closed' and forgotten_at is null`,
    `create index deliveries_to_forget on deliveries (id) where state in ('acknowledged', 'done') and forgotten_at is null`,
    `create index documents_wanted on documents (record_id) where state = 'wanted'`,

    // What is kept already counts as kept today.
    `alter table kept_values add column kept_at integer not null default 0`,
    `update kept_values set kept_at = (select max(applied_at) from migration)`,
  ],
  afterwards: countWhatWasThere,
}

async function countWhatWasThere(tables: Kysely<Tables>, now: number): Promise<void> {
  const { rows } = await sql<Record<'files' | 'records' | 'deliveries', string>>`
    select (select json_object('count', count(*), 'last', coalesce(max(number), 0)) from files) as files,
      (select json_object('count', count(*), 'last', coalesce(max(id), 0)) from records) as records,
      (select json_object('count', count(*), 'last', coalesce(max(composed_at), 0)) from deliveries) as deliveries`.execute(
    tables,
  )
  const before = Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([what, text]) => [what, JSON.parse(text) as unknown]),
  )
  await chain(tables, now, {
    kind: 'chain-began',
    detail: { before: before as NonNullable<EventDetail['before']> },
  })
}
