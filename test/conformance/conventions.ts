/** Rules for every request and answer, and the purpose of the service. */
import { describe, expect } from 'vitest'
import { type Answered, invoiceBody, NOW, orderBody, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { FIELD_SIZES } from './rows/general.ts'
import {
  attributesBody,
  canceled,
  cancelBody,
  credited,
  done,
  inWorld,
  invoiced,
  ordered,
  returned,
  sharedWorld,
  shipped,
  setSwitches,
  type World,
} from './world.ts'

export function conventions(ledger: Ledger): void {
  describe('purpose', () => {
    purpose(ledger)
  })
  describe('conventions', () => {
    wire(ledger)
  })
  describe('addresses', () => {
    addresses(ledger)
  })
  describe('lists', () => {
    lists(ledger)
  })
  describe('limits and versions', () => {
    limits(ledger)
  })
}

function purpose({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'rule.purpose.drop-ship',
    'rule.purpose.supplier-works',
    'rule.purpose.retailer-context',
    'rule.purpose.brand-context',
    'rule.purpose.acknowledgement',
    'rule.purpose.acknowledged',
  )('an order goes to the supplier, and its shipment and invoice come back', async () => {
    await inWorld(async (own) => {
      const { retailer, brand } = own
      const { id, purchase_order_number } = await ordered(own)
      const [received] = (await done(brand.get('orders/?is_acknowledged=0'))).results
      expect(received.id).toBe(id)
      expect(await done(brand.put(`orders/${id}/acknowledge/`))).toMatchObject({
        is_acknowledged: true,
        acknowledged_at: expect.any(String),
      })
      expect((await done(brand.get('orders/?is_acknowledged=0'))).results).toEqual([])
      await done(brand.post('shipments/', shipmentBody(id)))
      await done(brand.post('invoices/', invoiceBody(purchase_order_number)))
      for (const list of ['shipments', 'invoices']) {
        const [found] = (await done(retailer.get(`${list}/?is_acknowledged=0`))).results
        await done(retailer.put(`${list}/${found.id}/acknowledge/`))
        expect((await done(retailer.get(`${list}/?is_acknowledged=0`))).results).toEqual([])
        expect((await done(retailer.get(`${list}/${found.id}/`))).acknowledged_at).toBe(
          '2026-11-21T02:15:00.000Z',
        )
      }
      await done(brand.put(`orders/${id}/reopen/`))
      await done(brand.put(`orders/${id}/close/`))
      const variant = await done(brand.post('variants/', attributesBody({ identifier: 'NL-NEW' })))
      expect(variant.identifier).toBe('NL-NEW')
    })
  })

  proves('rule.purpose.retailer-submits')('a retailer submits orders and cancels', async () => {
    const { id } = await ordered(world())
    expect((await world().retailer.post('cancels/', cancelBody(id))).status).toBe(201)
  })

  proves('rule.purpose.retailer-reads')(
    'the retailer reads and acknowledges all that comes back to it',
    async () => {
      await inWorld(async (own) => {
        await canceled(own)
        await credited(own)
        for (const list of ['shipments', 'invoices', 'credits', 'rmas', 'cancels', 'variants']) {
          const { results } = await done(own.retailer.get(`${list}/?is_acknowledged=0&limit=1`))
          const [{ id }] = results
          expect((await done(own.retailer.get(`${list}/${id}/`))).acknowledged_at).toBeNull()
          const acknowledged = await done(own.retailer.put(`${list}/${id}/acknowledge/`))
          expect([list, acknowledged.is_acknowledged]).toEqual([list, true])
        }
      })
    },
  )

  proves('rule.purpose.lookups')('connections list their methods, and carriers list theirs', async () => {
    const { results: connections } = await done(world().retailer.get('connections/'))
    const { results: carriers } = await done(world().retailer.get('/v1/carriers/'))
    const codes = (methods: { code: string }[]) => methods.map(({ code }) => code)
    expect(codes(connections[0].shipping_methods)).toContain('FEDEX_GROUND')
    expect(codes(carriers[0].shipping_methods)).toContain('FEDEX_GROUND')
  })
}

function wire({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves('rule.conventions.json')('bodies are JSON in both directions', async () => {
    const { status, headers } = await world().retailer.post('orders/', orderBody(world().nextNumber()))
    expect(status).toBe(201)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    const broken = await world().retailer.send('orders/', { method: 'POST', body: '{"purchase' })
    expect(broken.status).toBe(400)
  })

  proves('rule.conventions.timestamps', 'order.ordered_at')('times are shown in UTC', async () => {
    const { ordered_at } = await ordered(world(), { ordered_at: '2026-11-20T18:30:00Z' })
    expect(ordered_at).toBe('2026-11-20T18:30:00.000Z')
  })

  proves('rule.conventions.money', 'order_line.subtotal')('amounts are text with two decimals', async () => {
    const { order_lines, subtotal_charged } = await ordered(world())
    expect(order_lines.map((line: Record<string, unknown>) => [line['price'], line['subtotal']])).toEqual([
      ['16.73', '33.46'],
      ['23.47', '23.47'],
    ])
    expect(subtotal_charged).toBe('56.93')
  })

  proves('rule.conventions.currency')('the only currency is USD', async () => {
    expect((await invoiced(world())).currency).toBe('USD')
  })

  proves('rule.conventions.ids')('the service gives every resource a number that stays', async () => {
    const { id, purchase_order_number } = await ordered(world())
    const later = await ordered(world())
    expect(Number.isInteger(id)).toBe(true)
    expect(later.id).toBeGreaterThan(id)
    expect((await done(world().retailer.get(`orders/${id}/`))).purchase_order_number).toBe(
      purchase_order_number,
    )
  })

  proves('rule.conventions.nested-ids')('with a switch, ids are shown as text', async () => {
    await inWorld(async (own) => {
      setSwitches(own, { ids: 'text' })
      const { order_lines } = await ordered(own)
      expect(order_lines[0].variant.id).toBe('9001')
    })
  })

  proves('rule.conventions.absent')('what was not sent is null', async () => {
    expect(await ordered(world())).toMatchObject({
      customer_order_number: null,
      retailer_order_number: null,
      sold_to: null,
      acknowledged_at: null,
      closed_at: null,
      canceled_at: null,
    })
  })

  proves('rule.conventions.timestamp-filters', 'rule.conventions.operators')(
    'times are asked for in seconds since 1970, by four operators',
    async () => {
      const { id } = await ordered(world())
      const found = async (operator: string, seconds: number) => {
        const { results } = await done(
          world().retailer.get(`orders/?received_at_${operator}=${seconds}&limit=250`),
        )
        return results.some((order: { id: number }) => order.id === id)
      }
      const received = NOW / 1000
      expect([await found('lt', received), await found('lt', received + 1)]).toEqual([false, true])
      expect([await found('lte', received - 1), await found('lte', received)]).toEqual([false, true])
      expect([await found('gt', received), await found('gt', received - 1)]).toEqual([false, true])
      expect([await found('gte', received + 1), await found('gte', received)]).toEqual([false, true])
    },
  )

  proves('rule.conventions.boolean-filters')('flags are 1 or 0, and true or false as well', async () => {
    await inWorld(async (own) => {
      const first = await ordered(own)
      const second = await ordered(own)
      await done(own.brand.put(`orders/${first.id}/acknowledge/`))
      const found = async (value: string) =>
        (await done(own.retailer.get(`orders/?is_acknowledged=${value}`))).results.map(
          (order: { id: number }) => order.id,
        )
      expect([await found('1'), await found('true')]).toEqual([[first.id], [first.id]])
      expect([await found('0'), await found('false')]).toEqual([[second.id], [second.id]])
    })
  })

  proves('rule.conventions.repeatable')('a status that is repeated asks for either', async () => {
    await inWorld(async (own) => {
      const open = await ordered(own)
      const closed = await ordered(own)
      await done(own.brand.put(`orders/${closed.id}/close/`))
      for (const party of [own.retailer, own.brand]) {
        const { results } = await done(party.get('orders/?status=open&status=closed'))
        expect(results.map((order: { id: number }) => order.id)).toEqual([open.id, closed.id])
        expect((await done(party.get('orders/?status=closed'))).results).toHaveLength(1)
      }
    })
  })
}

const ADDRESS_KEYS = [
  'id',
  'type',
  'name1',
  'name2',
  'street1',
  'street2',
  'city',
  'province',
  'postal_code',
  'country',
  'phone1',
  'phone2',
  'fax',
  'email',
]

function addresses({ proves }: Ledger): void {
  const { world } = sharedWorld()
  const { ship_to } = orderBody('')
  const place = (changes: Record<string, unknown>) =>
    world().retailer.post('orders/', orderBody(world().nextNumber(), { ship_to: { ...ship_to, ...changes } }))

  proves('rule.address.every-key')('an address has all its keys, null when empty', async () => {
    const { body } = await place({})
    expect(Object.keys(body.ship_to)).toEqual(ADDRESS_KEYS)
    expect(body.ship_to).toMatchObject({ type: null, name2: null, phone1: null, email: null })
  })

  proves('rule.address.optional')('optional fields are left out or null', async () => {
    const { status, body } = await place({ name2: null, fax: null })
    expect([status, body.ship_to.name2, body.ship_to.fax]).toEqual([201, null, null])
  })

  proves('rule.address.no-empty-strings')('an empty string is refused in every field', async () => {
    for (const key of ADDRESS_KEYS.slice(1)) {
      const { status, body } = await place({ [key]: '' })
      expect([key, status, Object.keys(body.ship_to ?? {})]).toEqual([key, 400, [key]])
    }
  })

  proves('rule.address.validated', 'choice.address.codes')(
    'a province must be one of its country, and a country must be one',
    async () => {
      expect((await place({ province: 'ON' })).status).toBe(400)
      expect((await place({ province: 'ON', country: 'CA' })).status).toBe(201)
      expect((await place({ province: 'AE' })).status).toBe(201)
      expect((await place({ country: 'XX' })).status).toBe(400)
      expect((await place({ postal_code: 'none' })).status).toBe(201)
    },
  )

  proves('rule.address.existence')('an address that does not exist is taken', async () => {
    expect((await place({ street1: '1 Nowhere', city: 'Atlantis' })).status).toBe(201)
  })

  proves('choice.address.size')('a text of an address has at most 255 characters', async () => {
    expect((await place({ name1: 'x'.repeat(255) })).status).toBe(201)
    expect((await place({ name1: 'x'.repeat(256) })).status).toBe(400)
  })

  proves('choice.address.type')('any text is a type of address', async () => {
    expect((await place({ type: 'commercial' })).body.ship_to.type).toBe('commercial')
  })

  proves('rule.address.used-for')('consumer, destination, origin and payee are addresses', async () => {
    const order = await ordered(world(), { sold_to: ship_to })
    expect(Object.keys(order.sold_to)).toEqual(ADDRESS_KEYS)
    expect([order.bill_to, order.ship_from]).toEqual([order.sold_to, null])
    const shipment = await done(world().brand.post('shipments/', shipmentBody(order.id)))
    const seen = await done(world().retailer.get(`shipments/${shipment.id}/`))
    expect(Object.keys(seen.ship_from)).toEqual(ADDRESS_KEYS)
    const invoice = await done(world().brand.post('invoices/', invoiceBody(order.purchase_order_number)))
    await done(world().admin.patch(`invoices/${invoice.id}/`, { remit_to: ship_to }))
    const { remit_to } = await done(world().retailer.get(`invoices/${invoice.id}/`))
    expect(Object.keys(remit_to)).toEqual(ADDRESS_KEYS)
    const shipped = await done(world().retailer.get(`orders/${order.id}/`))
    expect(shipped.ship_from).toEqual(seen.ship_from)
  })
}

function lists({ proves }: Ledger): void {
  proves(
    'rule.endpoints.pages',
    'choice.endpoints.envelope',
    'choice.endpoints.paging',
    'rule.endpoints.limit',
  )('following next reaches every order once, and a page that does not exist is not found', async () => {
    await inWorld(async (own) => {
      for (let count = 0; count < 5; count += 1) await ordered(own)
      const seen: number[] = []
      let path: string | null = '/v1/retailers/1000/orders/?limit=2'
      for (let page = 0; path !== null && page < 9; page += 1) {
        const body = await done(own.retailer.get(path))
        expect(Object.keys(body)).toEqual(['count', 'next', 'previous', 'results'])
        expect(body.count).toBe(5)
        seen.push(...body.results.map((order: { id: number }) => order.id))
        path = body.next === null ? null : body.next.slice(own.service.baseUrl.length)
      }
      expect(seen).toEqual([1, 2, 3, 4, 5])
      expect((await own.retailer.get('orders/?page=99')).status).toBe(404)
    })
  })

  proves(
    'choice.endpoints.default-limit',
    'choice.endpoints.large-limit',
    'limit.limit',
  )('a list has 50 results unless asked, at most 250, and no page without a size', async () => {
    await inWorld(async (own) => {
      const page = async (query: string) => {
        const { status, body } = await own.retailer.get(`variants/${query}`)
        return status === 200 ? body.results.length : [status, Object.keys(body)]
      }
      expect(await page('')).toBe(50)
      expect(await page('?limit=250')).toBe(250)
      expect(await page('?limit=251')).toBe(250)
      expect(await page('?limit=0')).toEqual([400, ['limit']])
      expect(await page('?limit=many')).toEqual([400, ['limit']])
    })
  })

  proves('choice.endpoints.other-filters')(
    'a parameter that a call does not know is refused, unless a switch says otherwise',
    async () => {
      await inWorld(async (own) => {
        await ordered(own)
        const refused = [
          await own.retailer.get('orders/?colour=green'),
          await own.brand.get('orders/?purchase_order_number=PO-9'),
        ]
        expect(refused.map(({ status, body }) => [status, Object.keys(body)])).toEqual([
          [400, ['colour']],
          [400, ['purchase_order_number']],
        ])
        own.service.switches.unknownParameters = 'ignore'
        expect((await done(own.retailer.get('orders/?colour=green'))).count).toBe(1)
      })
    },
  )
}

const placed = (field: string) => (world: World, text: string) =>
  world.retailer.post('orders/', orderBody(world.nextNumber(), { [field]: text }))

const sent = (field: string) => async (world: World, text: string) =>
  world.brand.post('shipments/', shipmentBody((await ordered(world)).id, { [field]: text }))

const described = (code: string) => (world: World, value: string) =>
  world.brand.post('variants/', attributesBody({ identifier: world.nextNumber(), [code]: value }))

/** Calls with a text of any length in the field; the refusals are proven with the fields. */
const ATTEMPTS: Readonly<Record<string, (world: World, text: string) => Promise<Answered>>> = {
  'order.purchase_order_number': placed('purchase_order_number'),
  'order.customer_order_number': placed('customer_order_number'),
  'order.retailer_order_number': async (world, text) => {
    const { id } = await ordered(world)
    return world.admin.patch(`orders/${id}/`, { retailer_order_number: text })
  },
  'credit.credit_number': async (world, text) => {
    const { id } = await returned(world)
    await done(world.admin.put(`rmas/${id}/accept/`))
    return world.admin.post(`rmas/${id}/credits/`, { credit_number: text })
  },
  'invoice.invoice_number': async (world, text) => {
    const { purchase_order_number } = await shipped(world)
    return world.brand.post('invoices/', invoiceBody(purchase_order_number, { invoice_number: text }))
  },
  'shipment.tracking_number': sent('tracking_number'),
  'shipment.label_reference': sent('label_reference'),
  'variant.name': described('name'),
  'variant.identifier': described('identifier'),
  'variant.upc': described('upc'),
  'variant.parent_identifier': described('parent_identifier'),
  'variant.parent_name': described('parent_name'),
  'variant.color': described('color'),
  'variant.size': described('size'),
}

function limits({ proves }: Ledger): void {
  const { world } = sharedWorld()

  for (const [field, attempt] of Object.entries(ATTEMPTS)) {
    const size = FIELD_SIZES[field]!
    proves(`limit.${field}`)(`${field} has at most ${size} characters`, async () => {
      expect((await attempt(world(), 'x'.repeat(size))).status).toBeLessThan(300)
      expect((await attempt(world(), 'x'.repeat(size + 1))).status).toBe(400)
    })
  }

  proves('limit.gift_message')('a line of a gift message has at most 64 characters', async () => {
    const place = (line: string) =>
      world().retailer.post('orders/', orderBody(world().nextNumber(), { gift_message: [line] }))
    expect((await place('x'.repeat(64))).status).toBe(201)
    const { status, body } = await place('x'.repeat(65))
    expect([status, Object.keys(body)]).toEqual([400, ['gift_message']])
  })

  proves('choice.limits.list')('a list of more than 1000 items is refused', async () => {
    const place = (lines: number) =>
      world().retailer.post(
        'orders/',
        orderBody(world().nextNumber(), { gift_message: Array.from({ length: lines }, () => 'Enjoy') }),
      )
    expect((await place(1000)).body.gift_message).toHaveLength(1000)
    const { status, body } = await place(1001)
    expect([status, Object.keys(body)]).toEqual([400, ['gift_message']])
  })

  proves('choice.conventions.text')('text that is blank or has a control character is refused', async () => {
    const place = (customer_order_number: string) =>
      world().retailer.post('orders/', orderBody(world().nextNumber(), { customer_order_number }))
    for (const text of ['   ', 'C-\u0000', 'C-\u001b[2J', 'C-\u007f', 'C-\ud800']) {
      const { status, body } = await place(text)
      expect([text, status, Object.keys(body)]).toEqual([text, 400, ['customer_order_number']])
    }
    const tabbed = await place('C\t1')
    expect([tabbed.status, tabbed.body.customer_order_number]).toEqual([201, 'C\t1'])
  })

  proves('rule.versioning.prefix')('addresses start with /v1/', async () => {
    expect((await world().retailer.get('/v1/retailers/1000/orders/')).status).toBe(200)
    expect((await world().retailer.get('/retailers/1000/orders/')).status).toBe(404)
  })

  proves('rule.versioning.brands', 'rule.versioning.bill-to')(
    'the deprecated fields of an order are still there',
    async () => {
      const order = await ordered(world(), { sold_to: orderBody('').ship_to })
      expect(order.brands).toEqual([order.brand])
      expect(order.bill_to).toEqual(order.sold_to)
    },
  )
}
