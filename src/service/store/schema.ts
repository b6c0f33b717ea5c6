/** The schema of the service database, one migration per version. A released migration never changes. */
import { COUNTS_SCHEMA } from './list-counts.ts'

/** The version step 0 makes. Version 1 was never released and cannot be brought up to date. */
export const FIRST_VERSION = 2

// Accounts, parties, carriers and connections.

const PARTIES_SCHEMA = `
  create table accounts (id integer primary key, name text not null, is_admin integer not null) strict;
  create table clients (
    client_id text primary key, secret_hash text not null, account_id integer not null references accounts,
    scope text not null, revoked_at integer, announced integer not null
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

// Items. Attributes that lists filter by are columns, all others rows; `retailer_id` 0 means all retailers.

const CATALOGUE_SCHEMA = `
  create table variants (
    id integer primary key, brand_id integer not null, identifier text not null, upc text, name text,
    description text, parent_identifier text, parent_name text, size text, color text,
    inventory integer not null, inventory_updated_at integer, lead_time_days integer not null,
    cartons integer not null, has_images integer not null, has_shipping integer not null,
    meets_publish_rules integer not null, created_at integer not null, updated_at integer not null,
    in_stock integer generated always as (inventory > 0) virtual, unique (brand_id, identifier)
  ) strict;
  create index variants_of_brand on variants (brand_id, id);
  create index variants_by_upc on variants (upc) where upc is not null;
  create index variants_by_identifier on variants (identifier);
  create table variant_attributes (
    variant_id integer not null references variants, retailer_id integer not null, code text not null,
    value text not null, primary key (variant_id, retailer_id, code)
  ) strict, without rowid;
  create table variant_stock (
    variant_id integer not null references variants, location text not null, inventory integer not null,
    updated_at integer not null, primary key (variant_id, location)
  ) strict, without rowid;

  create table retailer_variants (
    retailer_id integer not null, variant_id integer not null references variants, sku text,
    acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual,
    primary key (retailer_id, variant_id), unique (retailer_id, sku)
  ) strict;
  create index retailer_variants_listed on retailer_variants (retailer_id, is_acknowledged, variant_id);
  create index retailer_variants_of_variant on retailer_variants (variant_id);
  create view retailer_catalogue as
    select retailer_variants.retailer_id, retailer_variants.variant_id as id, retailer_variants.is_acknowledged,
      variants.in_stock, variants.meets_publish_rules, variants.created_at, variants.updated_at
    from retailer_variants join variants on variants.id = retailer_variants.variant_id;
