/** The proof of a record: what the chain says of it, and that a changed journal is seen. */
import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { proofPage } from '../../../src/web/pages/proof.ts'
import { recordPage } from '../../../src/web/pages/records.ts'
import { aFinishedMonth, lookAt, MONTH, visit } from '../../fixtures/console.ts'
import { commandsOf, runUnheard } from '../../fixtures/office.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld, type World } from '../../fixtures/world.ts'

/** An order whose answer was lost, that a lookup found absent, and that was sent again. */
async function aLostOrder() {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'lost.csv', smallOrders(30_001, 3))
  await runUnheard(world, 'orders', { arrives: false, canLookUp: false })
  world.clock.skip(60 * 60_000)
  await world.run('orders')
  return world
}

async function prove(world: World, n = 1) {
  const found = await visit(await lookAt(world), proofPage, { params: { n: String(n) } })
  if (found === undefined) throw new Error(`record ${n} has no proof`)
  return found
}

test('a proof shows the intent, the lost answer, the lookup, why it was sent again, and one effect', async () => {
  const world = await aLostOrder()
  const { data, title, text } = await prove(world)
  expect(data).toMatchObject({ timesSent: 2, timesEffective: 1, record: { state: 'accepted', apiId: '1' } })
  const steps = data.steps.filter((step) => step.what !== 'looked-up' || step.found !== 'unclear')
  expect(steps).toMatchObject([
    { what: 'other', kind: 'records-planned', state: 'planned' },
    { what: 'intended', attempt: 1, because: 'planned' },
    { what: 'lost', attempt: 1 },
    { what: 'looked-up', found: 'absent' },
    { what: 'intended', attempt: 2, because: 'proven-absent', by: steps[3]?.event },
    { what: 'answered', attempt: 2, http: 201, state: 'accepted', apiId: '1' },
  ])
  expect(data.requests).toMatchObject([{ attempt: 1 }, { attempt: 2, http: 201 }])
  expect(data.chain).toMatchObject({
    isWhole: true,
    findings: [],
    isFromItsFirstEvent: true,
    isToTheEnd: true,
  })
  expect(title).toMatch(/^Proof of create-order HV-\d+$/)
  expect(text).toContain('Sent 2 times; took effect once.')
  expect(text).toContain('read from its file, and planned to be sent')
  expect(text).toContain(
    'about to be sent, attempt 2, because the lookup found that the API does not have it (event',
  )
  expect(text).toContain('✓ Whole.')
  const { html } = (await visit(await lookAt(world), recordPage, { params: { n: '1' } }))!
  expect(html).toContain('href="/records/1/proof"')
})

test('every event of a proof is an anchor that the whole check takes', async () => {
  const world = await aLostOrder()
  const { data } = await prove(world)
  const run = await commandsOf(world)
  for (const { event, hash } of [...data.steps, data.chain.head]) {
    const { exit, out } = await run('audit', 'verify', '--anchor', `${event}:${hash}`)
    expect(exit, out).toBe(0)
  }
  const { exit } = await run('audit', 'verify', '--anchor', `${data.steps[0]?.event}:${data.chain.head.hash}`)
  expect(exit).toBe(65)
})

test('records of every kind of a finished month are proven whole, each from its first event', async () => {
  const world = await aFinishedMonth()
  const { journal } = await lookAt(world)
  const { records } = await journal.traceKey(MONTH.first, { limit: 20 })
  expect(records.length).toBeGreaterThan(5)
  for (const { id } of [...records, ...(await journal.traceKey(MONTH.refused, { limit: 1 })).records]) {
    const { data } = await prove(world, id)
    expect(data.chain, `record ${id}`).toMatchObject({
      findings: [],
      isWhole: true,
      isFromItsFirstEvent: true,
    })
    expect(data.steps.length, `record ${id}`).toBeGreaterThan(0)
  }
  for (const n of ['0', '99999', 'x', ''])
    expect(await visit(await lookAt(world), proofPage, { params: { n } }), n).toBeUndefined()
})

test('a person’s decision is in the proof, without their name and words', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'lost.csv', smallOrders(30_001))
  await runUnheard(world, 'orders', { arrives: false, canLookUp: false })
  world.clock.skip(60_000)
  const run = await commandsOf(world)
  const { exit, err } = await run('resolve', '#1', '--absent', '--by', 'Nadia', '--why', 'asked Zoe')
  expect(exit, err).toBe(0)
  await world.run('orders')
  const { data, html } = await prove(world)
  expect(data.chain).toMatchObject({ isWhole: true })
  expect(data.steps.find(({ what }) => what === 'decided')).toMatchObject({ action: 'resolve-absent' })
  const again = data.steps.filter(({ what }) => what === 'intended')[1]
  expect(again).toMatchObject({ attempt: 2, because: 'decided' })
  expect(JSON.stringify(data) + html).not.toMatch(/Nadia|Zoe/)
})

