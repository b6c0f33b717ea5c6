/** The items and ways of shipping of the market in which routes are proven: the sample market's, and what files name besides. */
import { sampleSeed } from '../../service/sample-seed.ts'
import type { SeedCarrier, SeedVariant } from '../../service/seed.ts'

/** How a line of a body names its item. */
export interface ItemName {
  readonly id?: unknown
  readonly identifier?: unknown
  readonly brand_identifier?: unknown
  readonly upc?: unknown
}

export interface Catalogue {
  readonly items: readonly SeedVariant[]
  readonly carriers: readonly SeedCarrier[]
  /** The item that a line names, of a brand where one is told. */
  readonly find: (name: ItemName, brand?: number) => SeedVariant | undefined
  /** Takes the item into the market where it is not there yet. */
  readonly want: (name: ItemName, brand: number, retailer: number | undefined) => void
  readonly wantMethod: (carrier: string, method: string) => void
  readonly wantMethodId: (carrier: number, method: number) => void
}

/** Stock and prices are not what is proven: there is enough of everything. */
const PLENTY = 1_000_000
const FIRST_NEW_ID = 700_001

/** `brands` and `retailer` take the places of those of the sample market. */
export function openCatalogue(brands: readonly number[], retailer: number): Catalogue {
  const sample = sampleSeed()
  const sampleBrands = sample.parties.filter(({ kind }) => kind === 'brand').map(({ id }) => id)
  const brandOf = (id: number) => brands[sampleBrands.indexOf(id)] ?? brands[0] ?? id
  const items: SeedVariant[] = sample.variants.map((item) => ({
    ...item,
    brandId: brandOf(item.brandId),
    inventory: PLENTY,
    retailerItems: item.retailerItems.map(({ identifier }) => ({ retailerId: retailer, identifier })),
  }))
  const carriers = sample.carriers.map((carrier) => ({ ...carrier, methods: [...carrier.methods] }))
  const find = finder(items)
  let lastId = FIRST_NEW_ID
  return {
    items,
    carriers,
    find,
    want(name, brand, owner) {
      if (find(name, brand) !== undefined || (owner !== undefined && find(name) !== undefined)) return
      const id = typeof name.id === 'number' ? name.id : lastId++
      items.push(newItem(name, { id, brand }))
    },
    wantMethod(carrierCode, code) {
      const carrier =
        carriers.find((each) => each.code === carrierCode) ?? newCarrier(carriers, carrierCode, lastId++)
      if (carrier.methods.some((method) => method.code === code)) return
      carrier.methods.push({ id: lastId++, code, name: code })
    },
    wantMethodId(carrierId, id) {
      const named = carriers.find((each) => each.id === carrierId)
      const carrier = named ?? newCarrier(carriers, `CARRIER-${carrierId}`, carrierId)
      if (carriers.some(({ methods }) => methods.some((method) => method.id === id))) return
      carrier.methods.push({ id, code: `METHOD-${id}`, name: `Method ${id}` })
    },
  }
}

/** By the first of the names that is given: what follows it does not count. */
function finder(items: readonly SeedVariant[]): Catalogue['find'] {
  return ({ id, identifier, brand_identifier: own, upc }, brand) => {
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

function newItem(
  name: ItemName,
  { id, brand }: { readonly id: number; readonly brand: number },
): SeedVariant {
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
    inventory: PLENTY,
  }
}

function newCarrier(
  carriers: { id: number; name: string; code: string; methods: SeedCarrier['methods'][number][] }[],
  code: string,
  id: number,
) {
  const carrier = { id, name: code, code, methods: [] as SeedCarrier['methods'][number][] }
  carriers.push(carrier)
  return carrier
}
