/** API records for the samples of the exports: a few orders that were processed at the real service. */
import { sampleSeed } from '../../src/service/sample-seed.ts'
import { createService, type Service } from '../../src/service/service.ts'

/** 2026-11-16T14:05:00Z; each change is three minutes after the one before. */
const START = Date.UTC(2026, 10, 16, 14, 5)
const PAUSE = 3 * 60 * 1000

type Json = Readonly<Record<string, unknown>>

/** The files of `samples/exports/` by name, each a JSON array as a list of the API shows it. */
export async function receiptSamples(): Promise<Record<string, string>> {
  const clock = { time: START }
  const service = await createService({
    data: ':memory:',
    clock: { now: () => clock.time, sleep: () => Promise.resolve() },
    seed: { ...sampleSeed(), credentials: CREDENTIALS },
  })
  await service.listen()
  try {
    const ask = await caller(service, clock)
    await liveThrough(ask)
    const lists: Record<string, string> = {}
    for (const [name, [who, path]] of Object.entries(LISTS)) {
      const { results } = await ask(who, 'GET', path)
      lists[name] = `${JSON.stringify(results, null, 2)}\n`
    }
    return lists
  } finally {
    await service.close()
  }
}

type Who = 'harbor' | 'northlight' | 'operator'
type Ask = (who: Who, method: string, path: string, body?: Json) => Promise<Json>

const CREDENTIALS = [
  { kind: 'retailer', id: 1000, clientId: 'harbor', clientSecret: 'harbor-secret-0123456789' },
  { kind: 'brand', id: 2000, clientId: 'northlight', clientSecret: 'northlight-secret-0123456789' },
  { kind: 'admin', id: 0, clientId: 'operator', clientSecret: 'operator-secret-0123456789' },
] as const

const RETAILER = '/v1/retailers/1000/'
const BRAND = '/v1/brands/2000/'

const LISTS: Readonly<Record<string, readonly [Who, string]>> = {
  'cancels.json': ['harbor', `${RETAILER}cancels/`],
  'returns.json': ['harbor', `${RETAILER}rmas/`],
  'credits.json': ['harbor', `${RETAILER}credits/`],
  'variants.json': ['harbor', `${RETAILER}variants/?limit=3`],
  'retailer-orders.json': ['harbor', `${RETAILER}orders/`],
  'brand-invoices.json': ['northlight', `${BRAND}invoices/`],
  'brand-variants.json': ['northlight', `${BRAND}variants/?limit=3`],
  'carriers.json': ['harbor', '/v1/carriers/'],
  'connections.json': ['harbor', `${RETAILER}connections/`],
  'retailers.json': ['harbor', '/v1/retailers/'],
  'brands.json': ['northlight', '/v1/brands/'],
}

async function caller(service: Service, clock: { time: number }): Promise<Ask> {
  const tokens = new Map<string, string>()
  for (const { clientId, clientSecret } of CREDENTIALS) {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const answer = await fetch(`${service.baseUrl}/auth/token/`, { method: 'POST', body })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    tokens.set(clientId, token)
  }
  return async (who, method, path, body) => {
    if (method !== 'GET') clock.time += PAUSE
    const headers = {
      authorization: `Bearer ${tokens.get(who) ?? ''}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await fetch(service.baseUrl + path, request)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text) as Json
  }
}

const THROW = { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '7.87', price: '16.73' }
const LAMP = { variant: { identifier: 'HV-10001' }, quantity: 1, net_price: '11.24', price: '23.47' }

function order(number: string, customer: string, name: string): Json {
  return {
    purchase_order_number: number,
    customer_order_number: customer,
    ordered_at: '2026-11-16T14:00:00Z',
    ship_to: {
      name1: name,
      street1: '18 Harbor St',
      city: 'Portland',
      province: 'ME',
      postal_code: '04101',
      country: 'US',
    },
    shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
    order_lines: [THROW, LAMP],
  }
}

/** One order canceled, one shipped, invoiced, returned and credited, one sent back in part. */
async function liveThrough(ask: Ask): Promise<void> {
  const canceled = await ask('harbor', 'POST', `${RETAILER}orders/`, order('HV-20101', 'W500101', 'Zoë Brandt'))
  await ask('harbor', 'POST', `${RETAILER}cancels/`, {
    order_id: canceled['id'],
    reason_id: 1,
    cancel_lines: [
      { variant: THROW.variant, quantity: 2 },
      { variant: LAMP.variant, quantity: 1 },
    ],
  })
  await returned(ask, order('HV-20102', 'W500102', 'Ann Lee, Apt "B"'), {
    rma: { created_by: 'retailer', reason: 'Item was damaged or defective', rma_number: 'RMA-71', units: 2 },
    credit: 'CM-9001',
  })
  await returned(ask, order('HV-20103', 'W500103', 'Jürgen Groß'), {
    rma: { created_by: 'brand', reason: 'Customer Disposition', rma_number: null, units: 1 },
    credit: 'CM-9002',
  })
}

interface Return {
  readonly rma: Readonly<{ created_by: string; reason: string; rma_number: string | null; units: number }>
  readonly credit: string
}

async function returned(ask: Ask, body: Json, { rma, credit }: Return): Promise<void> {
  const { id, purchase_order_number: number } = await ask('harbor', 'POST', `${RETAILER}orders/`, body)
  await ask('northlight', 'PUT', `${BRAND}orders/${String(id)}/acknowledge/`)
  await ask('northlight', 'POST', `${BRAND}shipments/`, {
    order_id: id,
    ship_from_name1: 'Northlight Goods',
    ship_from_street1: '2100 Vassar St',
    ship_from_city: 'Reno',
    ship_from_province: 'NV',
    ship_from_postal_code: '89502',
    ship_from_country: 'US',
    shipped_at: '2026-11-16T18:00:00Z',
    carrier_id: 1,
    shipping_method_id: 3,
    tracking_number: `7946000${String(id)}`,
    shipment_lines: [
      { variant: { brand_identifier: 'NL-0001' }, quantity: 2 },
      { variant: { brand_identifier: 'NL-0002' }, quantity: 1 },
    ],
  })
  await ask('northlight', 'POST', `${BRAND}invoices/`, {
    purchase_order_number: number,
    invoice_number: `NL-${String(number)}`,
    terms_net_days_due: 30,
    terms_date_due: '2026-12-16',
    due_amount: '26.98',
    invoice_lines: [
      { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '7.87' },
      { variant: { identifier: 'HV-10001' }, quantity: 1, net_price: '11.24' },
    ],
  })
  const { units, ...fields } = rma
  const lines = [{ variant: { identifier: 'NL-0001' }, quantity: units }]
  const made = await ask('operator', 'POST', `/admin/orders/${String(id)}/rmas/`, { ...fields, rma_lines: lines })
  await ask('operator', 'PUT', `/admin/rmas/${String(made['id'])}/accept/`)
  await ask('operator', 'POST', `/admin/rmas/${String(made['id'])}/credits/`, {
    credit_number: credit,
    credit_lines: lines.map((line) => ({ ...line, price: '7.87' })),
  })
}