test.each([
  ['a state', `update records set state = 'rejected' where id = 1`, /record 1: its state is rejected/],
  ['an id at the API', `update records set api_id = '2' where id = 1`, /its id at the API is 2, and was 1/],
  ['an HTTP status', 'update records set http = 200 where id = 1', /its HTTP status is 200, and was 201/],
  ['a body', `update bodies set body = replace(body, 'HV', 'HW') where record_id = 1`, /its body is not/],
  ['a key', `update records set natural_key = 'HV-2' where id = 1`, /its number, key, account/],
  [
    'a result',
    `update attempts set result = 'accepted' where record_id = 1 and attempt = 1`,
    /the result of its attempt 1/,
  ],
  ['an attempt', 'delete from attempts where record_id = 1 and attempt = 1', /its attempt 1 is missing/],
  [
    'an event of another time',
    `update events set at = at + 1 where id = (select max(id) from events)`,
    /is not what was written/,
  ],
  ['a missing event', `delete from events where kind = 'records-reconciled'`, /missing/],
  [
    'an event that says less',
    `update events set detail = '{}' where kind = 'records-reconciled'`,
    /is not what was written/,
  ],
  [
    'an event that cannot be read',
    `update events set detail = '{' where kind = 'records-reconciled'`,
    /unknown content/,
  ],
])('a proof says so when a person changed %s', async (_, statement, message) => {
  const world = await aLostOrder()
  const database = openDatabase(world.configuration.journal.path, {})
  database.exec(statement)
  database.close()
  const { data, text } = await prove(world)
  expect(data.chain.isWhole).toBe(false)
  expect(data.chain.findings.map((finding) => finding.message).join('\n')).toMatch(message)
  expect(text).toContain('✕ Not whole.')
  expect(text).not.toContain('✓ Whole.')
})

test('what was changed of another record is no matter of the proof', async () => {
  const world = await aLostOrder()
  const database = openDatabase(world.configuration.journal.path, {})
  database.exec(
    `update records set state = 'rejected' where id = 2; update bodies set body = '{}' where record_id = 3`,
  )
  database.close()
  expect((await prove(world, 1)).data.chain.findings).toEqual([])
  expect((await prove(world, 2)).data.chain.findings).not.toEqual([])
  expect((await prove(world, 3)).data.chain.findings).not.toEqual([])
})

test('a changed record is seen among many of its file', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'many.csv', smallOrders(30_001, 130))
  await world.run('orders')
  expect((await prove(world, 129)).data.chain.findings).toEqual([])
  const database = openDatabase(world.configuration.journal.path, {})
  database.exec(`update bodies set body = '{}' where record_id = 129`)
  database.close()
  expect((await prove(world, 129)).data.chain.findings).toMatchObject([
    { message: expect.stringContaining('its body') },
  ])
  expect((await prove(world, 128)).data.chain.findings).toEqual([])
})

test('one changed byte in the file of the journal is seen', async () => {
  const world = await aLostOrder()
  const { path } = world.configuration.journal
  const database = openDatabase(path, {})
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  const { data } = await prove(world)
  const bytes = await readFile(path)
  for (const { event, hash } of data.steps) {
    const changed = Buffer.from(bytes)
    const place = changed.indexOf(hash)
    expect(place, `event ${event}`).toBeGreaterThan(0)
    changed[place + 10]! ^= 1
    await writeFile(path, changed)
    const after = await prove(world)
    expect(after.data.chain.isWhole, `event ${event}`).toBe(false)
  }
  await writeFile(path, bytes)
  expect((await prove(world)).data.chain.isWhole).toBe(true)
})

test('after pruning, a proof still is whole, and says when contents were removed', async () => {
  const world = await aLostOrder()
  world.clock.skip(100 * 24 * 3_600_000)
  const run = await commandsOf(world)
  const { exit, err } = await run('prune', '--older-than', '90d')
  expect(exit, err).toBe(0)
  const { data, text } = await prove(world)
  expect(data.chain.findings).toEqual([])
  expect(text).toContain('its contents were removed')
})
