/** What the administration's bodies and their fields mean. */

/** By the name of the component. */
export const ADMIN_COMPONENT_WORDS = {
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
  Client: 'Whoever may log in for an account.',
  NewClient: 'A new client with its secret, which is never shown again.',
  ConnectionTerms: 'A retailer and a supplier, and what is agreed between them.',
  Counts: 'How much the service holds.',
} as const

export const ADMIN_FIELD_WORDS = {
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
  clients: 'Whoever may log in.',
  client: 'Null where the party was given to an account that exists.',
  revoked_at: 'Null until revoked.',
} as const

/** By component and field. */
export const ADMIN_PARTICULAR_WORDS = {
  'RmaCreate.rmad_at': 'When the return was issued; now unless told.',
  'PartyCreate.account_id': 'An account that exists; one of its own unless told.',
  'ClientCreate.scope': '`read write` unless told.',
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
