/** How orders are placed and moved. */
import { describe, expect } from 'vitest'
import { invoiceBody, item, orderBody, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import {
  attributesBody,
  cancelBody,
  done,
  inWorld,
  ordered,
  RETURN,
  shipped,
  sharedWorld,
  setSwitches,
} from './world.ts'

export function orders({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'state.order.created',
    'state.order.dates',
    'order.received_at',
    'order.acknowledge_by',
    'order.fulfill_by',
  )('a placed order is open, and the service sets when it is due', async () => {
    const quick = await ordered(world())
    expect(quick).toMatchObject({
      status: 'open',
      received_at: '2026-11-21T02:15:00.000Z',
      acknowledge_by: '2026-11-22T02:15:00.000Z',
      fulfill_by: '2026-11-24T02:15:00.000Z',
    })
    const slow = await ordered(world(), {
      order_lines: [{ variant: { id: 9005 }, quantity: 1, net_price: '1.00', price: '2.00' }],
    })
    expect(slow.fulfill_by).toBe('2026-11-26T02:15:00.000Z')
  })

  proves('rule.order-create.unique-number')('a purchase order number is taken once', async () => {
    const { purchase_order_number } = await ordered(world())
    const again = await world().retailer.post('orders/', orderBody(purchase_order_number))
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['purchase_order_number']])
  })

  proves('rule.order-create.gift-line-break', 'order.gift_message')(
    'the lines of a gift message come back as they were sent, with their line breaks',
    async () => {
      const { gift_message } = await ordered(world(), { gift_message: ['Enjoy', '', 'Ann'] })
      expect(gift_message).toEqual(['Enjoy', '', 'Ann'])
    },
  )

  proves('rule.order-create.methods')('a method that the connection does not list is refused', async () => {
    const shipping_method = { code: 'OVERNIGHT', carrier: { code: 'FDEG' } }
    const { status, body } = await world().retailer.post('orders/', orderBody('PO-M', { shipping_method }))
    expect([status, Object.keys(body)]).toEqual([400, ['shipping_method']])
  })

  proves('rule.order-create.one-line-per-item', 'rule.order-create.one-of')(
    'two lines with one item and a line without an item are refused at their places',
    async () => {
      const line = { quantity: 1, net_price: '7.87', price: '16.73' }
      const named = (...variants: object[]) =>
        world().retailer.post(
          'orders/',
          orderBody('PO-L', { order_lines: variants.map((variant) => ({ ...line, variant })) }),
        )
      const twice = await named({ id: 9001 }, { identifier: 'NL-0001' })
      expect([twice.status, Object.keys(twice.body)]).toEqual([400, ['order_lines']])
      const nameless = await named({ id: 9001 }, {})
      expect([nameless.status, nameless.body.order_lines[0]]).toEqual([400, {}])
    },
  )

  proves('rule.order-create.identifier', 'rule.order-create.priority')(
    'an item is found by id before identifier before UPC, and by the SKU of the retailer where there is one',
    async () => {
      const { upc } = item('NL-0003')
      const found = async (variant: object) => {
        const order_lines = [{ variant, quantity: 1, net_price: '7.87', price: '16.73' }]
        const answer = await world().retailer.post(
          'orders/',
          orderBody(world().nextNumber(), { order_lines }),
        )
        return answer.status === 201 ? answer.body.order_lines[0].variant.id : answer.status
      }
      expect(await found({ id: 9001, identifier: 'HV-10001', upc })).toBe(9001)
      expect(await found({ identifier: 'HV-10001', upc })).toBe(9002)
      expect(await found({ upc })).toBe(9003)
      expect(await found({ identifier: 'NL-0001' })).toBe(9001)
      expect(await found({ identifier: 'NL-0002' })).toBe(400)
    },
  )

  proves('choice.order-create.one-brand')('items of two brands in one order are refused', async () => {
    const line = { quantity: 1, net_price: '7.87', price: '16.73' }
    const order_lines = [9001, 9201].map((id) => ({ ...line, variant: { id } }))
    const { status, body } = await world().retailer.post('orders/', orderBody('PO-2B', { order_lines }))
    expect([status, body.order_lines[0], Object.keys(body.order_lines[1])]).toEqual([400, {}, ['variant']])
  })

  proves('choice.order-create.largest')(
    'lines of a hundred million are refused, one or together',
    async () => {
      const place = (...prices: string[]) => {
        const order_lines = prices.map((price, index) => ({
          variant: { id: 9001 + index },
          quantity: 2,
          net_price: '1.00',
          price,
        }))
        return world().retailer.post('orders/', orderBody(world().nextNumber(), { order_lines }))
      }
      const allowed = await place('49999999.99')
      expect([allowed.status, allowed.body.subtotal_charged]).toEqual([201, '99999999.98'])
      for (const prices of [['50000000.00'], ['25000000.00', '25000000.00']]) {
        const { status, body } = await place(...prices)
        expect([status, Object.keys(body)]).toEqual([400, ['order_lines']])
      }
    },
  )

  statuses({ proves })
  moves({ proves })
}

