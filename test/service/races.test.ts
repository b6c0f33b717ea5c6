import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService, type Service } from '../../src/service/service.ts'
import {
  ADMIN,
  BRAND_ORDERS,
  CREDENTIALS,
  INVOICES,
  invoiceBody,
  NOW,
  orderBody,
  ORDERS,
  SHIPMENTS,
  seedWithCredentials,
  shipmentBody,
  tokenFor,
} from './market.ts'

/** Rounds of every race; this many of them run at once. */
const ROUNDS = 100
const AT_ONCE = 16
const CONNECTIONS = 32

const CANCELS = '/v1/retailers/1000/cancels/'
const VARIANTS = '/v1/brands/2000/variants/'

interface Answered {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach deep into answers
  readonly body: any
}

interface Client {
  get(path: string): Promise<Answered>
  post(path: string, body: unknown): Promise<Answered>
  put(path: string): Promise<Answered>
}

let folder: string
let service: Service
let pool: Pool
let crowd: Crowd

/** Two clients of one account each, which know nothing of each other. */
let retailers: readonly [Client, Client]
let brands: readonly [Client, Client]
let admins: readonly [Client, Client]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropbridge-races-'))
  let time = NOW
  service = await createService({
    data: folder,
    // no two readings of the clock are the same, so that an event that happens twice has two times
    clock: { now: () => (time += 1000), sleep: async () => undefined },
    tokenLifetimeSeconds: 100_000_000,
    seed: seedWithCredentials(),
  })
  await service.listen()
  pool = new Pool(service.baseUrl, { connections: CONNECTIONS, pipelining: 1 })
  const admin = clientOf(await tokenFor(service, ADMIN.clientId, ADMIN.clientSecret))
  retailers = await clientsOf('retailer', admin)
  brands = await clientsOf('brand', admin)
  admins = [admin, clientOf(await tokenFor(service, ADMIN.clientId, ADMIN.clientSecret))]
  crowd = startCrowd(retailers[0])
})

afterAll(async () => {
  await crowd.stop()
  await pool.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** The seeded client of the party's account, and another one made for it. */
async function clientsOf(kind: 'retailer' | 'brand', admin: Client): Promise<readonly [Client, Client]> {
  const seeded = CREDENTIALS.find((one) => one.kind === kind)!
  const { body } = await admin.get('/admin/parties/')
  const party = body.results.find(
    (one: { kind: string; id: number }) => one.kind === kind && one.id === seeded.id,
  )
  const made = await admin.post(`/admin/accounts/${party.account_id}/clients/`, {})
  return [
    clientOf(await tokenFor(service, seeded.clientId, seeded.clientSecret)),
    clientOf(await tokenFor(service, made.body.client_id, made.body.client_secret)),
  ]
}

function clientOf(token: string): Client {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await pool.request({ method, path, headers, ...payload })
    return { status: answer.statusCode, body: await answer.body.json() }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path) => call('PUT', path),
  }
}

interface Crowd {
  requests(): number
  stop(): Promise<void>
}

/** Other clients, who order and list all the time. */
function startCrowd(client: Client): Crowd {
  let requests = 0
  let isOver = false
  const orderAndList = async (member: number) => {
    while (!isOver) {
      const placed = await client.post(ORDERS, orderBody(`CROWD-${member}-${requests++}`))
      expect(placed.status).toBe(201)
      const listed = await client.get(`${ORDERS}?is_acknowledged=0&limit=20`)
      expect(listed.status).toBe(200)
      requests++
    }
  }
  const callers = Promise.all([1, 2, 3, 4].map(orderAndList))
  return {
    requests: () => requests,
    stop: async () => {
      isOver = true
      await callers
    },
  }
}

/** The rounds of a race, some of them at once, with the crowd running. */
async function race(round: (number: number) => Promise<void>): Promise<void> {
  const before = crowd.requests()
  const numbers = Array.from({ length: ROUNDS }, (_, index) => index + 1).values()
  const runner = async () => {
    for (const number of numbers) await round(number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runner))
  expect(crowd.requests() - before).toBeGreaterThan(AT_ONCE)
}

/** Sends both at once, in alternating order. */
async function together(
  number: number,
  one: () => Promise<Answered>,
  other: () => Promise<Answered>,
): Promise<readonly [Answered, Answered]> {
  if (number % 2 === 0) return Promise.all([one(), other()])
  const [second, first] = await Promise.all([other(), one()])
  return [first, second]
}

