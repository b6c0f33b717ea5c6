/** What a person settled by hand is kept among the decisions; what is of an order is found by its number. */

export const support = {
  id: 9,
  name: 'support',
  statements: [
    // A table does not change its checks; and its children must follow it, so both are made anew.
    `create table all_decisions (
  id integer primary key,
  file_id text not null references files (id),
  action text not null check (action in ('release', 'discard', 'settle-accepted', 'settle-absent', 'settle-discard')),
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

    // Only of what comes after an order: orders and items, the bulk of what is seen, pay nothing for it.
    `create index resources_of_orders on resources (
  coalesce(facts ->> '$.purchase_order_number', facts ->> '$.order.purchase_order_number')
) where kind in ('shipment', 'invoice', 'credit', 'return')`,
  ],
}
