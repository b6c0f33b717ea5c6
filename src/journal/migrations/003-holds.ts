/** Held records that a person decides about, and files that are therefore reported more than once. */

export const holds = {
  id: 3,
  name: 'holds',
  statements: [
    `create table decisions (
  id integer primary key,
  file_id text not null references files (id),
  action text not null check (action in ('release', 'discard')),
  decided_by text not null,
  why text not null,
  decided_at integer not null,
  records integer not null
) strict`,
    `create index decisions_of_file on decisions (file_id, id)`,

    `create table decided_records (
  record_id integer not null references records (id) on delete cascade,
  decision_id integer not null references decisions (id),
  primary key (record_id, decision_id)
) strict, without rowid`,
    `create index decided_by_decision on decided_records (decision_id)`,

    `create index records_held on records (file_id, number) where state = 'held' and file_id is not null`,

    // How often it was reported and then taken up again, and when that was last.
    `alter table files add column reports integer not null default 0`,
    `alter table files add column taken_up_at integer`,
  ],
}
