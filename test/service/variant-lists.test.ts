import { describe, expect, it } from 'vitest'
import { type Caller, NOW, openMarket } from './market.ts'
import {
  addVariant,
  attributes,
  type Bazaar,
  BRAND_VARIANTS,
  openBazaar,
  RETAILER_VARIANTS,
} from './variant-samples.ts'

const HOUR_MS = 3_600_000

const IMAGE = { image_1: 'https://images.example.com/1.jpg' }
const PACKAGE = { shipping_width: 4, shipping_height: 5, shipping_length: 6, shipping_weight: '1.5' }
const PUBLISHED = { name: 'Lamp', upc: '086000100011', msrp: '20.00', ...IMAGE, ...PACKAGE }

/** The identifiers of the items that a list holds. */
async function listed(caller: Caller, path: string, query: string): Promise<string[]> {
  const { status, body } = await caller.get(`${path}?${query}`)
  expect(status).toBe(200)
  expect(body.count).toBe(body.results.length)
  return body.results.map(({ identifier }: { identifier: string }) => identifier)
}

describe("a brand's list", () => {
  const ask = ({ brand }: Bazaar, query: string) => listed(brand, BRAND_VARIANTS, query)

  it('is of its own items', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1')
    await market.otherBrand.post('/v1/brands/2001/variants/', attributes({ identifier: 'POT-1' }))
    expect(await ask(market, '')).toEqual(['LAMP-1'])
    expect((await market.brand.get('/v1/brands/2001/variants/')).status).toBe(403)
  })

  it('can be asked for what is in stock', async () => {
    const market = await openBazaar()
    await addVariant(market, 'SOME', { inventory: 1 })
    const id = await addVariant(market, 'NONE')
    expect(await ask(market, 'in_stock=1')).toEqual(['SOME'])
    expect(await ask(market, 'in_stock=0')).toEqual(['NONE'])
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ inventory: 2 }))
    expect(await ask(market, 'in_stock=true')).toEqual(['SOME', 'NONE'])
  })

  it('can be asked for what has images, as they come and go', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    await addVariant(market, 'LAMP-2', IMAGE)
    expect(await ask(market, 'has_images=1')).toEqual(['LAMP-2'])
    expect(await ask(market, 'has_images=0')).toEqual(['LAMP-1'])
    const path = `${BRAND_VARIANTS}${id}/`
    await market.brand.patch(path, attributes({ image_8: 'https://images.example.com/8.jpg' }))
    expect(await ask(market, 'has_images=1')).toEqual(['LAMP-1', 'LAMP-2'])
    await market.brand.patch(path, attributes({ image_8: null }))
    expect(await ask(market, 'has_images=1')).toEqual(['LAMP-2'])
  })

  it('can be asked for what has all of its package sizes and its weight', async () => {
    const market = await openBazaar()
    await addVariant(market, 'WHOLE', PACKAGE)
    const { shipping_weight: _, ...sizes } = PACKAGE
    const id = await addVariant(market, 'SIZES', sizes)
    expect(await ask(market, 'has_shipping=1')).toEqual(['WHOLE'])
    expect(await ask(market, 'has_shipping=0')).toEqual(['SIZES'])
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ shipping_weight: 2 }))
    expect(await ask(market, 'has_shipping=1')).toEqual(['WHOLE', 'SIZES'])
  })

  it('can be asked for when items were made and changed', async () => {
    const market = await openBazaar()
    await addVariant(market, 'EARLY')
    market.clock.time = NOW + HOUR_MS
    const id = await addVariant(market, 'LATE')
    const hour = (NOW + HOUR_MS) / 1000
    expect(await ask(market, `created_at_lt=${hour}`)).toEqual(['EARLY'])
    expect(await ask(market, `created_at_gte=${hour}`)).toEqual(['LATE'])
    market.clock.time = NOW + 2 * HOUR_MS
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ inventory: 1 }))
    expect(await ask(market, `updated_at_gt=${hour}`)).toEqual(['LATE'])
    expect(await ask(market, `updated_at_lte=${hour}`)).toEqual(['EARLY'])
    expect(await ask(market, `created_at_gt=${hour}`)).toEqual([])
  })

  it('when short shows the common attributes only', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1', { ...PUBLISHED, size: 'M', color: 'Rust', inventory: 3 })
    const codes = async (query: string) =>
      Object.keys((await market.brand.get(`${BRAND_VARIANTS}?${query}`)).body.results[0].attributes)
    expect(await codes('short=1')).toEqual(['identifier', 'name', 'size', 'color'])
    expect(await codes('short=0')).toContain('shipping_weight')
    expect(await codes('')).toContain('shipping_weight')
    const wrong = await market.brand.get(`${BRAND_VARIANTS}?short=yes`)
    expect([wrong.status, wrong.body]).toEqual([400, { short: ['"yes" is not one of 1, 0, true, false.'] }])
  })
})

