/** Alerts and lines of `run` about interchanges that no route gets: unknown senders, and numbers that came before. */
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../fixtures/edi-inbox.ts'
import { commandsOf } from '../fixtures/office.ts'

const ONE_DAY = await readFile(new URL('../../samples/edi/850-one-day.x12', import.meta.url), 'latin1')

const SHIPMENTS = await readFile(new URL('../../samples/edi/856-shipments.x12', import.meta.url), 'latin1')

const drop = (text: string) => Buffer.from(text, 'latin1')

test('an interchange from an unknown sender names its address, and does not ask for a route', async () => {
  const world = await anEdiInbox({
    partners: [aPartner('other', 'ZZ:OTHER')],
    inboxRoutes: ORDER_ROUTES.map((route) => ({ ...route, partner: 'other' })),
  })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))

  const { err } = await run('run')

  expect(err).toContain(
    '3 sets to no route: The interchange is from ZZ:HAVENRETAIL to 12:7755550100, and no partner has ZZ:HAVENRETAIL among its `ids`. If you know ZZ:HAVENRETAIL, add it to `ids` of its partner (`edi.partners`). Then: `dropbridge retake day.x12`.  [edi-partner-unknown]',
  )
  const status = await run('status')
  expect(status.out).toContain(
    'day.x12 is from ZZ:HAVENRETAIL to 12:7755550100, and no partner has ZZ:HAVENRETAIL among its `ids` (partner-unknown',
  )
  expect(status.out).toContain(
    'Then: `dropbridge retake day.x12`. If you do not: `dropbridge dismiss day.x12 --by NAME --why TEXT`.',
  )
  expect(status.out).not.toContain('sets-unrouted')
  expect(status.exit).toBe(2)

  expect((await run('dismiss', 'day.x12', '--by', 'Ada', '--why', 'not ours')).exit).toBe(0)
  expect((await run('status')).out).not.toContain('partner-unknown')
})

test('another interchange under a number that came before is an alert until it is dismissed', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')
  await world.drop('inbox/van', 'again.x12', drop(ONE_DAY.replace('HV-41003', 'HV-41009')))

  const { err } = await run('run')

  expect(err).toContain(
    '3 sets to no route: The interchange 000001126 came before in day.x12, with other contents.',
  )
  const status = await run('status')
  expect(status.out).toContain(
    'again.x12 has a control number that came before, with other contents (number-reused',
  )
  expect(status.out).toContain(
    'If you corrected it, drop it in with `.rejects.` in its name. Else have it sent under a new number, or: `dropbridge dismiss again.x12',
  )

  expect((await run('dismiss', 'again.x12', '--by', 'Ada', '--why', 'sent by mistake')).exit).toBe(0)
  expect((await run('status')).out).not.toContain('number-reused')
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a correction without `.rejects.` in its name is refused without an answer, and taken under its right name', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')
  const rejects = await world.read('results/day.x12.edi-orders.rejects.x12')
  const corrected = rejects.replace('*two*', '*2*')
  await world.drop('inbox/van', 'corrected.x12', corrected)

  const { err } = await run('run')

  expect(err).toContain(
    'came before in day.x12, with other contents. It is not answered: sets of day.x12 wait for a correction.',
  )
  expect(err).toContain('If you corrected it, drop it in as day.rejects.x12')
  // The partner did not send it: a TA1 would say that it used a number twice.
  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  expect((await run('status')).out).toContain('corrected.x12 has a control number that came before')

  await world.drop('inbox/van', 'any.rejects.x12', corrected)
  await run('run')

  const numbers = (await world.orders()).map(({ purchase_order_number: number }) => number)
  expect(numbers.filter((number) => number?.startsWith('HV-41'))).toHaveLength(3)
  const status = await run('status')
  expect(status.out).not.toContain('number-reused')
  expect(status.out).not.toContain('records-rejected')
  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('another interchange under a number that came before is refused with a TA1 where nothing waits for a correction', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY.replace('*two*', '*2*')))
  await world.run()
  await world.drop('inbox/van', 'other.x12', drop(ONE_DAY.replace('HV-41003', 'HV-41009')))

  await world.run()

  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12', 'TA1-000000002.x12'])
})

test('the alert about a reused number ends when the file is taken again', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')
  await world.drop('inbox/van', 'other.x12', drop(ONE_DAY.replaceAll('HV-41', 'HV-43')))
  await run('run')
  expect((await run('status')).out).toContain('number-reused')

  await run('retake', 'other.x12')

  expect((await run('status')).out).not.toContain('number-reused')
})

