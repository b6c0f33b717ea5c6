/** Sets the stage for a file: the orders, shipments and invoices that its records speak of. */
import type { InboundRoute } from '../../config/routes.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Draft } from '../../domain/translator.ts'
import type { SeedVariant } from '../../service/seed.ts'
import { anyItem, type Market, namesIn } from './market.ts'
import type { StagedOrder, Staging } from './staging.ts'

/** The drafts that one step of a route makes of a file. */
export interface StepDrafts {
  readonly operation: InboundOperationName
  readonly drafts: readonly Draft[]
}

interface Need {
  readonly purchaseOrder: string
  readonly lines: Map<SeedVariant, number>
  isShipped: boolean
  tracking?: string
  invoice?: string
}

/** How many orders are placed at once. */
const AT_ONCE = 8

export async function setInboundStage(
  parts: { readonly staging: Staging; readonly market: Market },
  route: InboundRoute,
  steps: readonly StepDrafts[],
): Promise<void> {
  const needs = [...needsOf(parts.market, route, steps).values()]
  for (let start = 0; start < needs.length; start += AT_ONCE) {
    await Promise.all(needs.slice(start, start + AT_ONCE).map((need) => fulfil(parts, route, need)))
  }
}

function needsOf(market: Market, route: InboundRoute, steps: readonly StepDrafts[]): Map<string, Need> {
  const needs = new Map<string, Need>()
  const [first] = steps
  for (const { operation, drafts } of steps) {
    const isFirst = operation === first?.operation
    for (const draft of drafts) {
      const named = namedBy(operation, draft)
      if (draft.problems.length > 0 || named === undefined) continue
      const need = needs.get(named.purchaseOrder) ?? { ...named, lines: new Map<SeedVariant, number>() }
      needs.set(named.purchaseOrder, need)
      // What a later step says of an order has been said by the first.
      if (isFirst) addLines(market, need, { route, draft, roomFor: roomIn(operation, route) })
    }
  }
  return needs
}

/** What must have become of the order that a record speaks of; those that are not here need none. */
const NEEDS: Partial<Record<InboundOperationName, 'placed' | 'shipped'>> = {
  'create-shipment': 'placed',
  'create-cancel': 'placed',
  'acknowledge-order': 'placed',
  'close-order': 'placed',
  'reopen-order': 'shipped',
  'create-invoice': 'shipped',
  'acknowledge-shipment': 'shipped',
  'acknowledge-invoice': 'shipped',
}

/** Undefined where a record needs no order, or does not say which. */
function namedBy(
  operation: InboundOperationName,
  { body = {}, references }: Draft,
): Omit<Need, 'lines'> | undefined {
  const needed = NEEDS[operation]
  if (needed === undefined) return undefined
  const isShipped = needed === 'shipped'
  const keyOf = (kind: string) => references.find((reference) => reference.kind === kind)?.key
  const [tracking, invoice] = [keyOf('shipment'), keyOf('invoice')]
  if (tracking !== undefined) return { purchaseOrder: ownNumber('S', tracking), isShipped, tracking }
  if (invoice !== undefined) return { purchaseOrder: ownNumber('I', invoice), isShipped, invoice }
  const written = body['purchase_order_number']
  const purchaseOrder = keyOf('order') ?? (typeof written === 'string' ? written : undefined)
  return purchaseOrder === undefined ? undefined : { purchaseOrder, isShipped }
}

/** For an order that the file does not name; no longer than a purchase order number may be. */
function ownNumber(letter: string, key: string): string {
  return `${letter}${key.slice(-31)}`
}

/** There is room for as much again, so that a second parcel would be taken; but where the order must be whole. */
function roomIn(operation: InboundOperationName, { next, when }: InboundRoute): number {
  const mustBeWhole = operation === 'create-invoice' || next !== undefined || when !== undefined
  return mustBeWhole ? 1 : 2
}

interface Adding {
  readonly route: InboundRoute
  readonly draft: Draft
  readonly roomFor: number
}

function addLines({ catalogue }: Market, need: Need, { route, draft, roomFor }: Adding): void {
  const { body = {} } = draft
  const brand = route.party.kind === 'brand' ? route.party.id : undefined
  const lines = ['shipment_lines', 'invoice_lines', 'cancel_lines']
    .map((field) => body[field])
    .find(Array.isArray)
  if (lines === undefined) return
  for (const [index, name] of namesIn(lines).entries()) {
    const item = catalogue.find(name, brand)
    const { quantity } = (lines as readonly { quantity?: unknown }[])[index] ?? {}
    if (item !== undefined)
      need.lines.set(item, (need.lines.get(item) ?? 0) + Number(quantity ?? 1) * roomFor)
  }
}

async function fulfil(
  { staging, market }: { readonly staging: Staging; readonly market: Market },
  { party }: InboundRoute,
  need: Need,
): Promise<void> {
  const [retailer] = market.retailers
  const brand = party.kind === 'brand' ? party.id : (brandOf(need) ?? market.brands[0])
  const usual = anyItem(market, brand, 0)
  if (need.lines.size === 0 && usual !== undefined) need.lines.set(usual, 2)
  const order: StagedOrder = await staging.placeOrder({
    purchaseOrder: need.purchaseOrder,
    retailer: party.kind === 'retailer' ? party.id : retailer,
    brand,
    lines: [...need.lines].map(([item, quantity]) => ({ item, quantity })),
  })
  if (need.isShipped) await staging.ship(order, need.tracking ?? `T${need.purchaseOrder}`)
  if (need.invoice !== undefined) await staging.invoice(order, need.invoice)
}

function brandOf({ lines }: Need): number | undefined {
  const [first] = lines.keys()
  return first?.brandId
}
