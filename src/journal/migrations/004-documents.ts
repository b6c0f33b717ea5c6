/** Packing slips and labels of created shipments. */

export const documents = {
  id: 4,
  name: 'documents',
  statements: [
    // Apart from the records, and only where something of an answer is needed later.
    `create table answers (
  record_id integer primary key references records (id) on delete cascade,
  answer text not null
) strict`,

    `create table documents (
  record_id integer not null references records (id) on delete cascade,
  kind text not null,
  mailbox text not null,
  folder text not null,
  name text,            -- reserved before anything stands there
  state text not null,
  problem text,
  changed_at integer not null,
  primary key (record_id, kind)
) strict, without rowid`,
    `create unique index documents_by_name on documents (mailbox, folder, name collate nocase) where name is not null`,
    `create index documents_missing on documents (record_id, kind) where state <> 'delivered'`,
  ],
}
