/** Items, connections, carriers. */
import { describe, expect } from 'vitest'
import { orderBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { attributesBody, done, idsOn, inWorld, sharedWorld, type World } from './world.ts'

/** A new item of the brand. */
async function described({ brand, nextNumber }: World, values: Record<string, unknown> = {}) {
  return done(brand.post('variants/', attributesBody({ identifier: `SKU-${nextNumber()}`, ...values })))
}

export function catalogue(ledger: Ledger): void {
  describe('items', () => {
    items(ledger)
  })
  describe('changes', () => {
    changes(ledger)
  })
  describe('values', () => {
    values(ledger)
  })
  describe('offers', () => {
    offers(ledger)
  })
  describe('lookups', () => {
    lookups(ledger)
  })
}

/** The codes of the spec, each with a value that it accepts. */
const CODES: Readonly<Record<string, string>> = {
  name: 'Wool Throw',
  inventory: '12',
  image_1: 'https://images.example.com/throw.jpg',
  manufacturer: 'Northlight',
  manufacturer_part_number: 'T-1',
  cost: '12.50',
  msrp: '40.00',
  lead_time: '2',
  ships: 'small_parcel',
  shipping_width: '10',
  shipping_height: '4.5',
  shipping_length: '12',
  shipping_weight: '3.25',
}

function items({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'rule.variant-body.identifier-mandatory',
    'rule.variant.only-identifier',
    'choice.endpoints.create-answer',
  )('an item needs an identifier and nothing else', async () => {
    const nameless = await world().brand.post('variants/', attributesBody({ name: 'Throw' }))
    expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['attributes']])
    const { status, body } = await world().brand.post('variants/', attributesBody({ identifier: 'ONLY' }))
    expect([status, body.identifier, body.name, body.upc]).toEqual([201, 'ONLY', null, null])
    expect(Object.keys(body.attributes)).toContain('identifier')
    expect(Object.keys(body.attributes)).not.toContain('name')
  })

  proves('rule.variant.identifier-unique')('an identifier is used once by a brand', async () => {
    const { identifier } = await described(world())
    const again = await world().brand.post('variants/', attributesBody({ identifier }))
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['attributes']])
    expect((await world().otherBrand.post('variants/', attributesBody({ identifier }))).status).toBe(201)
  })

  proves(
    'rule.variant.attributes-brand',
    'rule.variant.attributes-common',
    'rule.variant-body.entry',
  )('the brand sees attributes by code, the common ones repeated', async () => {
    const variant = await described(world(), { name: 'Throw', size: 'L', color: 'Rust' })
    expect(variant).toMatchObject({ name: 'Throw', size: 'L', color: 'Rust' })
    for (const [code, value] of [
      ['name', 'Throw'],
      ['size', 'L'],
      ['color', 'Rust'],
      ['identifier', variant.identifier],
    ] as const) {
      expect(variant.attributes[code]).toMatchObject({ code, values: [{ id: expect.any(Number), value }] })
    }
  })

  proves('rule.variant.attributes-retailer')('the retailer sees attributes in an array', async () => {
    const variant = await done(world().retailer.get('variants/9001/'))
    const codes = variant.attributes.map(({ code }: { code: string }) => code)
    expect(codes).toContain('identifier')
  })

  proves('rule.variant.codes', 'choice.variant.catalogue')('every code the spec names is taken', async () => {
    const { attributes } = await described(world(), CODES)
    for (const [code, value] of Object.entries(CODES)) expect(attributes[code].values[0].value).toBe(value)
    const unknown = await world().brand.post('variants/', attributesBody({ identifier: 'X', shape: 'round' }))
    expect(unknown.status).toBe(400)
  })

  proves(
    'rule.variant.locations',
    'variant.inventory',
    'inventory.locations',
  )('stock that is not given by warehouse has no locations', async () => {
    const { inventory } = await described(world(), { inventory: '7' })
    expect(inventory).toMatchObject({ inventory: 7, sellable: 'Yes', locations: [] })
  })
}

