/** Turns that were noted by a clock that was ahead of the time have a state of their own, for they are to be had again. */

export const turnsAhead = {
  id: 17,
  name: 'turns-ahead',
  statements: [
    `create table all_turns (
  route text not null,
  turn text not null,       -- a business date or an instant; of an interval the word "every"
  state text not null check (state in ('begun', 'done', 'covered', 'missed', 'before', 'ahead')),
  due_at integer not null,
  changed_at integer not null,
  delivery_id text,
  primary key (route, turn)
) strict, without rowid`,
    `insert into all_turns (route, turn, state, due_at, changed_at, delivery_id)
  select route, turn, state, due_at, changed_at, delivery_id from turns`,
    `drop table turns`,
    `alter table all_turns rename to turns`,
    // There is at most a handful of these; all others are done.
    `create index turns_begun on turns (route, turn) where state = 'begun'`,
  ],
}
