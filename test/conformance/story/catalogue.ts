/** Items, full and bare, and the terms of trade. */
import { hash } from 'node:crypto'
import { attributesBody, done, ordered, type World } from '../world.ts'
import { BRAND, FEDEX, FEDEX_METHODS, inBoth, type Sample, tick, type Expected } from './expected.ts'

const FIELDS = {
  name: 'Throw',
  upc: '086000999999',
  parent_identifier: 'THROWS',
  parent_name: 'Throws and Blankets',
  color: 'Rust Red',
  size: 'King',
}

const IMAGES = ['https://images.example.com/throw.jpg', 'https://images.example.com/detail.jpg'] as const

const MEDIA = IMAGES.map((url, index) => ({ media: hash('md5', url), priority: index + 1, url }))

/** Items, and an order of them: lines show the values that an item had when the order is read. */
export async function makeCatalogue(world: World): Promise<Sample[]> {
  const { brand, retailer, admin } = world
  const created = tick(world)
  const identifier = 'NL-FULL'
  const { id } = await done(
    brand.post('variants/', attributesBody({ identifier, description: 'Warm.', ...FIELDS })),
  )
  const { id: bare } = await done(brand.post('variants/', attributesBody({ identifier: 'NL-BARE' })))
  tick(world)
  const [image_1, image_2] = IMAGES
  await done(brand.patch(`variants/${id}/`, attributesBody({ cost: '12.50', image_1, image_2 })))
  const counted = tick(world)
  const locations = [
    { code: 'NEWARK', inventory: 5 },
    { code: 'RENO', inventory: 2 },
  ]
  await done(admin.patch(`variants/${id}/stock/`, { locations }))
  tick(world)
  await done(retailer.put(`variants/${id}/acknowledge/`))
  const line = { quantity: 1, net_price: '7.87', price: '16.73' }
  const order_lines = [id, bare].map((one) => ({ ...line, variant: { id: one } }))
  const order = await ordered(world, { order_lines })
  return [
    ...inBoth('order', `orders/${order.id}/`, { order_lines: expectedLines(id, bare) }),
    ...inBoth('variant', `variants/${id}/`, {
      id,
      identifier,
      ...FIELDS,
      ...EXPECTED_VARIANT,
      inventory: {
        inventory: 7,
        inventory_updated_at: counted,
        sellable: 'Yes',
        sellable_updated_at: created,
        locations: locations.map((one) => ({ ...one, inventory_updated_at: counted })),
      },
    }),
    ...inBoth('variant', `variants/${bare}/`, {
      ...NOTHING,
      identifier: 'NL-BARE',
      inventory: { inventory: 0, inventory_updated_at: null, sellable_updated_at: created, locations: [] },
      is_acknowledged: false,
    }),
  ]
}

const NOTHING = {
  name: null,
  upc: null,
  parent_identifier: null,
  parent_name: null,
  color: null,
  size: null,
  media: [],
}

function expectedLines(id: number, bare: number): Expected[] {
  const { name, upc, size, color } = FIELDS
  const full = { name, upc, size, color, description: 'Warm.', media: MEDIA }
  const empty = { name: null, upc: null, size: null, color: null, description: null, media: [] }
  return [
    { variant: { id, identifier: 'NL-FULL', brand_identifier: 'NL-FULL', ...full } },
    { variant: { id: bare, identifier: 'NL-BARE', brand_identifier: 'NL-BARE', ...empty } },
  ]
}

const EXPECTED_VARIANT = {
  brand: { id: BRAND.id, name: BRAND.name },
  media: MEDIA,
  is_acknowledged: true,
  attributes: {
    name: {
      id: 2,
      code: 'name',
      name: 'Name',
      grouping: 'General',
      description: 'The name of the item.',
      type: 'text',
      units: null,
      values: [{ id: 1, value: 'Throw' }],
    },
    cost: {
      id: 20,
      code: 'cost',
      name: 'Cost',
      grouping: 'Pricing',
      description: 'What a retailer pays for one.',
      type: 'money',
      units: 'USD',
      values: [{ id: 1, value: '12.50' }],
    },
  },
}

/** Adds a carrier with a method that has only a name and code to those of the market. */
export async function makeTerms({ admin }: World): Promise<Sample[]> {
  const plain = { name: 'Bicycle', code: 'BIKE' }
  const { id, shipping_methods } = await done(
    admin.post('carriers/', { name: 'Messenger', code: 'MSGR', shipping_methods: [plain] }),
  )
  const bicycle = shipping_methods[0].id
  const terms = { message: 'Ask for Jo.', level: 'Basic', status: 'Pending' }
  await done(admin.patch('connections/101/', { ...terms, shipping_method_ids: [5, bicycle] }))
  const messenger = { id, name: 'Messenger', code: 'MSGR' }
  const carried = { id: bicycle, ...plain, type: null, generic_shipping_method: null }
  const view = 'retailer'
  const at = (kind: string, path: string, expected: Expected): Sample => ({ view, kind, path, expected })
  return [
    at('carrier', '/v1/carriers/1/', {
      ...FEDEX,
      shipping_methods: Object.values(FEDEX_METHODS).map(withoutCarrier),
    }),
    at('carrier', `/v1/carriers/${id}/`, { ...messenger, shipping_methods: [carried] }),
    at('connection', 'connections/100/', {
      message: 'The retailer and the supplier are connected.',
      brand: { id: BRAND.id, name: BRAND.name },
      level: 'Full',
      status: 'Active',
    }),
    at('connection', 'connections/101/', {
      ...terms,
      brand: { id: 2001, name: 'Copperfield Supply' },
      shipping_methods: [FEDEX_METHODS[5], { ...carried, carrier: messenger }],
    }),
  ]
}

function withoutCarrier({ id, name, code, type, generic_shipping_method }: Method): Expected {
  return { id, name, code, type, generic_shipping_method }
}

type Method = (typeof FEDEX_METHODS)[keyof typeof FEDEX_METHODS]
