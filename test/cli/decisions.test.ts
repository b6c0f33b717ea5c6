/** Held records on the command line: what a person reads, decides and is shown. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Commands, commandsOf } from '../fixtures/office.ts'
import { runCommand } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** A world with 25 orders of an item that the brand does not offer: 20 are refused, the others are held. */
async function aStoppedOffice(): Promise<{ world: World; run: Commands }> {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 25, damageEvery: 0 })
  for (const order of orders) {
    order.rows.length = 1
    Object.assign(order.rows[0] ?? {}, { SKU: 'NL-NONE', UPC: '', 'Gift Message': '' })
  }
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  return { world, run: await commandsOf(world) }
}

test('a run that stops a file says why, and where the waiting rows are', async () => {
  const { world, run } = await aStoppedOffice()

  const { exit, err } = await run('run')

  expect(exit).toBe(2)
  expect(err).toContain('orders: orders.csv: 20 rejected, 5 held')
  expect(err).toContain(
    `held, for a person to decide: ${join(world.folder, 'exchange/results/orders.csv.exceptions.csv')}`,
  )
  expect(err).toMatch(
    /5 held: The first 20 records that were sent were all refused for the same reason: HTTP 400, /,
  )
  expect(err).toContain('dropbridge release orders.csv --by NAME --why TEXT')
  expect((await run('run')).exit).toBe(0)
})

test('a key is found without the blank and in other case, and an unknown key is reported with similar ones', async () => {
  const { run } = await aStoppedOffice()
  await run('run')
  const who = ['--by', 'Ada', '--why', 'wrong']

  const found = await run('discard', 'orders/hv-10023', ...who)
  const unknown = await run('discard', 'orders/HV-1022', ...who)

  expect(found.err.split('\n')[0]).toBe('orders: orders.csv: 1 discarded: 1 rejected')
  expect(unknown.exit).toBe(2)
  expect(unknown.err).toContain('no record "HV-1022" of orders is held')
  expect(unknown.err).toMatch(/similar keys: .*"HV-10022"/)
})

test('a record that is not held is shown with its state, and a bare key with the whole command', async () => {
  const { run } = await aStoppedOffice()
  await run('run')
  const who = ['--by', 'Ada', '--why', 'wrong']

  const refused = await run('release', 'orders/HV-10001', ...who)
  const bare = await run('discard', 'HV-10022', ...who)
  const resolved = await run('resolve', 'HV-10022', '--accepted', '5', ...who)

  expect([refused.exit, bare.exit, resolved.exit]).toEqual([2, 2, 2])
  expect(refused.err).toContain('no record "HV-10001" of orders is held; orders/HV-10001 is rejected')
  expect(refused.err).toContain('`dropbridge trace HV-10001` shows what came of it')
  expect(bare.err).toContain('no file "HV-10022" is known; a record of orders has this key')
  expect(bare.err).toContain('fix: dropbridge discard orders/HV-10022 --by NAME --why TEXT')
  expect(resolved.err).toContain(
    'create-order is held; no answer was lost; decide with dropbridge release or discard orders/HV-10022 --by NAME',
  )
})

test('status shows what is held, since when, and how to decide about it', async () => {
  const { run } = await aStoppedOffice()
  await run('run')

  const shown = await run('status')
  const data = JSON.parse((await run('status', '--json')).out) as Record<string, unknown>

  expect(shown.out).toMatch(/held for a person +id +route +records +since +code/)
  expect(shown.out).toMatch(/orders\.csv +\S+ +orders +5 +\d{4}-\d\d-\d\dT\S+ +circuit-breaker-open/)
  expect(shown.out).toMatch(/orders\.csv +22 +HV-10021 +The first 20 records/)
  expect(shown.out).toContain('dropbridge release FILE --by NAME --why TEXT')
  expect(data).toMatchObject({
    held: [{ name: 'orders.csv', route: 'orders', records: 5, code: 'circuit-breaker-open' }],
    heldRecords: [{ keyValues: ['HV-10021'] }, {}, {}, {}, {}],
  })
})

