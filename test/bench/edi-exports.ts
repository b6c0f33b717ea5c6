/** How fast records of the API become 850s that are checked, beside a program by hand; and 997s for large groups. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createExampleEnvelope } from '../../src/domain/format.ts'
import type { Composer } from '../../src/domain/translator.ts'
import { createInterchangeFormat } from '../../src/formats/edi/interchanges.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { spoolFile } from '../../src/pipeline/outbound/compose.ts'
import { type FileContents, writeRows } from '../../src/pipeline/outbound/file-rows.ts'
import { openSpool } from '../../src/support/spool.ts'
import { readFileBytes } from '../../src/support/files.ts'
import { repeatable } from '../../src/support/async.ts'
import { exportByHand, type HandEnvelope } from './edi-by-hand.ts'
import { makeOrderRecords } from './edi-export-records.ts'
import { writeInterchange } from './edi-files.ts'
import { interleave, timed, WrongCount } from './measure.ts'
import type { Scale } from './scale.ts'
import { repository } from './setting.ts'
import { type Row, speed } from './table.ts'

/** As many records as the bridge composes at once. */
const PAGE = 250

export async function exportRow(folder: string, { edi: { exportedOrders, rounds } }: Scale): Promise<Row> {
  const records = makeOrderRecords(exportedOrders, 10_001)
  const mapping = await loadMapping(join(repository, 'mappings/x12/850-export.yaml'))
  if (mapping.direction !== 'outbound') throw new Error('the mapping does not write files')
  const { composer } = mapping
  const envelope = createExampleEnvelope('x12')
  if (envelope === undefined) throw new Error('no envelope')
  const spool = await openSpool(join(folder, 'spool'))
  const format = createFormats()
  const interchanges = {
    format: createInterchangeFormat(),
    scope: { syntax: 'x12', sender: 'ZZ:SENDER', receiver: 'ZZ:RECEIVER', usage: 'test' },
    start: 1,
    groupFollows: false,
    envelope,
  } as const
  const ours = async () => {
    const found: FileContents = { records: 0, rows: 0 }
    const rows = { composer, format, operation: 'export-orders', envelope } as const
    const pages = toPages(records, (page) =>
      page.map((record) => JSON.parse(record) as Record<string, unknown>),
    )
    const lines = writeRows(rows, pages, found, (unwritten) => {
      throw new Error(JSON.stringify(unwritten))
    })
    await spoolFile(
      { composer, spool, interchanges, route: { name: 'bench' } },
      { name: 'ours', lines, found },
    )
    return found.records
  }
  const byHand = join(folder, 'by-hand.x12')
  const around = envelopeOf(composer)
  const hand = () =>
    exportByHand(
      byHand,
      toPages(records, (page) => page),
      around,
    )
  await ours()
  await hand()
  const [own, other] = [await readFile(spool.path('ours'), 'utf8'), await readFile(byHand, 'utf8')]
  if (own !== other) throw new WrongCount('the programs wrote other files')
  const paces = await interleave(
    { rounds, count: exportedOrders },
    { hand: () => timed(hand), ours: () => timed(ours) },
  )
  return {
    what: `${exportedOrders} orders as JSON exported as 850s, and checked`,
    beside: 'the same by hand, without checks',
    floor: speed(paces.hand.perSecond),
    ours: speed(paces.ours.perSecond),
    ratio: paces.hand.ms / paces.ours.ms,
    reach: { atLeast: 0.5 },
  }
}

async function* toPages<Item>(records: readonly string[], make: (page: readonly string[]) => Item) {
  for (let at = 0; at < records.length; at += PAGE)
    yield await Promise.resolve(make(records.slice(at, at + PAGE)))
}

function envelopeOf(composer: Composer): HandEnvelope {
  const writer = createFormats().createWriter([], composer.write, createExampleEnvelope('x12'))
  const begin = Buffer.from(writer.formatHeader()).toString()
  return { begin, end: (sets) => `GE*${sets}*1~\nIEA*1*000000001~\n` }
}

/** The answer alone, which reads the file twice: beside the first pass, which outlines it and gives its sets to routes. */
export async function answerRow(folder: string, { edi: { answeredSets, rounds } }: Scale): Promise<Row> {
  const file = await writeInterchange(join(folder, 'answered.x12'), { orders: answeredSets })
  const format = createInterchangeFormat()
  const input = repeatable(() => readFileBytes(file.path))
  const request = {
    interchanges: [1],
    at: Date.UTC(2026, 10, 26),
    numbers: { interchange: 1, group: 1 },
    kind: '997',
    ta1: 'asked',
    echoes: true,
    reused: new Set<number>(),
  } as const
  const paces = await interleave(
    { rounds, count: answeredSets },
    {
      pass: () =>
        timed(async () => {
          const outline = await format.outline(input, [{ syntax: 'x12', document: '850', paths: ['BEG.03'] }])
          if ('problems' in outline) return 0
          let sets = 0
          for await (const parts of outline.parts) sets += parts.filter(({ kind }) => kind === 'set').length
          return sets
        }),
      answer: () =>
        timed(async () => {
          let text = ''
          for await (const piece of format.answer(input, request))
            text += Buffer.from(piece).toString('latin1')
          return text.match(/AK5\*A/g)?.length ?? 0
        }),
    },
  )
  return {
    what: `997 for a group of ${answeredSets} sets`,
    beside: 'the first pass over that file',
    floor: speed(paces.pass.perSecond),
    ours: speed(paces.answer.perSecond),
    ratio: paces.answer.ms / paces.pass.ms,
    reach: { atMost: 0.5 },
  }
}
