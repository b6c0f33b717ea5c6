/** How fast interchanges are cut, checked, made into bodies, written and answered, beside programs by hand and beside other libraries. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { X12Parser } from 'node-x12'
import { X12parser } from 'x12-parser'
import type { Segment } from '../../src/edi/segment.ts'
import { cutSegments, isSegment } from '../../src/formats/edi/cut.ts'
import { EnvelopeTracker } from '../../src/formats/edi/envelopes.ts'
import { createEdiFormat } from '../../src/formats/edi/format.ts'
import { inspectInterchanges } from '../../src/formats/edi/inspection.ts'
import { outlineInterchanges } from '../../src/formats/edi/outline.ts'
import { readFileBytes } from '../../src/support/files.ts'
import { startChild } from './children.ts'
import { interchangeMappedByHand, splitByHand } from './edi-by-hand.ts'
import { answerRow, exportRow } from './edi-exports.ts'
import { type EdiFile, writeInterchange } from './edi-files.ts'
import { startPasses } from './passes.ts'
import { interleave, type Pace, timed, type Round } from './measure.ts'
import { bodiesOf, orderTranslator, purchaseOrderNumbers, writeOrders } from './order-file.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { inFolder, repository } from './setting.ts'
import { compare, type Row } from './table.ts'
import { countBodies, sameBodies } from './translate.ts'

const MEGABYTE = 1_000_000
/** The file for a library that holds a tree of all of it: slower by the byte, the larger the file is. */
const TREE_MEGABYTES = 10
/** The segments that paths of the mapping lead to. */
const USED = new Set('BEG REF DTM TD5 N9 MSG N1 N2 N3 N4 PER PO1 CTP'.split(' '))

export function ediRows(scale: Scale): Promise<Row[]> {
  return inFolder(async (folder) => {
    const { megabytes, peerMegabytes } = scale.edi
    const write = (name: string, size: number, syntax: 'x12' | 'edifact') =>
      writeInterchange(join(folder, name), { bytes: size * MEGABYTE }, { syntax })
    const x12 = await write('orders.x12', megabytes, 'x12')
    const edifact = await write('orders.edi', megabytes, 'edifact')
    const small = await write('few-orders.x12', peerMegabytes, 'x12')
    return [
      ...(await cutRows(x12, scale)),
      await x12ParserRow(small, scale),
      await edifactRow(edifact, x12, scale),
      await outlineRow(x12, scale),
      await bodiesRow(x12, scale),
      await inboundRow(folder, scale),
      await exportRow(folder, scale),
      await answerRow(folder, scale),
      // Last, because of what it leaves to clean up.
      await nodeX12Row(await write('orders-of-10-mb.x12', TREE_MEGABYTES, 'x12')),
    ]
  })
}

async function cutRows(file: EdiFile, { edi: { rounds } }: Scale): Promise<Row[]> {
  const paces = await interleave(
    { rounds, count: file.segments },
    {
      hand: () => splitOnly(file),
      checked: () => cutCheckAndSplit(file),
      cut: () => cutOnly(file),
    },
  )
  return [
    {
      ...besides(
        `cut ${size(file)} MB of 850s, check envelopes, split what is used`,
        file,
        paces.hand,
        paces.checked,
      ),
      beside: 'split segments and elements by hand',
      reach: { atLeast: 0.8 },
    },
    {
      ...besides('the same file cut only', file, paces.hand, paces.cut),
      beside: 'split segments and elements by hand',
      reach: { atLeast: 2 },
    },
  ]
}

async function x12ParserRow(file: EdiFile, { edi: { rounds } }: Scale): Promise<Row> {
  const paces = await interleave(
    { rounds, count: file.segments },
    { cut: () => cutOnly(file), x12Parser: () => parseWithX12Parser(file) },
  )
  return {
    ...besides(`cut ${size(file)} MB of 850s`, file, paces.x12Parser, paces.cut),
    beside: 'x12-parser',
    reach: { atLeast: 3.5 },
  }
}

/** Ours splits the elements that paths name, as the mapping would. */
async function nodeX12Row(file: EdiFile): Promise<Row> {
  const once = { rounds: 1, count: file.segments }
  // Ours first: the tree is a gigabyte, which ours would clean up in its own time.
  const { cut } = await interleave(once, { cut: () => cutAndSplit(file) })
  const { nodeX12 } = await interleave(once, { nodeX12: () => parseWithNodeX12(file) })
  return {
    ...besides(`cut ${size(file)} MB of 850s, split what is used, one round`, file, nodeX12, cut),
    beside: 'node-x12, which makes a tree of all elements',
    reach: { atLeast: 20 },
  }
}

async function edifactRow(file: EdiFile, x12: EdiFile, { edi: { rounds } }: Scale): Promise<Row> {
  // The files have about as many bytes, and not as many segments.
  const count = file.bytes
  const bytesOf = async (whole: EdiFile) => {
    const { ms, count: segments } = await cutOnly(whole)
    return { ms: (ms * count) / whole.bytes, count: segments === whole.segments ? count : segments }
  }
  const paces = await interleave({ rounds, count }, { x12: () => bytesOf(x12), edifact: () => bytesOf(file) })
  return {
    ...besides(
      `cut ${size(file)} MB of ORDERS, 1 % with released terminators`,
      file,
      paces.x12,
      paces.edifact,
    ),
    beside: '850s of the same size cut',
    reach: { atLeast: 0.8 },
  }
}