test('a repaired copy is taken where its name says that it is a correction', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  // The second set says that it has one segment less than it has.
  const wrong = ONE_DAY.replace(/SE\*18\*0002/, 'SE*17*0002')
  await world.drop('inbox/van', 'day.x12', drop(wrong))
  await run('run')
  expect(await world.read('results/day.x12.sets.csv')).toContain(
    `If nothing is missing: \`dropbridge edi fix day.x12.edi-orders.rejects.x12 --out ${join(world.folder, 'exchange/inbox/van/day.rejects.x12')}\`.`,
  )
  const rejects = 'exchange/results/day.x12.edi-orders.rejects.x12'
  expect(await world.read('results/day.x12.edi-orders.results.csv')).toContain(
    `dropbridge edi fix ${join(world.folder, rejects)} --out ${join(world.folder, 'exchange/inbox/van/day.rejects.x12')}`,
  )

  const plain = await run('edi', 'fix', rejects, '--out', 'fixed.x12')
  expect(plain.err).toContain(
    'Drop the copy in as day.x12.edi-orders.rejects.x12: under this name it corrects',
  )
  const named = await run('edi', 'fix', rejects, '--out', 'day.rejects.x12')
  expect(named.err).not.toContain('Drop the copy in')
  await copyFile(join(world.folder, rejects), join(world.folder, 'day~2.x12'))
  const second = await run('edi', 'fix', 'day~2.x12', '--out', 'second.x12')
  expect(second.err).toContain('Drop the copy in as day~2.rejects.x12:')
  const again = await run('edi', 'fix', 'fixed.x12', '--out', 'once-more.x12')
  expect(again.err).toContain('nothing had to be put right')
  expect(again.err).not.toContain('Drop the copy in')
})

test('a wrong count of a group asks for the rejects file, which counts right, as it is', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY.replace(/GE\*\d+\*/, 'GE*4*')))
  await run('run')

  expect(await world.read('results/day.x12.sets.csv')).toContain(
    'If nothing is missing, drop the rejects file in as it is.',
  )
  const rejects = await world.read('results/day.x12.edi-orders.rejects.x12')
  await world.drop('inbox/van', 'day.x12.edi-orders.rejects.x12', drop(rejects))
  await run('run')
  // The second set has a wrong quantity.
  expect(
    (await world.orders()).filter(({ purchase_order_number: number }) => number?.startsWith('HV-41')),
  ).toHaveLength(2)
})

test('a file of a partner that was unknown is taken and answered when it is dropped in again', async () => {
  const world = await anEdiInbox({
    partners: [],
    inboxRoutes: ORDER_ROUTES.map((route) => ({ ...route, partner: 'haven' })),
  })
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await world.run()
  expect(await world.list('outbox')).toEqual([])
  const { edi } = world.configuration
  Object.assign(world.configuration, { edi: { ...edi, partners: [aPartner('haven', 'ZZ:HAVENRETAIL')] } })

  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await world.run()

  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  expect(
    (await world.orders()).filter(({ purchase_order_number: number }) => number?.startsWith('HV-41')),
  ).toHaveLength(2)
  expect((await (await commandsOf(world))('status')).out).not.toContain('partner-unknown')
})

test('a file with an unknown partner is taken again once the partner is known: the rest is answered, and no alert stays', async () => {
  const routes = ORDER_ROUTES.map((route) => ({ ...route, partner: 'haven' }))
  const [first] = ORDER_ROUTES
  const world = await anEdiInbox({
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('nord', 'ZZ:NORDTEST')],
    inboxRoutes: [...routes, { ...first, name: 'nord-orders', partner: 'nord' }],
  })
  const other = ONE_DAY.replaceAll('HAVENRETAIL', 'NORDRETAIL ').replaceAll('HV-41', 'NO-41')
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY + other))
  const unknown = await commandsOf(world)
  await unknown('run')
  const { out } = await unknown('status')
  expect(out).toContain(
    'fix: If you know ZZ:NORDRETAIL, add it to `ids` of its partner (`edi.partners`). Then: `dropbridge retake',
  )
  const { edi } = world.configuration
  const partners = [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('nord', 'ZZ:NORDRETAIL')]
  Object.assign(world.configuration, { edi: { ...edi, partners } })
  const run = await commandsOf(world)

  const retaken = await run('retake', 'day.x12')

  expect(retaken.err).toContain('edi-orders: day.x12: 2 duplicate, 1 rejected')
  expect(retaken.err).toContain('nord-orders: day.x12: 2 accepted, 1 rejected')
  expect(await world.list('outbox/haven')).toHaveLength(1)
  expect(await world.list('outbox/nord')).toHaveLength(1)
  const after = (await run('status')).out
  expect(after).not.toContain('partner-unknown')
  expect(after.match(/edi-orders: day.x12: 1 record is rejected/g)).toHaveLength(1)
})

