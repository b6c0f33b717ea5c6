/** The mappings and parts of mappings shown in the documentation compile, each completed with what it leaves out. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts'
import { COMMON_KEYS, INBOUND_KEYS, OUTBOUND_KEYS } from '../../src/mapping/file.ts'
import { BODIES, constantBody, merged, type Plain } from './ready-bodies.ts'
import { errorsOf, ORDERS } from './sheet.ts'

interface Block {
  readonly page: string
  readonly line: number
  readonly text: string
}

const blocks = ['mapping.md', 'first-mapping.md'].flatMap((page): Block[] => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  // An indented block is a route.
  return [...text.matchAll(/^```yaml\n(\S.*?)^```/gms)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    text: match[1] ?? '',
  }))
})

/** The files that blocks name. */
const FILES = {
  'base-orders.yaml': ORDERS.replace(
    'ordered_at: Order Date',
    'ordered_at: { from: Order Date, format: MM/dd/yyyy, zone: America/New_York }',
  ),
  'base-typed.yaml': typedExport(),
  'tables/ship-via.csv': 'ship_via,method,carrier\nGround,FEDEX_GROUND,FDEG\n',
  'tables/methods.csv': 'carrier,service,method\nFedEx,Ground,FEDEX_GROUND\n',
}

/** The tables that parts of mappings use. */
const TABLES = {
  'ship-via': { file: 'tables/ship-via.csv' },
  'unit-costs': { rows: { 'HV-10002': { cost: '12.50' } } },
}

/** The export with several kinds of rows that the page shows, with one more that a derived mapping removes. */
function typedExport(): string {
  const shown = blocks.find(({ text }) => text.includes('- type: PH'))?.text ?? ''
  return shown.replace('trailer:', '  - { type: PX, columns: { PO: purchase_order_number } }\ntrailer:')
}

test.each(blocks)('$page, line $line', async (block) => {
  expect(await errorsOf(completed(block), FILES)).toEqual([])
})

test('there are blocks on both pages, and most of them are parts', () => {
  expect(new Set(blocks.map(({ page }) => page)).size).toBe(2)
  expect(blocks.filter(({ text }) => isPart(parse(text) as Plain)).length).toBeGreaterThan(5)
})

function isPart(block: Plain): boolean {
  return !('operation' in block) && !('extends' in block)
}

/** The block as a whole mapping; on the page about mappings, one that names its operation is whole already. */
function completed({ page, text }: Block): string {
  const block = parse(text) as Plain
  if (!isPart(block) && (page === 'mapping.md' || 'extends' in block)) return text
  const mapping = isPart(block) ? placed(block) : block
  const operation = mapping['operation'] as OperationName
  if (OPERATIONS[operation].direction === 'outbound') {
    const rows =
      'columns' in mapping || 'records' in mapping ? {} : { columns: { PO: 'purchase_order_number' } }
    return stringify({ ...rows, ...mapping })
  }
  const { read = {}, body = {} } = mapping as { read?: Plain; body?: Plain }
  const constants = constantBody(operation as keyof typeof BODIES)
  const soldTo = 'sold_to' in body ? { sold_to: constants['ship_to'] } : {}
  const group = 'records' in read ? {} : { group: 'PO Number' }
  return stringify({ ...group, ...mapping, body: merged({ ...constants, ...soldTo }, body) })
}

/** Keys of a mapping stay as they are; fields go into the body that has them. */
function placed(block: Plain): Plain {
  const keys = Object.keys(block)
  const inbound = { ...COMMON_KEYS, ...INBOUND_KEYS }
  if (keys.every((key) => key in inbound)) return { operation: 'create-order', ...block }
  if (keys.every((key) => key in COMMON_KEYS || key in OUTBOUND_KEYS))
    return { operation: 'export-orders', ...block }
  const fits = Object.entries(BODIES).find(([, body]) => keys.every((key) => key in body))
  if (fits === undefined)
    throw new Error(`neither keys of a mapping nor fields of a body: ${keys.join(', ')}`)
  return { operation: fits[0], tables: TABLES, body: merged({}, block) }
}
