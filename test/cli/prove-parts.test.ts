/** The parts of `dropbridge prove` that see what was delivered: readers of files, sets of reports, backups. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpAfterEffect } from '../../src/prove/rounds.ts'
import { applyFaults, clearFaults, createFaultPlan, createRandom } from '../../src/prove/fault-plan.ts'
import {
  compareReports,
  createReader,
  type DroppedFile,
  groupReports,
  openDeliveryFolder,
} from '../../src/prove/delivered-files.ts'
import type { World } from '../../src/prove/world.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { createFaultCounts } from '../../src/service/http/faults.ts'
import { createSwitches } from '../../src/service/switches.ts'
import type { Service } from '../../src/service/service.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function anOutlet() {
  const root = await tempFolder()
  const folder = join(root, 'outbox')
  await mkdir(folder)
  await writeFile(join(folder, 'earlier.csv'), 'earlier')
  const outlet = openDeliveryFolder(folder, join(root, 'taken'))
  const deliver = (name: string, text: string) => writeFile(join(folder, name), text)
  const texts = () => Promise.all(outlet.files().map(({ path }) => readFile(path, 'utf8')))
  return { folder, outlet, deliver, texts }
}

test('a file that came again after a reader took it is counted twice, under the same name', async () => {
  const { folder, outlet, deliver, texts } = await anOutlet()
  await deliver('orders.csv', 'one')
  outlet.takeAll()
  await deliver('orders.csv', 'one')

  expect(outlet.files().map(({ name }) => name)).toEqual(['orders.csv', 'orders.csv'])
  expect(await texts()).toEqual(['one', 'one'])
  outlet.takeAll()
  expect(await readdir(folder)).toEqual([])
  expect(await texts()).toEqual(['one', 'one'])
  expect(outlet.taken()).toBe(2)
})

test('a reader leaves working names and folders where they are, and files of earlier rounds do not count', async () => {
  const { folder, outlet, deliver, texts } = await anOutlet()
  await mkdir(join(folder, 'sub'))
  await deliver('.orders.csv.1.dropbridge.tmp', 'half')

  outlet.takeAll()

  expect((await readdir(folder)).toSorted()).toEqual(['.orders.csv.1.dropbridge.tmp', 'sub'])
  expect(await texts()).toEqual([])
  expect(outlet.taken()).toBe(0)
  await deliver('earlier.csv', 'new under an old name')
  expect(await texts()).toEqual(['new under an old name'])
})

test('a reader takes files after deaths only, or also while the bridge works, or not at all', async () => {
  const reads: string[] = []
  const world = await anOutlet()
  const readerOf = (habit: 'none' | 'after-crashes' | 'at-any-time') =>
    createReader({ ...world.outlet, takeAll: () => void reads.push(habit) }, habit, createRandom(habit), () =>
      Promise.resolve(),
    )

  for (const habit of ['none', 'after-crashes', 'at-any-time'] as const) readerOf(habit).afterDeath()
  expect(reads).toEqual(['after-crashes', 'at-any-time'])

  expect(readerOf('none').wrap).toBeUndefined()
  expect(readerOf('after-crashes').wrap).toBeUndefined()
  const wrapped = readerOf('at-any-time').wrap?.mailbox?.({
    listClaims: () => Promise.resolve(['a']),
  } as unknown as Mailbox)
  for (let call = 0; call < 50; call++) expect(await wrapped?.listClaims('inbox')).toEqual(['a'])
  expect(reads.length).toBeGreaterThan(4)
  expect(reads.length).toBeLessThan(40)
})

const DROPS: readonly DroppedFile[] = [
  { route: 'orders', name: 'a.csv', text: 'PO,Date\nP-1,today\nP-2,never\n' },
  { route: 'orders-twin', name: 'a.csv', text: 'PO,Date\nP-3,today\nP-4,never\n' },
]

function results(...keys: readonly string[]): string {
  const head = 'PO,_line,_record,_status,_http,_id,_code,_field,_message,_fix,_attempts,_at\n'
  return head + keys.map((key, index) => `${key},${index + 2},${index + 1},accepted,201,7,,,,,1,\n`).join('')
}

test('reports of two files of one name are matched to their file by their contents', async () => {
  const { outlet, deliver } = await anOutlet()
  await deliver('a.csv.results.csv', results('P-3', 'P-4'))
  await deliver('a.csv.rejects.csv', 'PO,Date\nP-2,never\n')
  await deliver('a.csv.summary.json', JSON.stringify({ route: 'orders' }))
  await deliver('a.csv~2.results.csv', results('P-1', 'P-2'))
  await deliver('a.csv~3.results.csv', results('P-9'))
  await deliver('slip-7.pdf', 'a document')

  const { sets, strays } = await groupReports(DROPS, outlet.files())

  expect(sets.map(({ drop, kinds }) => [drop.route, Object.fromEntries(kinds)])).toEqual([
    ['orders', { '.results.csv': 1, '.rejects.csv': 1, '.summary.json': 1 }],
    ['orders-twin', { '.results.csv': 1 }],
  ])
  expect(sets.map(({ lines }) => lines?.map(({ key }) => key))).toEqual([
    ['P-1', 'P-2'],
    ['P-3', 'P-4'],
  ])
  expect(strays).toEqual(['a.csv~3.results.csv'])
})

test('a report that came twice counts as doubled, a missing one as lost, and rows of held records may come once', () => {
  const [drop] = DROPS
  if (drop === undefined) throw new Error('there are drops')
  const usual = new Map([
    ['.results.csv', 1],
    ['.summary.json', 1],
  ])
  const judged = (kinds: readonly [string, number][]) =>
    compareReports({ drop, lines: [], kinds: new Map(kinds) }, usual).map(({ wrong, what }) => [wrong, what])

  expect(
    judged([
      ['.results.csv', 1],
      ['.summary.json', 1],
      ['.exceptions.csv', 1],
    ]),
  ).toEqual([])
  expect(judged([['.results.csv', 2]])).toEqual([
    ['twice', 'its .results.csv was delivered 2 times'],
    ['lost', 'it has no .summary.json'],
  ])
  expect(
    judged([
      ['.results.csv', 1],
      ['.summary.json', 1],
      ['.exceptions.csv', 2],
    ]),
  ).toEqual([['twice', 'its .exceptions.csv was delivered 2 times']])
})

test('a backup holds what the state folder was right after the effect, and takes its place', async () => {
  const folder = await tempFolder()
  const stateFolder = join(folder, 'state')
  await mkdir(stateFolder)
  const world = { folder, configuration: { stateFolder } } as unknown as World
  const backup = backUpAfterEffect(2, world)
  let effects = 0
  const mailbox = backup.wrap.mailbox?.({
    createMarkerFolder: () => writeFile(join(stateFolder, 'journal.db'), String(++effects)),
  } as unknown as Mailbox)

  expect(backup.restore()).toBeUndefined()
  for (let effect = 0; effect < 4; effect++) await mailbox?.createMarkerFolder('outbox', '.dropbridge')
  expect(await readFile(join(stateFolder, 'journal.db'), 'utf8')).toBe('4')

  expect(backup.restore()).toBe('mailbox.createMarkerFolder')
  expect(await readFile(join(stateFolder, 'journal.db'), 'utf8')).toBe('2')
})

test('calm ends every fault that a storm brings', () => {
  const switches = createSwitches()
  const service = { switches, faults: createFaultCounts() } as unknown as Service
  const usual = createSwitches()

  for (let seed = 0; seed < 50; seed++) applyFaults(service, createFaultPlan(createRandom(seed), true), 100)
  expect(switches.tokenLastsRequests).toBeGreaterThan(0)
  clearFaults(service)

  expect({
    ...switches,
    faultSeed: 1,
    faultLimit: usual.faultLimit,
    faultsStrike: usual.faultsStrike,
  }).toEqual(usual)
})
