/**
 * A server that accepts every order, for measuring what the bridge itself costs. It answers with an order of about one kilobyte,
 * on one port at once and on another after a wait. It ends with its parent.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StubGreeting {
  readonly atOnce: string
  readonly after20: string
}

const TOKEN = JSON.stringify({ access_token: 'stub', token_type: 'Bearer', expires_in: 36_000, scope: '' })

/** The answer of the service for an order of one line; only its id differs from order to order. */
const ORDER_REST = JSON.stringify({
  retailer: { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
  brand: { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
  purchase_order_number: 'HV-10001',
  customer_order_number: 'W982945',
  ship_to: {
    name1: 'Sam Carter',
    street1: '1125 Rue St-Denis',
    city: 'Seattle',
    province: 'WA',
    country: 'US',
  },
  shipping_method: { id: 3, code: 'FEDEX_GROUND', name: 'FedEx Ground', carrier: { id: 1, code: 'FDEG' } },
  shipment_count: 0,
  gift_message: [],
  subtotal_charged: '15.93',
  status: 'open',
  is_acknowledged: false,
  acknowledge_by: '2026-11-22T02:15:00Z',
  fulfill_by: '2026-11-24T02:15:00Z',
  received_at: '2026-11-21T02:15:00Z',
  ordered_at: '2026-11-02T13:55:00Z',
  order_lines: [
    {
      id: 1,
      order_line_number: '1',
      variant: { id: 9081, identifier: 'NL-0081', upc: '086000100810', name: 'Birch Linen Pillow, Charcoal' },
      quantity: 1,
      quantity_shipped: 0,
      net_price: '7.47',
      price: '15.93',
      status: 'open',
    },
  ],
}).slice(1)

let orders = 0

function answer(response: ServerResponse, url: string): void {
  const isToken = url.endsWith('/auth/token/')
  const body = isToken ? TOKEN : `{"id":${++orders},${ORDER_REST}`
  response.writeHead(isToken ? 200 : 201, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

async function listen(waitMs: number): Promise<string> {
  const server = createServer((request, response) => {
    const { url = '' } = request
    request.resume()
    request.once('end', () => {
      if (waitMs === 0) answer(response, url)
      else setTimeout(answer, waitMs, response, url)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

process.once('disconnect', () => process.exit())
process.send?.({ atOnce: await listen(0), after20: await listen(20) } satisfies StubGreeting)
