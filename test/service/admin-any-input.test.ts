import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ADMIN_ENDPOINTS, type AdminEndpointName } from '../../src/service/endpoints.ts'
import { openMarket, placeAndShip, placeOrder, shipmentBody, SHIPMENTS } from './market.ts'

/** Valid bodies for the contents of the first test's market. */
const BODIES: Partial<Record<AdminEndpointName, unknown>> = {
  cancelForBrand: { reason_id: 2, cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }] },
  changeOrder: {
    retailer_order_number: 'R-1',
    pickup_on: '2026-11-25T00:00:00Z',
    requested_shipping_method_id: 2,
  },
  createRma: {
    created_by: 'brand',
    reason: 'Customer Disposition',
    rma_number: 'RMA-1',
    rmad_at: '2026-11-20T10:00:00Z',
    rma_lines: [{ variant: { id: 9001 }, quantity: 1 }],
  },
  createCredit: {
    credit_number: 'CR-1',
    credit_lines: [{ variant: { id: 9001 }, quantity: 1, price: '1.00' }],
    adjustments: [{ type: 'Fee', description: 'Restocking', amount: '-0.50' }],
  },
  changeStock: { locations: [{ code: 'EAST', inventory: 3 }] },
  createParty: { kind: 'retailer', name: 'Oak', code: 'OAK', acknowledge_within_hours: 12, account_id: 2 },
  createClient: { scope: 'read' },
  createCarrier: {
    name: 'Cross',
    code: 'CJCD',
    shipping_methods: [{ name: 'LTL', code: 'LTL', type: 'freight', generic_id: 4 }],
  },
  createConnection: {
    retailer_id: 1000,
    brand_id: 2001,
    message: 'Hello.',
    level: 'Basic',
    status: 'Pending',
    fulfill_within_hours: 48,
    shipping_method_ids: [3, 10],
    signature_required: true,
    packing_slips: false,
  },
  changeConnection: { level: 'Full', status: 'Active', fulfill_within_hours: 1, shipping_method_ids: [3] },
  createShippingAccount: {
    carrier_id: 2,
    nickname: 'Ours',
    owner_type: 'brand',
    shipping_method_ids: [10],
  },
  turnSwitches: { labelFormat: 'png', faultLimit: 3 },
}

const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '\u0000', '\ud800', '-0.00', '1e400', '99999999.99', 'NL-0001', '0000-01-01T00:00:00Z'),
  fc.constantFrom(0, -1, 1.5, 1e308, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER),
)

/** A valid body in which a few values, anywhere, are replaced by nonsense. */
function spoiled(body: unknown): fc.Arbitrary<unknown> {
  const right = Array.isArray(body)
    ? fc.tuple(...body.map(spoiled))
    : typeof body === 'object' && body !== null
      ? fc.record(Object.fromEntries(Object.entries(body).map(([name, value]) => [name, spoiled(value)])))
      : fc.constant(body)
  return fc.oneof({ weight: 12, arbitrary: right }, nonsense)
}

it('no body causes an error of the server, and every answer has the shape it should have', async () => {
  const market = await openMarket()
  await placeAndShip(market, 'PO-1')
  await market.admin.post('/admin/orders/1/rmas/', BODIES.createRma)
  await market.admin.put('/admin/rmas/1/accept/')
  const requests = fc.oneof(
    ...(Object.entries(BODIES) as [AdminEndpointName, unknown][]).map(([name, body]) =>
      fc.record({ name: fc.constant(name), body: spoiled(body) }),
    ),
  )
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(requests, async ({ name, body }) => {
      const { method, path } = ADMIN_ENDPOINTS[name]
      const id = /connections|variants/.test(path) ? (path.includes('variants') ? '9001' : '100') : '1'
      const address = path.replace('{id}', id)
      // a success is checked against the endpoint's own schema by the caller
      const { status } = await (method === 'POST'
        ? market.admin.post(address, body)
        : market.admin.patch(address, body))
      expect([200, 201, 400]).toContain(status)
      if (status < 300) seen.add(name)
    }),
    { numRuns: 500 },
  )
  expect([...seen]).toEqual(expect.arrayContaining(['createRma', 'createParty', 'changeConnection']))
  for (const list of ['rmas', 'credits', 'cancels', 'connections', 'orders']) {
    expect((await market.retailer.get(`/v1/retailers/1000/${list}/`)).status).toBe(200)
  }
})

it('whatever credits are asked for, together they never exceed the return', async () => {
  const market = await openMarket()
  const lines = [
    { variant: { identifier: 'NL-0001' }, quantity: 6, net_price: '7.87', price: '16.73' },
    { variant: { identifier: 'NL-0003' }, quantity: 4, net_price: '0.03', price: '1.00' },
  ]
  const credited = fc.record({
    variant: fc.constantFrom({ id: 9001 }, { id: 9003 }),
    quantity: fc.integer({ min: 1, max: 7 }),
    price: fc.option(fc.integer({ min: 0, max: 6000 }).map((cents) => (cents / 100).toFixed(2))),
  })
  const bodies = fc.array(
    fc.option(fc.uniqueArray(credited, { minLength: 1, selector: ({ variant }) => variant.id })),
    { minLength: 1, maxLength: 6 },
  )
  let number = 0
  let issued = 0
  await fc.assert(
    fc.asyncProperty(bodies, async (wanted) => {
      number += 1
      const order = await placeOrder(market, `PO-${number}`, { order_lines: lines })
      const shipment_lines = ['NL-0001', 'NL-0003'].map((brand_identifier, index) => ({
        variant: { brand_identifier },
        quantity: lines[index]!.quantity,
      }))
      await market.brand.post(SHIPMENTS, shipmentBody(order, { shipment_lines }))
      const rma = await market.admin.post(`/admin/orders/${order}/rmas/`, {
        created_by: 'brand',
        reason: 'Customer Disposition',
        rma_lines: lines.map(({ variant, quantity }) => ({ variant, quantity: quantity - 1 })),
      })
      expect(rma.body.total_amount).toBe('39.44')
      await market.admin.put(`/admin/rmas/${rma.body.id}/accept/`)
      const path = `/admin/rmas/${rma.body.id}/credits/`
      const answers = await Promise.all(
        wanted.map((credit_lines, index) =>
          market.admin.post(path, { credit_number: `CR-${number}-${index}`, credit_lines }),
        ),
      )
      const made = answers.filter(({ status }) => status === 201).map(({ body }) => body)
      issued += made.length
      const cents = made.map(({ subtotal }) => Math.round(Number(subtotal) * 100))
      expect(cents.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3944)
      const units = (id: number) =>
        made
          .flatMap(({ credit_lines }) => credit_lines)
          .filter((line) => line.variant.id === id)
          .reduce((sum, line) => sum + line.quantity, 0)
      expect(units(9001)).toBeLessThanOrEqual(5)
      expect(units(9003)).toBeLessThanOrEqual(3)
    }),
    { numRuns: 25 },
  )
  expect(issued).toBeGreaterThan(0)
})
