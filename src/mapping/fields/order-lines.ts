/** Makes the lines of a record from those of its order, for files without lines. */
import { z } from 'zod'
import { ORDER_LINES } from '../../contract/order.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { formatDecimal, parseDecimal } from '../../support/decimal.ts'
import { checkPart, Text } from '../source/schema.ts'
import { nodeAt, type SourceNode } from '../source/source.ts'
import { findTable, normalizeKey, noteWrongRow, type TableColumn } from '../tables.ts'
import { createConverter } from '../values/convert.ts'
import type { LeafContext } from './leaf.ts'
import { compileDates, convertText } from './leaf-conversion.ts'
import type { LeafPlan } from './plan.ts'

export const OrderLinesFrame = z.strictObject({
  order: z.literal(ORDER_LINES, { error: `expected ${ORDER_LINES}` }),
  net_price: z
    .strictObject({ table: Text, pick: Text.optional() })
    .optional()
    .describe('The table with the price of each SKU; not needed for orders of one line.'),
})

type Fields = Readonly<Record<string, unknown>>

type OrderLine = Fields & { readonly variant?: Fields | null }

interface LineKind {
  /** The units that the record takes of an order line; lines with 0 are left out. */
  readonly units: (line: OrderLine) => number
  readonly item: (variant: Fields) => Fields
  /** The message where no line has units. */
  readonly none: string
}

const readCount = (line: OrderLine, field: string) => (typeof line[field] === 'number' ? line[field] : 0)
const countOpenUnits = (line: OrderLine) =>
  readCount(line, 'quantity') - readCount(line, 'quantity_shipped') - readCount(line, 'quantity_canceled')
/** Some APIs answer ids as text. */
const byId = ({ id }: Fields) => ({
  id: typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id,
})

/** By the body's list that is filled. */
const LINE_KINDS: Readonly<Record<string, LineKind>> = {
  invoice_lines: {
    units: (line) => readCount(line, 'quantity_shipped'),
    item: byId,
    none: 'nothing of the order is shipped',
  },
  shipment_lines: {
    units: countOpenUnits,
    item: ({ brand_identifier, upc }) =>
      typeof brand_identifier === 'string' ? { brand_identifier } : { upc },
    none: 'nothing of the order is left to be shipped',
  },
  cancel_lines: { units: countOpenUnits, item: byId, none: 'nothing of the order is left to be canceled' },
}

export function takesOrderLines(node: SourceNode): boolean {
  return node.kind === 'map' && node.entries.has('order')
}

/** A leaf that gives the whole list; undefined after its errors were noted. */
export function compileOrderLines(
  node: SourceNode,
  { field, required }: { readonly field: string; readonly required: boolean },
  context: LeafContext,
): LeafPlan | undefined {
  const { errors, noOrder } = context
  const frame = checkPart(OrderLinesFrame, node, errors)
  const kind = LINE_KINDS[field]
  if (frame === undefined || kind === undefined) return undefined
  if (noOrder !== undefined) return errors.add(nodeAt(node, 'order'), noOrder)
  const isPriced = field === 'invoice_lines'
  const { net_price: price } = frame
  if (price !== undefined && !isPriced) errors.add(nodeAt(node, 'net_price'), 'only invoices have prices')
  const prices = price && compilePrices(nodeAt(node, 'net_price'), price, context)
  if (price !== undefined && prices === undefined) return undefined
  const lines = (found: unknown, body: Fields) => createLines(found, body, { field, kind, prices, isPriced })
  const convert = () => undefined
  const value = { does: '', isAsked: false, convert }
  return {
    kind: 'leaf',
    field,
    perRow: false,
    alternatives: [],
    sources: [],
    blanks: new Set(),
    convert,
    steps: { gathering: '', texts: [], value, fallback: '' },
    required,
    columnRequired: false,
    deferred: { from: 'order', name: ORDER_LINES, lines },
  }
}

/** Converts every price of the table, so that a wrong one is an error of the mapping. */
function compilePrices(
  node: SourceNode,
  price: { readonly table: string; readonly pick?: string | undefined },
  { tables, errors }: LeafContext,
): TableColumn | undefined {
  const found = findTable(tables, price, (option, message) => errors.add(nodeAt(node, option), message))
  if (found === undefined) return undefined
  const money = createConverter({ kind: 'money', wholeDigits: 8 }, compileDates(node, {}, errors, 'read'))
  const prices = new Map<string, Readonly<Record<string, string>>>()
  for (const [key, row] of found.table.rows) {
    const { value, refused } = convertText(money, row[found.column] ?? '')
    if (refused !== undefined) noteWrongRow(errors, found.table, { key, field: 'net_price', refused })
    else prices.set(key, { [found.column]: String(value) })
  }
  return { table: { ...found.table, rows: prices }, column: found.column }
}

interface OrderLineContext {
  readonly field: string
  readonly kind: LineKind
  readonly prices: TableColumn | undefined
  readonly isPriced: boolean
}

function createLines(found: unknown, body: Fields, making: OrderLineContext) {
  const { field, kind } = making
  const lines = (Array.isArray(found) ? (found as OrderLine[]) : []).filter((line) => kind.units(line) > 0)
  if (lines.length === 0) return { problems: [problem('order-value-missing', { field }, `${kind.none}.`)] }
  const problems: Problem[] = []
  const value = lines.map((line, index) => {
    const quantity = kind.units(line)
    const made = { variant: kind.item(line.variant ?? {}), quantity }
    if (!making.isPriced) return made
    const price = findPrice(line, making, body, lines.length === 1)
    if ('price' in price) return { ...made, net_price: price.price }
    problems.push(problem('price-unknown', { field: `${field}[${index}].net_price` }, price.why))
    return made
  })
  return problems.length > 0 ? { problems } : { value, problems }
}

/** Takes the price from the table, or from the total of a single line; there is no third source. */
function findPrice(line: OrderLine, { kind, prices }: OrderLineContext, body: Fields, isOnly: boolean) {
  const { brand_identifier: sku, identifier, upc } = line.variant ?? {}
  const names = [sku, identifier, upc].filter((name): name is string => typeof name === 'string')
  if (prices !== undefined) {
    const { table, column } = prices
    const row = names.map((name) => table.rows.get(normalizeKey(name))).find((each) => each !== undefined)
    const price = row?.[column]
    if (price !== undefined) return { price }
    return { why: `the table "${table.name}" has no price of ${names.join(' or ')}.` }
  }
  if (!isOnly) {
    const why = `the order has several lines shipped, and the total does not show the price of ${names[0]}.`
    return { why }
  }
  const units = kind.units(line)
  const { due_amount: due } = body
  const total = parseDecimal(typeof due === 'string' ? due : '')
  if (total === undefined || total.units % BigInt(units) !== 0n) {
    return { why: `the total ${String(due)} divided by ${units} units is no price in whole cents.` }
  }
  return { price: formatDecimal({ units: total.units / BigInt(units), scale: total.scale }) }
}
