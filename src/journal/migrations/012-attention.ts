/** Delivered files may wait to be taken or confirmed; and each finding that a person must hear of is said once. */

export const attention = {
  id: 12,
  name: 'attention',
  statements: [
    // The place where the file was left; by when the first of its records should be acknowledged; when somebody took it, and how that showed: 'picked-up', or the receipt's name.
    `alter table deliveries add column left_in text`,
    `alter table deliveries add column acknowledge_by integer`,
    `alter table deliveries add column taken_at integer`,
    `alter table deliveries add column taken_by text`,

    `create table receipts (
  id text primary key,
  delivery_id text not null references deliveries (id),
  folder text not null,
  name text not null,
  state text not null check (state in ('claiming', 'accepted', 'refused', 'gone')),
  began_at integer not null,
  ended_at integer,
  archived_as text
) strict`,
    `create index receipts_open on receipts (began_at, id) where archived_as is null and state <> 'gone'`,
    `create index receipts_of_delivery on receipts (delivery_id, began_at)`,

    `create table known_places (
  place text primary key,      -- where a mark was left, by which the folder is known again
  marked_at integer not null
) strict, without rowid`,

    // Turns count what was raised and what ended, together, without gaps.
    `create table concerns (
  raised_turn integer primary key,
  code text not null,
  route text not null,         -- '' where it is about no route
  subject text not null,
  since integer not null,
  message text not null,
  cure text not null,
  raised_at integer not null,
  ended_turn integer,
  ended_at integer
) strict`,
    `create unique index concerns_standing on concerns (code, route, subject) where ended_turn is null`,
    `create unique index concerns_ended on concerns (ended_turn) where ended_turn is not null`,
  ],
}
