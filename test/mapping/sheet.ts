/** Rows of a sheet within a test, and mappings compiled from text. */
import Papa from 'papaparse'
import type { Layout, Row } from '../../src/domain/format.ts'
import type { Problem } from '../../src/domain/problem.ts'
import type { Draft, Translator } from '../../src/domain/translator.ts'
import { compileMapping, type Mapping } from '../../src/mapping/load.ts'
import { BridgeError } from '../../src/support/errors.ts'

export interface Sheet {
  readonly layouts: readonly Layout[]
  readonly rows: readonly Row[]
}

/** A comma-separated sheet with a header line; every row is one line. */
export function sheet(text: string): Sheet {
  const [header = [], ...rows] = Papa.parse<string[]>(text.trim()).data
  return {
    layouts: [{ recordType: '', columns: header }],
    rows: rows.map((values, index) => ({ layout: 0, line: index + 2, lastLine: index + 2, values })),
  }
}

/** A sheet of typed records: the first cell names the layout. */
export function typedSheet(text: string, layouts: readonly Layout[]): Sheet {
  const rows = Papa.parse<string[]>(text.trim()).data.map(([type = '', ...values], index) => {
    const layout = layouts.findIndex(({ recordType }) => recordType === type)
    return { layout, line: index + 1, lastLine: index + 1, values }
  })
  return { layouts, rows }
}

export async function mappingOf(
  text: string,
  tables: Readonly<Record<string, string>> = {},
): Promise<Mapping> {
  return compileMapping({
    text,
    name: 'orders.yaml',
    readTable: (path) => {
      const table = tables[path]
      return table === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(table)
    },
  })
}

export async function translatorOf(
  text: string,
  tables?: Readonly<Record<string, string>>,
): Promise<Translator> {
  const mapping = await mappingOf(text, tables)
  if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')
  return mapping.translator
}

/** All drafts of complete rows, and the mismatches; or why the mapping does not fit the columns. */
export function translateAll(
  translator: Translator,
  layouts: readonly Layout[],
  rows: readonly Row[],
): { readonly drafts: readonly Draft[]; readonly problems: readonly Problem[] } {
  const bound = translator.bind(layouts)
  if (!('keyColumns' in bound)) return { drafts: [], problems: bound }
  const drafts = [...bound.translateRows(rows), ...bound.finish()]
  return { drafts, problems: bound.listMismatches() }
}

export async function draftsOf(
  text: string,
  { layouts, rows }: Sheet,
  tables?: Readonly<Record<string, string>>,
): Promise<readonly Draft[]> {
  const { drafts, problems } = translateAll(await translatorOf(text, tables), layouts, rows)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  return drafts
}

/** The errors of a mapping, without the name of the file. */
export async function errorsOf(text: string, tables?: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    await mappingOf(text, tables)
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return error.details.map((detail) => detail.replace(/^orders\.yaml:/, ''))
  }
  return []
}

/** `code@line:column field`, for comparing the places of problems. */
export function placesOf(draft: Draft | undefined): string[] {
  return (draft?.problems ?? []).map(({ code, place }) =>
    `${code}@${place.line ?? '-'}:${place.column ?? '-'} ${place.field ?? ''}`.trimEnd(),
  )
}

/** A mapping of orders in which a test may replace lines. */
export const ORDERS = `
operation: create-order
group: PO Number
body:
  purchase_order_number: PO Number
  ordered_at: Order Date
  ship_to:
    name1: Name
    street1: Address 1
    street2: Address 2
    city: City
    province: State
    postal_code: Zip
    country: { from: Country, default: US }
  gift_message: Gift
  shipping_method:
    code: { from: Ship Via, table: ship-via, pick: method }
    carrier: { code: { from: Ship Via, table: ship-via, pick: carrier } }
  order_lines:
    - variant: { identifier: SKU, upc: UPC }
      quantity: Qty
      net_price: Cost
      price: Retail
tables:
  ship-via:
    rows:
      FedEx Ground: { method: FEDEX_GROUND, carrier: FDEG }
      UPS Ground: { method: UPS_GROUND, carrier: UPSN }
`

export const HEADER =
  'PO Number,Order Date,Name,Address 1,Address 2,City,State,Zip,Country,Gift,Ship Via,SKU,UPC,Qty,Cost,Retail'

/** A row under HEADER with some cells changed. */
export function orderRow(changes: Readonly<Record<string, string>> = {}): string {
  const cells: Record<string, string> = {
    'PO Number': 'HV-20001',
    'Order Date': '2026-11-20',
    Name: 'Ada Park',
    'Address 1': '12 Mill Road',
    'Address 2': '',
    City: 'Albany',
    State: 'NY',
    Zip: '12207',
    Country: '',
    Gift: '',
    'Ship Via': 'FedEx Ground',
    SKU: 'HV-10002',
    UPC: '',
    Qty: '2',
    Cost: '12.50',
    Retail: '24.99',
    ...changes,
  }
  return Papa.unparse([HEADER.split(',').map((name) => cells[name] ?? '')])
}

export function orderSheet(...rows: readonly Readonly<Record<string, string>>[]): Sheet {
  return sheet([HEADER, ...rows.map(orderRow)].join('\n'))
}
