/** The result file of documents: which set and segment each of its rows is about, and what is noted of the file. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboundRoute, Route } from '../../src/config/routes.ts'
import type { FileEntry } from '../../src/domain/file.ts'
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
