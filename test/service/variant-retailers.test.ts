import { describe, expect, it } from 'vitest'
import { NOW } from './market.ts'
import {
  addVariant,
  attributes,
  type Bazaar,
  BRAND_VARIANTS,
  entries,
  openBazaar,
  OTHER_RETAILER_VARIANTS,
  refusalAt,
  RETAILER_VARIANTS,
  valuesByCode,
} from './variant-samples.ts'

/** The values a retailer sees by the code of their attribute. */
function seen(body: { attributes: { code: string; values: unknown[] }[] }): Record<string, unknown[]> {
  return Object.fromEntries(body.attributes.map(({ code, values }) => [code, values]))
}

async function openWithLamp(): Promise<{ market: Bazaar; id: number }> {
  const market = await openBazaar()
  return { market, id: await addVariant(market, 'LAMP-1', { name: 'Lamp', cost: '10.00' }) }
}

describe('values that a brand gives to one retailer', () => {
  it('come beside the others for the brand, and are seen by that retailer alone', async () => {
    const { market, id } = await openWithLamp()
    const { status, body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, {
      attributes: [
        ...entries({ retailer_item: 'ITEM-A', retailer_sku: 'HV-1', cost: 9 }, 1000),
        ...entries({ retailer_item: 'ITEM-B', name: 'Fern lamp' }, 1001),
      ],
    })
    expect(status).toBe(200)
    expect(body.name).toBe('Lamp')
    expect(valuesByCode(body.attributes)).toMatchObject({
      name: [
        { id: 1, value: 'Lamp' },
        { id: 2, value: 'Fern lamp', retailer: { id: 1001 } },
      ],
      cost: [
        { id: 1, value: '10.00' },
        { id: 2, value: '9.00', retailer: { id: 1000 } },
      ],
      retailer_item: [
        { id: 1, value: 'ITEM-A', retailer: { id: 1000 } },
        { id: 2, value: 'ITEM-B', retailer: { id: 1001 } },
      ],
      retailer_sku: [{ id: 1, value: 'HV-1', retailer: { id: 1000 } }],
    })
    const own = await market.retailer.get(`${RETAILER_VARIANTS}${id}/`)
    expect(own.body).toMatchObject({ identifier: 'LAMP-1', name: 'Lamp' })
    expect(seen(own.body)).toMatchObject({
      cost: [{ id: 1, value: '9.00' }],
      retailer_item: [{ id: 1, value: 'ITEM-A' }],
      retailer_sku: [{ id: 1, value: 'HV-1' }],
    })
    const other = await market.otherRetailer.get(`${OTHER_RETAILER_VARIANTS}${id}/`)
    expect(other.body.name).toBe('Fern lamp')
    expect(seen(other.body)).toEqual({
      identifier: [{ id: 1, value: 'LAMP-1' }],
      name: [{ id: 1, value: 'Fern lamp' }],
      cost: [{ id: 1, value: '10.00' }],
      inventory: [{ id: 1, value: '0' }],
      lead_time: [{ id: 1, value: '0' }],
      cartons: [{ id: 1, value: '1' }],
      retailer_item: [{ id: 1, value: 'ITEM-B' }],
    })
  })

  it('come with a new item as well', async () => {
    const { brand, retailer } = await openBazaar()
    const { status, body } = await brand.post(BRAND_VARIANTS, {
      attributes: [...entries({ identifier: 'LAMP-1' }), ...entries({ retailer_sku: 'HV-1' }, 1000)],
    })
    expect(status).toBe(201)
    expect(seen((await retailer.get(`${RETAILER_VARIANTS}${body.id}/`)).body)['retailer_sku']).toEqual([
      { id: 1, value: 'HV-1' },
    ])
  })

  it('may wait for a retailer whose connection is not open yet', async () => {
    const { market, id } = await openWithLamp()
    const waiting = attributes({ retailer_item_name: 'Sage lamp' }, 1002)
    const { body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, waiting)
    expect(valuesByCode(body.attributes)['retailer_item_name']).toEqual([
      { id: 1, value: 'Sage lamp', retailer: { id: 1002 } },
    ])
  })

  it.each(['identifier', 'upc', 'inventory', 'lead_time', 'cartons'])(
    'are refused for %s, which is the same for all',
    async (code) => {
      const { market, id } = await openWithLamp()
      const { status, body } = await market.brand.patch(
        `${BRAND_VARIANTS}${id}/`,
        attributes({ [code]: '1' }, 1000),
      )
      expect([status, body]).toEqual([
        400,
        refusalAt(0, { retailer: [`${code} is the same for all retailers.`] }),
      ])
    },
  )

  it('are refused for images', async () => {
    const { market, id } = await openWithLamp()
    const image = attributes({ image_8: 'https://images.example.com/8.jpg' }, 1000)
    const { body } = await market.brand.patch(`${BRAND_VARIANTS}${id}/`, image)
    expect(body).toEqual(refusalAt(0, { retailer: ['image_8 is the same for all retailers.'] }))
  })

  it('are taken away by null, and the one for all is seen again', async () => {
    const { market, id } = await openWithLamp()
    const path = `${BRAND_VARIANTS}${id}/`
    await market.brand.patch(path, attributes({ name: 'Harbor lamp', retailer_sku: 'HV-1' }, 1000))
    await market.brand.patch(path, attributes({ name: null, retailer_sku: null }, 1000))
    const { body } = await market.retailer.get(`${RETAILER_VARIANTS}${id}/`)
    expect(body.name).toBe('Lamp')
    expect(seen(body)['retailer_sku']).toBeUndefined()
  })
})

