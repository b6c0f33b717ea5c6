/** The first tables. A migration that was ever released is never edited: the next change is the next file. */

export const first = {
  id: 1,
  name: 'first',
  statements: [
    `create table leases (
  route text primary key,
  token integer not null,   -- grows with every holder
  holder text,              -- null when given back
  ttl_ms integer not null,
  until integer not null    -- every write of the holder moves it on
) strict`,

    `create table files (
  number integer primary key,   -- the order of the claims
  id text not null unique,
  route text not null,
  folder text not null,
  name text not null,
  size integer not null,
  modified_at real not null,    -- as the mailbox tells it, with its fractions
  state text not null,
  outcome text,
  sha256 text,
  duplicate_of text references files (id),
  problems text not null default '[]',
  key_columns text not null default '[]',
  header_lines integer not null default 0,
  encoding text,
  report_name text,
  archived_as text,
  claimed_at integer not null,
  received_at integer,
  planned_at integer,
  submitted_at integer,
  reported_at integer,
  closed_at integer
) strict`,
    `create index files_of_route on files (route, number)`,
    `create index files_by_contents on files (route, sha256)`,
    `create index files_unfinished on files (route, number) where state <> 'closed'`,

    `create table deliveries (
  id text primary key,
  route text not null,
  sequence integer not null,    -- counts the deliveries of the route, without gaps
  folder text not null,
  name text not null,
  sha256 text not null,
  rows integer not null,
  records integer not null,
  state text not null,
  composed_at integer not null,
  delivered_at integer,
  acknowledged_at integer,
  unique (route, sequence)
) strict`,
    `create index deliveries_by_name on deliveries (route, name)`,
    `create index deliveries_by_time on deliveries (composed_at, sequence)`,
    `create index deliveries_unfinished on deliveries (route, sequence) where state <> 'acknowledged'`,

    `create table records (
  id integer primary key,
  direction text not null check (direction in ('incoming', 'outgoing')),
  route text not null,
  file_id text references files (id),             -- where an incoming record came from
  delivery_id text references deliveries (id),    -- where an outgoing record went; null while it waits
  number integer not null,                        -- its place in the file or delivery, from 1
  operation text not null,
  account text not null,
  natural_key text,
  holds_key integer not null,                     -- 1 while no other record may be sent under the key
  body_hash text,
  lane text,
  lines text not null,
  key_values text not null,
  state text not null,
  http integer,
  api_id text,
  problems text not null,
  attempts integer not null,
  changed_at integer not null,
  check ((direction = 'incoming') = (file_id is not null))
) strict`,
    `create unique index records_by_key on records (operation, account, natural_key) where holds_key = 1`,
    `create unique index records_by_api_id on records (operation, account, api_id) where direction = 'outgoing'`,
    `create unique index records_of_file on records (file_id, number) where file_id is not null`,
    `create unique index records_of_delivery on records (delivery_id, number) where delivery_id is not null`,
    `create index records_planned on records (file_id, number) where state = 'planned'`,
    `create index records_collected on records (delivery_id, number) where state = 'collected'`,
    `create index records_rejected on records (file_id, number) where state = 'rejected'`,
    `create index records_uncertain on records (file_id, id) where state = 'uncertain'`,
    `create index records_blocking on records (file_id, lane) where state in ('uncertain', 'deferred')`,
    `create index records_waiting on records (route, id) where direction = 'outgoing' and delivery_id is null`,

    // Apart from the records, because every change of state rewrites its row, and the bodies are the bulk.
    `create table bodies (
  record_id integer primary key references records (id) on delete cascade,
  body text not null
) strict`,

    `create table attempts (
  record_id integer not null references records (id) on delete cascade,
  attempt integer not null,
  began_at integer not null,
  note text,            -- what must be known to settle a lost answer
  ended_at integer,     -- null when no answer was ever noted
  http integer,
  result text,
  primary key (record_id, attempt)
) strict, without rowid`,

    `create table reference_ids (
  account text not null,
  kind text not null,
  key text not null,    -- what a file says
  id text not null,     -- what the API calls it
  primary key (account, kind, key, id)
) strict, without rowid`,
  ],
}