test('discard reports how many records it gave up, and keeps who decided and why; a second one finds nothing', async () => {
  const { run } = await aStoppedOffice()
  await run('run')

  const first = await run('discard', 'orders.csv', '--by', 'Ada', '--why', 'wrong file', '--json')
  const second = await run('discard', 'orders.csv', '--by', 'Ada', '--why', 'wrong file')

  expect(first.exit).toBe(0)
  expect(JSON.parse(first.out)).toMatchObject({
    file: { name: 'orders.csv' },
    decision: { action: 'discard', by: 'Ada', why: 'wrong file', records: 5 },
    records: { rejected: 5 },
  })
  expect(second.exit).toBe(2)
  expect(second.err).toContain('orders: orders.csv: nothing of it is held, so nothing was discarded')
  // The 5 that were given up wait for no correction.
  expect(second.err).toContain(
    '20 records are refused and not corrected: correct orders.csv~2.rejects.csv and drop it into the inbox; or dropbridge dismiss orders.csv --by NAME --why TEXT',
  )
  expect((await run('status')).out).not.toContain('held for a person')
})

test('where nothing is held, release says so, and programs get what is refused', async () => {
  const { run } = await aStoppedOffice()
  await run('run')
  const who = ['--by', 'Ada', '--why', 'wrong file']
  await run('discard', 'orders.csv', ...who)

  const unknown = await run('release', 'none.csv', ...who)
  const known = await run('release', 'orders.csv', ...who, '--json')

  expect([unknown.exit, known.exit]).toEqual([2, 2])
  expect(unknown.err).toContain('no file "none.csv" is known')
  expect(unknown.err).toContain('fix: Nothing to release: no record is held.')
  expect(JSON.parse(known.out)).toMatchObject({
    decision: null,
    unanswered: 0,
    refused: { records: 20, rejects: 'orders.csv~2.rejects.csv' },
  })
})

test('release sends the records and exits 2 when they are refused again', async () => {
  const { run } = await aStoppedOffice()
  await run('run')

  const { exit, err } = await run('release', 'orders/HV-10023', '--by', 'Ada', '--why', 'try one')

  expect(exit).toBe(2)
  expect(err).toContain('orders: orders.csv: 1 released: 1 rejected')
  expect(err).toContain('orders.csv~2.results.csv')
  expect(err).toContain(
    'what to do (circuit-breaker-open): if the file or the mapping is wrong: dropbridge discard orders.csv --by NAME --why TEXT, correct the new rejects file or the mapping, and drop that file in; if the API was at fault: dropbridge release orders.csv --by NAME --why TEXT',
  )
})

test('a decision needs a name, a reason, and a record that exists', async () => {
  const { run } = await aStoppedOffice()
  await run('run')

  const anonymous = await run('release', 'orders.csv', '--why', 'x')
  const blank = await run('release', 'orders.csv', '--by', ' ', '--why', 'x')
  const unknown = await run('release', 'order.csv', '--by', 'Ada', '--why', 'x')
  const misspelt = await run('relase', 'orders.csv')

  expect([anonymous.exit, blank.exit, unknown.exit, misspelt.exit]).toEqual([64, 64, 2, 64])
  expect(anonymous.err).toContain('by')
  expect(blank.err).toContain('--by is empty')
  expect(unknown.err).toContain('no file "order.csv" is known')
  expect(misspelt.err).toContain('Did you mean "release"?')
})

test('translate reports what the mapping would hold, and exits 2', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await writeFile(
    join(world.folder, 'close.yaml'),
    `operation: close-order
group: PO
hold: [{ when: { State: HELD }, say: Ask the warehouse. }]
body: { order_id: { from: PO, find: order } }
`,
  )
  await writeFile(join(world.folder, 'close.csv'), 'PO,State\nA,\nB,Held\n')

  const { exit, out, err } = await runCommand({ folder: world.folder, clock: world.clock, env: {} }, [
    'translate',
    'close.csv',
    '-m',
    'close.yaml',
  ])

  expect(exit).toBe(2)
  expect(out.split('\n')).toHaveLength(1)
  expect(err.split('\n')).toEqual([
    'record 2 (B) is held for a person: Ask the warehouse.',
    '1 record translated, 0 refused, 1 held',
    expect.stringMatching(/^Not checked here: /),
  ])
})
