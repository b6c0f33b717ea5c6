/** Spec: what the service does, conventions, authentication, events, errors, limits and versioning. */
import { choices, statements } from './row.ts'

const PURPOSE = 'What the service does'
const CONVENTIONS = 'Conventions'
const AUTHENTICATION = 'Authentication'
const LIMITS = 'Limits'
const VERSIONING = 'Versioning'

const SIZES = {
  'order.purchase_order_number': 32,
  'order.customer_order_number': 32,
  'order.retailer_order_number': 32,
  'invoice.invoice_number': 32,
  'credit.credit_number': 32,
  'variant.name': 200,
  'variant.identifier': 128,
  'variant.upc': 64,
  'variant.parent_identifier': 100,
  'variant.parent_name': 200,
  'variant.color': 100,
  'variant.size': 100,
  'shipment.tracking_number': 128,
  'shipment.signature': 16,
  'order.status': 8,
  'shipment.status': 32,
  'cancel.reason': 256,
  'shipment.label_reference': 30,
} as const

/** By resource and field: the most characters. */
export const FIELD_SIZES: Readonly<Record<string, number>> = SIZES

export const PURPOSE_ROWS = [
  ...statements(PURPOSE, 'rule.purpose', [
    ['drop-ship', 'The service connects retailers with suppliers for drop-ship order fulfillment.'],
    ['retailer-submits', 'A retailer submits consumer orders and cancellation requests.'],
    [
      'supplier-works',
      'A supplier reads its orders, acknowledges them, creates shipments (with tracking numbers or generated labels), closes and reopens orders, submits invoices and maintains its item catalog.',
    ],
    [
      'retailer-reads',
      'A retailer reads shipments, invoices, credits, returns, cancels and catalog variants, and acknowledges receipt of each.',
    ],
    [
      'lookups',
      'Reference lookups: connections (with the methods allowed for each) and carriers (with theirs).',
    ],
    ['retailer-context', 'Retailer context: paths start with /v1/retailers/{retailer_id}/.'],
    ['brand-context', 'Brand context: paths start with /v1/brands/{brand_id}/.'],
    ['ownership', "The id in the path must belong to the caller's account."],
    ['ids', 'The ids available to an account come from GET /v1/retailers/ and GET /v1/brands/.'],
    [
      'acknowledgement',
      'A party polls a list with is_acknowledged=0, processes the records, then acknowledges each one.',
    ],
    ['acknowledged', 'Acknowledged records carry is_acknowledged=true and a non-null acknowledged_at.'],
  ]),
  ...choices(PURPOSE, 'choice.purpose', [
    ['upcoming', 'EDI integration and catalog Items and Inventory sections are only upcoming: 404.'],
  ]),
  ...statements(CONVENTIONS, 'rule.conventions', [
    ['json', 'JSON request and response bodies.'],
    ['content-type', 'Requests with a body carry header Content-type: application/json.'],
    ['timestamps', 'Timestamps in bodies are ISO-8601, UTC.'],
    ['timestamp-filters', 'Timestamp filters are epoch timestamps in UTC, passed as {field}_{operator}.'],
    ['operators', 'Operator is one of lt, lte, gt, gte.'],
    ['money', 'Money is decimal strings with two decimals.'],
    ['currency', 'Currency is USD only.'],
    ['ids', 'Ids are static ids assigned by the service, integer (11).'],
    ['nested-ids', 'Some nested ids in payloads appear as strings.'],
    ['boolean-filters', 'Boolean query filters are 1 or 0 (an example also passes true).'],
    ['repeatable', 'status on order lists may be repeated as separate parameters.'],
    ['absent', 'Optional keys in responses are still present, with null.'],
  ]),
  ...choices(CONVENTIONS, 'choice.conventions', [
    ['text', 'Text is not blank and has no control characters but tabs and line breaks: 400.'],
  ]),
]

export const CLOSING_ROWS = [
  ...statements(AUTHENTICATION, 'rule.authentication', [
    ['every-client', 'OAuth 2.0; every client authenticates with one set of client credentials.'],
    ['request', 'POST {base_url}/auth/token/ with application/x-www-form-urlencoded.'],
    ['grant-type', 'grant_type has the value client_credentials.'],
    ['client-id', 'client_id is the id of the client.'],
    ['client-secret', 'client_secret is the secret of the client.'],
    ['access-token', 'Success: HTTP 200 with JSON and access_token.'],
    ['token-type', "token_type ('Bearer')."],
    ['expires-in', 'expires_in (integer, time to live).'],
    ['scope', 'scope (space-separated, includes read and write).'],
    ['use', 'Send header Authorization: Bearer <ACCESS_TOKEN> on every protected request.'],
    ['ownership', "Retailer_id and brand_id in paths must belong to the caller's account."],
  ]),
  ...choices(AUTHENTICATION, 'choice.authentication', [
    ['unit', 'The unit of expires_in is seconds; 36000 by default.'],
    ['refresh', 'There are no refresh tokens: another token is asked for.'],
    [
      'scopes',
      'read is for GET, write for the rest: 403 with insufficient_scope. A client may ask for less than it may have.',
    ],
    ['contexts', 'Credentials enter the contexts of the parties of their account, and no other.'],
  ]),
  ...choices('Events', 'choice.events', [
    ['none', 'Push notifications are not shown: there are none, and lists are polled.'],
  ]),
  ...choices('Errors', 'choice.errors', [
    ['missing-token', '401 with detail and WWW-Authenticate when there is no token.'],
    ['invalid-token', '401 with detail when the token is unknown or expired.'],
    ['wrong-client', '401 with error invalid_client when the token is asked for with a wrong secret.'],
    ['foreign-party', '403 with detail when the id in the path is of another account.'],
    ['not-found', '404 with detail for what does not exist, and for what belongs to another party.'],
    ['method', '405 with detail and Allow for a method that an address does not have.'],
    ['media-type', '415 with detail for a body that is not JSON.'],
    ['too-large', '413 with detail for a body of more than a mebibyte.'],
    ['validation', '400 with a list of messages per field, nested like the body, all at once.'],
    ['state', '400 with non_field_errors when the state of the resource forbids it.'],
  ]),
  ...statements(LIMITS, 'limit', [
    ['limit', 'limit query parameter on lists: at most 250.'],
    ['gift_message', 'gift_message line: at most 64 characters.'],
    ...Object.entries(SIZES).map(([field, size]) => [field, `${field}: ${size} characters.`] as const),
    ['credit', "Credit: subtotal and quantities cannot exceed the issuing return's value."],
  ]),
  ...choices(LIMITS, 'choice.limits', [
    ['rate', 'Rate limits are not shown: there is none unless switched on.'],
    ['list', 'A list in a body has at most 1000 items.'],
  ]),
  ...statements(VERSIONING, 'rule.versioning', [
    ['prefix', 'The version is the path prefix /v1/ on all resource paths.'],
    ['brands', 'The orders field brands is deprecated in favor of brand.'],
    ['bill-to', 'order bill_to and ship_from are deprecated.'],
    ['variants-beta', 'The variants endpoints are in beta; signatures are unlikely to change materially.'],
  ]),
  ...choices(VERSIONING, 'choice.versioning', [
    ['negotiation', 'There is no other version negotiation: paths without /v1/ do not exist.'],
  ]),
]
