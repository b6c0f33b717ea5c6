import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../src/service/store/store.ts'
import { createSwitches } from '../../src/service/switches.ts'
import { createTradeDirectory } from '../../src/service/trade/directory.ts'
import { seedIfEmpty } from '../../src/service/seed.ts'
import { offerAllVariants, offerToRetailers } from '../../src/service/variants/columns.ts'
import { setStock } from '../../src/service/variants/changes.ts'
import { readBrandVariants, readRetailerVariants } from '../../src/service/variants/views.ts'
import { NOW, seedWithCredentials } from './market.ts'
import {
  addVariant,
  attributes,
  BRAND_VARIANTS,
  entries,
  openBazaar,
  RETAILER_VARIANTS,
} from './variant-samples.ts'

const ITEM = {
  name: 'Aurora Lamp',
  description: 'A lamp for the floor.',
  upc: '086000100011',
  parent_identifier: 'AURORA',
  parent_name: 'Aurora',
  size: 'M',
  color: 'Rust',
  inventory: 12,
  lead_time: 2,
  msrp: '40.00',
  image_2: 'https://images.example.com/back.jpg',
  image_1: 'https://images.example.com/front.jpg',
}

const NORTHLIGHT = { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' }

const MEDIA = [
  { media: 'a8b99aeac846cb3ca4b3707caa84a718', priority: 1, url: 'https://images.example.com/front.jpg' },
  { media: 'dcab1dfc497a627f317118fc93b523af', priority: 2, url: 'https://images.example.com/back.jpg' },
]

const INVENTORY = {
  inventory: 12,
  inventory_updated_at: '2026-11-21T02:15:00.000Z',
  sellable: 'Yes',
  sellable_updated_at: '2026-11-21T02:15:00.000Z',
  locations: [],
}

const fieldsOf = (id: number) => ({
  id,
  brand: NORTHLIGHT,
  name: 'Aurora Lamp',
  identifier: 'LAMP-1',
  upc: '086000100011',
  parent_identifier: 'AURORA',
  parent_name: 'Aurora',
  color: 'Rust',
  size: 'M',
  inventory: INVENTORY,
  media: MEDIA,
})

/** In the order in which they are shown. */
const SHOWN = [
  ['identifier', 'LAMP-1'],
  ['name', 'Aurora Lamp'],
  ['description', 'A lamp for the floor.'],
  ['upc', '086000100011'],
  ['parent_identifier', 'AURORA'],
  ['parent_name', 'Aurora'],
  ['size', 'M'],
  ['color', 'Rust'],
  ['msrp', '40.00'],
  ['inventory', '12'],
  ['lead_time', '2'],
  ['cartons', '1'],
  ['image_1', 'https://images.example.com/front.jpg'],
  ['image_2', 'https://images.example.com/back.jpg'],
]

const COST = {
  id: 20,
  code: 'cost',
  name: 'Cost',
  grouping: 'Pricing',
  description: 'What a retailer pays for one.',
  type: 'money',
  units: 'USD',
}

describe('an item', () => {
  it('is shown to its brand with the attributes by their code', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1', ITEM)
    const { body } = await market.brand.get(`${BRAND_VARIANTS}${id}/`)
    const { attributes: shown, ...fields } = body
    expect(fields).toEqual(fieldsOf(id))
    expect(
      Object.entries<{ values: { value: string }[] }>(shown).map(([code, { values }]) => [code, values]),
    ).toEqual(SHOWN.map(([code, value]) => [code, [{ id: 1, value }]]))
    expect(shown.size).toEqual({
      id: 7,
      code: 'size',
      name: 'Size',
      grouping: 'General',
      description: 'The size of the item.',
      type: 'text',
      units: null,
      values: [{ id: 1, value: 'M' }],
    })
  })

  it('is shown to a retailer with the attributes as an array', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1', ITEM)
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, {
      attributes: [...entries({ cost: 10 }), ...entries({ retailer_sku: 'HV-1' }, 1000)],
    })
    const { body } = await market.retailer.get(`${RETAILER_VARIANTS}${id}/`)
    const { attributes: shown, ...fields } = body
    expect(fields).toEqual({ ...fieldsOf(id), is_acknowledged: false, acknowledged_at: null })
    expect(shown.map((one: { code: string; values: { value: string }[] }) => [one.code, one.values])).toEqual(
      [
        ...SHOWN.slice(0, 8),
        ['cost', '10.00'],
        ...SHOWN.slice(8, 12),
        ['retailer_sku', 'HV-1'],
        ...SHOWN.slice(12),
      ].map(([code, value]) => [code, [{ id: 1, value }]]),
    )
    expect(shown[8]).toEqual({ ...COST, values: [{ id: 1, value: '10.00' }] })
  })

  it('in a list looks as it does alone, and several keep their values apart', async () => {
    const market = await openBazaar()
    const lamp = await addVariant(market, 'LAMP-1', { ...ITEM, material: 'Oak' })
    const vase = await addVariant(market, 'VASE-1', {
      name: 'Vase',
      image_1: 'https://images.example.com/vase.jpg',
    })
    for (const [caller, list] of [
      [market.brand, BRAND_VARIANTS],
      [market.retailer, RETAILER_VARIANTS],
    ] as const) {
      const { body } = await caller.get(list)
      const alone = [await caller.get(`${list}${lamp}/`), await caller.get(`${list}${vase}/`)]
      expect(body.results).toEqual(alone.map((one) => one.body))
    }
  })
})

