/** Why a file is not taken although nothing is wrong with it: its marker is missing, or an earlier file comes first. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Commands, commandsOf } from '../fixtures/office.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

/** A world whose inbox has these settings besides its `stableFor`. `meanwhile` happens in each wait of a command. */
async function anInbox(
  settings: string,
  meanwhile: (world: World) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly world: World; readonly run: Commands }> {
  const world = await aWorld({ routes: ['orders'] })
  const sleep = async (ms: number) => {
    await meanwhile(world)
    await world.clock.sleep(ms)
  }
  const run = await commandsOf(world, { clock: { ...world.clock, sleep } })
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('stableFor: 100ms', `stableFor: 100ms, ${settings}`))
  return { world, run }
}

test('a file whose marker has not come', async () => {
  const { world, run } = await anInbox('ready: marker')
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  const result = await run('why-not', 'a.csv')
  expect(result.exit).toBe(75)
  expect(result.out).toMatch(/its marker \S+inbox\/orders\/a\.csv\.done is missing {2}\[sidecar-missing\]/)
  await world.drop('inbox/orders', 'a.csv.done', '')
  expect((await run('why-not', 'a.csv')).exit).toBe(0)
  expect((await run('run')).err).toContain('a.csv: 1 accepted')
})

test('a marker is shown as the one of its file, whether that file is there or not', async () => {
  const { world, run } = await anInbox('ready: marker')
  await world.drop('inbox/orders', 'a.csv.done', '')
  const alone = await run('why-not', 'a.csv.done')
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  const paired = await run('why-not', 'a.csv.done')
  expect([alone.exit, paired.exit]).toEqual([2, 2])
  expect(alone.out).toContain('it is the marker of a.csv, which is not there  [is-sidecar]')
  expect(alone.out).toContain('fix: Ask its sender for the data file.')
  expect(alone.out).not.toContain('name-differs')
  expect(paired.out).toContain('it is the marker of a.csv  [is-sidecar]')
  expect(paired.out).toContain('fix: See `dropbridge why-not a.csv`.')
})

test('a marker whose name has only the stem of its file', async () => {
  const { world, run } = await anInbox('ready: { marker: "{stem}.ok" }')
  await world.drop('inbox/orders', 'a.ok', '')
  expect((await run('why-not', 'a.ok')).out).toContain('it is the marker of a.*, which is not there')
})

test('a file that is not what its manifest says', async () => {
  const { world, run } = await anInbox('ready: manifest')
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await world.drop('inbox/orders', 'a.csv.manifest', 'rows: 700\n')
  const result = await run('why-not', 'a.csv')
  expect(result.exit).toBe(65)
  expect(result.out).toContain('The manifest says 700 rows, and the file has ')
})

test('a file behind a number that is missing, and what to write when it never comes', async () => {
  const { world, run } = await anInbox('sequence: { name: "orders-{number}.csv" }')
  await world.drop('inbox/orders', 'orders-1.csv', smallOrders(100))
  await world.drop('inbox/orders', 'orders-3.csv', smallOrders(300))
  expect((await run('run')).err).toContain(
    'orders-3.csv is skipped: number 2 of the sequence has not come; if it never will, write start: 3 under `sequence`',
  )
  const result = await run('why-not', 'orders-3.csv')
  expect(result.exit).toBe(75)
  expect(result.out).toContain('number 2 of the sequence has not come')
  expect(result.out).toContain('set `start` under `sequence` to the next number')
})

test('a file behind a number that is still being written waits for that one, and no start is suggested', async () => {
  let rows = 1
  const { world, run } = await anInbox('sequence: { name: "orders-{number}.csv" }', (each) =>
    each.drop('inbox/orders', 'orders-1.csv', smallOrders(100, ++rows)),
  )
  await world.drop('inbox/orders', 'orders-1.csv', smallOrders(100))
  await world.drop('inbox/orders', 'orders-2.csv', smallOrders(200))

  const [first, second] = [await run('why-not', 'orders-1.csv'), await run('why-not', 'orders-2.csv')]

  expect([first.exit, second.exit]).toEqual([75, 75])
  expect(first.out).toContain('it is still being written  [still-changing]')
  expect(second.out).toContain('number 1 comes before it in the sequence and is not whole yet')
  expect(second.out).toContain('fix: See what that file waits for: `dropbridge why-not FILE`.')
})

test('a file behind one that is not done is told to have that one finished, and not to change the start', async () => {
  const { world, run } = await anInbox('sequence: { name: "orders-{number}.csv" }')
  await world.drop('inbox/orders', 'orders-1.csv', smallOrders(100))
  await world.service.close()
  await run('run')
  await world.drop('inbox/orders', 'orders-2.csv', smallOrders(200))
  const result = await run('why-not', 'orders-2.csv')
  expect(result.exit).toBe(75)
  expect(result.out).toContain('orders-1.csv comes before it in the sequence and is not done')
  expect(result.out).toContain('fix: Finish that file first: `dropbridge trace FILE` says how far it is.')
})

test('a file whose manifest is still being written waits for the manifest', async () => {
  const text = smallOrders(100)
  const manifest = `bytes: ${Buffer.byteLength(text)}\n`
  const { world, run } = await anInbox('ready: manifest', (each) =>
    each.drop('inbox/orders', 'a.csv.manifest', `${manifest}part: 1\n`),
  )
  await world.drop('inbox/orders', 'a.csv', text)
  await world.drop('inbox/orders', 'a.csv.manifest', manifest)
  const result = await run('why-not', 'a.csv')
  expect(result.exit).toBe(75)
  expect(result.out).toContain('its manifest is still being written, or has just arrived  [still-changing]')
})

test('a file without a number on a route with a sequence gets the advice to rename it, and not to ask for a file', async () => {
  const { world, run } = await anInbox('sequence: { name: "orders-{number}.csv" }')
  await world.drop('inbox/orders', 'other.csv', smallOrders(100))
  const result = await run('why-not', 'other.csv')
  expect(result.out).toContain('its name has no number where `sequence` says')
  expect(result.out).toContain(
    'fix: Rename it so that its number is where `sequence` says, or move it to the inbox of another route.',
  )
  expect(result.out).not.toContain('Ask for the file that is missing')
})

test.each([
  ['stable', true],
  ['renamed', false],
])(
  'an empty file, for which a watch waits where only time shows that it is finished (%s)',
  async (ready, isMentioned) => {
    const { world, run } = await anInbox(`ready: ${ready}`)
    await world.drop('inbox/orders', 'a.csv', '')
    const result = await run('why-not', 'a.csv')
    expect(result.exit).toBe(65)
    expect(result.out).toContain('it is refused as a whole')
    expect(result.out.includes('when it has stayed empty for a quarter of an hour')).toBe(isMentioned)
  },
)

test('a file that is renamed into place need not be waited for', async () => {
  const { world, run } = await anInbox('ready: renamed')
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  expect((await run('why-not', 'a.csv')).exit).toBe(0)
})
