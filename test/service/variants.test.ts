import { describe, expect, it } from 'vitest'
import { NOW } from './market.ts'
import {
  addVariant,
  attributes,
  BRAND_VARIANTS,
  entries,
  openBazaar,
  OTHER_BRAND_VARIANTS,
  refusalAt,
  RETAILER_VARIANTS,
  valuesByCode,
} from './variant-samples.ts'

const HOUR_MS = 3_600_000

describe('a new item', () => {
  it('needs nothing but its identifier', async () => {
    const { brand } = await openBazaar()
    const { status, body } = await brand.post(BRAND_VARIANTS, attributes({ identifier: 'LAMP-1' }))
    expect(status).toBe(201)
    expect(body).toMatchObject({ identifier: 'LAMP-1', name: null, upc: null, media: [] })
    expect(Object.keys(body.attributes)).toEqual(['identifier', 'inventory', 'lead_time', 'cartons'])
    expect((await brand.get(`${BRAND_VARIANTS}${body.id}/`)).body).toEqual(body)
  })

  it('without an identifier is refused', async () => {
    const { brand } = await openBazaar()
    const { status, body } = await brand.post(BRAND_VARIANTS, attributes({ name: 'Lamp' }))
    expect([status, body]).toEqual([400, { attributes: ['The identifier attribute is missing.'] }])
  })

  it('with the identifier of another item of the brand is refused, of another brand taken', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1')
    const again = attributes({ name: 'Lamp', identifier: 'LAMP-1' })
    const { status, body } = await market.brand.post(BRAND_VARIANTS, again)
    const value = ['A variant with this identifier already exists.']
    expect([status, body]).toEqual([400, refusalAt(1, { value })])
    expect((await market.otherBrand.post(OTHER_BRAND_VARIANTS, again)).status).toBe(201)
    expect((await market.brand.get(BRAND_VARIANTS)).body.count).toBe(1)
  })

  it('may have the UPC of another one', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1', { upc: '086000100011' })
    const { status } = await market.brand.post(
      BRAND_VARIANTS,
      attributes({ identifier: 'LAMP-2', upc: '086000100011' }),
    )
    expect(status).toBe(201)
  })

  it('is offered to the retailers with an open connection, and to no others', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    expect((await market.retailer.get(`${RETAILER_VARIANTS}${id}/`)).body.is_acknowledged).toBe(false)
    expect((await market.otherRetailer.get('/v1/retailers/1001/variants/')).body.count).toBe(1)
    const forPending = attributes({ retailer_sku: 'SL-1' }, 1002)
    const { status, body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, forPending)
    const retailer = ['The item is not offered to retailer 1002 yet.']
    expect([status, body]).toEqual([400, refusalAt(0, { retailer })])
  })
})

describe('values', () => {
  it('are kept as text, amounts with two decimals', async () => {
    const { brand } = await openBazaar()
    const given = {
      identifier: 77,
      name: true,
      cost: 12.5,
      msrp: '$1012.5',
      shipping_weight: 2.25,
      inventory: '7',
    }
    const { body } = await brand.post(BRAND_VARIANTS, attributes(given))
    expect(valuesByCode(body.attributes)).toMatchObject({
      identifier: [{ id: 1, value: '77' }],
      name: [{ id: 1, value: 'true' }],
      cost: [{ id: 1, value: '12.50' }],
      msrp: [{ id: 1, value: '1012.50' }],
      shipping_weight: [{ id: 1, value: '2.25' }],
      inventory: [{ id: 1, value: '7' }],
    })
  })

  it.each([
    [{ cost: 12.345 }, 'Cost must be a decimal with two decimals, such as 12.50.'],
    [{ inventory: -1 }, 'Inventory must be a whole number.'],
    [{ shipping_width: 'wide' }, 'Shipping_width must be a decimal, such as 2.5.'],
    [{ image_1: 'http://images.example.com/a.jpg' }, 'Image_1 must be an https address.'],
    [{ name: 'n'.repeat(201) }, 'Name must have no more than 200 characters.'],
    [{ color: '' }, 'Color must not be blank.'],
    [{ cartons: 0 }, 'cartons must be from 1 to 20.'],
    [{ cartons: 21 }, 'cartons must be from 1 to 20.'],
    [{ lead_time: 1000 }, 'lead_time must be from 0 to 999.'],
  ])('that an attribute does not take are refused: %o', async (wrong, message) => {
    const market = await openBazaar()
    const { status, body } = await market.brand.post(
      BRAND_VARIANTS,
      attributes({ identifier: 'LAMP-1', ...wrong }),
    )
    expect([status, body]).toEqual([400, refusalAt(1, { value: [message] })])
  })

  it('of an attribute that does not exist are refused', async () => {
    const { brand } = await openBazaar()
    const { status, body } = await brand.post(
      BRAND_VARIANTS,
      attributes({ identifier: 'LAMP-1', colour: 'Red' }),
    )
    const code = ['"colour" is not an attribute.']
    expect([status, body]).toEqual([400, refusalAt(1, { attribute: { code } })])
  })

  it('that are null are taken away, and numbers go back to where they began', async () => {
    const market = await openBazaar()
    const given = { name: 'Lamp', material: 'Oak', inventory: 5, lead_time: 3, cartons: 2 }
    const id = await addVariant(market, 'LAMP-1', given)
    const nothing = { name: null, material: null, inventory: null, lead_time: null, cartons: null }
    const { status, body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes(nothing))
    expect(status).toBe(200)
    expect(body.name).toBeNull()
    expect(valuesByCode(body.attributes)).toEqual({
      identifier: [{ id: 1, value: 'LAMP-1' }],
      inventory: [{ id: 1, value: '0' }],
      lead_time: [{ id: 1, value: '0' }],
      cartons: [{ id: 1, value: '1' }],
    })
  })
})