async function outlineRow(file: EdiFile, { edi: { rounds } }: Scale): Promise<Row> {
  const questions = [{ syntax: 'x12', document: '850', paths: ['BEG.03', 'N1*ST.04'] }] as const
  const paces = await interleave(
    { rounds, count: file.orders },
    {
      inspect: () => timed(async () => (await inspectInterchanges(readFileBytes(file.path))).sets),
      outline: () =>
        timed(async () => {
          const outline = await outlineInterchanges(readFileBytes(file.path), questions)
          if ('problems' in outline) return 0
          let sets = 0
          for await (const parts of outline.parts) sets += parts.filter(({ kind }) => kind === 'set').length
          return sets
        }),
    },
  )
  return {
    ...besides(`outline ${size(file)} MB of 850s, two paths of each`, file, paces.inspect, paces.outline),
    beside: 'an inspection of the same file',
    reach: { atLeast: 0.77 },
  }
}

async function bodiesRow(file: EdiFile, { edi: { rounds } }: Scale): Promise<Row> {
  const translator = await orderTranslator(join(repository, 'mappings/x12/850-orders.yaml'))
  const ours = () => bodiesOf(file.path, translator, createEdiFormat('x12'))
  const hand = () => interchangeMappedByHand(file.path)
  await sameBodies({ 'the program by hand': hand, 'the mapping': ours })
  const paces = await interleave(
    { rounds, count: file.orders },
    { hand: () => countBodies(hand()), ours: () => countBodies(ours()) },
  )
  return {
    ...besides(`${file.orders} 850s inspected and translated, to JSON`, file, paces.hand, paces.ours),
    beside: 'parse + map + JSON by hand',
    reach: { atLeast: 0.45 },
  }
}

/** The files hold as many orders with other numbers. Each round brings purchase orders of its own. */
async function inboundRow(folder: string, { edi: { inboundOrders: orders, rounds } }: Scale): Promise<Row> {
  const [service, passes] = await Promise.all([
    startChild<ServiceGreeting>('./service-child.ts'),
    startPasses(),
  ])
  try {
    const target = { baseUrl: service.greeting.baseUrl, connections: 32 }
    const [rowNumbers, setNumbers] = [purchaseOrderNumbers(), purchaseOrderNumbers(10_000_001)]
    const paces = await interleave(
      { rounds, count: orders },
      {
        csv: async () => {
          const file = await writeOrders(join(folder, 'inbound.csv'), { orders }, rowNumbers)
          return passes.over(file.path, target)
        },
        x12: async () => {
          const numbers = { numbers: setNumbers }
          const file = await writeInterchange(join(folder, 'inbound.x12'), { orders }, numbers)
          return passes.over(file.path, target, 'orders-850')
        },
      },
    )
    return {
      what: `inbound whole, ${orders} 850s, to the service itself`,
      beside: 'the same with as many orders in a CSV file',
      ...compare(paces.csv, paces.x12),
      reach: { atLeast: 0.85 },
    }
  } finally {
    await Promise.all([service.stop(), passes.stop()])
  }
}

function splitOnly({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    let [segments, elements] = [0, 0]
    for await (const piece of splitByHand(path)) {
      segments += piece.length
      for (const each of piece) elements += each.length
    }
    return elements > segments ? segments : 0
  })
}

function cutOnly({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    let segments = 0
    for await (const items of cutSegments(readFileBytes(path))) {
      for (const item of items) if (isSegment(item)) segments += 1
    }
    return segments
  })
}

function cutAndSplit({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    let [segments, elements] = [0, 0]
    for await (const items of cutSegments(readFileBytes(path))) {
      for (const item of items) {
        if (!isSegment(item)) continue
        segments += 1
        if (USED.has(item.id)) elements += item.size
      }
    }
    return elements > segments ? segments : 0
  })
}

function cutCheckAndSplit({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    let [segments, elements] = [0, 0]
    let set: Segment[] = []
    const tracker = new EnvelopeTracker({
      onSet: () => (set = []),
      onSegment: (segment) => set.push(segment),
      onSetEnd: () => {
        for (const segment of set) if (USED.has(segment.id)) elements += segment.size
      },
      onFault: ({ message }) => {
        throw new Error(message)
      },
    })
    for await (const items of cutSegments(readFileBytes(path))) {
      segments += items.length
      for (const item of items) tracker.take(item)
    }
    tracker.end()
    return elements > segments ? segments : 0
  })
}

function parseWithX12Parser({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    let segments = 0
    const parser = createReadStream(path).pipe(new X12parser('utf8'))
    for await (const { name } of parser as AsyncIterable<{ readonly name: string }>)
      if (name !== '') segments += 1
    return segments
  })
}

/** It takes a whole file, and returns a tree. */
function parseWithNodeX12({ path }: EdiFile): Promise<Round> {
  return timed(async () => {
    const interchange = new X12Parser().parse(await readFile(path, 'utf8'))
    // ISA and IEA, GS and GE, ST and SE.
    let segments = 2
    if (!('functionalGroups' in interchange)) return 0
    for (const group of interchange.functionalGroups) {
      segments += 2
      for (const set of group.transactions) segments += 2 + set.segments.length
    }
    return segments
  })
}

function size({ bytes }: EdiFile): string {
  return (bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0)
}

function besides(what: string, { bytes }: EdiFile, floor: Pace, ours: Pace) {
  const pace = ({ ms }: Pace) => `${(bytes / MEGABYTE / (ms / 1000)).toFixed(1)} MB/s`
  return { what, floor: pace(floor), ours: pace(ours), ratio: floor.ms / ours.ms }
}
