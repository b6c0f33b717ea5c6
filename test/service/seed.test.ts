import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sampleCatalogue, sampleSeed } from '../../src/service/sample-seed.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { callerOf, CREDENTIALS, openMarket, seedWithCredentials, tokenFor } from './market.ts'

it('the sample is the same at every call', () => {
  expect(sampleSeed()).toEqual(sampleSeed())
  expect(sampleCatalogue()[1]).toEqual({
    id: 9002,
    brandId: 2000,
    brandIdentifier: 'NL-0002',
    identifier: 'HV-10001',
    retailerItems: [{ retailerId: 1000, identifier: 'HV-10001' }],
    upc: '086000100025',
    name: 'Cove Floor Lamp, Slate Blue',
    description: 'Cove Floor Lamp by Northlight Goods.',
    size: null,
    color: 'Slate Blue',
    leadTimeDays: 0,
    inventory: 14,
    attributes: {
      category: 'Furniture',
      material: 'Oak',
      finish: 'Polished',
      collection: 'Cove',
      manufacturer: 'Northlight Mills',
      manufacturer_part_number: 'NM100002',
      cost: '11.24',
      msrp: '23.47',
      ships: 'small_parcel',
      image_1: 'https://images.example.com/9002/front.jpg',
      shipping_width: '8',
      shipping_height: '6',
      shipping_length: '12.5',
      shipping_weight: '3.25',
    },
    netPrice: '11.24',
    price: '23.47',
  })
})

it('the sample has 300 items with UPCs that are valid, distinct and start with a zero', () => {
  const items = sampleCatalogue()
  expect(items.filter(({ brandId }) => brandId === 2000)).toHaveLength(200)
  expect(items.filter(({ brandId }) => brandId === 2001)).toHaveLength(100)
  expect(new Set(items.map(({ upc }) => upc)).size).toBe(300)
  for (const { upc } of items) {
    expect(upc).toMatch(/^0\d{11}$/)
    const sum = Array.from(upc!).reduce(
      (total, digit, index) => total + Number(digit) * [3, 1][index % 2]!,
      0,
    )
    expect(sum % 10).toBe(0)
  }
})

it('a fresh database gets clients with random secrets, and they work', async () => {
  const service = await createService({ data: ':memory:', clock: systemClock })
  await service.listen()
  try {
    expect(service.parties.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'retailer 1000',
      'brand 2000',
      'brand 2001',
    ])
    const [harbor] = service.parties
    expect(harbor?.clientSecret).toMatch(/^[\w-]{43}$/)
    const token = await tokenFor(service, harbor!.clientId, harbor!.clientSecret!)
    expect((await callerOf(service.baseUrl, token).get('/v1/retailers/')).body.count).toBe(1)
  } finally {
    await service.close()
  }
})

it('two brands can share an account', async () => {
  const seed = seedWithCredentials()
  const parties = seed.parties.map((party) =>
    party.kind === 'brand' ? { ...party, account: 'brands' } : party,
  )
  const service = await createService({ data: ':memory:', clock: systemClock, seed: { ...seed, parties } })
  await service.listen()
  try {
    const token = await tokenFor(service, CREDENTIALS[1].clientId, CREDENTIALS[1].clientSecret)
    const { body } = await callerOf(service.baseUrl, token).get('/v1/brands/')
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([2000, 2001])
  } finally {
    await service.close()
  }
})

it('a taken port is a failure that names the port', async () => {
  const { service } = await openMarket()
  const port = Number(new URL(service.baseUrl).port)
  const second = await createService({ data: ':memory:', clock: systemClock, port })
  await expect(second.listen()).rejects.toMatchObject({ code: 'usage-wrong' })
  await second.close()
})

it('an operator who lost the secrets gets other clients, and the earlier ones stay valid until they are revoked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const first = await createService({ data: folder, clock: systemClock })
  const [harbor] = first.parties
  await first.close()
  const second = await createService({ data: folder, clock: systemClock, newClients: true })
  await second.listen()
  onTestFinished(() => second.close())
  const [renewed] = second.parties
  expect(renewed).toMatchObject({ kind: 'retailer', id: 1000, name: 'Harbor & Vine' })
  expect(renewed!.clientId).not.toBe(harbor!.clientId)
  for (const { clientId, clientSecret } of [harbor!, renewed!]) {
    const token = await tokenFor(second, clientId, clientSecret!)
    expect((await callerOf(second.baseUrl, token).get('/v1/retailers/')).status).toBe(200)
  }
  expect(second.admin.clientSecret).toMatch(/^[\w-]{43}$/)
  await second.close()
  const third = await createService({ data: folder, clock: systemClock })
  expect(third.parties[0]).toEqual({
    kind: 'retailer',
    id: 1000,
    name: 'Harbor & Vine',
    clientId: renewed!.clientId,
  })
  await third.close()
})

it('its introduction has all that a first call needs', async () => {
  const { service } = await openMarket()
  const { parties, carriers } = service.introduction()
  expect(parties[0]).toMatchObject({ kind: 'retailer', id: 1000, clientId: 'harbor' })
  expect(parties[0]!.variants).toHaveLength(6)
  expect(parties[1]!.variants[1]).toEqual({
    id: 9002,
    brand_id: 2000,
    identifier: 'NL-0002',
    brand_identifier: 'NL-0002',
    upc: '086000100025',
    name: 'Cove Floor Lamp, Slate Blue',
  })
  expect(parties[0]!.variants[1]!.identifier).toBe('HV-10001')
  expect(carriers.map(({ code }) => code)).toEqual(['FDEG', 'UPSN', 'USPS'])
  expect(carriers[2]!.shipping_methods[0]).toMatchObject({ id: 20, code: 'USPS_PRIORITY' })
})
