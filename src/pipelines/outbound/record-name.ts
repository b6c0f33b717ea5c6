/** What people call an API record: `order HV-30015`, by the number it has on paper. */
import type { OutboundOperationName } from '../../contract/operations.ts'

/** The fields by which people know the records of a list, the best first. */
const KNOWN_BY: Readonly<Record<string, readonly string[]>> = {
  shipment: ['tracking_number', 'purchase_order_number'],
  variant: ['identifier', 'sku', 'upc'],
  return: ['rma_number', 'purchase_order_number'],
}

/** Empty where the record has none of them. */
export function recordName(
  operation: OutboundOperationName,
  record: Readonly<Record<string, unknown>>,
): string {
  const noun = nounOf(operation)
  const fields = KNOWN_BY[noun] ?? [`${noun}_number`, 'purchase_order_number', 'code', 'name']
  const number = fields.map((field) => record[field]).find((value) => isText(value))
  return isText(number) ? `${noun} ${number}` : ''
}

/** `export-brand-invoices` lists invoices. */
function nounOf(operation: OutboundOperationName): string {
  return (operation.split('-').at(-1) ?? '').replace(/s$/, '')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
