/** What was told to whom, so that no notice is lost and none is told anew. */

export const notices = {
  id: 13,
  name: 'notices',
  statements: [
    `create table notice_channels (
  name text primary key,
  joined_at integer not null,
  told_event integer not null,    -- what happened up to here was told, or is being told
  told_turn integer not null,     -- the same of findings
  failing text not null           -- the routes that were told to fail, each with its code
) strict, without rowid`,
    `create table notices (
  id text primary key,
  channel text not null references notice_channels (name),
  after_event integer not null,
  up_to_event integer not null,
  after_turn integer not null,
  up_to_turn integer not null,
  state text not null check (state in ('begun', 'sent', 'failed')),
  tries integer not null,
  began_at integer not null,
  tried_at integer not null,
  held_until integer not null,    -- until then one bridge is at it
  problem text
) strict, without rowid`,
    `create index notices_of_channel on notices (channel, began_at)`,
    `create unique index notices_open on notices (channel) where state <> 'sent'`,
  ],
}
