/** Fixture data of the service: the parties of the configuration, the items and methods that its files name. */
import type { Route } from '../config/routes.ts'
import type { Draft } from '../domain/translator.ts'
import { sampleSeed } from '../service/sample-seed.ts'
import type { Seed, SeedCarrier, SeedParty, SeedVariant } from '../service/seed.ts'

export interface Fixture {
  readonly seed: Seed
  /** The first one trades where a route names no retailer. */
  readonly retailers: readonly [number, ...number[]]
  readonly brands: readonly [number, ...number[]]
  readonly catalogue: Catalogue
}

/** The contents of a route's files, which decide what the fixture needs. */
export interface FileContents {
  readonly party: Route['party']
  readonly drafts: readonly Draft[]
}

export function createFixture(routes: readonly Route[], wanted: readonly FileContents[]): Fixture {
  const sample = sampleSeed()
  const idsOf = (kind: 'retailer' | 'brand') => [
    ...new Set(routes.filter(({ party }) => party.kind === kind).map(({ party }) => party.id)),
  ]
  const retailers = fillIds(idsOf('retailer'), [1000])
  const brands = fillIds(idsOf('brand'), [2000, 2001])
  const catalogue = createCatalogue(brands, retailers[0])
  for (const { party, drafts } of wanted) {
    for (const draft of drafts) addFromDraft(catalogue, draft, party, brands)
  }
  const { genericMethods } = sample
  const partyOf = (kind: SeedParty['kind'], word: string) => (id: number) => {
    return { kind, id, name: `${word} ${id}`, code: `${word.toUpperCase()}${id}` }
  }
  const seed: Seed = {
    parties: [...retailers.map(partyOf('retailer', 'Retailer')), ...brands.map(partyOf('brand', 'Brand'))],
    ...(genericMethods && { genericMethods }),
    carriers: catalogue.carriers,
    connections: createConnections(retailers, brands, catalogue),
    variants: catalogue.items,
  }
  return { seed, retailers, brands, catalogue }
}

/** The used ids, filled up with free ids of the sample data. */
function fillIds(used: readonly number[], usual: readonly number[]): [number, ...number[]] {
  const free = usual.filter((id) => !used.includes(id))
  const missing = free.slice(Math.min(0, used.length - usual.length) || free.length)
  const [first = 1000, ...rest] = [...used, ...missing]
  return [first, ...rest]
}

function addFromDraft(
  catalogue: Catalogue,
  { body = {}, references }: Draft,
  party: Route['party'],
  brands: Fixture['brands'],
): void {
  const lines = ['order_lines', 'shipment_lines', 'invoice_lines', 'cancel_lines'].flatMap((field) =>
    listItemNames(body[field]),
  )
  const brand = party.kind === 'brand' ? party.id : undefined
  const keys = references.filter(({ kind }) => kind === 'variant').map(({ key }) => key)
  // A key is an SKU or a UPC; an item that is known by either exists already.
  const named = keys.map((key): ItemName =>
    catalogue.find({ upc: key }, brand) === undefined ? { identifier: key } : { upc: key },
  )
  const names = [...lines, ...named]
  if (party.kind === 'brand') for (const name of names) catalogue.addItem(name, party.id)
  else {
    // An order is for one brand: its new items belong to the brand of its known ones.
    const known = names.map((name) => catalogue.find(name)?.brandId).find((id) => id !== undefined)
    for (const name of names) catalogue.addItem(name, known ?? brands[0], party.id)
  }
  addMethodsFromBody(catalogue, body)
}

function addMethodsFromBody(catalogue: Catalogue, body: Readonly<Record<string, unknown>>): void {
  const method = body['shipping_method'] as
    { code?: unknown; carrier?: { code?: unknown } } | null | undefined
  const carrier = method?.carrier?.code
  if (typeof carrier === 'string' && typeof method?.code === 'string')
    catalogue.addMethod(carrier, method.code)
  const { carrier_id: carrierId, shipping_method_id: methodId } = body
  if (typeof carrierId === 'number' && typeof methodId === 'number')
    catalogue.addMethodById(carrierId, methodId)
}

/** The items that the lines of a body name. */
export function listItemNames(lines: unknown): ItemName[] {
  if (!Array.isArray(lines)) return []
  return (lines as readonly { variant?: ItemName }[]).flatMap(({ variant }) => (variant ? [variant] : []))
}

/** Every retailer trades with every brand by every method, with one account of every carrier. */
function createConnections(retailers: readonly number[], brands: readonly number[], { carriers }: Catalogue) {
  const shipping_method_ids = carriers.flatMap(({ methods }) => methods.map(({ id }) => id))
  let account = 500
  return retailers.flatMap((retailer_id, row) =>
    brands.map((brand_id, column) => ({
      id: 100 + row * brands.length + column,
      retailer_id,
      brand_id,
      level: 'Full' as const,
      status: 'Active' as const,
      fulfill_within_hours: 72,
      shipping_method_ids,
      accounts: carriers.map((carrier) => ({
        id: account++,
        nickname: `${carrier.name} account`,
        owner_type: 'retailer' as const,
        carrier_id: carrier.id,
        shipping_method_ids: carrier.methods.map(({ id }) => id),
      })),
    })),
  )
}

