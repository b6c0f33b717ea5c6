/** What tells after a crash whether a file got its name, and by what the journal is told apart from others. */

export const namings = {
  id: 19,
  name: 'namings',
  statements: [
    `create table namings (
  subject text not null,    -- the id of a delivery or of an incoming file; of a document its record and kind
  name text not null,       -- what the file is about to be called
  working text not null,    -- its name until then
  evidence text not null,   -- JSON, read by the mailbox alone
  primary key (subject, name)
) strict, without rowid`,
    `create index namings_working on namings (working)`,
    `create table identity (id text not null) strict`,
    `insert into identity (id) values (lower(hex(randomblob(8))))`,
  ],
}
