/** Small bodies that are valid, and mappings that make them of constants, for tests of one part of a mapping. */
import { stringify } from 'yaml'
import type { Row } from '../../src/domain/format.ts'
import type { Draft } from '../../src/domain/translator.ts'
import { translateAll, translatorOf } from './sheet.ts'

export type Plain = Readonly<Record<string, unknown>>

const ADDRESS = {
  name1: 'Ada Park',
  street1: '12 Mill Road',
  city: 'Albany',
  province: 'NY',
  postal_code: '12207',
  country: 'US',
}

/** Every line of a record has an item of its own, named by the number of its row. */
const ITEM = { from: '$row' }

/** The value of a field in the body by default; a text or a number is itself. */
export const BODIES: Readonly<Record<'create-order' | 'create-shipment' | 'create-invoice', Plain>> = {
  'create-order': {
    purchase_order_number: 'HV-20001',
    ordered_at: '2026-11-20T00:00:00Z',
    ship_to: ADDRESS,
    shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
    order_lines: [{ variant: { identifier: ITEM }, quantity: 1, net_price: '12.50', price: '24.99' }],
  },
  'create-shipment': {
    order_id: 7,
    ...Object.fromEntries(Object.entries(ADDRESS).map(([name, value]) => [`ship_from_${name}`, value])),
    carrier_id: 1,
    shipping_method_id: 3,
    tracking_number: '1Z999',
    shipment_lines: [{ variant: { brand_identifier: ITEM }, quantity: 1 }],
  },
  'create-invoice': {
    purchase_order_number: 'HV-20001',
    invoice_number: 'INV-1',
    terms_net_days_due: 30,
    terms_date_due: '2026-12-20',
    due_amount: '25.00',
    invoice_lines: [{ variant: { identifier: ITEM }, quantity: 2, net_price: '12.50' }],
  },
}

/** The body with its values written as constants, changed by `changes`. */
export function constantBody(operation: keyof typeof BODIES, changes: unknown = {}): Plain {
  return merged(asConstants(BODIES[operation]), changes) as Plain
}

function asConstants(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asConstants)
  if (typeof value !== 'object' || value === null) return { const: value }
  if ('from' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asConstants(inner)]))
}

const LEAF = /^(?:from|firstOf|all|calc|const|oneOf)$/

/** Merges objects key by key and lists item by item; a value replaces what was there. */
export function merged(base: unknown, changes: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(changes)) {
    return changes.map((change, index) => merged(base[index] as unknown, change))
  }
  const isObject = (value: unknown): value is Plain =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(base) || !isObject(changes)) return changes
  if (Object.keys(changes).some((key) => LEAF.test(key))) return changes
  const keys = Object.entries(changes).map(([key, change]) => [key, merged(base[key], change)])
  return { ...base, ...(Object.fromEntries(keys) as Plain) }
}

/** A mapping of rows with a column `Key` that says which record they belong to. */
export function constantMapping(
  operation: keyof typeof BODIES,
  body: unknown = {},
  more: Plain = {},
): string {
  return stringify({ operation, group: 'Key', body: constantBody(operation, body), ...more })
}

/** The only record of these columns, each with a cell or with one for every row. */
export async function recordOf(
  mapping: string,
  columns: readonly (readonly [name: string, cells: unknown])[],
): Promise<Draft | undefined> {
  const cells = columns.map(([, value]) => (Array.isArray(value) ? value.map(String) : [String(value)]))
  const height = Math.max(1, ...cells.map((column) => column.length))
  const rows = Array.from({ length: height }, (_, index): Row => {
    const values = cells.map((column) => column[index] ?? column[0] ?? '')
    return { layout: 0, line: index + 2, lastLine: index + 2, values: ['k', ...values] }
  })
  const layouts = [{ recordType: '', columns: ['Key', ...columns.map(([name]) => name)] }]
  const { drafts, problems } = translateAll(await translatorOf(mapping), layouts, rows)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  return drafts[0]
}
