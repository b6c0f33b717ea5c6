/** The turns of routes that have a schedule. */

export const turns = {
  id: 11,
  name: 'turns',
  statements: [
    `create table turns (
  route text not null,
  turn text not null,       -- a business date or an instant; of an interval the word "every"
  state text not null check (state in ('begun', 'done', 'covered', 'missed', 'before')),
  due_at integer not null,
  changed_at integer not null,
  delivery_id text,
  primary key (route, turn)
) strict, without rowid`,
    // There is at most a handful of these; all others are done.
    `create index turns_begun on turns (route, turn) where state = 'begun'`,
  ],
}
