/** Exports as interchanges: each under its own control numbers, none twice and none left out, and none with faults. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problem } from '../../src/domain/problem.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import {
  anExportsWorld,
  numbered,
  numbersOf,
  order,
  ordersOf,
  passOver,
  setOf,
} from '../fixtures/edi-exports.ts'
import { loadExport } from '../formats/edi/exported.ts'
import { addReport } from '../fixtures/reports.ts'

test('an export is one interchange with a set for each record, named by its control number', async () => {
  const own = await anExportsWorld()
  await order(own, 10_001, 3)
  const { exit } = await passOver(own)

  expect(exit).toBe(0)
  expect(await own.world.list('outbox')).toEqual(['850-000000001.x12'])
  const text = await own.world.read('outbox/850-000000001.x12')
  expect(text).toContain('*ZZ*HAVEN          *ZZ*NORTHLIGHT     *')
  expect(text).toContain('GS*PO*HAVEN*NORTHLIGHT*')
  expect(text.match(/^SE\*5\*000[123]~$/gm)).toHaveLength(3)
  expect(await ordersOf(own.world)).toHaveLength(3)
  expect(own.world.service.counts().acknowledgedOrders).toBe(3)
})

test('several files count on, whether a pass makes one of them or more, and no pass without records takes a number', async () => {
  const own = await anExportsWorld({ recordsPerFile: 2 })
  await passOver(own)
  await order(own, 10_001, 5)
  await passOver(own)
  await passOver(own)
  await order(own, 20_001, 1)
  await passOver(own)

  expect(await numbersOf(own.world)).toEqual(numbered(4))
  expect(new Set(await ordersOf(own.world)).size).toBe(6)
})

test('a record that cannot be written is in no file and takes no number, and the next file has it', async () => {
  let isHeld = true
  const own = await anExportsWorld({
    composeRows: ({ purchase_order_number: po }) =>
      isHeld
        ? { problems: [problem('value-missing', { field: 'BEG.03' }, 'BEG.03 is blank.')] }
        : { rows: setOf(String(po)) },
  })
  await order(own, 10_001, 2)
  await passOver(own)
  await passOver(own)
  expect(await own.world.list('outbox')).toEqual([])

  isHeld = false
  await passOver(own)
  expect(await numbersOf(own.world)).toEqual(numbered(1))
  expect(await ordersOf(own.world)).toHaveLength(2)
})

test('all records can be in one set, with segments around them', async () => {
  const own = await anExportsWorld({
    composeRows: () => ({ rows: [['PO1', '1', '1', 'EA']] }),
    frame: () => {
      let lines = 0
      return {
        begin: setOf('DAY').slice(0, 2),
        addRecord: () => void (lines += 1),
        createEnd: () => [['CTT', String(lines)]],
      }
    },
  })
  await order(own, 10_001, 3)
  expect((await passOver(own)).exit).toBe(0)
  const text = await own.world.read('outbox/850-000000001.x12')
  expect(text.match(/^ST\*/gm)).toHaveLength(1)
  expect(text).toContain('CTT*3~\nSE*7*0001~\nGE*1*1~')
})

test('an interchange that its reader would refuse is not delivered, and says which set has what', async () => {
  const own = await anExportsWorld({
    composeRows: ({ purchase_order_number: po }) => ({
      rows: [...setOf(String(po)), ['MSG', 'thank you~REF*CO*7']],
    }),
  })
  await order(own, 10_001, 2)
  const { exit, routes } = await passOver(own)

  expect(exit).toBe(70)
  const message: unknown = expect.stringContaining('set 000000001/1/0001')
  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'edi-self-check', message } }])
  expect(await own.world.list('outbox')).toEqual([])
  expect(await readdir(join(own.world.folder, 'state', 'spool', 'orders-out'))).toEqual([])
  expect(own.world.service.counts().acknowledgedOrders).toBe(0)

  const repaired = { ...own, mappings: (await anExportsWorld()).mappings }
  expect((await passOver(repaired)).exit).toBe(0)
  expect(await numbersOf(own.world)).toEqual(numbered(1))
})

test('two routes to one partner, in two bridges at once, share the numbers', async () => {
  const own = await anExportsWorld({ recordsPerFile: 1 })
  const report = await addReport(own.world, {
    operation: 'export-orders',
    mapping: 'write: { format: csv }\ncolumns: { PO: purchase_order_number }\n',
    party: 'brand',
  })
  const mapping = own.mappings.get('orders-out')
  Object.assign(report, { partner: 'northlight', to: { ...report.to, name: '{route}-{icn}.x12' } })
  const both = {
    ...own,
    mappings: new Map([...own.mappings, ...(mapping ? [['report', mapping] as const] : [])]),
  }
  for (const first of [10_001, 20_001, 30_001]) {
    await order(both, first, 3)
    await Promise.all([passOver(both), passOver(both, 'report'), passOver(both)])
    await passOver(both)
  }

  const numbers = (await numbersOf(own.world)).toSorted()
  expect(numbers).toHaveLength(12)
  expect(numbers).toEqual(numbered(12).toSorted())
})

test.each(['x12/850-export', 'edifact/orders-export'])(
  '%s: a file that was lost from the spool is composed again to the same bytes, a week later',
  async (name) => {
    const { composer } = await loadExport(name)
    const own = await anExportsWorld(composer)
    await order(own, 10_001, 12)
    const plan = crashAt(1, 'before', 'mailbox.stage')
    await passOver(own, 'orders-out', plan.wrap).catch(() => undefined)
    const spool = join(own.world.folder, 'state', 'spool', 'orders-out')
    const [lost = ''] = await readdir(spool)
    expect(lost).toMatch(/\.out$/)
    const bytes = await readFile(join(spool, lost), 'latin1')
    await rm(join(spool, lost))
    own.world.clock.skip(7 * 86_400_000)

    // Some names are not written in Latin letters: their orders are held, and are not in the file.
    expect((await passOver(own)).exit).toBe(2)
    const [delivered = ''] = await own.world.list('outbox')
    expect(await readFile(join(own.world.folder, 'exchange/outbox', delivered), 'latin1')).toBe(bytes)
    expect(bytes).toMatch(/^GE\*\d+\*1~\nIEA\*1\*000000001~\n|^UNZ\+\d+\+1'\n/m)
  },
)