describe("a retailer's SKU", () => {
  const taken = refusalAt(0, { value: ['A variant with this retailer_sku already exists.'] })

  it('belongs to one item of the retailer, whichever party gives it', async () => {
    const { market, id } = await openWithLamp()
    const other = await addVariant(market, 'LAMP-2')
    const sku = attributes({ retailer_sku: 'HV-1' })
    const first = await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, sku)
    expect(first.status).toBe(200)
    expect((await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, sku)).status).toBe(200)
    expect((await market.retailer.patch(`${RETAILER_VARIANTS}${other}/`, sku)).body).toEqual(taken)
    const byBrand = attributes({ retailer_sku: 'HV-1' }, 1000)
    expect((await market.brand.patch(`${BRAND_VARIANTS}${other}/`, byBrand)).body).toEqual(taken)
    const elsewhere = await market.otherRetailer.patch(`${OTHER_RETAILER_VARIANTS}${other}/`, sku)
    expect(elsewhere.status).toBe(200)
  })

  it('names the item in orders', async () => {
    const { market, id } = await openWithLamp()
    await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, attributes({ retailer_sku: 'HV-1' }))
    const line = { quantity: 1, net_price: '9.00', price: '20.00' }
    const { status, body } = await market.retailer.post('/v1/retailers/1000/orders/', {
      purchase_order_number: 'PO-1',
      ordered_at: '2026-11-20T18:30:00Z',
      ship_to: {
        name1: 'Ann Lee',
        street1: '12 Main St',
        city: 'Albany',
        province: 'NY',
        postal_code: '12207',
        country: 'US',
      },
      shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
      order_lines: [{ variant: { identifier: 'HV-1' }, ...line }],
    })
    expect(status).toBe(201)
    expect(body.order_lines[0].variant).toMatchObject({ id, identifier: 'HV-1' })
  })
})

