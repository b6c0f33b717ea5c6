/**
 * Items. What lists ask for and other resources show has a column; all other attributes are rows. `retailer_id` of a
 * value is 0 where the value is for all.
 */

export const CATALOGUE_SCHEMA = `
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
