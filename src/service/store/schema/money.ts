/** What is owed: invoices, returns and credits. */

export const MONEY_SCHEMA = `
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
