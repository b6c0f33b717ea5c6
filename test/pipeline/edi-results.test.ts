/** The result file of documents: which set and segment each of its rows is about, and what is noted of the file. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboundRoute, Route } from '../../src/config/routes.ts'
import { formatRun } from '../../src/cli/format/run.ts'
import type { FileEntry } from '../../src/domain/file.ts'
import type { Notes } from '../../src/domain/format.ts'
import type { ReportedRecord } from '../../src/domain/record.ts'
import { createFormats } from '../../src/formats/formats.ts'
import type { InboundContext } from '../../src/pipeline/context.ts'
import { openRecordSets } from '../../src/pipeline/inbound/record-sets.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { anEdiInbox } from '../fixtures/edi-inbox.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const repository = new URL('../..', import.meta.url).pathname
const ONE_DAY = await readFile(join(repository, 'samples/edi/850-one-day.x12'), 'utf8')

/** A world with one more route, which reads documents from its own inbox. */
async function aWorldReading(mapping: string, more: Partial<InboundRoute> = {}): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  const routes = world.configuration.routes as Route[]
  const operation = more.operation ?? 'create-order'
  const like = operation === 'create-shipment' ? 'shipments' : 'orders'
  const base = routes.find(({ name }) => name === like) as InboundRoute
  const from = { ...base.from, folder: 'inbox/edi', match: '*', archive: 'archive/edi' }
  const mappingPath = join(repository, `mappings/${mapping}.yaml`)
  routes.push({ ...base, from, ...more, name: 'edi', mappingPath })
  return world
}

/** The rows of the results: set, segment, status and message. */
async function runFile(world: World, text: string | Uint8Array, name = 'day.x12') {
  await world.drop('inbox/edi', name, text)
  await world.run('edi')
  return listRows(world, `results/${name}.results.csv`)
}

async function listRows(world: World, path: string) {
  return parseCsv(await world.read(path)).map((row) => [
    row['_set'],
    row['_segment'],
    row['_status'],
    row['_code'],
  ])
}

describe('a row of the results of documents', () => {
  test('names the set of its record, and its first segment or the faulty one', async () => {
    const world = await aWorldReading('x12/850-orders')

    expect(await runFile(world, ONE_DAY)).toEqual([
      ['000001126/1126/0001', '3', 'accepted', ''],
      ['000001126/1126/0002', '41', 'rejected', 'integer-expected'],
      ['000001126/1126/0003', '46', 'accepted', ''],
    ])
    const [header = ''] = (await world.read('results/day.x12.results.csv')).split('\n')
    expect(header).toContain('purchase_order_number,_line,_set,_segment,_record,_status,')
  })

  test('names the mapping that would take a test interchange', async () => {
    const world = await aWorldReading('x12/850-orders')
    const test = ONE_DAY.replace(/^(ISA(?:\*[^*]*){14}\*)P/, '$1T')

    const rows = await runFile(world, test)

    expect(rows.map(([, , status, code]) => [status, code])).toEqual([
      ['skipped', 'edi-test'],
      ['skipped', 'edi-test'],
      ['skipped', 'edi-test'],
    ])
    const [{ _fix: fix } = {}] = parseCsv(await world.read('results/day.x12.results.csv'))
    expect(fix).toBe('Nothing to do. To post tests too, write `usage: any` under `read` in 850-orders.yaml.')
  })

  test('names the segment of the line that the API refused', async () => {
    const world = await aWorldReading('x12/850-orders')
    const unknown = ONE_DAY.replace('UP*086000100070*SK*NL-0007*VN*NL-0007', 'SK*NOBODYS')

    const [row] = await runFile(world, unknown)

    expect(row).toEqual(['000001126/1126/0001', '23', 'rejected', expect.any(String)])
    const [{ _message: message = '' } = {}] = parseCsv(await world.read('results/day.x12.results.csv'))
    expect(message).toMatch(/^segment 23, set 000001126\/1126\/0001, PO1\.SK: No item/)
  })

  test('names set and segment of a record that is held, and of one whose number came before', async () => {
    const world = await aWorldReading('x12/850-orders')
    const changed = ONE_DAY.replace('BEG*00*DS*HV-41003', 'BEG*05*DS*HV-41003').replace('*two*', '*2*')
    await runFile(world, ONE_DAY, 'first.x12')

    expect(await runFile(world, changed)).toEqual([
      ['000001126/1126/0001', '3', 'duplicate', 'record-repeated'],
      ['000001126/1126/0002', '28', 'accepted', 'totals-disagree'],
      ['000001126/1126/0003', '47', 'held', 'held-by-mapping'],
    ])
  })

  test('names no set where text stands between two interchanges', async () => {
    const world = await aWorldReading('x12/850-orders')
    const other = ONE_DAY.replaceAll('1126', '1127').replaceAll('HV-41', 'HV-42')

    const rows = await runFile(world, `${ONE_DAY}\n$ end of job\n${other}`)

    expect(rows[0]).toEqual(['', '73', 'skipped', 'edi-between'])
    expect(rows.slice(1).map(([set]) => set)).toEqual([
      '000001126/1126/0001',
      '000001126/1126/0002',
      '000001126/1126/0003',
      '000001127/1127/0001',
      '000001127/1127/0002',
      '000001127/1127/0003',
    ])
  })

  test('names the message of EDIFACT', async () => {
    const world = await aWorldReading('edifact/orders')
    const text = await readFile(join(repository, 'samples/edi/orders.edi'), 'utf8')

    const rows = await runFile(world, text, 'day.edi')

    expect(rows.map(([set]) => set)).toEqual(['2101/1', '2101/2', '2101/3'])
  })

  test('has its columns blank where the whole file is unusable', async () => {
    const world = await aWorldReading('x12/850-orders')

    expect(await runFile(world, 'PO,Qty\n1,2\n')).toEqual([['', '', 'rejected', 'edi-not-found']])
  })

  test('names the sets of a part of a file for several routes', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', ONE_DAY)
    await world.run()

    expect(await listRows(world, 'results/day.x12.edi-orders.results.csv')).toEqual([
      ['000001126/1126/0001', '3', 'accepted', ''],
      ['000001126/1126/0002', '41', 'rejected', 'integer-expected'],
      ['000001126/1126/0003', '46', 'accepted', ''],
    ])
  })

  test('names the sets again for a later step, which begins at the top of the file', async () => {
    const edi = { document: '850', recordColumns: [], lineColumns: [] }
    const context = {
      format: createFormats(),
      translator: { read: { format: 'x12', edi } },
      spool: { read: () => readInPieces(ONE_DAY) },
    } as unknown as InboundContext
    const sets = await openRecordSets(context, { id: 'f' } as FileEntry)
    const at = (number: number, segment: number) =>
      ({ number, lines: [[segment, segment]] }) as unknown as ReportedRecord

    expect(await sets.findNames([at(1, 3), at(2, 28), at(3, 46)])).toEqual(
      new Map([1, 2, 3].map((set) => [set, `000001126/1126/000${set}`])),
    )
    expect(await sets.findNames([at(5, 28), at(4, 3)])).toEqual(
      new Map([
        [4, '000001126/1126/0001'],
        [5, '000001126/1126/0002'],
      ]),
    )
    expect(await sets.findNames([at(6, 71), at(7, 99)])).toEqual(new Map())
    await sets.close()
  })
})

