/** Spec: the tables of endpoints and what is common to them. */
import { choices, type Row, statements } from './row.ts'

export interface EndpointRow extends Row {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** As the spec writes it. */
  readonly path: string
}

type EndpointText = readonly [method: EndpointRow['method'], path: string, says: string]

function endpoints(section: string, texts: readonly EndpointText[]): EndpointRow[] {
  return texts.map(([method, path, says]) => ({
    id: `endpoint.${method} ${path.replace(/^\/v1\/|\/$|\{(?:retailer|brand)_id\}\/?/g, '').replace(/\/$/, '')}`,
    section,
    says: `${method} ${path}: ${says}`,
    method,
    path,
  }))
}

const retailer = '/v1/retailers/{retailer_id}'
const brand = '/v1/brands/{brand_id}'

export const ENDPOINT_ROWS = [
  ...endpoints('Endpoints: retailer context', [
    ['GET', '/v1/retailers/', 'Retailers of the account.'],
    ['POST', `${retailer}/orders/`, 'Order create body; 201, full Order.'],
    ['GET', `${retailer}/orders/`, 'Order list filters; Orders.'],
    ['GET', `${retailer}/orders/{id}/`, 'One Order.'],
    ['POST', `${retailer}/cancels/`, 'Cancel create body; Cancel.'],
    ['GET', `${retailer}/cancels/`, 'Cancel list filters; Cancels.'],
    ['GET', `${retailer}/cancels/{id}/`, 'One Cancel.'],
    ['PUT', `${retailer}/cancels/{id}/acknowledge/`, 'Acknowledges receipt.'],
    ['GET', `${retailer}/shipments/`, 'Shipment list filters; Shipments.'],
    ['GET', `${retailer}/shipments/{id}/`, 'One Shipment.'],
    ['PUT', `${retailer}/shipments/{id}/acknowledge/`, 'Acknowledges.'],
    ['GET', `${retailer}/invoices/`, 'Invoice list filters; Invoices.'],
    ['GET', `${retailer}/invoices/{id}/`, 'One Invoice.'],
    ['PUT', `${retailer}/invoices/{id}/acknowledge/`, 'Acknowledges.'],
    ['GET', `${retailer}/credits/`, 'Credit list filters; Credits.'],
    ['GET', `${retailer}/credits/{id}/`, 'One Credit.'],
    ['PUT', `${retailer}/credits/{id}/acknowledge/`, 'Acknowledges.'],
    ['GET', `${retailer}/rmas/`, 'Return list filters; Returns.'],
    ['GET', `${retailer}/rmas/{id}/`, 'One Return.'],
    ['PUT', `${retailer}/rmas/{id}/acknowledge/`, 'Acknowledges.'],
    ['GET', `${retailer}/variants/`, 'Variant list filters (retailer); approved variants.'],
    ['GET', `${retailer}/variants/{id}/`, 'One Variant.'],
    ['PATCH', `${retailer}/variants/{id}/`, 'attributes array; updated variant.'],
    ['PUT', `${retailer}/variants/{id}/acknowledge/`, 'Acknowledges.'],
    ['GET', `${retailer}/connections/`, 'Connections.'],
    ['GET', `${retailer}/connections/{id}/`, 'One Connection.'],
    ['GET', '/v1/carriers/', 'Carriers with shipping methods.'],
    ['GET', '/v1/carriers/{carrier_id}/', 'One carrier with methods.'],
  ]),
  ...endpoints('Endpoints: brand (supplier) context', [
    ['GET', '/v1/brands/', 'Brands of the account.'],
    ['GET', `${brand}/orders/`, 'Order list filters (brand); Orders.'],
    ['GET', `${brand}/orders/{id}/`, 'One Order.'],
    ['PUT', `${brand}/orders/{id}/acknowledge/`, 'Acknowledge.'],
    ['PUT', `${brand}/orders/{id}/close/`, 'Close.'],
    ['PUT', `${brand}/orders/{id}/reopen/`, 'Reopen a closed order.'],
    ['POST', `${brand}/shipments/`, 'Shipment create body; shipment created.'],
    ['GET', `${brand}/shipments/{id}/packing_slip/`, 'Generates and returns a packing slip.'],
    ['GET', `${brand}/shipments/{id}/shipping_label/`, 'Generates and returns a label.'],
    ['POST', `${brand}/invoices/`, 'Invoice create body; 201, full Invoice.'],
    ['GET', `${brand}/invoices/`, 'Invoice list filters; Invoices.'],
    ['GET', `${brand}/invoices/{id}/`, 'One Invoice.'],
    ['POST', `${brand}/variants/`, 'attributes array; created variant.'],
    ['GET', `${brand}/variants/`, 'Variant list filters (brand); Variants.'],
    ['GET', `${brand}/variants/{id}/`, 'One Variant.'],
    ['PATCH', `${brand}/variants/{id}/`, 'attributes array; updated variant.'],
  ]),
] as const

const COMMON = 'Endpoints'

export const ENDPOINT_RULES = [
  ...statements(COMMON, 'rule.endpoints', [
    ['bearer', 'All paths need a bearer token.'],
    ['limit', 'List endpoints accept limit (integer, max 250).'],
    ['pages', 'Lists return paginated results when more records match than the limit.'],
    ['created', 'Creates answer 201.'],
    ['acknowledge-put', 'Some acknowledge calls are written with GET; PUT is the stated method.'],
    ['approved', 'The variant list of a retailer shows approved variants.'],
  ]),
  ...choices(COMMON, 'choice.endpoints', [
    ['envelope', 'A list is {count, next, previous, results}; next and previous are absolute or null.'],
    ['paging', 'Later pages are fetched by following next; a page that does not exist is 404.'],
    ['default-limit', 'A list without limit has 50 results.'],
    ['large-limit', 'A limit above 250 is taken for 250; a limit that is no number from 1 is refused.'],
    ['success', '201 for creates, 200 for everything else.'],
    ['parties', 'The items of /v1/retailers/ and /v1/brands/ are id, name and code.'],
    ['act-answer', 'Acknowledge, close and reopen answer 200 with the whole resource.'],
    ['create-answer', 'Cancel, shipment and variant creates answer 201 with the whole resource.'],
    ['update-answer', 'Variant updates answer 200 with the whole variant.'],
    ['documents', 'Packing slip and label are PDF files.'],
    ['other-filters', 'Parameters that a call does not know are refused (400), unless switched off.'],
  ]),
]