function contextOf(store: Store) {
  const clock = { now: () => NOW, sleep: async () => undefined }
  return { store, directory: createTradeDirectory(store), clock, switches: createSwitches() }
}

describe('stock by warehouse', () => {
  function openCatalogue() {
    const store = openStore(':memory:')
    seedIfEmpty(store, seedWithCredentials(), { now: () => NOW, sleep: async () => undefined })
    const context = contextOf(store)
    return { store, inventoryOf: (id: number) => readBrandVariants(context, [id], false)[0]!.inventory }
  }

  it('is shown with its sum, and a warehouse that is left out is gone', () => {
    const { store, inventoryOf } = openCatalogue()
    const first = [
      { code: 'WEST', inventory: 4 },
      { code: 'EAST', inventory: 3 },
    ]
    expect(setStock(store, 9001, first, NOW)).toBeUndefined()
    expect(inventoryOf(9001)).toMatchObject({
      inventory: 7,
      locations: [
        { code: 'EAST', inventory: 3, inventory_updated_at: '2026-11-21T02:15:00.000Z' },
        { code: 'WEST', inventory: 4, inventory_updated_at: '2026-11-21T02:15:00.000Z' },
      ],
    })
    expect(setStock(store, 9001, [{ code: 'EAST', inventory: 5 }], NOW + 1000)).toBeUndefined()
    expect(inventoryOf(9001)).toMatchObject({
      inventory: 5,
      inventory_updated_at: '2026-11-21T02:15:01.000Z',
      locations: [{ code: 'EAST', inventory: 5, inventory_updated_at: '2026-11-21T02:15:01.000Z' }],
    })
  })

  it('that names a warehouse twice, or is more than can be shown, changes nothing', () => {
    const { store, inventoryOf } = openCatalogue()
    const before = inventoryOf(9001)
    const twice = [
      { code: 'EAST', inventory: 1 },
      { code: 'EAST', inventory: 2 },
    ]
    expect(setStock(store, 9001, twice, NOW + 1000)).toBe('A warehouse is given more than once.')
    const much = [
      { code: 'EAST', inventory: 2_147_483_647 },
      { code: 'WEST', inventory: 1 },
    ]
    expect(setStock(store, 9001, much, NOW + 1000)).toBe('The warehouses hold more than 2147483647 together.')
    expect(inventoryOf(9001)).toEqual(before)
  })

  it('gives way to an inventory that is given as one number', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    const stocked = await market.admin.patch(`/admin/variants/${id}/stock/`, {
      locations: [{ code: 'EAST', inventory: 9 }],
    })
    expect(stocked.body.inventory).toMatchObject({
      inventory: 9,
      locations: [{ code: 'EAST', inventory: 9 }],
    })
    const { body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ inventory: 3 }))
    expect(body.inventory).toMatchObject({ inventory: 3, locations: [] })
  })
})

describe('the items of a connection that becomes open', () => {
  it('are all offered, and what was offered before keeps its SKU and acknowledgement', () => {
    const store = openStore(':memory:')
    const seed = seedWithCredentials()
    const [first, ...others] = seed.connections
    const fresh = { id: 1001, kind: 'retailer', name: 'Fern Row', code: 'FERNROW' } as const
    seedIfEmpty(
      store,
      {
        ...seed,
        parties: [...seed.parties, fresh],
        connections: [{ ...first!, status: 'Pending' }, ...others],
        variants: seed.variants.slice(0, 3),
      },
      { now: () => NOW, sleep: async () => undefined },
    )
    const context = contextOf(store)
    const ids = [9001, 9002, 9003]
    const skus = () =>
      readRetailerVariants(context, ids, 1000).map(({ id, attributes: all }) => [
        id,
        all.find(({ code }) => code === 'retailer_sku')?.values[0]?.value,
      ])
    expect(skus()).toEqual([[9002, 'HV-10001']])
    offerAllVariants(store, 2000, 1000)
    expect(skus()).toEqual([
      [9001, undefined],
      [9002, 'HV-10001'],
      [9003, undefined],
    ])
    offerToRetailers(store, 9001, [1001, 1000])
    expect(readRetailerVariants(context, ids, 1001).map(({ id }) => id)).toEqual([9001])
  })
})
