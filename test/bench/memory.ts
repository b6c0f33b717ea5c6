/** The peak memory of a pass and the cost of a record, as files and lists grow. */
import { join } from 'node:path'
import { startChild } from './children.ts'
import { writeOrderRecords } from './edi-export-records.ts'
import { writeInterchange } from './edi-files.ts'
import { WrongCount } from './measure.ts'
import { purchaseOrderNumbers, writeOrders } from './order-file.ts'
import { type Market, openMarket } from './outbound.ts'
import { startPasses } from './passes.ts'
import type { Scale } from './scale.ts'
import { inboxOf, inFolder, repository } from './setting.ts'
import type { StubGreeting } from './stub-server.ts'
import type { MemoryRow, Row } from './table.ts'

/** What `edi-child.mjs` and `edi-export-child.mjs` report. */
interface ChildReport {
  readonly records: number
  readonly ms: number
  readonly peakMb: number
  /** The peak before the pass began: Node itself and the code of the bridge. */
  readonly baseMb: number
}

const CONNECTIONS = 32
const WARM_UP_ROWS = 10_000
const WARM_UP_MEGABYTES = 3

export interface MemoryFindings {
  readonly memory: readonly MemoryRow[]
  readonly rows: readonly Row[]
}

export async function memoryFindings({ memory, edi }: Scale): Promise<MemoryFindings> {
  const inbound = await inboundMemory(memory.inboundRows)
  const read = await readingMemory(edi.memoryMegabytes)
  const exported = await exportMemory(edi.memoryRecords)
  const outbound = memory.outboundOrders.length === 0 ? [] : await outboundMemory(memory.outboundOrders)
  return {
    memory: [...inbound, ...read, ...exported, ...outbound],
    // What a record costs is measured beside programs by hand.
    rows: [
      ...growth(inbound),
      ...growth(read).slice(0, 2),
      ...growth(exported).slice(0, 2),
      ...growth(outbound).map(forInformation),
    ],
  }
}

async function inboundMemory(sizes: readonly number[]): Promise<MemoryRow[]> {
  const stub = await startChild<StubGreeting>('./stub-server.ts')
  const numbers = purchaseOrderNumbers()
  const dropOrders = async (folder: string, rows: number) => {
    const file = await writeOrders(join(inboxOf(folder), 'orders.csv'), { rows }, numbers)
    return file.orders
  }
  try {
    const found: MemoryRow[] = []
    for (const rows of sizes) {
      const pass = { what: `inbound, ${rows} rows`, route: 'orders', baseUrl: stub.greeting.atOnce }
      const drop = (size: number) => (folder: string) => dropOrders(folder, size)
      found.push(await measured(pass, [drop(WARM_UP_ROWS), drop(rows)]))
    }
    return found
  } finally {
    await stub.stop()
  }
}

/** Interchanges with one group, inspected and made into bodies. */
async function readingMemory(sizes: readonly number[]): Promise<MemoryRow[]> {
  const mapping = join(repository, 'mappings/x12/850-orders.yaml')
  return inFolder(async (folder) => {
    const write = (name: string, megabytes: number) =>
      writeInterchange(join(folder, name), { bytes: megabytes * 1_000_000 })
    const warmUp = await write('warm-up.x12', WARM_UP_MEGABYTES)
    const found: MemoryRow[] = []
    for (const megabytes of sizes) {
      const what = `read 850s, ${megabytes} MB`
      const file = await write('orders.x12', megabytes)
      const child = await startChild<ChildReport>('./edi-child.mjs', [mapping, warmUp.path, file.path])
      await child.stop()
      const { records, ms, peakMb, baseMb } = child.greeting
      if (records !== file.orders) throw new WrongCount(`${what}: ${records} of ${file.orders} have a body`)
      found.push({ what, records, peakMb, baseMb, microsecondsPerRecord: (ms * 1000) / records })
    }
    return found
  })
}

