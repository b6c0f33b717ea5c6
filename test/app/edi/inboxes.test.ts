import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { anEdiInbox, aPartner, OUR_ADDRESS } from '../../fixtures/edi-inbox.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url))

describe('an inbox of interchanges', () => {
  test('gives each set to its route, answers the partner, and archives the file once', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    const { routes } = await world.run()

    expect(routes.map(({ kind }) => kind)).toEqual(['interchanges', 'inbound', 'inbound'])
    expect(await world.list('results')).toEqual([
      'day.x12.edi-orders.rejects.x12',
      'day.x12.edi-orders.results.csv',
      'day.x12.edi-orders.summary.json',
      'day.x12.sets.csv',
      'day.x12.summary.json',
    ])
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect(await world.list('inbox/van')).toEqual([])
    expect(await world.read('outbox/haven/997-000000001.x12')).toMatchInlineSnapshot()
    expect(await world.read('results/day.x12.sets.csv')).toMatchInlineSnapshot()
    expect(await world.read('results/day.x12.edi-orders.results.csv')).toMatchInlineSnapshot()
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
    expect(await world.read('outbox/haven/997-000000002.x12')).toMatch(/TA1\*000001126\*261116\*2300\*R\*025/)
    expect((await world.orders()).filter(({ purchase_order_number: number }) => number?.startsWith('HV-7'))).toEqual([])
  })

  test('holds what no route takes, and takes it once a route does', async () => {
    const world = await anEdiInbox({ inboxRoutes: [] })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()
  })

  test('says who is unknown, and answers nobody', async () => {
    const world = await anEdiInbox({ partners: [aPartner('other', 'ZZ:OTHER')], ourAddresses: [OUR_ADDRESS] })
    await world.drop('inbox/van', 'day.x12', ONE_DAY)

    await world.run()

    expect(await world.list('outbox/other')).toEqual([])
  })
})
