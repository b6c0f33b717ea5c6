/** Orders, and what moves their lines: cancels and shipments. Every filter of a list has its index. */

export const ORDERS_SCHEMA = `
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
