/** Lines of a record that are made of those of its order, for files that have none of their own. */
import { z } from 'zod'
import { ORDER_LINES } from '../../contract/order-values.ts'
import { type Place, type Problem, problem } from '../../domain/problem.ts'
import type { TakenValue } from '../../domain/translator.ts'
import { formatDecimal, parseDecimal } from '../../support/decimal.ts'
import { checkPart } from '../source/check.ts'
import { nodeAt, type SourceNode } from '../source/source.ts'
import { findTable, type Table, tableKey } from '../tables.ts'
import { converterFor } from '../values/convert.ts'
import type { LeafContext } from './leaf.ts'
import { compileDates } from './leaf-dates.ts'
import { convertNow } from './leaf-values.ts'
import type { LeafPlan } from './plan.ts'

export const OrderLinesFrame = z.strictObject({
  order: z.literal(ORDER_LINES, { error: `expected ${ORDER_LINES}` }),
  net_price: z
    .strictObject({ table: z.string().min(1), pick: z.string().min(1).optional() })
    .optional()
    .describe('The table with the price of each SKU; not needed for orders of one line.'),
})

type OrderLine = Readonly<Record<string, unknown>> & {
  readonly variant?: Readonly<Record<string, unknown>> | null
}

interface LineKind {
  /** How many units of the order's line it takes; lines without any are left out. */
  readonly units: (line: OrderLine) => number
  readonly item: (variant: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** What is missing where no line has units. */
  readonly none: string
}

const count = (line: OrderLine, field: string) => (typeof line[field] === 'number' ? line[field] : 0)
const open = (line: OrderLine) =>
  count(line, 'quantity') - count(line, 'quantity_shipped') - count(line, 'quantity_canceled')
const byId = ({ id }: Readonly<Record<string, unknown>>) => ({ id })

/** By the list of the body that is filled. */
const LINE_KINDS: Readonly<Record<string, LineKind>> = {
  invoice_lines: {
    units: (line) => count(line, 'quantity_shipped'),
    item: byId,
    none: 'nothing of the order is shipped',
  },
  shipment_lines: {
    units: open,
    item: ({ brand_identifier, upc }) =>
      typeof brand_identifier === 'string' ? { brand_identifier } : { upc },
    none: 'nothing of the order is left to be shipped',
  },
  cancel_lines: { units: open, item: byId, none: 'nothing of the order is left to be canceled' },
}

export function takesOrderLines(node: SourceNode): boolean {
  return node.kind === 'map' && node.entries.has('order')
}

/** A leaf that gives the whole list; undefined after its mistakes were noted. */
export function compileOrderLines(
  node: SourceNode,
  { field, required }: { readonly field: string; readonly required: boolean },
  context: LeafContext,
): LeafPlan | undefined {
  const { mistakes, noOrder } = context
  const frame = checkPart(OrderLinesFrame, node, mistakes)
  const kind = LINE_KINDS[field]
  if (frame === undefined || kind === undefined) return undefined
  if (noOrder !== undefined) {
    mistakes.add(nodeAt(node, ['order']), noOrder)
    return undefined
  }
  const isPriced = field === 'invoice_lines'
  const { net_price: price } = frame
  if (price !== undefined && !isPriced) mistakes.add(nodeAt(node, ['net_price']), 'only invoices have prices')
  const prices = price && compilePrices(nodeAt(node, ['net_price']), price, context)
  if (price !== undefined && prices === undefined) return undefined
  const lines = (found: unknown, body: Readonly<Record<string, unknown>>) =>
    takeLines(found, body, { field, kind, prices, isPriced })
  return {
    kind: 'leaf',
    field,
    perRow: false,
    alternatives: [],
    origins: [],
    blanks: new Set(),
    convert: () => undefined,
    steps: {
      gathering: '',
      texts: [],
      value: { does: '', isAsked: false, convert: () => undefined },
      fallback: '',
    },
    required,
    columnRequired: false,
    awaits: { from: 'order', name: ORDER_LINES, lines },
  }
}

interface Prices {
  readonly table: Table
  readonly column: string
}

/** Every price of the table is held to the form of a price, so that a wrong one is a mistake of the mapping. */
function compilePrices(
  node: SourceNode,
  price: { readonly table: string; readonly pick?: string | undefined },
  { tables, mistakes }: LeafContext,
): Prices | undefined {
  const found = findTable(tables, price, (option, message) => mistakes.add(nodeAt(node, [option]), message))
  if (found === undefined) return undefined
  const money = converterFor({ kind: 'money', wholeDigits: 8 }, compileDates(node, {}, mistakes, 'read'))
  const prices = new Map<string, Readonly<Record<string, string>>>()
  for (const [key, row] of found.table.rows) {
    const { value, refused } = convertNow(money, row[found.column] ?? '')
    if (refused !== undefined) mistakes.add(node, `the table "${price.table}" says for "${key}": ${refused}`)
    else prices.set(key, { [found.column]: String(value) })
  }
  return { table: { ...found.table, rows: prices }, column: found.column }
}

interface Making {
  readonly field: string
  readonly kind: LineKind
  readonly prices: Prices | undefined
  readonly isPriced: boolean
}

function takeLines(found: unknown, body: Readonly<Record<string, unknown>>, making: Making): TakenValue {
  const { field, kind } = making
  const lines = (Array.isArray(found) ? (found as OrderLine[]) : []).filter((line) => kind.units(line) > 0)
  if (lines.length === 0) return { problems: [problem('order-value-missing', { field }, `${kind.none}.`)] }
  const problems: Problem[] = []
  const value = lines.map((line, index) => {
    const quantity = kind.units(line)
    const made = { variant: kind.item(line.variant ?? {}), quantity }
    if (!making.isPriced) return made
    const price = priceOf(line, { making, body, isOnly: lines.length === 1 })
    if ('price' in price) return { ...made, net_price: price.price }
    const place: Place = { field: `${field}[${index}].net_price` }
    problems.push(problem('price-unknown', place, price.why))
    return made
  })
  return problems.length > 0 ? { problems } : { value, problems }
}

/** From the table, or from the total where there is but one line; never from anywhere else. */
function priceOf(
  line: OrderLine,
  {
    making: { kind, prices },
    body,
    isOnly,
  }: { making: Making; body: Readonly<Record<string, unknown>>; isOnly: boolean },
): { readonly price: string } | { readonly why: string } {
  const { brand_identifier: sku, identifier, upc } = line.variant ?? {}
  const names = [sku, identifier, upc].filter((name): name is string => typeof name === 'string')
  if (prices !== undefined) {
    const { table, column } = prices
    const row = names.map((name) => table.rows.get(tableKey(name))).find((each) => each !== undefined)
    const price = row?.[column]
    return price === undefined
      ? { why: `the table "${table.name}" has no price of ${names.join(' or ')}.` }
      : { price }
  }
  if (!isOnly)
    return {
      why: `the order has several lines shipped, and the total does not tell the price of ${names[0]}.`,
    }
  const units = kind.units(line)
  const total = parseDecimal(typeof body['due_amount'] === 'string' ? body['due_amount'] : '')
  if (total === undefined || total.units % BigInt(units) !== 0n) {
    return {
      why: `the total ${String(body['due_amount'])} divided by ${units} units is no price in whole cents.`,
    }
  }
  return { price: formatDecimal({ units: total.units / BigInt(units), scale: total.scale }) }
}