/** The answer that made something and the refusal; there must be one of each. */
function winnerOf([one, other]: readonly [Answered, Answered]): {
  winner: 0 | 1
  made: Answered
  refused: Answered
} {
  expect([one.status, other.status].toSorted()).toEqual([201, 400])
  return one.status === 201
    ? { winner: 0, made: one, refused: other }
    : { winner: 1, made: other, refused: one }
}

async function place(number: string): Promise<number> {
  const { status, body } = await retailers[0].post(ORDERS, orderBody(number))
  expect(status).toBe(201)
  return body.id
}

async function placeAndShip(number: string): Promise<number> {
  const id = await place(number)
  const { status } = await brands[0].post(SHIPMENTS, shipmentBody(id))
  expect(status).toBe(201)
  return id
}

it('of two clients that create one purchase order, one makes it and the other learns that it exists', async () => {
  const wins = [0, 0]
  await race(async (number) => {
    const create = (client: 0 | 1) => () =>
      retailers[client].post(
        ORDERS,
        orderBody(`RACE-${number}`, { customer_order_number: `client ${client}` }),
      )
    const { winner, refused } = winnerOf(await together(number, create(0), create(1)))
    expect(refused.body).toEqual({
      purchase_order_number: ['An order with this purchase_order_number already exists.'],
    })
    const { body } = await retailers[1].get(`${ORDERS}?purchase_order_number=RACE-${number}`)
    expect(body.count).toBe(1)
    expect(body.results[0].customer_order_number).toBe(`client ${winner}`)
    wins[winner]!++
  })
  expect(Math.min(...wins)).toBeGreaterThan(0)
})

it('two clients that acknowledge one order both succeed, and it is acknowledged once', async () => {
  await race(async (number) => {
    const path = `${BRAND_ORDERS}${await place(`ACK-${number}`)}/`
    const acknowledge = (client: 0 | 1) => () => brands[client].put(`${path}acknowledge/`)
    const answers = await together(number, acknowledge(0), acknowledge(1))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { body } = await brands[0].get(path)
    expect(body.is_acknowledged).toBe(true)
    expect(answers.map((answer) => answer.body.acknowledged_at)).toEqual([
      body.acknowledged_at,
      body.acknowledged_at,
    ])
  })
})

it('of two clients that invoice one purchase order, one does and the other learns that it is invoiced', async () => {
  const wins = [0, 0]
  await race(async (number) => {
    const id = await placeAndShip(`INV-${number}`)
    const invoice = (client: 0 | 1) => () =>
      brands[client].post(
        INVOICES,
        invoiceBody(`INV-${number}`, { invoice_number: `${number} by ${client}` }),
      )
    const { winner, made, refused } = winnerOf(await together(number, invoice(0), invoice(1)))
    expect(Object.keys(refused.body)).toEqual(['purchase_order_number'])
    const { body } = await brands[0].get(`${BRAND_ORDERS}${id}/`)
    expect(body.invoices).toHaveLength(1)
    expect(body.invoices[0]).toMatchObject({ id: made.body.id, invoice_number: `${number} by ${winner}` })
    wins[winner]!++
  })
  expect(Math.min(...wins)).toBeGreaterThan(0)
})

it('an order that is canceled and acknowledged at once is either canceled or acknowledged', async () => {
  const isCanceled = { cancel: 201, acknowledge: 400, status: 'canceled', acknowledged: false, cancels: 1 }
  const isAcknowledged = { cancel: 400, acknowledge: 200, status: 'open', acknowledged: true, cancels: 0 }
  const wins = { canceled: 0, open: 0 }
  const cancel_lines = orderBody('').order_lines.map(({ variant, quantity }) => ({ variant, quantity }))
  await race(async (number) => {
    const id = await place(`BOTH-${number}`)
    const [canceled, acknowledged] = await together(
      number,
      () => retailers[0].post(CANCELS, { order_id: id, reason_id: 1, cancel_lines }),
      () => brands[0].put(`${BRAND_ORDERS}${id}/acknowledge/`),
    )
    const { body: order } = await retailers[1].get(`${ORDERS}${id}/`)
    const outcome = {
      cancel: canceled.status,
      acknowledge: acknowledged.status,
      status: order.status,
      acknowledged: order.is_acknowledged,
      cancels: order.cancels.length,
    }
    expect([isCanceled, isAcknowledged]).toContainEqual(outcome)
    expect([order.acknowledged_at !== null, order.canceled_at !== null]).toEqual([
      order.is_acknowledged,
      !order.is_acknowledged,
    ])
    wins[order.status as keyof typeof wins]++
  })
  expect(Math.min(...Object.values(wins))).toBeGreaterThan(0)
})

