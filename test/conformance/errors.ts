/** The answers to wrong requests; the spec shows none of them. */
import { expect } from 'vitest'
import { orderBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { ordered, sharedWorld } from './world.ts'

export function errors({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'choice.errors.not-found',
    'choice.versioning.negotiation',
    'choice.purpose.upcoming',
  )('what does not exist and what belongs to another party get the same answer', async () => {
    const { id } = await ordered(world())
    for (const answer of [
      await world().retailer.get('orders/999/'),
      await world().otherBrand.get(`orders/${id}/`),
      await world().retailer.get('items/'),
      await world().retailer.get('inventory/'),
      await world().retailer.get('/retailers/1000/orders/'),
      await world().retailer.get('/v2/retailers/1000/orders/'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found.' }])
    }
  })

  proves('choice.errors.method', 'rule.endpoints.acknowledge-put')(
    'a method that an address does not have is refused with those it has',
    async () => {
      const { id } = await ordered(world())
      const answer = await world().brand.get(`orders/${id}/acknowledge/`)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'PUT'])
      expect(answer.body).toEqual({ detail: 'Method "GET" not allowed.' })
    },
  )

  proves('choice.errors.media-type', 'rule.conventions.content-type')(
    'a body must be sent as application/json',
    async () => {
      const body = JSON.stringify(orderBody('PO-T'))
      const asText = await world().retailer.send('orders/', {
        method: 'POST',
        body,
        headers: { 'content-type': 'text/plain' },
      })
      expect([asText.status, Object.keys(asText.body)]).toEqual([415, ['detail']])
      const withCharset = await world().retailer.send('orders/', {
        method: 'POST',
        body,
        headers: { 'content-type': 'Application/JSON; charset=utf-8' },
      })
      expect(withCharset.status).toBe(201)
    },
  )

  proves('choice.errors.too-large')('a body of more than a mebibyte is not read', async () => {
    const gift_message = ['x'.repeat(1_100_000)]
    const { status, body } = await world().retailer.post('orders/', orderBody('PO-XL', { gift_message }))
    expect([status, Object.keys(body)]).toEqual([413, ['detail']])
  })

  proves('choice.errors.validation')(
    'all errors of a body are reported at once, at their places',
    async () => {
      const body = orderBody('', { ordered_at: 'yesterday', shipping_method: {} })
      const [first, second] = body.order_lines
      const order_lines = [first, { ...second, quantity: 0 }]
      const { status, body: refusal } = await world().retailer.post('orders/', { ...body, order_lines })
      expect(status).toBe(400)
      expect(refusal).toMatchObject({
        purchase_order_number: [expect.any(String)],
        ordered_at: [expect.any(String)],
        shipping_method: { code: [expect.any(String)], carrier: [expect.any(String)] },
        order_lines: [{}, { quantity: [expect.any(String)] }],
      })
    },
  )

  proves('choice.events.none')('there are no subscriptions', async () => {
    for (const path of ['webhooks/', 'events/', '/v1/webhooks/']) {
      const { status } = await world().retailer.post(path, { url: 'https://example.com/', event: 'order' })
      expect(status).toBe(404)
    }
  })

  proves('choice.limits.rate')('a hundred calls in one second are all answered', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => world().retailer.get('/v1/retailers/')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
}
