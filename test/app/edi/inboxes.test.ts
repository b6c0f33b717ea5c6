import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parseCsv } from '../../fixtures/csv.ts'
import { makeOrder } from '../../fixtures/edi-chaos.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { makeInterchange, type MadeDocument } from '../../fixtures/edi-maker/envelope.ts'
import { make860 } from '../../fixtures/edi-maker/x12-orders.ts'
import type { World } from '../../fixtures/world.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES, OUR_ADDRESS } from '../../fixtures/edi-inbox.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url))

const countOrders = async (world: World) =>
  (await world.orders()).filter(({ purchase_order_number: number }) => number?.startsWith('HV-41')).length

const maskTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

describe('an inbox of interchanges', () => {
  test('gives each set to its route, answers the partner, and archives the file once', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    const { routes } = await world.run()

    expect(routes.map((each) => (each.kind === 'failed' ? each.failure.details.join() : each.kind))).toEqual([
      'interchanges',
      'inbound',
      'inbound',
    ])
    expect(await world.list('results')).toEqual([
      'day.x12.edi-orders.rejects.x12',
      'day.x12.edi-orders.results.csv',
      'day.x12.edi-orders.summary.json',
      'day.x12.sets.csv',
      'day.x12.summary.json',
    ])
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect(await world.list('inbox/van')).toEqual([])
    expect(await world.read('outbox/haven/997-000000001.x12')).toMatchInlineSnapshot(`
      "ISA*00*          *00*          *12*7755550100     *ZZ*HAVENRETAIL    *261121*1200*U*00401*000000001*0*P*:~
      GS*FA*NORTHLIGHT*HAVEN*20261121*1200*1*X*004010~
      ST*997*0001~
      AK1*PO*1126~
      AK2*850*0001~
      AK5*A~
      AK2*850*0002~
      AK3*PO1*14*PO1*8~
      AK4*2*330*6*two~
      AK5*R*5~
      AK2*850*0003~
      AK5*A~
      AK9*P*3*3*2~
      SE*12*0001~
      GE*1*1~
      IEA*1*000000001~
      "
    `)
    expect(await world.read('results/day.x12.sets.csv')).toMatchInlineSnapshot(`
      "interchange,set,document,version,sender,receiver,partner,route,_status,_verdict,_segments,_records,_refused,_code,_field,_message,_fix,_results
      000001126,000001126/1126/0001,850,004010,ZZ:HAVENRETAIL,12:7755550100,haven,edi-orders,given,A,3-27,1,0,,,,,day.x12.edi-orders.results.csv
      000001126,000001126/1126/0002,850,004010,ZZ:HAVENRETAIL,12:7755550100,haven,edi-orders,refused,R,28-45,1,1,integer-expected,order_lines[0].quantity,"segment 41 (PO1), element 02, byte 1109, set 000001126/1126/0002: ""two"" is not a whole number.","Write a whole number with digits only, such as 2.",day.x12.edi-orders.results.csv
      000001126,000001126/1126/0003,850,004010,ZZ:HAVENRETAIL,12:7755550100,haven,edi-orders,given,A,46-70,1,0,,,,,day.x12.edi-orders.results.csv
      "
    `)
    expect(maskTimes(await world.read('results/day.x12.edi-orders.results.csv'))).toMatchInlineSnapshot(`
      "purchase_order_number,_line,_set,_segment,_record,_status,_http,_id,_code,_field,_message,_fix,_attempts,_at
      HV-41001,3,000001126/1126/0001,3,1,accepted,201,1,,,,,1,TIME
      HV-41002,28,000001126/1126/0002,41,2,rejected,,,integer-expected,order_lines[0].quantity,"segment 41 (PO1), element 02, byte 1109, set 000001126/1126/0002: ""two"" is not a whole number.","Write a whole number with digits only, such as 2.",0,TIME
      HV-41003,46,000001126/1126/0003,46,3,accepted,201,2,,,,,1,TIME
      "
    `)
    expect(JSON.parse(await world.read('results/day.x12.summary.json'))).toMatchObject({
      outcome: 'processed',
      interchanges: { total: 1, taken: 1 },
    })
  })

  test('takes nothing of an interchange that came before, and says where', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()
    // The same interchange in another file: a line break more.
    await world.drop('inbox/van', 'again.x12', Buffer.concat([ONE_DAY, Buffer.from('\n')]))

    await world.run()

    const sets = await world.read('results/again.x12.sets.csv')
    expect(sets).toContain('edi-duplicate')
    expect(sets).toContain('day.x12')
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  })

  test('refuses an interchange that has the number of another one, with a TA1', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()
    const other = ONE_DAY.toString('utf8').replaceAll('HV-4', 'HV-7')
    await world.drop('inbox/van', 'other.x12', other)

    await world.run()

    expect(await world.read('results/other.x12.sets.csv')).toContain('edi-number-reused')
    expect(await world.read('outbox/haven/TA1-000000002.x12')).toMatch(/TA1\*000001126\*261116\*2300\*R\*025/)
    expect(
      (await world.orders()).filter(({ purchase_order_number: number }) => number?.startsWith('HV-7')),
    ).toEqual([])
  })

  test('takes an interchange again that was cut, under the same number', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'cut.x12', ONE_DAY.subarray(0, 900))
    await world.run()
    expect(await world.read('outbox/haven/TA1-000000001.x12')).toContain('*R*023~')
    expect(await countOrders(world)).toBe(0)

    await world.drop('inbox/van', 'whole.x12', ONE_DAY)
    await world.run()

    expect(await countOrders(world)).toBe(2)
  })

  test('takes answers as they come, and answers none of them, whatever their numbers', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()
    const answer = (await world.read('outbox/haven/997-000000001.x12'))
      .replace('12*7755550100     *ZZ*HAVENRETAIL    ', 'ZZ*HAVENRETAIL    *12*7755550100     ')
      .replaceAll('000000001', '000001126')
    await world.drop('inbox/van', 'answer.x12', answer)

    const { exit } = await world.run()

    expect(exit).toBe(0)
    expect(await world.read('results/answer.x12.sets.csv')).toContain(',answer,')
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  })

  test('gives what no route takes back as an interchange, which can be dropped in again', async () => {
    const world = await anEdiInbox({ inboxRoutes: ORDER_ROUTES.filter(({ document }) => document === '860') })
    const { routes } = world.configuration
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()

    expect(await world.list('results')).toEqual([
      'day.x12.exceptions.x12',
      'day.x12.sets.csv',
      'day.x12.summary.json',
    ])
    expect(await world.read('results/day.x12.sets.csv')).toContain('edi-document-unrouted')
    // What is held is accepted: the partner can do nothing about it.
    expect(await world.read('outbox/haven/997-000000001.x12')).toContain('AK9*A*3*3*3~')

    const withOrders = await anEdiInbox()
    Object.assign(world.configuration, {
      routes: [...routes, ...withOrders.configuration.routes.slice(0, 1)],
    })
    const exceptions = await world.read('results/day.x12.exceptions.x12')
    await world.drop('inbox/van', 'day.x12.exceptions.x12', exceptions)
    await world.run()

    expect(await countOrders(world)).toBe(2)
    // The partner is not answered twice for the same sets.
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  })

  test('gives a set that two routes could take to none, and says which sets', async () => {
    const [orders] = ORDER_ROUTES
    const world = await anEdiInbox({
      inboxRoutes: [
        { ...orders, name: 'all', when: { 'BEG.01': ['00'] } },
        { ...orders, name: 'drop-shipped', when: { 'BEG.02': ['DS'] } },
      ],
    })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    await world.run()

    expect(await world.read('results/day.x12.sets.csv')).toContain('edi-routes-ambiguous')
    expect(await countOrders(world)).toBe(0)
  })

  test('chooses among routes by the values of a set', async () => {
    const [orders] = ORDER_ROUTES
    const world = await anEdiInbox({
      inboxRoutes: [
        { ...orders, name: 'one', when: { 'BEG.03': ['HV-41001'] } },
        { ...orders, name: 'three', when: { 'BEG.03': ['HV-41003', 'HV-41009'] } },
      ],
    })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    await world.run()

    const summary = JSON.parse(await world.read('results/day.x12.summary.json'))
    expect(summary).toMatchObject({ routes: { one: 1, three: 1 }, sets: { given: 2, held: 1 } })
    expect(await world.read('results/day.x12.exceptions.x12')).toContain('HV-41002')
  })

  test('answers in the zone of the partner', async () => {
    const { outgoing } = aPartner('haven', 'ZZ:HAVENRETAIL')
    const zoned = { outgoing: { ...outgoing, zone: 'Pacific/Kiritimati' } }
    const world = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL', zoned)] })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()

    const there = new Date(world.clock.now() + 14 * 3_600_000).toISOString()
    const day = there.slice(2, 10).replaceAll('-', '')
    expect((await world.read('outbox/haven/997-000000001.x12')).split('*')[9]).toBe(day)
  })

  test('leaves a file open while a route is not finished, and answers it when it is due', async () => {
    const world = await anEdiInbox({
      partners: [
        aPartner('haven', 'ZZ:HAVENRETAIL', {
          answer: { when: 'understood', withinMs: 60_000, kind: '997', ta1: 'asked', echoes: true },
        }),
      ],
    })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    const bridge = await world.open()
    const busy = await bridge.journal.acquireLease('edi-orders', 'other/1/1', 1e9, () => true)
    const pass = () => bridge.run([], new AbortController().signal)

    const first = await pass()
    expect(first.routes[0]).toMatchObject({
      kind: 'interchanges',
      pass: { open: [{ routes: ['edi-orders'] }] },
    })
    expect(await world.list('outbox/haven')).toEqual([])

    world.clock.skip(61_000)
    await pass()
    // By the structure alone: no mapping has read the sets.
    expect(await world.read('outbox/haven/997-000000001.x12')).toContain('AK9*A*3*3*3~')

    await bridge.journal.releaseLease(busy)
    await pass()
    await bridge.close()
    expect(await countOrders(world)).toBe(2)
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect(await world.list('results')).toContain('day.x12.summary.json')
  })

  test('cancels an order whole where the API writes ids as texts', async () => {
    const world = await anEdiInbox()
    world.service.switches.ids = 'text'
    const make = (number: number, set: MadeDocument) =>
      dress(makeInterchange({ syntax: 'x12', number, groups: [{ sets: [set] }] }))
    await world.drop('inbox/van', 'order.x12', make(1, makeOrder('HV-41009')))
    await world.run()
    await world.drop('inbox/van', 'cancel.x12', make(2, make860({ po: 'HV-41009' })))

    await world.run()

    expect((await world.orders()).map(({ status }) => status)).toEqual(['canceled'])
  })

  test('says who is unknown, and sends no answer', async () => {
    const world = await anEdiInbox({
      partners: [aPartner('other', 'ZZ:OTHER')],
      ourAddresses: [OUR_ADDRESS],
      inboxRoutes: ORDER_ROUTES.map((each) => ({ ...each, partner: 'other' })),
    })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    await world.run()

    expect(await world.list('outbox/other')).toEqual([])
    expect(await world.read('results/day.x12.sets.csv')).toContain('edi-partner-unknown')
  })
})