function changes({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'rule.variant-body.identifier-fixed',
    'rule.variant.identifier-fixed',
    'rule.variant.identifier-retailer',
  )('an identifier cannot be changed by either party', async () => {
    const ofBrand = await world().brand.patch('variants/9001/', attributesBody({ identifier: 'NEW' }))
    expect([ofBrand.status, Object.keys(ofBrand.body)]).toEqual([400, ['attributes']])
    const ofRetailer = await world().retailer.patch('variants/9001/', attributesBody({ identifier: 'NEW' }))
    expect([ofRetailer.status, Object.keys(ofRetailer.body)]).toEqual([400, ['attributes']])
    expect((await done(world().brand.get('variants/9001/'))).identifier).toBe('NL-0001')
  })

  proves(
    'rule.variant-body.both-contexts',
    'choice.endpoints.update-answer',
    'rule.versioning.variants-beta',
  )('both parties update an item and get the whole of it back', async () => {
    const ofBrand = await world().brand.patch('variants/9003/', attributesBody({ inventory: '5' }))
    expect([ofBrand.status, ofBrand.body.id, ofBrand.body.inventory.inventory]).toEqual([200, 9003, 5])
    const entry = { attribute: { code: 'retailer_item_name' }, value: 'Our Pillow', retailer: { id: 1000 } }
    const ofRetailer = await world().retailer.patch('variants/9003/', { attributes: [entry] })
    expect([ofRetailer.status, ofRetailer.body.id]).toEqual([200, 9003])
  })

  proves('rule.variant-body.retailer')('an attribute can be for one retailer', async () => {
    const attributes = [
      { attribute: { code: 'retailer_item' }, value: 'HV-77', retailer: { id: 1000 } },
      { attribute: { code: 'retailer_item_name' }, value: 'Our Throw', retailer: { id: 1000 } },
    ]
    await done(world().brand.patch('variants/9005/', { attributes }))
    const seen = await done(world().retailer.get('variants/9005/'))
    const values = Object.fromEntries(
      seen.attributes.map((one: { code: string; values: { value: string }[] }) => [
        one.code,
        one.values[0]?.value,
      ]),
    )
    expect([values['retailer_item'], values['retailer_item_name']]).toEqual(['HV-77', 'Our Throw'])
  })

  proves('rule.variant-body.publish')(
    'an item that is only an identifier is not fit to be published, one with more is',
    async () => {
      const { id } = await described(world())
      const fit = (flag: number) => idsOn(world().retailer, `variants/?meets_publish_rules=${flag}`)
      expect([(await fit(1)).includes(id), (await fit(0)).includes(id)]).toEqual([false, true])
      const more = { name: 'Throw', upc: '086000999999', ...CODES }
      await done(world().brand.patch(`variants/${id}/`, attributesBody(more)))
      expect([(await fit(1)).includes(id), (await fit(0)).includes(id)]).toEqual([true, false])
    },
  )

  proves('state.acknowledge.variant', 'variant.is_acknowledged')(
    'the retailer acknowledges an item',
    async () => {
      const answer = await done(world().retailer.put('variants/9001/acknowledge/'))
      expect(answer).toMatchObject({ id: 9001, is_acknowledged: true })
      expect(answer.acknowledged_at).toBe('2026-11-21T02:15:00.000Z')
    },
  )
}

/** The attributes that an item needs beside its identifier to be published. */
const PUBLISHABLE = {
  name: 'Throw',
  upc: '086000999999',
  msrp: '40.00',
  image_1: 'https://images.example.com/throw.jpg',
  shipping_width: '10',
  shipping_height: '4.5',
  shipping_length: '12',
  shipping_weight: '3.25',
}

function offers({ proves }: Ledger): void {
  proves('choice.variant.publish-rules')('each of the facts is needed to be fit for publishing', async () => {
    await inWorld(async (own) => {
      const fit = async (values: Record<string, string>) => {
        const { id } = await described(own, values)
        return (await idsOn(own.retailer, 'variants/?meets_publish_rules=1')).includes(id)
      }
      expect(await fit(PUBLISHABLE)).toBe(true)
      for (const code of Object.keys(PUBLISHABLE)) {
        const rest = Object.entries(PUBLISHABLE).filter(([name]) => name !== code)
        expect([code, await fit(Object.fromEntries(rest))]).toEqual([code, false])
      }
    })
  })

  proves('choice.variant.approved', 'rule.endpoints.approved')(
    'a retailer sees the items of a brand once their connection is open',
    async () => {
      await inWorld(async (own) => {
        await done(own.admin.patch('connections/100/', { status: 'Suspended' }))
        const { id } = await described(own)
        expect((await own.retailer.get(`variants/${id}/`)).status).toBe(404)
        expect(await idsOn(own.retailer, 'variants/')).not.toContain(id)
        await done(own.admin.patch('connections/100/', { status: 'Active' }))
        expect(await idsOn(own.retailer, 'variants/')).toContain(id)
      })
    },
  )

  proves('choice.variant.locations')('stock by warehouse is listed by location', async () => {
    await inWorld(async (own) => {
      const locations = [
        { code: 'EAST', inventory: 4 },
        { code: 'WEST', inventory: 3 },
      ]
      await done(own.admin.patch('variants/9001/stock/', { locations }))
      const { inventory } = await done(own.brand.get('variants/9001/'))
      const inventory_updated_at = '2026-11-21T02:15:00.000Z'
      expect(inventory.inventory).toBe(7)
      expect(inventory.locations).toEqual(locations.map((one) => ({ ...one, inventory_updated_at })))
    })
  })

  proves('choice.variant.values')('a value is text or a number, and null takes it away', async () => {
    await inWorld(async (own) => {
      const { id, inventory } = await described(own, { inventory: 7, color: 'Rust' })
      expect(inventory.inventory).toBe(7)
      const { color } = await done(own.brand.patch(`variants/${id}/`, attributesBody({ color: null })))
      expect(color).toBeNull()
    })
  })
}

