/** Descriptions of schemas, and of fields whose name has a special meaning in one schema. */

// Bodies of the administration.

const ADMIN_SCHEMA_DESCRIPTIONS = {
  SupplierCancel: 'What a supplier cancels. One line per unique item.',
  OrderChange: 'What is left out stays as it is. The requested method takes the place of the specific one.',
  RmaCreate: 'Units of an order that come back. One line per unique item.',
  CreditCreate:
    'Without lines, all of the return that is not credited yet, at the prices the supplier was paid.',
  InvoiceChange:
    'What is left out stays as it is. Charges and allowances are replaced, and the amount due moves with them.',
  StockChange: 'The whole stock of an item: a warehouse that is not named has none.',
  PartyCreate: 'A retailer or a brand. A retailer says how long its brands have to acknowledge an order.',
  ClientCreate: 'What the client may do.',
  CarrierCreate: 'A carrier and everything it offers.',
  ConnectionCreate: 'A retailer and a supplier, and what is agreed between them.',
  ConnectionChange: 'What is left out stays as it is.',
  ShippingAccountCreate: 'An account with a carrier; the methods are of the carrier.',
  TurnSwitchesRequest: 'The switches to turn; the others stay as they are.',
  SwitchPositions: 'All switches and what they stand at.',
  Party: 'A retailer or a brand, and who may log in for it.',
  NewParty: 'A new retailer or brand, and its client.',
  Client: 'The clients of an account.',
  NewClient: 'A new client with its secret, which is never shown again.',
  ConnectionTerms: 'A retailer and a supplier, and what is agreed between them.',
  Counts: 'How much the service holds.',
} as const

/** By the name of the component. */
export const SCHEMA_DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TokenRequest: 'OAuth 2.0 client credentials; form-encoded.',
    TokenAnswer: 'A token, and for how long it is good.',
    PartySummary: 'A retailer or a supplier, as other resources show it.',
    AddressInput:
      'Optional fields may be left out or null; empty strings must not be sent. The province must be one of the country. Whether the address exists is not checked.',
    Address: 'Every key is present, null when empty.',
    OrderCreate: 'One line per unique item. A purchase order number that was used before is refused.',
    OrderLineInput: 'An item and how many of it, with both prices per unit.',
    VariantInput:
      'At least one of `id`, `identifier` and `upc`. When several are given the priority is id, then identifier, then upc.',
    ShippedVariantInput:
      'At least one of `upc` and `brand_identifier`; when both are given, upc has priority.',
    ShippingMethodInput:
      'The code of the method and of its carrier. The allowed methods come from the connection; `id` and the names may be left out.',
    CancelCreate:
      'Cancels an order or some of its units; only before the supplier acknowledges the order. One line per unique item.',
    CancelLineInput: 'An item and how many units of it are no longer wanted.',
    ShipmentCreate:
      'Where the label exists: `carrier_id`, `shipping_method_id` and `tracking_number`. Where the service makes it: `shipping_account_id` and `shipping_method_id` as the order offers them, with `ship_weight`, `ship_width`, `ship_length` and `ship_height`. One of the two, not both.',
    ShipmentLineInput: 'An item and how many of it are in the shipment.',
    InvoiceCreate:
      'One invoice per purchase order, after the order is completely fulfilled and closed. One line per unique item.',
    InvoiceLineInput: 'An item, how many of it, and its price.',
    VariantCreate: 'The identifier attribute is mandatory, all others are optional.',
    VariantUpdate: 'Only the attributes that change. The identifier cannot be changed.',
    AttributeEntry: 'One value of one attribute, for all retailers or for one.',
    Carrier: 'Who carries goods.',
    CarrierWithMethods: 'A carrier and everything it offers.',
    ShippingMethod: 'A service level of a carrier.',
    RequestedShippingMethod:
      'A generic level, used when the supplier picks the carrier: Next Day, Expedited, Ground, LTL or White Glove.',
    ShippingAccount: 'An account with a carrier that may be used for an order.',
    Connection: 'A retailer and a supplier that trade, and the shipping methods authorized for it.',
    RetailerOrder: 'An order as its retailer sees it.',
    RetailerOrderLine: 'A line of an order as its retailer sees it.',
    BrandOrder: 'An order as its supplier sees it: with the shipping accounts, without `net_price`.',
    BrandOrderLine: 'A line of an order as its supplier sees it.',
    OrderShipment: 'What an order shows of a shipment.',
    OrderInvoice: 'What an order shows of an invoice.',
    OrderCancel: 'What an order shows of a cancel.',
    OrderRma: 'What an order shows of a return.',
    OrderCredit: 'What an order shows of a credit.',
    Cancel: 'Units of an order that are no longer wanted.',
    CancelLine: 'An item and how many of it were canceled.',
    RetailerShipment: 'A shipment as the retailer sees it.',
    BrandShipment: 'A shipment as its supplier sees it, with the origin flattened.',
    RetailerInvoice: 'An invoice as the retailer sees it, who is expected to pay it.',
    BrandInvoice: 'An invoice as its supplier sees it.',
    Adjustment: 'An amount on top of or off a subtotal; which follows from the list it stands in.',
    Credit:
      "A credit memo, issued by the supplier after accepting a return. Its subtotal and quantities cannot exceed the return's before adjustments.",
    CreditLine: 'An item and how many of it are credited, at what price.',
    CreditAdjustment: 'An amount that modifies a credit; below zero when less is paid back.',
    Rma: 'A return; either party may initiate one.',
    RmaLine: 'An item and how many of it come back.',
    RetailerVariant: 'A sellable item as the retailer sees it.',
    BrandVariant: 'A sellable item as its supplier sees it.',
    RetailerVariantSummary: 'What other resources show a retailer of an item.',
    BrandVariantSummary: 'What other resources show a supplier of an item.',
    Inventory: 'The stock of an item.',
    InventoryLocation: 'The stock of an item in one warehouse.',
    Media: 'An image of an item.',
    Attribute: 'A property of an item and its values.',
    AttributeValue: 'A value, and the retailer it is for where it is not for all.',
    ...ADMIN_SCHEMA_DESCRIPTIONS,
  }),
)

