/** The changes of the first tables of the journal, as SQL: what an older journal lacks. */

/**
 * Step 4. Files with refused rows that a person corrected. A check of SQLite cannot be changed, so the table of decisions is
 * made anew with the new action, and the one that names it too. Its rows wait in a copy: to rename a table, SQLite reads every
 * statement of the schema again, which took a third of the time to make a new journal.
 */
const CORRECTIONS = `create table old_decisions as select * from decisions;
create table old_decided_records as select * from decided_records;
drop table decided_records;
drop table decisions;
create table decisions (
  id integer primary key,
  file_id text references files (id),
  delivery_id text references deliveries (id),
  action text not null check (action in ('release', 'discard', 'resolve-accepted', 'resolve-absent', 'resolve-discard',
    'resolve-delivered', 'resolve-again', 'restored', 'doubt-ended', 'dismiss', 'set-numbers', 'correct')),
  decided_by text not null,
  why text not null,
  decided_at integer not null,
  records integer not null,
  via text -- where a person decided; null on the command line
) strict;
insert into decisions select id, file_id, delivery_id, action, decided_by, why, decided_at, records, via from old_decisions;
create table decided_records (
  record_id integer not null references records (id) on delete cascade,
  decision_id integer not null references decisions (id),
  primary key (record_id, decision_id)
) strict, without rowid;
insert into decided_records select record_id, decision_id from old_decided_records;
drop table old_decided_records;
drop table old_decisions;
create index decisions_of_file on decisions (file_id, id);
create index decided_by_decision on decided_records (decision_id);
create table corrections (
  decision_id integer primary key references decisions (id),
  file_id text not null references files (id),
  route text not null,
  folder text not null,
  name text not null,
  sha256 text not null,        -- of the corrected file as it is left
  source_sha256 text not null, -- of the file whose rows were corrected
  left_at integer,
  given_up_at integer,         -- it was never left, or another program removed it
  taken_as text references files (id)
) strict;
create index corrections_of_file on corrections (file_id, decision_id);
create index corrections_to_take on corrections (route, name) where taken_as is null;
create unique index corrections_taken on corrections (taken_as) where taken_as is not null`

/** Step 6. The decisions of people who have a delivery delivered again, or pause a route; made anew for the same reason. */
const ROUTE_DECISIONS = `create table old_decisions as select * from decisions;
create table old_decided_records as select * from decided_records;
create table old_corrections as select * from corrections;
drop table corrections;
drop table decided_records;
drop table decisions;
create table decisions (
  id integer primary key,
  file_id text references files (id),
  delivery_id text references deliveries (id),
  action text not null check (action in ('release', 'discard', 'resolve-accepted', 'resolve-absent', 'resolve-discard',
    'resolve-delivered', 'resolve-again', 'restored', 'doubt-ended', 'dismiss', 'set-numbers', 'correct', 'redeliver',
    'pause', 'resume')),
  decided_by text not null,
  why text not null,
  decided_at integer not null,
  records integer not null,
  via text -- where a person decided; null on the command line
) strict;
insert into decisions select id, file_id, delivery_id, action, decided_by, why, decided_at, records, via from old_decisions;
create table decided_records (
  record_id integer not null references records (id) on delete cascade,
  decision_id integer not null references decisions (id),
  primary key (record_id, decision_id)
) strict, without rowid;
insert into decided_records select record_id, decision_id from old_decided_records;
create table corrections (
  decision_id integer primary key references decisions (id),
  file_id text not null references files (id),
  route text not null,
  folder text not null,
  name text not null,
  sha256 text not null,        -- of the corrected file as it is left
  source_sha256 text not null, -- of the file whose rows were corrected
  left_at integer,
  given_up_at integer,         -- it was never left, or another program removed it
  taken_as text references files (id)
) strict;
insert into corrections select decision_id, file_id, route, folder, name, sha256, source_sha256, left_at, given_up_at,
  taken_as from old_corrections;
drop table old_corrections;
drop table old_decided_records;
drop table old_decisions;
create index decisions_of_file on decisions (file_id, id);
create index decided_by_decision on decided_records (decision_id);
create index corrections_of_file on corrections (file_id, decision_id);
create index corrections_to_take on corrections (route, name) where taken_as is null;
create unique index corrections_taken on corrections (taken_as) where taken_as is not null`

/** Step 7. Routes that people paused. */
const PAUSES = `create table pauses (
  decision_id integer primary key references decisions (id),
  route text not null,
  until integer not null,
  ended_at integer,         -- before its time
  ended_by integer references decisions (id)
) strict;
create index pauses_standing on pauses (route, until) where ended_at is null;
create index pauses_ended on pauses (ended_by) where ended_by is not null`

/** Each change of the first tables is a numbered step of its own, forward only; the first one is step 2. */
export const CHANGES: readonly { readonly name: string; readonly statements: string }[] = [
  // Of a file that is sent while its rest is translated. Null: the journal has all its records once it is planned.
  { name: 'record-total', statements: 'alter table files add column record_total integer' },
  // Where a person decided. Null: on the command line.
  { name: 'decided-via', statements: 'alter table decisions add column via text' },
  { name: 'corrections', statements: CORRECTIONS },
  // Held records own no key; people search for them by what their files call them.
  {
    name: 'held-by-key',
    statements: `create index records_held_by_key on records (route, key_values) where state = 'held' and file_id is not null`,
  },
  { name: 'route-decisions', statements: ROUTE_DECISIONS },
  { name: 'pauses', statements: PAUSES },
  // The amount of a record in cents, so that reports sum it up without reading bodies, which are pruned. Null: not known yet.
  { name: 'cents', statements: 'alter table bodies add column cents integer' },
  // People search for accepted records by the id that the API gave, which no list of the API needs to have shown.
  {
    name: 'by-api-id',
    statements: `create index records_accepted_by_id on records (api_id) where direction = 'incoming' and api_id is not null`,
  },
  // The alerts of a journal count what waits for a correction, file by file, once a minute.
  {
    name: 'uncorrected-by-file',
    statements: `create index records_uncorrected_by_file on records (file_id, changed_at) where state = 'rejected' and corrected = 0 and file_id is not null`,
  },
]
