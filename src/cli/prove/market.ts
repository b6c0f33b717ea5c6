/** The market in which routes are proven: the parties of the configuration, and everything their files name. */
import type { Route } from '../../config/routes.ts'
import type { Draft } from '../../domain/translator.ts'
import { sampleSeed } from '../../service/sample-seed.ts'
import type { Seed, SeedConnection, SeedParty, SeedVariant } from '../../service/seed.ts'
import { type Catalogue, type ItemName, openCatalogue } from './catalogue.ts'

export interface Market {
  readonly seed: Seed
  /** The first is the one that trades where a route does not say with whom. */
  readonly retailers: readonly [number, ...number[]]
  readonly brands: readonly [number, ...number[]]
  readonly catalogue: Catalogue
}

/** What a route's files say, by which the market is furnished. */
export interface Wanted {
  readonly party: Route['party']
  readonly drafts: readonly Draft[]
}

export function marketFor(routes: readonly Route[], wanted: readonly Wanted[]): Market {
  const sample = sampleSeed()
  const idsOf = (kind: 'retailer' | 'brand') => [
    ...new Set(routes.filter(({ party }) => party.kind === kind).map(({ party }) => party.id)),
  ]
  const retailers = atLeast(idsOf('retailer'), [1000])
  const brands = atLeast(idsOf('brand'), [2000, 2001])
  const catalogue = openCatalogue(brands, retailers[0])
  for (const { party, drafts } of wanted) {
    for (const draft of drafts) furnish(catalogue, draft, { party, brands, retailers })
  }
  const seed: Seed = {
    parties: [
      ...retailers.map((id): SeedParty => ({
        kind: 'retailer',
        id,
        name: `Retailer ${id}`,
        code: `RETAILER${id}`,
      })),
      ...brands.map((id): SeedParty => ({ kind: 'brand', id, name: `Brand ${id}`, code: `BRAND${id}` })),
    ],
    ...(sample.genericMethods === undefined ? {} : { genericMethods: sample.genericMethods }),
    carriers: catalogue.carriers,
    connections: connectionsOf(retailers, brands, catalogue),
    variants: catalogue.items,
  }
  return { seed, retailers, brands, catalogue }
}

/** The ids that are used, filled up with those of the sample market that are free. */
function atLeast(used: readonly number[], usual: readonly number[]): [number, ...number[]] {
  const free = usual.filter((id) => !used.includes(id))
  const [first = 1000, ...rest] = [
    ...used,
    ...free.slice(Math.min(0, used.length - usual.length) || free.length),
  ]
  return [first, ...rest]
}

interface Trading {
  readonly party: Route['party']
  readonly brands: Market['brands']
  readonly retailers: Market['retailers']
}

function furnish(catalogue: Catalogue, { body = {}, references }: Draft, { party, brands }: Trading): void {
  const lines = ['order_lines', 'shipment_lines', 'invoice_lines', 'cancel_lines'].flatMap((field) =>
    namesIn(body[field]),
  )
  const brand = party.kind === 'brand' ? party.id : undefined
  const keys = references.filter(({ kind }) => kind === 'variant').map(({ key }) => key)
  // A key is an SKU or a UPC; what is known by either is there.
  const named = keys.map((key): ItemName =>
    catalogue.find({ upc: key }, brand) === undefined ? { identifier: key } : { upc: key },
  )
  const names = [...lines, ...named]
  if (party.kind === 'brand') for (const name of names) catalogue.want(name, party.id, undefined)
  else {
    // An order is for one brand: its new items are of the brand whose others are in it.
    const known = names.map((name) => catalogue.find(name)?.brandId).find((id) => id !== undefined)
    for (const name of names) catalogue.want(name, known ?? brands[0], party.id)
  }
  furnishMethods(catalogue, body)
}

function furnishMethods(catalogue: Catalogue, body: Readonly<Record<string, unknown>>): void {
  const method = body['shipping_method'] as
    { code?: unknown; carrier?: { code?: unknown } } | null | undefined
  const carrier = method?.carrier?.code
  if (typeof carrier === 'string' && typeof method?.code === 'string')
    catalogue.wantMethod(carrier, method.code)
  const { carrier_id: carrierId, shipping_method_id: methodId } = body
  if (typeof carrierId === 'number' && typeof methodId === 'number')
    catalogue.wantMethodId(carrierId, methodId)
}

/** The items that the lines of a body name. */
export function namesIn(lines: unknown): ItemName[] {
  if (!Array.isArray(lines)) return []
  return (lines as readonly { variant?: ItemName }[]).flatMap(({ variant }) => (variant ? [variant] : []))
}

/** Everybody trades with everybody by every method, with one account of every carrier. */
function connectionsOf(
  retailers: readonly number[],
  brands: readonly number[],
  { carriers }: Catalogue,
): SeedConnection[] {
  const methodIds = carriers.flatMap(({ methods }) => methods.map(({ id }) => id))
  let account = 500
  return retailers.flatMap((retailerId, row) =>
    brands.map((brandId, column) => ({
      id: 100 + row * brands.length + column,
      retailerId,
      brandId,
      level: 'Full' as const,
      status: 'Active' as const,
      fulfillWithinHours: 72,
      methodIds,
      accounts: carriers.map((carrier) => ({
        id: account++,
        nickname: `${carrier.name} account`,
        ownerType: 'retailer' as const,
        carrierId: carrier.id,
        methodIds: carrier.methods.map(({ id }) => id),
      })),
    })),
  )
}

/** An item of the brand to fill an order with. */
export function anyItem({ catalogue }: Market, brand: number, number: number): SeedVariant | undefined {
  const own = catalogue.items.filter((item) => item.brandId === brand)
  return own[number % Math.max(1, own.length)]
}