describe('a change by the brand', () => {
  it('changes what it names and leaves the rest', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1', { name: 'Lamp', color: 'Red', material: 'Oak' })
    const changes = attributes({ color: 'Blue', finish: 'Matte', identifier: 'LAMP-1' })
    const { body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, changes)
    expect(body).toMatchObject({ identifier: 'LAMP-1', name: 'Lamp', color: 'Blue' })
    expect(valuesByCode(body.attributes)).toMatchObject({
      color: [{ id: 1, value: 'Blue' }],
      material: [{ id: 1, value: 'Oak' }],
      finish: [{ id: 1, value: 'Matte' }],
    })
    expect((await market.brand.get(`${BRAND_VARIANTS}${id}/`)).body).toEqual(body)
  })

  it.each(['LAMP-2', null])('cannot change the identifier, here to %s', async (identifier) => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    const changes = attributes({ name: 'Lamp', identifier })
    const { status, body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, changes)
    const value = ['The identifier cannot be changed; it is "LAMP-1".']
    expect([status, body]).toEqual([400, refusalAt(1, { value })])
    expect((await market.brand.get(`${BRAND_VARIANTS}${id}/`)).body.name).toBeNull()
  })

  it('names all of its errors at once', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    const { body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, {
      attributes: [
        ...entries({ identifier: 'LAMP-2', retailer_item: 'Shade' }),
        ...entries({ upc: '1' }, 1000),
        ...entries({ retailer_item: 'Shade' }, 1003),
      ],
    })
    expect(body).toEqual({
      attributes: [
        { value: ['The identifier cannot be changed; it is "LAMP-1".'] },
        { retailer: ['retailer_item is for one retailer, which must be named.'] },
        { retailer: ['upc is the same for all retailers.'] },
        { retailer: ['The brand has no connection with retailer 1003.'] },
      ],
    })
  })

  it('of an item of another brand finds nothing, whatever the body says', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    for (const body of [attributes({ name: 'Mine' }), {}]) {
      expect((await market.otherBrand.patch(`${OTHER_BRAND_VARIANTS}${id}/`, body)).status).toBe(404)
    }
    expect((await market.otherBrand.get(`${OTHER_BRAND_VARIANTS}${id}/`)).status).toBe(404)
    expect((await market.brand.get(`${BRAND_VARIANTS}${id}/`)).body.name).toBeNull()
  })

  it('of the inventory shows when, and any change when it was', async () => {
    const market = await openBazaar()
    const id = await addVariant(market, 'LAMP-1')
    const updatedBefore = (time: number) =>
      market.brand.get(`${BRAND_VARIANTS}?updated_at_lt=${time / 1000}`).then(({ body }) => body.count)
    market.clock.time = NOW + HOUR_MS
    const stocked = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ inventory: 12 }))
    expect(stocked.body.inventory).toEqual({
      inventory: 12,
      inventory_updated_at: '2026-11-21T03:15:00.000Z',
      sellable: 'Yes',
      sellable_updated_at: '2026-11-21T02:15:00.000Z',
      locations: [],
    })
    expect(await updatedBefore(NOW + HOUR_MS)).toBe(0)
    market.clock.time = NOW + 2 * HOUR_MS
    const named = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, attributes({ name: 'Lamp' }))
    expect(named.body.inventory.inventory_updated_at).toBe('2026-11-21T03:15:00.000Z')
    expect(await updatedBefore(NOW + 2 * HOUR_MS)).toBe(0)
    expect(await updatedBefore(NOW + 2 * HOUR_MS + 1000)).toBe(1)
  })
})