const STATUSES = 'open: line items outstanding; partial: at least one fulfilled; closed: all fulfilled;'

const ADMIN_SCHEMA_FIELD_DESCRIPTIONS = {
  'RmaCreate.rmad_at': 'When the return was issued; now by default.',
  'PartyCreate.account_id': 'An account that exists; one of its own by default.',
  'ClientCreate.scope': '`read write` by default.',
  'ShippingAccountCreate.carrier_id': 'The carrier of the account.',
  'Counts.orders': 'Orders.',
  'Counts.cancels': 'Cancels.',
  'Counts.shipments': 'Shipments.',
  'Counts.invoices': 'Invoices.',
  'Counts.rmas': 'Returns.',
  'Counts.credits': 'Credits.',
  'Counts.variants': 'Variants.',
  'Counts.acknowledgedOrders': 'Orders that are acknowledged.',
  'Counts.acknowledgedCancels': 'Cancels that are acknowledged.',
  'Counts.acknowledgedShipments': 'Shipments that are acknowledged.',
  'Counts.acknowledgedInvoices': 'Invoices that are acknowledged.',
  'Counts.acknowledgedRmas': 'Returns that are acknowledged.',
  'Counts.acknowledgedCredits': 'Credits that are acknowledged.',
  'Counts.faults': 'Faults that have struck.',
} as const

function describeBothViews(resource: string, descriptions: Readonly<Record<string, string>>) {
  const views = [`Retailer${resource}`, `Brand${resource}`]
  return Object.fromEntries(
    views.flatMap((view) => Object.entries(descriptions).map(([field, text]) => [`${view}.${field}`, text])),
  )
}