describe("a retailer's list", () => {
  const ask = ({ retailer }: Bazaar, query: string) => listed(retailer, RETAILER_VARIANTS, query)

  it('is of the items offered to it, of all brands', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1')
    await market.otherBrand.post('/v1/brands/2001/variants/', attributes({ identifier: 'POT-1' }))
    expect(await ask(market, '')).toEqual(['LAMP-1', 'POT-1'])
    expect(await listed(market.otherRetailer, '/v1/retailers/1001/variants/', '')).toEqual(['LAMP-1'])
  })

  it('can be asked for what may be published', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'READY', PUBLISHED)
    for (const lacking of ['name', 'upc', 'msrp', 'image_1', 'shipping_height']) {
      await addVariant(market, `NO-${lacking}`, { ...PUBLISHED, [lacking]: null })
    }
    expect(await ask(market, 'meets_publish_rules=1')).toEqual(['READY'])
    expect(await ask(market, 'meets_publish_rules=0')).toHaveLength(5)
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ name: null }))
    expect(await ask(market, 'meets_publish_rules=1')).toEqual([])
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ name: 'Own' }, 1000))
    expect(await ask(market, 'meets_publish_rules=1')).toEqual([])
  })

  it('can be asked for stock, acknowledgement and time together', async () => {
    const market = await openBazaar()
    await addVariant(market, 'NONE')
    const first = await addVariant(market, 'FIRST', { inventory: 1 })
    await addVariant(market, 'SECOND', { inventory: 1 })
    await market.retailer.put(`${RETAILER_VARIANTS}${first}/acknowledge/`)
    expect(await ask(market, 'is_acknowledged=0')).toEqual(['NONE', 'SECOND'])
    expect(await ask(market, 'is_acknowledged=1')).toEqual(['FIRST'])
    expect(await ask(market, 'is_acknowledged=0&in_stock=1')).toEqual(['SECOND'])
    expect(await ask(market, `created_at_lte=${NOW / 1000}&in_stock=0`)).toEqual(['NONE'])
    expect(await ask(market, `updated_at_gt=${NOW / 1000}`)).toEqual([])
  })

  it('keeps the items that a retailer acknowledged acknowledged when they change', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    await market.retailer.put(`${RETAILER_VARIANTS}${id}/acknowledge/`)
    await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ name: 'Lamp' }))
    expect(await ask(market, 'is_acknowledged=1')).toEqual(['LAMP-1'])
  })
})

describe('a search by attributes', () => {
  async function openWithGoods(): Promise<Bazaar> {
    const market = await openBazaar()
    await addVariant(market, 'OAK-RED', { color: 'Dark Red', size: 'M', material: 'Oak' })
    await addVariant(market, 'OAK-BLUE', { color: 'Blue', size: 'L', material: 'oak' })
    await addVariant(market, 'IRON-BLUE', {
      color: 'light blue',
      size: 'L',
      material: 'Iron',
      finish: 'Matte',
    })
    const own = await addVariant(market, 'PLAIN')
    await market.brand.patch(`${BRAND_VARIANTS}${own}/`, attributes({ material: 'Oak' }, 1000))
    return market
  }
  const search = ({ brand }: Bazaar, text: string) =>
    listed(brand, BRAND_VARIANTS, `attribute=${encodeURIComponent(text)}`)

  it('finds a value anywhere in the text, in whatever case', async () => {
    const market = await openWithGoods()
    expect(await search(market, 'color[BLUE]')).toEqual(['OAK-BLUE', 'IRON-BLUE'])
    expect(await search(market, 'Color[red]')).toEqual(['OAK-RED'])
    expect(await search(market, 'material[oak]')).toEqual(['OAK-RED', 'OAK-BLUE'])
    expect(await search(market, 'collection[oak]')).toEqual([])
  })

  it('finds any of several values, and all of several attributes', async () => {
    const market = await openWithGoods()
    expect(await search(market, 'color[red||light]')).toEqual(['OAK-RED', 'IRON-BLUE'])
    expect(await search(market, 'color[blue]::material[oak||brass]')).toEqual(['OAK-BLUE'])
    expect(await search(market, 'size[L]::finish[matte]::color[blue]')).toEqual(['IRON-BLUE'])
    expect(await search(market, 'size[M]::color[blue]')).toEqual([])
  })

  it('treats the signs of patterns as themselves', async () => {
    const market = await openWithGoods()
    await addVariant(market, 'MIXED', { material: '50% wool & 50% o_k' })
    expect(await search(market, 'material[50% wool &]')).toEqual(['MIXED'])
    expect(await search(market, 'material[o_k]')).toEqual(['MIXED'])
    expect(await search(market, 'material[%]')).toEqual(['MIXED'])
  })

  it.each([
    ['weight[2]', '"weight" is not one of size, color, category, material, finish, collection.'],
    ['name[Lamp]', '"name" is not one of size, color, category, material, finish, collection.'],
    ['color', '"color" is not of the form code[value] or code[value1||value2].'],
    ['color[]', '"color[]" is not of the form code[value] or code[value1||value2].'],
    ['color[red', '"color[red" is not of the form code[value] or code[value1||value2].'],
    ['color[red]::', '"" is not of the form code[value] or code[value1||value2].'],
  ])('that is not understood is refused: %s', async (text, message) => {
    const { brand } = await openMarket()
    const { status, body } = await brand.get(`${BRAND_VARIANTS}?attribute=${encodeURIComponent(text)}`)
    expect([status, body]).toEqual([400, { attribute: [message] }])
  })

  it('with very many values is refused, because the search would block all other calls', async () => {
    const { brand } = await openMarket()
    const valued = (count: number) =>
      Array.from({ length: count }, (_, index) => index.toString(36)).join('||')
    const search = (text: string) => brand.get(`${BRAND_VARIANTS}?attribute=${text}`)
    expect((await search(`color[${valued(200)}]`)).status).toBe(200)
    const tooMany = { attribute: ['No more than 200 values can be searched for at once.'] }
    for (const text of [`color[${valued(2000)}]`, `color[${valued(150)}]::size[${valued(51)}]`]) {
      expect(await search(text)).toMatchObject({ status: 400, body: tooMany })
    }
    const parts = Array.from({ length: 1100 }, () => 'color[a]').join('::')
    expect([200, 400]).toContain((await brand.get(`${BRAND_VARIANTS}?attribute=${parts}`)).status)
  })
})