function statuses({ proves }: Pick<Ledger, 'proves'>): void {
  describe('status', () => {
    const { world } = sharedWorld()
    const read = (id: number) => done(world().retailer.get(`orders/${id}/`))
    const half = (id: number) =>
      shipmentBody(id, { shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }] })

    proves('rule.order.status.open')('an order is open while its lines are outstanding', async () => {
      const { status, order_lines } = await ordered(world())
      expect([status, order_lines.map((line: { status: string }) => line.status)]).toEqual([
        'open',
        ['open', 'open'],
      ])
    })

    proves(
      'rule.order.status.partial',
      'choice.order.to-partial',
      'choice.order.line-closed',
      'order_line.quantity_shipped',
    )('an order of which one line is shipped is partial, and that line is closed', async () => {
      const { id } = await ordered(world())
      await done(world().brand.post('shipments/', half(id)))
      const { status, closed_at, order_lines } = await read(id)
      expect([status, closed_at]).toEqual(['partial', null])
      expect(
        order_lines.map((line: { status: string; quantity_shipped: number }) => [
          line.status,
          line.quantity_shipped,
        ]),
      ).toEqual([
        ['closed', 2],
        ['open', 0],
      ])
    })

    proves('choice.order.to-partial')(
      'a shipment of a part of a line leaves the order open, the one that completes the line makes it partial',
      async () => {
        const { id } = await ordered(world())
        const one = { shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 1 }] }
        await done(world().brand.post('shipments/', shipmentBody(id, one)))
        const first = await read(id)
        expect([first.status, first.order_lines[0].status]).toEqual(['open', 'open'])
        await done(world().brand.post('shipments/', shipmentBody(id, one)))
        const second = await read(id)
        expect([second.status, second.order_lines[0].status]).toEqual(['partial', 'closed'])
      },
    )

    proves('choice.order.to-closed')(
      'a cancel of all that is not shipped closes the order, which is not canceled',
      async () => {
        const { id } = await ordered(world())
        await done(world().brand.post('shipments/', half(id)))
        const cancel_lines = [{ variant: { id: 9002 }, quantity: 1 }]
        await done(world().retailer.post('cancels/', cancelBody(id, { cancel_lines })))
        expect(await read(id)).toMatchObject({
          status: 'closed',
          closed_at: '2026-11-21T02:15:00.000Z',
          canceled_at: null,
        })
      },
    )

    proves('choice.order.to-closed')('with the switch a fulfilled order waits to be closed', async () => {
      await inWorld(async (own) => {
        setSwitches(own, { fulfilledOrderCloses: false })
        const { order_id } = await shipped(own)
        const waiting = await done(own.retailer.get(`orders/${order_id}/`))
        expect([waiting.status, waiting.closed_at]).toEqual(['partial', null])
        expect((await done(own.brand.put(`orders/${order_id}/close/`))).status).toBe('closed')
      })
    })

    proves(
      'rule.order.status.closed',
      'choice.order.to-closed',
      'order.closed_at',
    )('an order of which everything is shipped is closed, with the time', async () => {
      const { order_id } = await shipped(world())
      expect(await read(order_id)).toMatchObject({
        status: 'closed',
        closed_at: '2026-11-21T02:15:00.000Z',
      })
    })

    proves(
      'rule.order.status.canceled',
      'choice.order.to-canceled',
      'order.canceled_at',
      'order_line.quantity_canceled',
      'order_line.canceled_at',
    )('an order of which everything is canceled is canceled, with the time', async () => {
      const { id } = await ordered(world())
      const cancel_lines = [
        { variant: { id: 9001 }, quantity: 2 },
        { variant: { id: 9002 }, quantity: 1 },
      ]
      await done(world().retailer.post('cancels/', cancelBody(id, { cancel_lines })))
      const order = await read(id)
      expect(order).toMatchObject({ status: 'canceled', canceled_at: '2026-11-21T02:15:00.000Z' })
      expect(
        order.order_lines.map((line: Record<string, unknown>) => [
          line['quantity_canceled'],
          line['canceled_at'],
          line['status'],
        ]),
      ).toEqual([
        [2, '2026-11-21T02:15:00.000Z', 'closed'],
        [1, '2026-11-21T02:15:00.000Z', 'closed'],
      ])
    })

    proves('choice.order.canceled-stays', 'choice.errors.state')(
      'a canceled order is neither acknowledged nor closed nor reopened',
      async () => {
        const { id } = await ordered(world())
        const cancel_lines = [
          { variant: { id: 9001 }, quantity: 2 },
          { variant: { id: 9002 }, quantity: 1 },
        ]
        await done(world().retailer.post('cancels/', cancelBody(id, { cancel_lines })))
        for (const move of ['acknowledge', 'close', 'reopen']) {
          const { status, body } = await world().brand.put(`orders/${id}/${move}/`)
          expect([move, status, Object.keys(body)]).toEqual([move, 400, ['non_field_errors']])
        }
        expect((await read(id)).status).toBe('canceled')
      },
    )
  })
}