describe('a change by a retailer', () => {
  it('is for itself alone, whether it says so or not', async () => {
    const { market, id } = await openWithLamp()
    const { status, body } = await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, {
      attributes: [
        ...entries({ name: 'Harbor lamp', retailer_item_name: 'Lamp, new' }),
        ...entries({ category: 'Lighting' }, 1000),
      ],
    })
    expect(status).toBe(200)
    expect(body.name).toBe('Harbor lamp')
    expect(seen(body)).toMatchObject({
      name: [{ id: 1, value: 'Harbor lamp' }],
      category: [{ id: 1, value: 'Lighting' }],
      retailer_item_name: [{ id: 1, value: 'Lamp, new' }],
    })
    const other = await market.otherRetailer.get(`${OTHER_RETAILER_VARIANTS}${id}/`)
    expect(other.body.name).toBe('Lamp')
    expect(other.body.attributes.map(({ code }: { code: string }) => code)).not.toContain('category')
    expect((await market.brand.get(`${BRAND_VARIANTS}${id}/`)).body.name).toBe('Lamp')
  })

  it("of what is the supplier's is refused", async () => {
    const { market, id } = await openWithLamp()
    const codes = ['upc', 'inventory', 'lead_time', 'cartons', 'cost']
    const { status, body } = await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, {
      attributes: [
        ...codes.map((code) => ({ attribute: { code }, value: code === 'cost' ? '1.00' : '1' })),
        ...entries({ image_1: 'https://images.example.com/1.jpg', identifier: 'MINE' }),
      ],
    })
    expect(status).toBe(400)
    expect(body.attributes).toEqual(
      [...codes, 'image_1', 'identifier'].map((code) => ({
        attribute: { code: [`${code} is set by the supplier.`] },
      })),
    )
  })

  it('may repeat the identifier', async () => {
    const { market, id } = await openWithLamp()
    const changes = attributes({ identifier: 'LAMP-1', retailer_item: 'ITEM-A' })
    const { status, body } = await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, changes)
    expect([status, body.identifier]).toEqual([200, 'LAMP-1'])
  })

  it('for another retailer is refused', async () => {
    const { market, id } = await openWithLamp()
    const path = `${RETAILER_VARIANTS}${id}/`
    const { status, body } = await market.retailer.patch(path, attributes({ retailer_item: 'X' }, 1001))
    const retailer = ['A retailer sets values for itself only, not for retailer 1001.']
    expect([status, body]).toEqual([400, refusalAt(0, { retailer })])
  })

  it('that gives an attribute twice is refused, with and without its own id', async () => {
    const { market, id } = await openWithLamp()
    const { status, body } = await market.retailer.patch(`${RETAILER_VARIANTS}${id}/`, {
      attributes: [...entries({ retailer_item: 'A' }), ...entries({ retailer_item: 'B' }, 1000)],
    })
    const code = ['retailer_item is given more than once.']
    expect([status, body]).toEqual([400, refusalAt(1, { attribute: { code } })])
  })

  it('of an item that is not offered to it finds nothing', async () => {
    const market = await openBazaar()
    const { body } = await market.otherBrand.post(
      '/v1/brands/2001/variants/',
      attributes({ identifier: 'POT-1' }),
    )
    const path = `${OTHER_RETAILER_VARIANTS}${body.id}/`
    expect((await market.otherRetailer.patch(path, attributes({ retailer_item: 'X' }))).status).toBe(404)
    expect((await market.otherRetailer.get(path)).status).toBe(404)
    expect((await market.otherRetailer.put(`${path}acknowledge/`)).status).toBe(404)
    expect((await market.retailer.get(`${RETAILER_VARIANTS}${body.id}/`)).status).toBe(200)
  })
})

describe('acknowledging an item', () => {
  it("is one retailer's word, and a second time keeps the first time", async () => {
    const { market, id } = await openWithLamp()
    const first = await market.retailer.put(`${RETAILER_VARIANTS}${id}/acknowledge/`)
    expect(first.status).toBe(200)
    const acknowledged = { id, is_acknowledged: true, acknowledged_at: '2026-11-21T02:15:00.000Z' }
    expect(first.body).toMatchObject(acknowledged)
    market.clock.time = NOW + 60_000
    expect((await market.retailer.put(`${RETAILER_VARIANTS}${id}/acknowledge/`)).body).toEqual(first.body)
    expect((await market.otherRetailer.get(`${OTHER_RETAILER_VARIANTS}${id}/`)).body).toMatchObject({
      is_acknowledged: false,
      acknowledged_at: null,
    })
    expect((await market.retailer.get(`${RETAILER_VARIANTS}?is_acknowledged=0`)).body.count).toBe(0)
    expect((await market.retailer.get(`${RETAILER_VARIANTS}?is_acknowledged=1`)).body.count).toBe(1)
    expect((await market.otherRetailer.get(`${OTHER_RETAILER_VARIANTS}?is_acknowledged=0`)).body.count).toBe(
      1,
    )
  })
})