test('status counts the groups that an answer answers, and a partner of EDIFACT is listed with its CONTRL', async () => {
  const [orders] = ORDER_ROUTES
  const world = await anEdiInbox({
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('nord', '14:4000001000005')],
    inboxRoutes: [
      { ...orders, partner: 'haven' },
      { ...orders, name: 'nord-orders', document: 'ORDERS', mapping: 'edifact/orders', partner: 'nord' },
    ],
  })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')

  expect((await run('status')).out).toMatch(/997-000000001\.x12 +inbox:van +1 group /)
  const { out } = await run('edi', 'partners')
  expect(out).toMatch(/haven .+ 997, understood/)
  expect(out).toMatch(/nord .+ CONTRL, understood/)
})

test('a document that no route takes is named with its partner, and discard and release name dismiss', async () => {
  const world = await anEdiInbox({ inboxRoutes: ORDER_ROUTES.slice(1) })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY.replace('BEG*00', 'BEX*00')))

  const { err } = await run('run')

  expect(err).toContain(
    '2 sets to no route: No route takes the document 850 of partner haven. The answer accepts it, and it is held here. Add a route for it and drop the exceptions file in, or: dropbridge dismiss day.x12 --by NAME --why TEXT.  [edi-document-unrouted]',
  )
  expect(err).toContain(
    '1 set to no route: No route takes the document 850 of partner haven. The answer refuses it.',
  )
  expect(err).not.toMatch(/\d notes?/)
  expect((await run('status')).out).toContain(
    'day.x12 holds documents that no route takes; the answer accepts those without faults, and they are held here',
  )
  for (const command of ['discard', 'release']) {
    const refused = await run(command, 'day.x12', '--by', 'Ada', '--why', 'not ours')
    expect(refused.exit).toBe(64)
    expect(refused.err).toContain('day.x12 came into the inbox van, of which nothing is held')
    expect(refused.err).toContain('dropbridge dismiss day.x12 --by NAME --why TEXT')
  }
  expect((await run('dismiss', 'day.x12', '--by', 'Ada', '--why', 'not ours')).exit).toBe(0)
})

test('an interchange for an address that is not ours says so', async () => {
  const world = await anEdiInbox({ ourAddresses: ['ZZ:NORTHLIGHT'] })
  const bridge = await world.open()
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await bridge.run([], new AbortController().signal)
  const { alerts } = await bridge.snapshot()
  await bridge.close()

  expect(await world.read('results/day.x12.sets.csv')).toContain(
    'The interchange from ZZ:HAVENRETAIL is for 12:7755550100, which is no address under `edi.us`.',
  )
  expect(alerts).toMatchObject([
    {
      code: 'partner-unknown',
      message: 'day.x12 is for 12:7755550100, which is no address under `edi.us`; it is from ZZ:HAVENRETAIL',
      fix: expect.stringContaining('If 12:7755550100 is you, add it under `edi.us`. Then: `dropbridge'),
    },
  ])
})