it('of two shipments of the last units, one leaves and the other is refused', async () => {
  const wins = [0, 0]
  await race(async (number) => {
    const id = await place(`SHIP-${number}`)
    // two are ordered: either one more than one, or one more than two
    const ship = (client: 0 | 1) => () => {
      const lines = [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 - client }]
      return brands[client].post(
        SHIPMENTS,
        shipmentBody(id, { tracking_number: `${number}-${client}`, shipment_lines: lines }),
      )
    }
    const { winner, made, refused } = winnerOf(await together(number, ship(0), ship(1)))
    expect(refused.body).toHaveProperty(['shipment_lines', 0, 'quantity'])
    const { body } = await retailers[0].get(`${ORDERS}${id}/`)
    expect(body.shipments.map((shipment: { id: number }) => shipment.id)).toEqual([made.body.id])
    expect(body.order_lines[0].quantity_shipped).toBe(2 - winner)
    wins[winner]!++
  })
  expect(Math.min(...wins)).toBeGreaterThan(0)
})

it('units that are shipped and canceled at once are either shipped or canceled', async () => {
  const wins = [0, 0]
  await race(async (number) => {
    const id = await place(`UNITS-${number}`)
    const { winner } = winnerOf(
      await together(
        number,
        () => brands[0].post(SHIPMENTS, shipmentBody(id)),
        () =>
          retailers[0].post(CANCELS, {
            order_id: id,
            reason_id: 1,
            cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }],
          }),
      ),
    )
    const { body } = await retailers[1].get(`${ORDERS}${id}/`)
    const [first] = body.order_lines
    expect([first.quantity_shipped, first.quantity_canceled]).toEqual(winner === 0 ? [2, 0] : [0, 1])
    expect(body.status).toBe(winner === 0 ? 'closed' : 'open')
    wins[winner]!++
  })
  expect(Math.min(...wins)).toBeGreaterThan(0)
})

it('of two credits of one return, one is issued and the other is refused', async () => {
  const wins = [0, 0]
  await race(async (number) => {
    const id = await placeAndShip(`CREDIT-${number}`)
    const issued = await admins[0].post(`/admin/orders/${id}/rmas/`, {
      created_by: 'retailer',
      reason: 'Customer Disposition',
      rma_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 2 }],
    })
    expect(issued.status).toBe(201)
    expect((await admins[0].put(`/admin/rmas/${issued.body.id}/accept/`)).status).toBe(200)
    const credit = (client: 0 | 1) => () =>
      admins[client].post(`/admin/rmas/${issued.body.id}/credits/`, {
        credit_number: `${number} by ${client}`,
      })
    const { winner } = winnerOf(await together(number, credit(0), credit(1)))
    const { body } = await retailers[0].get(`${ORDERS}${id}/`)
    expect(body.credits).toHaveLength(1)
    expect(body.credits[0]).toMatchObject({ credit_number: `${number} by ${winner}`, credit_amount: '15.74' })
    wins[winner]!++
  })
  expect(Math.min(...wins)).toBeGreaterThan(0)
})

it('of two items with one identifier, one is made and the other is refused', async () => {
  const wins = [0, 0]
  const before = await brands[0].get(`${VARIANTS}?limit=1`)
  await race(async (number) => {
    const make = (client: 0 | 1) => () =>
      brands[client].post(VARIANTS, {
        attributes: [
          { attribute: { code: 'identifier' }, value: `RACED-${number}` },
          { attribute: { code: 'name' }, value: `by ${client}` },
        ],
      })
    const { winner, made, refused } = winnerOf(await together(number, make(0), make(1)))
    expect(Object.keys(refused.body)).toEqual(['attributes'])
    const { body } = await brands[(1 - winner) as 0 | 1].get(`${VARIANTS}${made.body.id}/`)
    expect(body).toMatchObject({ identifier: `RACED-${number}`, name: `by ${winner}` })
    wins[winner]!++
  })
  const after = await brands[0].get(`${VARIANTS}?limit=1`)
  expect(after.body.count - before.body.count).toBe(ROUNDS)
  expect(Math.min(...wins)).toBeGreaterThan(0)
})
