/** How orders are shipped, with an existing label or one that the service makes. */
import { expect } from 'vitest'
import { item, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { done, inWorld, LABEL, ordered, sharedWorld, shipped, setSwitches } from './world.ts'

export function shipments({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves('rule.shipment-create.mode-a')(
    'a label that exists keeps its carrier, method and number',
    async () => {
      expect(await shipped(world())).toMatchObject({
        carrier: { id: 1, name: 'FedEx', code: 'FDEG' },
        shipping_method: { id: 3, code: 'FEDEX_GROUND' },
        shipping_account: null,
        tracking_number: 'TRACK-1',
        shipped_at: '2026-11-21T02:15:00.000Z',
      })
    },
  )

  proves('rule.shipment-create.mode-b', 'shipment.shipping_account')(
    'a label that the service makes goes by the account and has a number of its carrier',
    async () => {
      const shipment = await shipped(world(), LABEL)
      expect(shipment).toMatchObject({
        carrier: { code: 'FDEG' },
        shipping_method: { id: 4 },
        shipping_account: { id: 500, nickname: 'Harbor & Vine FedEx' },
        ship_weight: '5.5',
      })
      expect(shipment.tracking_number).toMatch(/^\S+$/)
    },
  )

  proves('rule.shipment-create.method-spelling')('the key shipping_method is taken as well', async () => {
    const { shipping_method_id, ...label } = LABEL
    const { id } = await ordered(world())
    const { shipping_method_id: _, ...body } = shipmentBody(id, label) as Record<string, unknown>
    const shipment = await done(
      world().brand.post('shipments/', { ...body, shipping_method: shipping_method_id }),
    )
    expect(shipment.shipping_method.id).toBe(4)
  })

  proves(
    'rule.shipment.girth',
    'rule.shipment.volume',
    'shipment.ship_girth',
    'shipment.ship_volume',
  )('girth is twice the two shortest sides and the longest, volume is their product', async () => {
    const { ship_girth, ship_volume } = await shipped(world(), LABEL)
    expect([Number(ship_girth), Number(ship_volume)]).toEqual([(4 + 6) * 2 + 12, 4 * 6 * 12])
  })

  proves('rule.shipment-create.label-eligibility', 'rule.shipment-create.label-only-if')(
    'a label comes for a shipment with weight and size, and for no other',
    async () => {
      const weighed = await shipped(world(), LABEL)
      const unweighed = await shipped(world())
      expect([weighed.valid_shipping_label, unweighed.valid_shipping_label]).toEqual([true, false])
      expect((await world().brand.get(`shipments/${weighed.id}/shipping_label/`)).status).toBe(200)
      const refused = await world().brand.get(`shipments/${unweighed.id}/shipping_label/`)
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(refused.status).toBeLessThan(500)
    },
  )

  proves('choice.endpoints.documents')('packing slips and labels are PDF files', async () => {
    const { id } = await shipped(world(), LABEL)
    for (const document of ['packing_slip', 'shipping_label']) {
      const { status, headers, body } = await world().brand.get(`shipments/${id}/${document}/`)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
      expect(body.slice(0, 5)).toBe('%PDF-')
    }
  })

  proves('rule.shipment-create.one-line-per-item', 'rule.shipment-create.one-of')(
    'two lines with one item and a line without an item are refused at their places',
    async () => {
      const { id } = await ordered(world())
      const ship = (...variants: object[]) =>
        world().brand.post(
          'shipments/',
          shipmentBody(id, { shipment_lines: variants.map((variant) => ({ variant, quantity: 1 })) }),
        )
      const twice = await ship({ brand_identifier: 'NL-0001' }, { upc: item('NL-0001').upc })
      expect([twice.status, Object.keys(twice.body)]).toEqual([400, ['shipment_lines']])
      const nameless = await ship({})
      expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['shipment_lines']])
    },
  )

  proves('rule.shipment-create.priority')('a UPC has priority over the SKU of the brand', async () => {
    const variant = { upc: item('NL-0002').upc, brand_identifier: 'NL-0001' }
    const { shipment_lines } = await shipped(world(), { shipment_lines: [{ variant, quantity: 1 }] })
    expect(shipment_lines[0].variant.id).toBe(9002)
  })

  proves('state.shipment.tracking', 'choice.shipment.closes')(
    'a shipment with a tracking number is closed, and with the switch only once it was picked up',
    async () => {
      expect((await shipped(world())).status).toBe('closed')
      await inWorld(async (own) => {
        setSwitches(own, { shipmentCloses: 'pick-up' })
        expect((await shipped(own)).status).toBe('open')
      })
    },
  )

  proves(
    'state.shipment.tracking',
    'choice.shipment.label-made',
    'shipment.tracking_number',
    'shipment.shipped_at',
  )('a shipment whose label is made later is open, and closed once the label is fetched', async () => {
    await inWorld(async (own) => {
      setSwitches(own, { labelMade: 'fetch' })
      const { id, ...made } = await shipped(own, LABEL)
      expect(made).toMatchObject({ status: 'open', tracking_number: null, shipped_at: null })
      own.clock.time += 60_000
      const document = `shipments/${id}/shipping_label/`
      expect((await own.brand.get(document)).status).toBe(200)
      const fetched = await done(own.retailer.get(`shipments/${id}/`))
      expect(fetched).toMatchObject({
        status: 'closed',
        tracking_number: expect.stringMatching(/^\S+$/),
        shipped_at: '2026-11-21T02:16:00.000Z',
      })
      own.clock.time += 60_000
      expect((await own.brand.get(document)).status).toBe(200)
      expect(await done(own.retailer.get(`shipments/${id}/`))).toEqual(fetched)
    })
  })

  proves('choice.shipment.packing-slip', 'shipment.valid_packing_slip')(
    'where a connection has no packing slips, shipments say so and none is made',
    async () => {
      await inWorld(async (own) => {
        const { id, valid_packing_slip } = await shipped(own)
        expect(valid_packing_slip).toBe(true)
        await done(own.admin.patch('connections/100/', { packing_slips: false }))
        expect((await done(own.retailer.get(`shipments/${id}/`))).valid_packing_slip).toBe(false)
        const { status, body } = await own.brand.get(`shipments/${id}/packing_slip/`)
        expect([status, Object.keys(body)]).toEqual([400, ['non_field_errors']])
      })
    },
  )

  proves('choice.shipment.batch', 'shipment.batch_number')(
    'shipments of one day in UTC have one batch number, those of the next another',
    async () => {
      await inWorld(
        async (own) => {
          const batch = async () => (await shipped(own)).batch_number
          const numbers = [await batch()]
          own.clock.time = Date.UTC(2026, 10, 21, 23, 59, 59, 999)
          numbers.push(await batch())
          own.clock.time += 1
          numbers.push(await batch())
          expect(numbers).toEqual([20_261_121, 20_261_121, 20_261_122])
        },
        { tokenLifetimeSeconds: 200_000 },
      )
    },
  )

  proves('choice.shipment.label-reference', 'shipment.label_reference')(
    'the supplier may put a text on the label',
    async () => {
      const { label_reference } = await shipped(world(), { label_reference: 'Handle with care' })
      expect(label_reference).toBe('Handle with care')
    },
  )

  proves('choice.shipment.signature', 'shipment.signature')(
    'a signature is required where the connection says so',
    async () => {
      await inWorld(async (own) => {
        expect((await shipped(own)).signature).toBeNull()
        await done(own.admin.patch('connections/100/', { signature_required: true }))
        expect((await shipped(own)).signature).toBe('required')
      })
    },
  )

  proves('choice.shipment.lines')('no more is shipped than is outstanding', async () => {
    const { order_id } = await shipped(world())
    const again = await world().brand.post('shipments/', shipmentBody(order_id))
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['shipment_lines']])
  })

  proves('choice.acknowledge.again')('a second acknowledgement keeps the time of the first', async () => {
    await inWorld(async (own) => {
      const { id } = await shipped(own)
      const first = await done(own.retailer.put(`shipments/${id}/acknowledge/`))
      own.clock.time += 60_000
      expect(await done(own.retailer.put(`shipments/${id}/acknowledge/`))).toEqual(first)
    })
  })

  proves(
    'state.acknowledge.shipment',
    'shipment.is_acknowledged',
    'shipment.acknowledged_at',
  )('the retailer acknowledges a shipment, once', async () => {
    const { id } = await shipped(world())
    expect(await done(world().retailer.put(`shipments/${id}/acknowledge/`))).toMatchObject({
      id,
      is_acknowledged: true,
      acknowledged_at: '2026-11-21T02:15:00.000Z',
    })
  })

  proves(
    'state.shipment.pick-up',
    'state.shipment.tracking-object',
    'shipment.tracking',
  )('with the switch a shipment closes when the carrier picks it up, and tracking shows when', async () => {
    await inWorld(async (own) => {
      setSwitches(own, { shipmentCloses: 'pick-up' })
      const { id, status, tracking } = await shipped(own)
      expect([status, tracking]).toEqual(['open', { picked_up_at: null, delivered_at: null }])
      own.clock.time += 60_000
      await done(own.admin.put(`shipments/${id}/pick-up/`))
      const seen = await done(own.retailer.get(`shipments/${id}/`))
      expect([seen.status, seen.tracking]).toEqual([
        'closed',
        { picked_up_at: '2026-11-21T02:16:00.000Z', delivered_at: null },
      ])
    })
  })
}
