/** How orders are canceled, and by which party. */
import { expect } from 'vitest'
import { item, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { canceled, cancelBody, done, ordered, sharedWorld } from './world.ts'

const REASONS = [
  'Retailer Requested Cancellation',
  'Not Enough Inventory',
  "Can't Meet Fulfillment Deadline",
  'Product Listing and/or Pricing Error',
  'Unfulfillable Address',
]

export function cancels({ proves }: Ledger): void {
  const { world } = sharedWorld()

  for (const [index, reason] of REASONS.entries()) {
    proves(`rule.cancel.reason-${index + 1}`)(`reason ${index + 1} is shown as its text`, async () => {
      expect((await canceled(world(), { reason_id: index + 1 })).reason).toBe(reason)
    })
  }

  proves('rule.cancel.before-acknowledge')(
    'an order that the supplier has acknowledged is not canceled',
    async () => {
      const { id } = await ordered(world())
      await done(world().brand.put(`orders/${id}/acknowledge/`))
      const { status } = await world().retailer.post('cancels/', cancelBody(id))
      expect(status).toBe(400)
      const order = await done(world().retailer.get(`orders/${id}/`))
      expect([order.order_lines[0].quantity_canceled, order.cancels]).toEqual([0, []])
    },
  )

  proves('choice.cancel.closed')('an order that was closed by hand is not canceled', async () => {
    const { id } = await ordered(world())
    await done(world().brand.put(`orders/${id}/close/`))
    const { status, body } = await world().retailer.post('cancels/', cancelBody(id))
    expect([status, Object.keys(body)]).toEqual([400, ['order_id']])
    const order = await done(world().retailer.get(`orders/${id}/`))
    expect([order.status, order.order_lines[0].quantity_canceled, order.cancels]).toEqual(['closed', 0, []])
  })

  proves('choice.cancel.left')('what is shipped or canceled already is not canceled again', async () => {
    const { id } = await ordered(world())
    const shipment_lines = [{ variant: { brand_identifier: 'NL-0001' }, quantity: 1 }]
    await done(world().brand.post('shipments/', shipmentBody(id, { shipment_lines })))
    await done(world().retailer.post('cancels/', cancelBody(id)))
    const { status, body } = await world().retailer.post('cancels/', cancelBody(id))
    expect([status, Object.keys(body)]).toEqual([400, ['cancel_lines']])
  })

  proves('rule.cancel.only-retailer')('a supplier has no way to cancel', async () => {
    const { id } = await ordered(world())
    expect((await world().brand.post('cancels/', cancelBody(id))).status).toBe(404)
    const ofRetailer = await world().brand.post('/v1/retailers/1000/cancels/', cancelBody(id))
    expect(ofRetailer.status).toBe(403)
  })

  proves('rule.cancel-create.one-line-per-item', 'rule.cancel-create.one-of')(
    'two lines with one item and a line without an item are refused at their places',
    async () => {
      const { id } = await ordered(world())
      const cancel = (...variants: object[]) =>
        world().retailer.post(
          'cancels/',
          cancelBody(id, { cancel_lines: variants.map((variant) => ({ variant, quantity: 1 })) }),
        )
      const twice = await cancel({ id: 9001 }, { identifier: 'NL-0001' })
      expect([twice.status, Object.keys(twice.body)]).toEqual([400, ['cancel_lines']])
      const nameless = await cancel({})
      expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['cancel_lines']])
    },
  )

  proves('rule.cancel-create.priority')('an item is found by id before identifier before UPC', async () => {
    const { upc } = item('NL-0001')
    const found = async (variant: object) =>
      (await canceled(world(), { cancel_lines: [{ variant, quantity: 1 }] })).cancel_lines[0].variant.id
    expect(await found({ id: 9001, identifier: 'HV-10001', upc: item('NL-0002').upc })).toBe(9001)
    expect(await found({ identifier: 'HV-10001', upc })).toBe(9002)
    expect(await found({ upc })).toBe(9001)
  })

  proves('choice.cancel.is-acknowledged')('a cancel says whether it is acknowledged', async () => {
    expect((await canceled(world())).is_acknowledged).toBe(false)
  })

  proves('state.acknowledge.cancel', 'cancel.acknowledged_at')(
    'the retailer acknowledges a cancel, once',
    async () => {
      const { id, acknowledged_at } = await canceled(world())
      expect(acknowledged_at).toBeNull()
      expect(await done(world().retailer.put(`cancels/${id}/acknowledge/`))).toMatchObject({
        id,
        is_acknowledged: true,
        acknowledged_at: '2026-11-21T02:15:00.000Z',
      })
    },
  )
}