async function* readInPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += 300)
    yield await Promise.resolve(bytes.subarray(from, from + 300))
}

const NOTED = ONE_DAY.replace('REF*CO*W501001', 'ZZA*1')
  .replace('CTT*2*3', 'SAC*C*D240***5.00~\nCTT*2*3')
  .replace('SE*25', 'SE*26')
const TWO = `${NOTED}\n$ end of job\n${ONE_DAY.replaceAll('1126', '1127').replaceAll('HV-41', 'HV-42')}`
const readSummary = async (world: World, name = 'day.x12') =>
  JSON.parse(await world.read(`results/${name}.summary.json`)) as { notes?: Notes }
const codesOf = ({ notes }: { notes?: Notes }) =>
  notes?.first.map(({ code, place }) => `${code} ${place.spot?.segment}`)

describe('what is only noted of a file of documents', () => {
  test('stands in the summary, with its place', async () => {
    const world = await aWorldReading('x12/850-orders')
    await runFile(world, TWO)

    const summary = await readSummary(world)
    expect(summary.notes?.total).toBe(3)
    expect(codesOf(summary)).toEqual(['segment-unknown 5', 'amount-with-point 26', 'edi-between 74'])
    expect(summary.notes?.first[1]?.message).toBe(
      'SAC05 has implied decimals, but is written with a point: 5.00.',
    )
  })

  test('is left out where there is nothing', async () => {
    const world = await aWorldReading('x12/850-orders')
    await runFile(world, ONE_DAY)

    expect(await readSummary(world)).not.toHaveProperty('notes')
  })

  test('keeps the first hundred and counts all', async () => {
    const world = await aWorldReading('x12/850-orders')
    const many = Array.from({ length: 250 }, () => 'ZZA*1~\n').join('')
    await runFile(world, ONE_DAY.replace('CTT*2*3', `${many}CTT*2*3`).replace('SE*25', 'SE*275'))

    const { notes } = await readSummary(world)
    expect(notes?.total).toBe(250)
    expect(notes?.first).toHaveLength(100)
  })

  test('stands in the summaries of an inbox and of its routes, there without what is in no set', async () => {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'day.x12', TWO)
    const result = await world.run()

    const all = ['segment-unknown 5', 'amount-with-point 26', 'edi-between 74']
    expect(codesOf(await readSummary(world))).toEqual(all)
    expect(codesOf(await readSummary(world, 'day.x12.edi-orders'))).toEqual(all.slice(0, 2))
    const lines = formatRun(result)
    expect(lines.filter((line) => line.includes('note'))).toEqual(['    3 notes:'])
  })

  test('is printed by a run: how many, and the first three', async () => {
    const world = await aWorldReading('x12/850-orders')
    await world.drop('inbox/edi', 'day.x12', TWO.replace('REF*IA*20771', 'ZZB*1'))
    const result = await world.run('edi')

    const lines = formatRun(result)
    const at = lines.indexOf('    4 notes, the first 3 of which are:')
    expect(lines.slice(at + 1, at + 5)).toEqual([
      expect.stringMatching(/^ {6}segment 5 .*ZZA has no place.*\[segment-unknown\]$/),
      expect.stringMatching(/^ {6}segment 6 .*ZZB has no place/),
      expect.stringMatching(/^ {6}segment 26 .*SAC05 has implied decimals/),
      expect.not.stringMatching(/^ {6}/),
    ])
  })
})