function moves({ proves }: Pick<Ledger, 'proves'>): void {
  describe('moves', () => {
    const { world } = sharedWorld()

    proves(
      'state.acknowledge.order',
      'choice.order.again',
      'order.acknowledged_at',
      'order.is_acknowledged',
      'choice.endpoints.act-answer',
    )('the supplier acknowledges an order, and a second time changes nothing', async () => {
      await inWorld(async (own) => {
        const order = await ordered(own)
        expect(order).toMatchObject({ is_acknowledged: false, acknowledged_at: null })
        const first = await own.brand.put(`orders/${order.id}/acknowledge/`)
        expect(first.status).toBe(200)
        expect(first.body).toMatchObject({
          id: order.id,
          is_acknowledged: true,
          acknowledged_at: '2026-11-21T02:15:00.000Z',
        })
        own.clock.time += 60_000
        expect(await done(own.brand.put(`orders/${order.id}/acknowledge/`))).toEqual(first.body)
      })
    })

    proves('choice.order.close')('an order is closed by hand, and a closed one stays as it is', async () => {
      await inWorld(async (own) => {
        const { id } = await ordered(own)
        const first = await done(own.brand.put(`orders/${id}/close/`))
        expect(first).toMatchObject({ status: 'closed', closed_at: '2026-11-21T02:15:00.000Z' })
        own.clock.time += 60_000
        expect(await done(own.brand.put(`orders/${id}/close/`))).toEqual(first)
      })
    })

    proves('state.order.reopen-closed', 'choice.order.reopen')(
      'a closed order is reopened: partial when a line is fulfilled, otherwise open',
      async () => {
        const { id } = await ordered(world())
        await done(world().brand.put(`orders/${id}/close/`))
        const reopened = await done(world().brand.put(`orders/${id}/reopen/`))
        expect([reopened.status, reopened.closed_at]).toEqual(['open', null])
        const { order_id } = await shipped(world())
        expect((await done(world().brand.put(`orders/${order_id}/reopen/`))).status).toBe('partial')
        const begun = await ordered(world())
        const one = { shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 1 }] }
        await done(world().brand.post('shipments/', shipmentBody(begun.id, one)))
        await done(world().brand.put(`orders/${begun.id}/close/`))
        expect((await done(world().brand.put(`orders/${begun.id}/reopen/`))).status).toBe('open')
        const untouched = await ordered(world())
        expect((await done(world().brand.put(`orders/${untouched.id}/reopen/`))).status).toBe('open')
      },
    )

    proves('choice.order.updated', 'order.updated_at')(
      'everything that changes an order or is made for it moves its updated_at',
      async () => {
        await inWorld(async (own) => {
          const { brand, retailer, admin } = own
          const { id, purchase_order_number } = await ordered(own)
          const path = `orders/${id}/`
          const ship = (brand_identifier: string) => {
            const shipment_lines = [{ variant: { brand_identifier }, quantity: 1 }]
            return done(brand.post('shipments/', shipmentBody(id, { shipment_lines })))
          }
          const invoice_lines = [{ variant: { id: 9001 }, quantity: 1, net_price: '7.87' }]
          let rma = 0
          const changes: Record<string, () => Promise<unknown>> = {
            cancel: () => done(retailer.post('cancels/', cancelBody(id))),
            acknowledge: () => done(brand.put(`${path}acknowledge/`)),
            close: () => done(brand.put(`${path}close/`)),
            reopen: () => done(brand.put(`${path}reopen/`)),
            number: () => done(admin.patch(path, { retailer_order_number: 'R-2' })),
            ship: () => ship('NL-0001'),
            'ship the rest': () => ship('NL-0002'),
            invoice: () =>
              done(brand.post('invoices/', invoiceBody(purchase_order_number, { invoice_lines }))),
            return: async () => {
              rma = (await done(admin.post(`${path}rmas/`, RETURN))).id
            },
            accept: () => done(admin.put(`rmas/${rma}/accept/`)),
            credit: () => done(admin.post(`rmas/${rma}/credits/`, { credit_number: 'CM-U' })),
          }
          for (const [name, change] of Object.entries(changes)) {
            own.clock.time += 60_000
            const now = new Date(own.clock.time).toISOString()
            await change()
            expect([name, (await done(retailer.get(path))).updated_at]).toEqual([name, now])
          }
          const { updated_at } = await done(retailer.get(path))
          own.clock.time += 60_000
          for (const move of ['acknowledge', 'close']) await done(brand.put(`${path}${move}/`))
          expect((await done(retailer.get(path))).updated_at).toBe(updated_at)
        })
      },
    )

    proves('choice.order.attached-items')(
      'an order shows what was made for it: the ids and main facts of each resource',
      async () => {
        const shipment = await shipped(world())
        const order = await done(world().retailer.get(`orders/${shipment.order_id}/`))
        expect(order.shipment_count).toBe(1)
        expect(order.shipments).toEqual([
          {
            id: shipment.id,
            tracking_number: 'TRACK-1',
            shipped_at: '2026-11-21T02:15:00.000Z',
            status: 'closed',
            shipment_lines: [
              { order_line_number: '1', part: 1, quantity: 2 },
              { order_line_number: '2', part: 1, quantity: 1 },
            ],
          },
        ])
      },
    )

    proves('rule.requested-method.names', 'order.requested_shipping_method')(
      'an order may ask for one of five service levels instead of a method',
      async () => {
        const { id } = await ordered(world())
        const names: string[] = []
        for (const requested_shipping_method_id of [1, 2, 3, 4, 5]) {
          await done(world().admin.patch(`orders/${id}/`, { requested_shipping_method_id }))
          const { shipping_method, requested_shipping_method } = await done(
            world().retailer.get(`orders/${id}/`),
          )
          expect(shipping_method).toBeNull()
          names.push(requested_shipping_method.name)
        }
        expect(names).toEqual(['Next Day', 'Expedited', 'Ground', 'LTL', 'White Glove'])
      },
    )

    proves('choice.order.memos')('an order has an empty array of memos', async () => {
      expect((await ordered(world())).memos).toEqual([])
    })

    proves('rule.shipment.parts', 'rule.shipment.parts-sum')(
      'an item of several packages is one line per package, of which only the first counts',
      async () => {
        await inWorld(async (own) => {
          await done(own.brand.patch('variants/9001/', attributesBody({ cartons: 3 })))
          const shipment = await shipped(own)
          const parts = shipment.shipment_lines
            .filter((line: { variant: { id: number } }) => line.variant.id === 9001)
            .map((line: { part: number; quantity: number }) => [line.part, line.quantity])
          expect(parts[0]).toEqual([1, 2])
          expect(parts.slice(1).length).toBeGreaterThan(0)
          for (const [part, quantity] of parts.slice(1)) {
            expect(part).toBeGreaterThan(1)
            expect(quantity).toBe(1)
          }
          const order = await done(own.retailer.get(`orders/${shipment.order_id}/`))
          expect(order.order_lines[0].quantity_shipped).toBe(2)
        })
      },
    )
  })
}
