/** Who may call, and who trades with whom. */

export const PARTIES_SCHEMA = `
  create table accounts (id integer primary key, name text not null, is_admin integer not null) strict;
  create table clients (
    client_id text primary key, secret_hash text not null, account_id integer not null references accounts,
    scope text not null, revoked_at integer, told integer not null
  ) strict, without rowid;
  create index clients_of_account on clients (account_id);
  create table tokens (
    token_hash text primary key, account_id integer not null references accounts,
    client_id text not null references clients, scope text not null, expires_at integer not null
  ) strict, without rowid;
  create table parties (
    kind text not null, id integer not null, account_id integer not null references accounts,
    name text not null, code text not null, acknowledge_within_ms integer, primary key (kind, id)
  ) strict, without rowid;

  create table carriers (id integer primary key, name text not null, code text not null unique) strict;
  create table generic_shipping_methods (
    id integer primary key, name text not null unique, description text not null, type text not null
  ) strict;
  create table shipping_methods (
    id integer primary key, carrier_id integer not null references carriers, name text not null,
    code text not null, type text, generic_id integer references generic_shipping_methods,
    unique (carrier_id, code)
  ) strict;
  create table connections (
    id integer primary key, retailer_id integer not null, brand_id integer not null, message text not null,
    level text not null, status text not null, fulfill_within_ms integer not null,
    signature_required integer not null, packing_slips integer not null, unique (retailer_id, brand_id)
  ) strict;
  create table connection_methods (
    connection_id integer not null references connections,
    shipping_method_id integer not null references shipping_methods,
    primary key (connection_id, shipping_method_id)
  ) strict, without rowid;
  create table shipping_accounts (
    id integer primary key, connection_id integer not null references connections,
    carrier_id integer not null references carriers, nickname text not null, owner_type text not null
  ) strict;
  create table shipping_account_methods (
    shipping_account_id integer not null references shipping_accounts,
    shipping_method_id integer not null references shipping_methods,
    primary key (shipping_account_id, shipping_method_id)
  ) strict, without rowid;
`