const verdictsOf = async (world: World, name: string) =>
  parseCsv(await world.read(`results/${name}.sets.csv`)).map((row) => `${row['_status']} ${row['_verdict']}`)

describe('the verdict of a set in the results of an inbox is that of the answer to the partner', () => {
  const [orders, cancels] = ORDER_ROUTES

  test('and blank where the partner is unknown, or never answered', async () => {
    const stranger = await anEdiInbox({
      partners: [aPartner('other', 'ZZ:OTHER')],
      inboxRoutes: [{ ...orders, partner: 'other' }],
    })
    await stranger.drop('inbox/van', 'day.x12', ONE_DAY)
    await stranger.run()
    expect(await verdictsOf(stranger, 'day.x12')).toEqual(['held ', 'held ', 'held '])

    const answer = { when: 'none', withinMs: 1000, kind: '997', ta1: 'asked', echoes: true } as const
    const silent = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL', { answer })] })
    await silent.drop('inbox/van', 'day.x12', ONE_DAY)
    await silent.run()
    expect(await verdictsOf(silent, 'day.x12')).toEqual(['given ', 'refused ', 'given '])
  })

  test('also where no route takes the set, and the answer says so', async () => {
    for (const [unrouted, verdict] of [
      ['hold', 'A'],
      ['refuse', 'R'],
    ] as const) {
      const partners = [aPartner('haven', 'ZZ:HAVENRETAIL', { unrouted })]
      const world = await anEdiInbox({ partners, inboxRoutes: [cancels] })
      await world.drop('inbox/van', 'day.x12', ONE_DAY)
      await world.run()
      expect(await verdictsOf(world, 'day.x12')).toEqual(Array.from({ length: 3 }, () => `held ${verdict}`))
      expect(await world.read('outbox/haven/997-000000001.x12')).toContain(`AK5*${verdict}`)
    }
  })

  test('also where the answer was given by the structure alone', async () => {
    const answer = { when: 'syntax', withinMs: 1000, kind: '997', ta1: 'asked', echoes: true } as const
    const world = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL', { answer })] })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()
    expect(await world.read('outbox/haven/997-000000001.x12')).toContain('AK9*A*3*3*3~')
    expect(await verdictsOf(world, 'day.x12')).toEqual(['given A', 'refused A', 'given A'])
  })
})