/** An item of the brand to fill an order with. */
export function pickItem({ catalogue }: Fixture, brand: number, number: number): SeedVariant | undefined {
  const own = catalogue.items.filter((item) => item.brandId === brand)
  return own[number % Math.max(1, own.length)]
}

// Items and shipping methods: the sample data, and what files name besides.

/** How a line of a body names its item. */
export interface ItemName {
  readonly id?: unknown
  readonly identifier?: unknown
  readonly brand_identifier?: unknown
  readonly upc?: unknown
}

type Catalogue = ReturnType<typeof createCatalogue>

/** The proof does not test stock and prices: there is enough of everything. */
const STOCK = 1_000_000

const FIRST_NEW_ID = 700_001

/** `brands` and `retailer` replace those of the sample data. */
function createCatalogue(brands: readonly number[], retailer: number) {
  const sample = sampleSeed()
  const sampleBrands = sample.parties.filter(({ kind }) => kind === 'brand').map(({ id }) => id)
  const brandOf = (id: number) => brands[sampleBrands.indexOf(id)] ?? brands[0] ?? id
  const items: SeedVariant[] = sample.variants.map((item) => ({
    ...item,
    brandId: brandOf(item.brandId),
    inventory: STOCK,
    retailerItems: item.retailerItems.map(({ identifier }) => ({ retailerId: retailer, identifier })),
  }))
  const carriers = sample.carriers.map((carrier) => ({ ...carrier, methods: [...carrier.methods] }))
  const find = createFinder(items)
  let lastId = FIRST_NEW_ID
  return {
    items,
    carriers,
    /** The item that a line names, of a brand where one is given. */
    find,
    /** Adds the item where it does not exist yet. */
    addItem(name: ItemName, brand: number, owner?: number) {
      if (find(name, brand) !== undefined || (owner !== undefined && find(name) !== undefined)) return
      const id = typeof name.id === 'number' ? name.id : lastId++
      items.push(createItem(name, id, brand))
    },
    addMethod(carrierCode: string, code: string) {
      const carrier =
        carriers.find((each) => each.code === carrierCode) ?? addCarrier(carriers, carrierCode, lastId++)
      if (carrier.methods.some((method) => method.code === code)) return
      carrier.methods.push({ id: lastId++, code, name: code })
    },
    addMethodById(carrierId: number, id: number) {
      const named = carriers.find((each) => each.id === carrierId)
      const carrier = named ?? addCarrier(carriers, `CARRIER-${carrierId}`, carrierId)
      if (carriers.some(({ methods }) => methods.some((method) => method.id === id))) return
      carrier.methods.push({ id, code: `METHOD-${id}`, name: `Method ${id}` })
    },
  }
}

/** Searches by the first of the given names only. */
function createFinder(items: readonly SeedVariant[]) {
  return ({ id, identifier, brand_identifier: own, upc }: ItemName, brand?: number) => {
    const ofBrand = (item: SeedVariant) => brand === undefined || item.brandId === brand
    const isCalled = (item: SeedVariant, name: unknown) =>
      item.brandIdentifier === name || item.retailerItems.some((each) => each.identifier === name)
    const by = (isIt: (item: SeedVariant) => boolean) => items.find((item) => ofBrand(item) && isIt(item))
    if (id !== undefined && id !== null) return by((item) => item.id === id)
    if (typeof identifier === 'string') return by((item) => isCalled(item, identifier))
    if (typeof upc === 'string') {
      const found = by((item) => item.upc === upc)
      if (found !== undefined) return found
    }
    return typeof own === 'string' ? by((item) => item.brandIdentifier === own) : undefined
  }
}

function createItem(name: ItemName, id: number, brand: number): SeedVariant {
  const called = [name.brand_identifier, name.identifier].find((each) => typeof each === 'string')
  return {
    id,
    brandId: brand,
    brandIdentifier: typeof called === 'string' ? called : `ITEM-${id}`,
    retailerItems: [],
    upc: typeof name.upc === 'string' ? name.upc : null,
    name: `Item ${id}`,
    description: null,
    size: null,
    color: null,
    leadTimeDays: 0,
    inventory: STOCK,
  }
}

type NewCarrier = Omit<SeedCarrier, 'methods'> & { readonly methods: SeedCarrier['methods'][number][] }

function addCarrier(carriers: NewCarrier[], code: string, id: number): NewCarrier {
  const carrier = { id, name: code, code, methods: [] }
  carriers.push(carrier)
  return carrier
}