test('the correction of a whole set under another name ends the alert of the refused set, and of no other', async () => {
  const ships = {
    name: 'ship-in',
    document: '856',
    operation: 'create-shipment',
    mapping: 'x12/856-shipments',
  } as const
  const world = await anEdiInbox({
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('threepl', '12:7755550100')],
    inboxRoutes: [...ORDER_ROUTES, ships],
  })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')
  await run('dismiss', 'day.x12', '--by', 'Ada', '--why', 'another test')
  // The first set and the second say that they have one segment less than they have.
  const damage = (count: number) => `SE*${count - 1}*`
  const damaged = SHIPMENTS.replace(/SE\*(\d+)\*(?=0001|0002)/g, (_, count) => damage(Number(count)))
  const half = damaged.replace(/SE\*(\d+)\*(?=0001)/, (_, count) => `SE*${Number(count) + 1}*`)
  await world.drop('inbox/van', 'a1.edi', drop(damaged))
  await world.drop('inbox/van', 'a10.edi', drop(damaged.replaceAll('000000502', '000000503')))
  await run('run')
  const countRejected = async (name: string) => {
    const { alerts } = JSON.parse((await run('status', '--json')).out) as { alerts: { message: string }[] }
    const found = alerts.find(({ message }) => message.startsWith(`${name}: `))?.message ?? ''
    return Number(/: (\d+) records?/.exec(found)?.[1] ?? 0)
  }
  const before = [await countRejected('a1.edi'), await countRejected('a10.edi')]

  await world.drop('inbox/van', 'a1.rejects.edi', drop(half))
  await run('run')

  expect(await world.read('results/a1.rejects.edi.ship-in.results.csv')).toMatch(/^HV-41001,.*,accepted,/m)
  expect([await countRejected('a1.edi'), await countRejected('a10.edi')]).toEqual([before[0]! - 1, before[1]])
})

test('edi numbers shows where a partner begins, and refuses to go back without a word', async () => {
  const world = await anEdiInbox()
  const run = await commandsOf(world)
  expect((await run('edi', 'numbers')).out).toMatch(/^haven +none yet, begins with 1$/m)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await run('run')
  const who = ['--by', 'Ada', '--why', 'moved']
  const set = (last: number, ...more: string[]) =>
    run('edi', 'numbers', 'haven', '--set', String(last), ...more, ...who)

  expect((await set(700)).exit).toBe(0)
  for (const last of [700, 699]) {
    const refused = await set(last)
    expect(refused.exit).toBe(64)
    expect(refused.err).toContain(`${last} (group ${last}) is not above what was given`)
    expect(refused.err).toContain('With --repeat numbers are used twice')
  }
  expect((await run('edi', 'numbers')).out).toMatch(/^haven .+ 700 +700$/m)
  expect((await set(500, '--repeat')).exit).toBe(0)
  expect((await run('edi', 'numbers')).out).toMatch(/^haven .+ 500 +500$/m)
})

test('edi numbers of a partner with two ids says how to name the pair, and sets that one alone', async () => {
  const two = { ids: [{ address: 'ZZ:HAVENRETAIL' }, { address: 'ZZ:HAVENOUTLET' }] }
  const world = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL', two)] })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY))
  await world.drop(
    'inbox/van',
    'outlet.x12',
    drop(ONE_DAY.replace('HAVENRETAIL', 'HAVENOUTLET').replaceAll('HV-41', 'HV-42')),
  )
  await run('run')
  const set = (...more: string[]) =>
    run('edi', 'numbers', 'haven', '--set', '700', ...more, '--by', 'Ada', '--why', 'moved')

  const refused = await set()
  expect(refused.exit).not.toBe(0)
  expect(refused.err).toContain('name the pair')
  expect(refused.err).toContain('  --from 12:7755550100 --to ZZ:HAVENOUTLET')
  expect((await set('--to', 'ZZ:HAVEN')).err).toContain(
    'Write the addresses as `dropbridge edi numbers haven`',
  )
  expect((await set('--from', '12:7755550100', '--to', 'ZZ:HAVENOUTLET')).exit).toBe(0)
  const { out } = await run('edi', 'numbers')
  expect(out).toMatch(/ZZ:HAVENOUTLET .+ 700 +700$/m)
  expect(out).toMatch(/ZZ:HAVENRETAIL .+ 1 +1$/m)
})

test('a document that no route takes shows its other faults too, and the command that mends them', async () => {
  const inboxRoutes = ORDER_ROUTES.filter(({ document }) => document === '860')
  const world = await anEdiInbox({ inboxRoutes })
  const run = await commandsOf(world)
  await world.drop('inbox/van', 'day.x12', drop(ONE_DAY.replace(/SE\*18\*0002/, 'SE*17*0002')))

  const { err } = await run('run')

  const exceptions = join(world.folder, 'exchange/results/day.x12.exceptions.x12')
  const fixed = join(world.folder, 'exchange/inbox/van/day.rejects.x12')
  expect(err).toMatch(/ {4}also wrong: segment \d+ \(SE\).* SE01 says 17, and the file has 18\./)
  expect(err).toContain(`dropbridge edi fix ${exceptions} --out ${fixed}`)
  const sets = await world.read('results/day.x12.sets.csv')
  expect(sets).toContain('edi-document-unrouted | edi-count')
})