/** Records of the API written as 850s, and checked. */
async function exportMemory(sizes: readonly number[]): Promise<MemoryRow[]> {
  const mapping = join(repository, 'mappings/x12/850-export.yaml')
  return inFolder(async (folder) => {
    const found: MemoryRow[] = []
    for (const records of sizes) {
      const what = `exported 850s, ${records} records`
      const file = join(folder, 'records.json')
      await writeOrderRecords(file, records)
      const spool = join(folder, 'spool')
      const child = await startChild<ChildReport>('./edi-export-child.mjs', [mapping, spool, file])
      await child.stop()
      const { records: exported, ms, peakMb, baseMb } = child.greeting
      if (exported !== records) throw new WrongCount(`${what}: ${exported} were exported`)
      found.push({ what, records, peakMb, baseMb, microsecondsPerRecord: (ms * 1000) / records })
    }
    return found
  })
}

async function outboundMemory(sizes: readonly number[]): Promise<MemoryRow[]> {
  const market = await openMarket()
  try {
    const found: MemoryRow[] = []
    for (const orders of sizes) found.push(await outboundPass(market, orders))
    return found
  } finally {
    await market.close()
  }
}

/** Without a warm-up, which would take the orders that are to be measured. */
async function outboundPass(market: Market, orders: number): Promise<MemoryRow> {
  const { baseUrl } = market.supplier
  const pass = { what: `outbound, ${orders} orders`, route: 'orders-out', baseUrl }
  return measured(pass, [
    async () => {
      await market.placeOrders(orders)
      return orders
    },
  ])
}

/** Prepares the work that a pass in the folder will find; returns how many records the pass must finish. */
type Prepare = (folder: string) => Promise<number>

/** The passes run one after the other in one process; the last one counts. */
async function measured(
  pass: { readonly what: string; readonly route: string; readonly baseUrl: string },
  prepared: readonly Prepare[],
): Promise<MemoryRow> {
  const { what, route, baseUrl } = pass
  const passes = await startPasses()
  let last: MemoryRow | undefined
  try {
    for (const prepare of prepared) {
      last = await inFolder(async (folder) => {
        const expected = await prepare(folder)
        const { count, ms, peakMb, baseMb } = await passes.in(
          folder,
          { baseUrl, connections: CONNECTIONS },
          route,
        )
        if (count !== expected) throw new WrongCount(`${what}: ${count} of ${expected} records were accepted`)
        return { what, records: count, peakMb, baseMb, microsecondsPerRecord: (ms * 1000) / count }
      })
    }
  } finally {
    await passes.stop()
  }
  if (last === undefined) throw new Error(`${what}: no pass was made`)
  return last
}

/** Removes the figure to reach: none was set for this row. */
function forInformation({ what, beside, floor, ours, ratio }: Row): Row {
  return { what, beside, floor, ours, ratio }
}

/** Compares the largest file with the one before it in memory, and with the smallest in cost. */
function growth(found: readonly MemoryRow[]): Row[] {
  const [smallest] = found
  const largest = found.at(-1)
  const before = found.at(-2)
  if (smallest === undefined || largest === undefined || before === undefined) return []
  const megabytes = (row: MemoryRow) => `${row.peakMb.toFixed(0)} MB`
  const cost = (row: MemoryRow) => `${row.microsecondsPerRecord.toFixed(0)} us`
  return [
    {
      what: `peak memory, ${largest.what}`,
      beside: before.what,
      floor: megabytes(before),
      ours: megabytes(largest),
      ratio: largest.peakMb / before.peakMb,
      reach: { atMost: 1.15 },
    },
    {
      what: 'the same',
      beside: '200 MB',
      floor: '200 MB',
      ours: megabytes(largest),
      ratio: largest.peakMb / 200,
      reach: { atMost: 1 },
    },
    {
      what: `cost per record, ${largest.what}`,
      beside: smallest.what,
      floor: cost(smallest),
      ours: cost(largest),
      ratio: largest.microsecondsPerRecord / smallest.microsecondsPerRecord,
      reach: { atMost: 1.1 },
    },
  ]
}
