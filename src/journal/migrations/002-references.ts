/** What the bridge has seen of the API's resources, not only their ids; and the warnings of records. */

export const references = {
  id: 2,
  name: 'references',
  statements: [
    `create table resources (
  account text not null,
  kind text not null,       -- order, variant, shipment, …
  id text not null,         -- what the API calls it
  keys text not null,       -- what files may call it: a list
  facts text,               -- what it said of itself, as far as the bridge needs it
  seen_at integer not null, -- when it said so
  primary key (account, kind, id)
) strict`,
    // The account last: whose order a number is, is asked as well.
    `create table resource_keys (
  kind text not null,
  key text not null,
  account text not null,
  id text not null,
  primary key (kind, key, account, id)
) strict, without rowid`,
    `insert into resources (account, kind, id, keys, seen_at)
  select account, kind, id, json_group_array(key), 0 from reference_ids group by account, kind, id`,
    `insert into resource_keys (kind, key, account, id) select kind, key, account, id from reference_ids`,
    `drop table reference_ids`,

    `create table resource_lists (
  account text not null,
  kind text not null,
  read_at integer not null, -- when a reading of the whole list began that came to its end
  primary key (account, kind)
) strict, without rowid`,

    `create table kept_values (
  account text not null,
  key text not null,        -- the purchase order number
  name text not null,
  value text not null,
  primary key (account, key, name)
) strict, without rowid`,

    `alter table records add column warnings text not null default '[]'`,
    // What must be known to settle a lost answer, where planning knew it already.
    `alter table bodies add column note text`,
  ],
}
