/** What a restored journal needs: deliveries that wait for a person, decisions about more than files, and what is in doubt. */

export const restored = {
  id: 20,
  name: 'restored',
  statements: [
    // Why it is not delivered, in words; null for most.
    `alter table deliveries add column held text`,
    `create index deliveries_held on deliveries (composed_at, id) where held is not null`,

    // A table does not change its checks; and its children must follow it, so both are made anew.
    `create table all_decisions (
  id integer primary key,
  file_id text references files (id),
  delivery_id text references deliveries (id),
  action text not null check (action in ('release', 'discard', 'settle-accepted', 'settle-absent', 'settle-discard',
    'settle-delivered', 'settle-again', 'restored', 'doubt-ended')),
  decided_by text not null,
  why text not null,
  decided_at integer not null,
  records integer not null
) strict`,
    `insert into all_decisions (id, file_id, action, decided_by, why, decided_at, records)
  select id, file_id, action, decided_by, why, decided_at, records from decisions`,
    `create table all_decided (
  record_id integer not null references records (id) on delete cascade,
  decision_id integer not null references all_decisions (id),
  primary key (record_id, decision_id)
) strict, without rowid`,
    `insert into all_decided (record_id, decision_id) select record_id, decision_id from decided_records`,
    `drop table decided_records`,
    `drop table decisions`,
    `alter table all_decisions rename to decisions`,
    `alter table all_decided rename to decided_records`,
    `create index decisions_of_file on decisions (file_id, id)`,
    `create index decided_by_decision on decided_records (decision_id)`,

    // The first letters of ids, by which a file in an archive is known to be of this journal or of a copy of it.
    `alter table identity add column tag text not null default ''`,
    `update identity set tag = lower(hex(randomblob(3)))`,
    // Whether a mark was written beside the journal, so that it is missed.
    `alter table identity add column is_marked integer not null default 0`,

    `create table restored_routes (
  route text primary key,
  as_of integer not null,        -- the time of the last event that was restored
  declared_at integer not null,
  looks_up integer not null,     -- new incoming records are looked up before they are first sent
  at_least integer not null,     -- the highest sequence number that may have been used
  up_to_record integer           -- outgoing records up to this one may have been delivered; null before the first listing
) strict, without rowid`,
  ],
}