function values({ proves }: Ledger): void {
  const { world } = sharedWorld()
  const entry = (code: string, value: string | number, retailer?: number) => ({
    attribute: { code },
    value,
    ...(retailer === undefined ? {} : { retailer: { id: retailer } }),
  })

  proves('choice.variant.value-ids')('the values of an attribute are counted', async () => {
    const { id } = await described(world(), { name: 'Throw' })
    const attributes = [entry('name', 'Our Throw', 1000)]
    const seen = await done(world().brand.patch(`variants/${id}/`, { attributes }))
    expect(seen.attributes['name'].values).toEqual([
      { id: 1, value: 'Throw' },
      { id: 2, value: 'Our Throw', retailer: { id: 1000 } },
    ])
    const item = await done(world().retailer.get(`variants/${id}/`))
    expect(item.name).toBe('Our Throw')
  })

  proves('choice.variant.same-for-all')(
    'what is the same for all has no value for one retailer',
    async () => {
      const given = {
        upc: '086000999998',
        inventory: 3,
        lead_time: 1,
        cartons: 2,
        image_1: 'https://images.example.com/a.jpg',
      }
      const { id } = await described(world())
      for (const [code, value] of Object.entries({ ...given, identifier: 'SKU-ELSE', cost: '1.00' })) {
        const ofRetailer = await world().retailer.patch(`variants/${id}/`, {
          attributes: [entry(code, value)],
        })
        expect([code, ofRetailer.status, Object.keys(ofRetailer.body)]).toEqual([code, 400, ['attributes']])
      }
      for (const [code, value] of Object.entries(given)) {
        const ofBrand = await world().brand.patch(`variants/${id}/`, {
          attributes: [entry(code, value, 1000)],
        })
        expect([code, ofBrand.status, Object.keys(ofBrand.body)]).toEqual([code, 400, ['attributes']])
      }
    },
  )

  proves('choice.variant.ranges')('lead times and cartons lie within bounds', async () => {
    const set = async (code: string, value: number) =>
      (await world().brand.patch('variants/9007/', { attributes: [entry(code, value)] })).status
    for (const [code, min, max] of [
      ['lead_time', 0, 999],
      ['cartons', 1, 20],
    ] as const) {
      const statuses = [
        await set(code, min - 1),
        await set(code, min),
        await set(code, max),
        await set(code, max + 1),
      ]
      expect([code, ...statuses]).toEqual([code, 400, 200, 200, 400])
    }
  })
}

function lookups({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves('rule.carrier.common-ids')(
    'carriers 1, 2 and 3 are an express, a parcel and a postal service',
    async () => {
      const { results } = await done(world().retailer.get('/v1/carriers/'))
      expect(results.map(({ id, code }: { id: number; code: string }) => [id, code])).toEqual([
        [1, 'FDEG'],
        [2, 'UPSN'],
        [3, 'USPS'],
      ])
    },
  )

  proves('choice.connection.id')('a connection has the id of its address', async () => {
    const { results } = await done(world().retailer.get('connections/'))
    for (const { id, brand } of results) {
      expect((await done(world().retailer.get(`connections/${id}/`))).brand).toEqual(brand)
    }
    expect(results.length).toBeGreaterThan(0)
  })

  proves(
    'state.connection.level',
    'state.connection.status',
    'choice.connection.open',
  )('a connection shows its level and status, and orders go only when it is Full and Active', async () => {
    await inWorld(async (own) => {
      for (const [level, status, answer] of [
        ['Basic', 'Active', 400],
        ['Full', 'Pending', 400],
        ['Full', 'Suspended', 400],
        ['Full', 'Active', 201],
      ] as const) {
        await done(own.admin.patch('connections/100/', { level, status }))
        expect(await done(own.retailer.get('connections/100/'))).toMatchObject({ level, status })
        const placed = await own.retailer.post('orders/', orderBody(own.nextNumber()))
        expect([level, status, placed.status]).toEqual([level, status, answer])
      }
    })
  })
}
