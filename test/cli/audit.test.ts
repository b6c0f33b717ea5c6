/** The check of the journal and pruning on the command line: what a person reads and a scheduler acts on. */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import type { CommandResult } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

interface Office {
  readonly world: World
  readonly run: (...args: string[]) => Promise<CommandResult>
  readonly journal: string
  readonly configuration: string
}

/** A world in which one file of three orders is done. */
async function anOffice(): Promise<Office> {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 3, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  const run = await commandsOf(world)
  expect((await run('run')).exit).toBe(0)
  const configuration = join(world.folder, 'dropbridge.yaml')
  return { world, run, journal: world.configuration.journal.path, configuration }
}

test('a journal that only the bridge wrote is whole, and the summary of a file anchors it', async () => {
  const { world, run } = await anOffice()

  const { exit, out } = await run('audit', 'verify')
  const summary = JSON.parse(await world.read('results/orders.csv.summary.json')) as {
    journal: { event: number; hash: string }
  }
  const { event, hash } = summary.journal
  const anchored = await run('audit', 'verify', '--anchor', `${event}:${hash}`)

  expect(exit).toBe(0)
  expect(out).toMatch(
    /^\d+ events, from \S+Z to \S+Z\ncompared with 3 records, 1 files and 0 deliveries\nwhole\nanchor \d+:[0-9a-f]{64}$/,
  )
  expect(anchored.exit).toBe(0)
})

test('an altered row is reported with its former contents, its event and time, and exits with its own failure', async () => {
  const { run, journal } = await anOffice()
  const database = openDatabase(journal)
  database.exec(`update records set state = 'rejected' where id = 2`)
  database.close()

  const { exit, out, err } = await run('audit', 'verify')
  const data = await run('audit', 'verify', '--json')

  expect(exit).toBe(65)
  expect(out).toMatch(
    /^record 2 \(orders, orders\.csv line \d+, HV-\d+\): its state is rejected, and was accepted \(event \d+ of \S+Z\)$/m,
  )
  expect(err).toContain('the journal was altered: 1 mismatch')
  expect(JSON.parse(data.out)).toMatchObject({
    whole: false,
    found: 1,
    findings: [{ about: 'record', id: '2' }],
  })
})

test('an invalid anchor is refused before anything is read', async () => {
  const { run } = await anOffice()

  const { exit, err } = await run('audit', 'verify', '--anchor', '12')

  expect(exit).toBe(64)
  expect(err).toContain('--anchor "12" is not EVENT:HASH')
})

test('pruning keeps what was finished later than the date', async () => {
  const { run, journal } = await anOffice()

  const { exit, err } = await run('prune', '--before', '2000-01-01')

  const database = openDatabase(journal, { readonly: true })
  const bodies = database.prepare(`select count(*) from bodies where body <> '{}'`).pluck().get()
  database.close()
  expect(exit).toBe(0)
  expect(err).toContain('pruned, of before 2000-01-01T00:00:00.000Z: the contents of 0 files')
  expect(bodies).toBe(3)
})

test('pruning follows the retention of the configuration when no date is given', async () => {
  const { run, configuration } = await anOffice()
  await appendFile(configuration, '\nkeep:\n  contents: 90d\n')

  const { exit, out } = await run('prune', '--dry-run', '--json')

  expect(exit).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ dryRun: true, files: 0, isGone: false })
})

test.each([
  [['prune'], 'neither --older-than nor keep.contents of the configuration says what to remove'],
  [['prune', '--older-than', '3 months'], '--older-than "3 months" must be a number of days or weeks'],
  [['prune', '--before', '2999-01-01'], '--before "2999-01-01" is not a date in the past'],
  [['prune', '--before', 'easter'], '--before "easter" must be a date such as 2026-01-01'],
  [
    ['prune', '--before', '2026-01-01', '--older-than', '90d'],
    '--older-than and --before exclude each other',
  ],
])('%j is refused with the reason', async (args, reason) => {
  const { run } = await anOffice()

  const { exit, err } = await run(...args)

  expect(exit).toBe(64)
  expect(err).toContain(reason)
})