/** By component and field, where the plain name means something else. */
export const SCHEMA_FIELD_DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'OrderCreate.purchase_order_number': 'Unique PO number.',
    'OrderCreate.shipping_method': 'The service level that the retailer chooses.',
    'OrderLineInput.price': 'Gross selling price per unit, charged to the consumer.',
    'VariantInput.id': 'The id of the variant.',
    'ShippingMethodInput.id': 'The id of the method or carrier.',
    'CancelCreate.order_id': 'The order to cancel.',
    'CancelLineInput.quantity': 'Units no longer wanted.',
    'ShipmentCreate.order_id': 'The order that is shipped.',
    'ShipmentCreate.shipped_at': 'When it was shipped; now by default.',
    'InvoiceCreate.purchase_order_number': 'The PO that is invoiced.',
    'InvoiceCreate.due_amount': 'Total due, with charges and allowances.',
    'AttributeEntry.code': 'The code of the attribute, such as `identifier`, `name` or `inventory`.',
    'AttributeEntry.value': 'Text or a number; null takes the value away.',
    'AttributeEntry.retailer':
      'The retailer that the value is for, in attributes that each retailer has for itself.',
    'VariantCreate.attributes': 'Each attribute once, for each retailer.',
    'VariantUpdate.attributes': 'Each attribute once, for each retailer.',
    'Carrier.code': 'SCAC code of the carrier.',
    'CarrierWithMethods.code': 'SCAC code of the carrier, or code of the method.',
    'CarrierWithMethods.type': 'Such as `small_parcel`.',
    'ShippingMethod.code': 'Method code.',
    'ShippingMethod.type': 'Such as `small_parcel`.',
    'RequestedShippingMethod.description': 'The delivery window.',
    'Connection.status': 'Active, Pending (waiting for activation) or Suspended (on hold).',
    'Connection.shipping_methods': 'Methods authorized for the connection.',
    'OrderShipment.status': 'open without a tracking number, closed with one.',
    'RetailerShipment.brand': 'The supplier that created the shipment.',
    ...describeBothViews('Order', {
      status: `${STATUSES} canceled: the entire order canceled.`,
      is_acknowledged: 'The supplier acknowledged the order and intends to fulfill it.',
      received_at: 'When the service received the order; lead times start here.',
      canceled_at: 'Null until canceled.',
      ship_from: 'Shipments say where they come from.',
      brand: 'The supplier that must fulfill the order.',
    }),
    ...describeBothViews('OrderLine', {
      canceled_at: 'Null until canceled.',
      price: 'Price charged to the consumer per item.',
      subtotal: 'Consumer subtotal.',
      status: 'open, or closed when nothing of it is outstanding.',
    }),
    ...describeBothViews('Shipment', { status: 'open without a tracking number, closed with one.' }),
    ...describeBothViews('Invoice', {
      retailer: 'The retailer expected to pay.',
      brand: 'The supplier that submitted it.',
    }),
    'Cancel.canceled_at': 'When the service received it.',
    'Rma.ordered_at': 'Original PO date.',
    'Rma.status': 'Pending until the supplier has received and inspected the items, then Accepted.',
    'OrderRma.status': 'Pending until the supplier has received and inspected the items, then Accepted.',
    'BrandVariant.identifier': "The supplier's identifier, unique across its variants.",
    'RetailerVariant.identifier': "The supplier's identifier, unique across its variants.",
    'RetailerVariant.is_acknowledged': 'The retailer has received and pulled all needed attributes.',
    'Media.media': 'MD5 hash of the file.',
    'BrandVariant.attributes': 'By the code of the attribute; only `identifier` is guaranteed.',
    'BrandVariantSummary.attributes': 'By the code of the attribute; a subset.',
    'RetailerVariantSummary.attributes': 'A subset.',
    'BrandVariant.inventory': 'The stock of the item.',
    'RetailerVariant.inventory': 'The stock of the item.',
    'Adjustment.type': 'What it is for, such as a fee.',
    'CreditAdjustment.type': 'What it is for, such as a restocking fee.',
    'AttributeValue.retailer': 'The retailer that the value is for; left out where it is for all.',
    'Attribute.description': 'What the attribute says of an item.',
    'Attribute.type': 'text, integer, decimal, money or image.',
    ...ADMIN_SCHEMA_FIELD_DESCRIPTIONS,
  }),
)

export const ADMIN_FIELD_DESCRIPTIONS = {
  kind: 'Which side it is.',
  retailer_id: 'The retailer.',
  brand_id: 'The supplier.',
  account_id: 'The account that acts for it.',
  acknowledge_within_hours: 'How long brands have to acknowledge an order; a retailer needs it.',
  fulfill_within_hours: 'How long the supplier has to fulfill an order.',
  requested_shipping_method_id: 'The generic level that the order asks for instead.',
  shipping_method_ids: 'The methods that may be used.',
  generic_id: 'The generic level that the method belongs to.',
  signature_required: 'Whether the carrier must collect a signature.',
  packing_slips: 'Whether shipments may have packing slips.',
  clients: 'The clients.',
  client: 'Null where the party was given to an account that exists.',
  revoked_at: 'Null until revoked.',
} as const
