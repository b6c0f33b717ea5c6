/** Why a file is not taken although nothing is wrong with it: its marker is missing, or an earlier file comes first. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Commands, commandsOf } from '../fixtures/office.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

/** A world whose inbox has these settings besides its `stableFor`. */
async function anInbox(settings: string): Promise<{ readonly world: World; readonly run: Commands }> {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
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
  expect(result.out).toContain('its marker a.csv.done is missing; the file is taken when that file is there')
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
  expect(alone.out).toContain('fix: Ask about its data file: `dropbridge why-not FILE`.')
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
