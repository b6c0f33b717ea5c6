/** The shape of the service's database, step by step. A step that has been released is never changed. */

/** Step n takes a database from version n to n + 1. */
export const MIGRATIONS: readonly string[] = [
  `
  create table accounts (id integer primary key, name text not null) strict;
  create table clients (
    client_id text primary key, secret_hash text not null, account_id integer not null references accounts
  ) strict, without rowid;
  create table tokens (
    token_hash text primary key, account_id integer not null references accounts, expires_at integer not null
  ) strict, without rowid;
  create table parties (
    kind text not null, id integer not null, account_id integer not null references accounts,
    name text not null, code text not null, primary key (kind, id)
  ) strict, without rowid;

  create table carriers (id integer primary key, name text not null, code text not null unique) strict;
  create table shipping_methods (
    id integer primary key, carrier_id integer not null references carriers, name text not null,
    code text not null, type text, unique (carrier_id, code)
  ) strict;
  create table connections (
    id integer primary key, retailer_id integer not null, brand_id integer not null, level text not null,
    status text not null, acknowledge_within_ms integer not null, fulfill_within_ms integer not null,
    unique (retailer_id, brand_id)
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

  create table variants (
    id integer primary key, brand_id integer not null, identifier text not null, upc text, name text not null,
    description text, size text, color text, lead_time_ms integer not null, unique (brand_id, identifier)
  ) strict;
  create index variants_by_upc on variants (upc) where upc is not null;
  create index variants_by_identifier on variants (identifier);
  create table retailer_items (
    retailer_id integer not null, variant_id integer not null references variants, identifier text not null,
    primary key (retailer_id, variant_id), unique (retailer_id, identifier)
  ) strict, without rowid;

  create table addresses (id integer primary key, body text not null) strict;
  create table orders (
    id integer primary key, retailer_id integer not null, brand_id integer not null,
    purchase_order_number text not null, customer_order_number text,
    ship_to_id integer not null references addresses, sold_to_id integer references addresses,
    shipping_method_id integer not null references shipping_methods, gift_message text not null,
    subtotal_charged text not null, status text not null,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual,
    acknowledge_by integer not null, fulfill_by integer not null, received_at integer not null,
    ordered_at integer not null, acknowledged_at integer, closed_at integer, canceled_at integer,
    updated_at integer not null, unique (retailer_id, purchase_order_number)
  ) strict;
  create index orders_of_retailer on orders (retailer_id, is_acknowledged, id, status);
  create index orders_of_brand on orders (brand_id, is_acknowledged, id, status);
  create index orders_by_number on orders (brand_id, purchase_order_number);
  create table order_lines (
    id integer primary key, order_id integer not null references orders, number integer not null,
    variant_id integer not null references variants, quantity integer not null,
    quantity_shipped integer not null, quantity_returned integer not null, quantity_canceled integer not null,
    net_price text not null, price text not null, subtotal text not null, fulfill_by integer not null,
    status text not null, canceled_at integer, unique (order_id, variant_id),
    check (quantity_shipped + quantity_canceled <= quantity)
  ) strict;

  create table shipments (
    id integer primary key, order_id integer not null references orders, retailer_id integer not null,
    brand_id integer not null, carrier_id integer not null references carriers,
    shipping_account_id integer references shipping_accounts,
    shipping_method_id integer not null references shipping_methods,
    ship_from_id integer not null references addresses,
    ship_weight text, ship_width text, ship_length text, ship_height text, ship_girth text, ship_volume text,
    tracking_number text, shipped_at integer, picked_up_at integer, delivered_at integer,
    acknowledged_at integer, status text not null,
    is_picked_up integer generated always as (picked_up_at is not null) virtual,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index shipments_of_retailer on shipments (retailer_id, is_acknowledged, id);
  create index shipments_of_order on shipments (order_id);
  create table shipment_lines (
    id integer primary key, shipment_id integer not null references shipments,
    order_line_id integer not null references order_lines, part integer not null, quantity integer not null,
    unique (shipment_id, order_line_id, part)
  ) strict;

  create table invoices (
    id integer primary key, order_id integer not null unique references orders, retailer_id integer not null,
    brand_id integer not null, purchase_order_number text not null, invoice_number text not null,
    terms_net_days_due integer not null, terms_date_due text not null, subtotal text not null,
    due_amount text not null, invoiced_at integer not null, acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index invoices_of_retailer on invoices (retailer_id, is_acknowledged, id);
  create index invoices_of_brand on invoices (brand_id, is_acknowledged, id);
  create table invoice_lines (
    id integer primary key, invoice_id integer not null references invoices, number integer not null,
    order_line_id integer not null references order_lines, quantity integer not null, net_price text not null,
    unique (invoice_id, order_line_id)
  ) strict;
  `,
]
