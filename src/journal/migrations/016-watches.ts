/** Bridges that watch, so that whoever asks is told whether one is there. */

export const watches = {
  id: 16,
  name: 'watches',
  statements: [
    `create table watches (
  holder text primary key,        -- as in leases
  routes text not null,           -- their names, JSON
  began_at integer not null,
  seen_at integer not null
) strict, without rowid`,
  ],
}
