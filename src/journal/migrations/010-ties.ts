/** What is of the same order is found after the contents of it were forgotten. */

export const ties = {
  id: 10,
  name: 'ties',
  statements: [
    // Of what is forgotten: "name 1Z999" leads to "shipment 31", that to "order 12", and that to "number PO-1".
    `create table ties (
  one text not null,
  other text not null,      -- names, numbers of orders and ids; no other contents
  primary key (one, other)
) strict, without rowid`,
  ],
}