`

// Orders, cancels and shipments. Every filter of a list has its index.

const ORDERS_SCHEMA = `
  create table addresses (id integer primary key, body text not null) strict;
  create table orders (
    id integer primary key, retailer_id integer not null, brand_id integer not null,
    purchase_order_number text not null, customer_order_number text, retailer_order_number text,
    ship_to_id integer not null references addresses, sold_to_id integer references addresses,
    shipping_method_id integer references shipping_methods,
    requested_shipping_method_id integer references generic_shipping_methods,
    gift_message text not null, subtotal_charged text not null, status text not null,
    acknowledge_by integer not null, fulfill_by integer not null, received_at integer not null,
    ordered_at integer not null, acknowledged_at integer, pickup_on integer, closed_at integer,
    canceled_at integer, updated_at integer not null,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual,
    unique (retailer_id, purchase_order_number)
  ) strict;
  create index orders_of_retailer on orders (retailer_id, is_acknowledged, status, id);
  create index orders_of_brand on orders (brand_id, is_acknowledged, status, id);
  create index orders_by_number on orders (brand_id, purchase_order_number);
  create index orders_of_retailer_ordered on orders (retailer_id, ordered_at);
  create index orders_of_retailer_received on orders (retailer_id, received_at);
  create index orders_of_retailer_due on orders (retailer_id, fulfill_by);
  create index orders_of_retailer_acknowledged on orders (retailer_id, acknowledged_at);
  create index orders_of_retailer_closed on orders (retailer_id, closed_at);
  create index orders_of_brand_ordered on orders (brand_id, ordered_at);
  create index orders_of_brand_acknowledged on orders (brand_id, acknowledged_at);
  create table order_lines (
    id integer primary key, order_id integer not null references orders, number integer not null,
    variant_id integer not null references variants, quantity integer not null,
    quantity_shipped integer not null, quantity_returned integer not null, quantity_canceled integer not null,
    net_price text not null, price text not null, subtotal text not null, fulfill_by integer not null,
    status text not null, canceled_at integer, unique (order_id, variant_id),
    check (quantity_shipped + quantity_canceled <= quantity), check (quantity_returned <= quantity_shipped)
  ) strict;

  create table cancels (
    id integer primary key, order_id integer not null references orders, retailer_id integer not null,
    reason_id integer not null, canceled_at integer not null, acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index cancels_of_retailer on cancels (retailer_id, is_acknowledged, id);
  create index cancels_of_retailer_canceled on cancels (retailer_id, canceled_at);
  create index cancels_of_order on cancels (order_id);
  create table cancel_lines (
    id integer primary key, cancel_id integer not null references cancels,
    order_line_id integer not null references order_lines, quantity integer not null,
    unique (cancel_id, order_line_id)
  ) strict;

  create table shipments (
    id integer primary key, order_id integer not null references orders, retailer_id integer not null,
    brand_id integer not null, carrier_id integer not null references carriers,
    shipping_account_id integer references shipping_accounts,
    shipping_method_id integer not null references shipping_methods,
    ship_from_id integer not null references addresses, signature text,
    ship_weight text, ship_width text, ship_length text, ship_height text, ship_girth text, ship_volume text,
    batch_number integer not null, label_reference text, tracking_number text, shipped_at integer,
    picked_up_at integer, delivered_at integer, acknowledged_at integer, status text not null,
    is_picked_up integer generated always as (picked_up_at is not null) virtual,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index shipments_of_retailer on shipments (retailer_id, is_acknowledged, id);
  create index shipments_of_retailer_picked_up on shipments (retailer_id, is_picked_up, id);
  create index shipments_of_retailer_shipped on shipments (retailer_id, shipped_at);
  create index shipments_of_order on shipments (order_id);
  create table shipment_lines (
    id integer primary key, shipment_id integer not null references shipments,
    order_line_id integer not null references order_lines, part integer not null, quantity integer not null,
    unique (shipment_id, order_line_id, part)
  ) strict;
`

// Invoices, returns and credits.

const MONEY_SCHEMA = `
  create table invoices (
    id integer primary key, order_id integer not null unique references orders, retailer_id integer not null,
    brand_id integer not null, purchase_order_number text not null, invoice_number text not null,
    terms_net_days_due integer not null, terms_date_due text not null, terms_discount_percent integer,
    terms_discount_days integer, terms_discount_date_due text, remit_to_id integer references addresses,
    subtotal text not null, charges text not null, allowances text not null, due_amount text not null,
    invoiced_at integer not null, acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index invoices_of_retailer on invoices (retailer_id, is_acknowledged, id);
  create index invoices_of_brand on invoices (brand_id, is_acknowledged, id);
  create index invoices_of_retailer_invoiced on invoices (retailer_id, invoiced_at);
  create index invoices_of_brand_invoiced on invoices (brand_id, invoiced_at);
  create table invoice_lines (
    id integer primary key, invoice_id integer not null references invoices, number integer not null,
    order_line_id integer not null references order_lines, quantity integer not null, net_price text not null,
    unique (invoice_id, order_line_id)
  ) strict;

  create table rmas (
    id integer primary key, order_id integer not null references orders, retailer_id integer not null,
    brand_id integer not null, created_by text not null, rma_number text, reason text not null,
    status text not null, total_amount text not null, received_at integer not null, rmad_at integer not null,
    acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual
  ) strict;
  create index rmas_of_retailer on rmas (retailer_id, is_acknowledged, id);
  create index rmas_of_retailer_issued on rmas (retailer_id, rmad_at);
  create index rmas_of_retailer_received on rmas (retailer_id, received_at);
  create index rmas_of_order on rmas (order_id);
  create table rma_lines (
    id integer primary key, rma_id integer not null references rmas,
    order_line_id integer not null references order_lines, quantity integer not null,
    unique (rma_id, order_line_id)
  ) strict;
  create index rma_lines_of_order_line on rma_lines (order_line_id);

  create table credits (
    id integer primary key, rma_id integer not null references rmas, order_id integer not null references orders,
    retailer_id integer not null, brand_id integer not null, invoice_id integer references invoices,
    credit_number text not null, subtotal text not null, adjustments text not null, credit_amount text not null,
    credited_at integer not null, acknowledged_at integer,
    is_acknowledged integer generated always as (acknowledged_at is not null) virtual,
    unique (brand_id, credit_number)
  ) strict;
  create index credits_of_retailer on credits (retailer_id, is_acknowledged, id);
  create index credits_of_retailer_credited on credits (retailer_id, credited_at);
  create index credits_of_rma on credits (rma_id);
  create index credits_of_order on credits (order_id);
  create table credit_lines (
    id integer primary key, credit_id integer not null references credits,
    order_line_id integer not null references order_lines, quantity integer not null, price text not null,
    unique (credit_id, order_line_id)
  ) strict;
`

/** Step n takes a database from version FIRST_VERSION + n - 1 to the next. */
export const MIGRATIONS: readonly string[] = [
  [PARTIES_SCHEMA, CATALOGUE_SCHEMA, ORDERS_SCHEMA, MONEY_SCHEMA, COUNTS_SCHEMA].join('\n'),
]
