/**
 * Reads a file of EDI that is made while it is read, in a process of its own, because a process keeps its peak until it ends.
 * Plain JavaScript over the built program. Its argument is the name of a file; it prints what was found, and the peak.
 */
import { inspectFile } from '../../../dist/formats/edi/findings.js'
import { createFormats, createInterchangeFormat } from '../../../dist/formats/formats.js'
import { createGzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { gunzipIfNeeded } from '../../../dist/support/gunzip.js'
import { loadMapping } from '../../../dist/mapping/load.js'
import { repeatable } from '../../../dist/support/async.js'
import { limitHeap } from '../../../dist/support/process.js'
import { peakMb } from '../../bench/peak.mjs'

const ISA = `ISA*00*${' '.repeat(10)}*00*${' '.repeat(10)}*ZZ*${'NORTH'.padEnd(15)}*ZZ*${'HARVARD'.padEnd(15)}*261116*1504*U*00401*000000101*0*P*>~`
const GS = 'GS*PO*NORTH*HARVARD*20261116*1504*101*X*004010~'
const open = (group = 'PO') => ISA + GS.replace('PO', group)
const close = (sets) => `GE*${sets}*101~IEA*1*000000101~`
const set = (document, number, inside, more = 0) => {
  const count = inside.split('~').length - 1 + more + 2
  return [`ST*${document}*${number}~${inside}`, `SE*${count}*${number}~`]
}

/** Texts of the file, each some kilobytes large. */
const FILES = {
  *'one segment of 1 GB'() {
    const [start, end] = set('850', '0001', 'BEG*00*SA*P1~PO1*1*1*EA*1**SK*A~', 1)
    yield `${open() + start}MSG*`
    const text = 'x'.repeat(65_536)
    for (let count = 0; count < 16_384; count += 1) yield text
    yield `~${end}${close(1)}`
  },
  *'10 million empty segments'() {
    const [start, end] = set('850', '0001', 'BEG*00*SA*P1~PO1*1*1*EA*1**SK*A~')
    yield open() + start
    for (let count = 0; count < 1000; count += 1) yield '~'.repeat(10_000)
    yield end + close(1)
  },
  *'a million interchanges of nothing'() {
    const text = `${ISA}IEA*0*000000101~`.repeat(100)
    for (let count = 0; count < 10_000; count += 1) yield text
  },
  *'a million interchanges that end wrong'() {
    const text = `${ISA}TA1*000000905*261117*0603*A*000~IEA*7*000000101~`.repeat(100)
    for (let count = 0; count < 10_000; count += 1) yield text
  },
  *'100 000 components'() {
    const [start, end] = set('850', '0001', 'BEG*00*SA*P1~PO1*1*1*EA*1**SK*A~', 2)
    yield `${open() + start}MSG*${'>'.repeat(50_000)}~MSG*${'>'.repeat(100_000)}~${end}${close(1)}`
  },
  *'a million levels below each other'() {
    const [start, end] = set('856', '0001', 'BSN*00*S1*20261116*1504~', 1_000_000)
    yield open('SH') + start
    for (let count = 0; count < 1000; count += 1) {
      let text = ''
      for (let level = count * 1000 + 1; level <= count * 1000 + 1000; level += 1)
        text += `HL*${level}*${level === 1 ? '' : level - 1}*S~`
      yield text
    }
    yield end + close(1)
  },
  *'a million sets of one number'() {
    yield open()
    const text = set('850', '0001', 'BEG*00*SA*P1~PO1*1*1*EA*1**SK*A~').join('').repeat(100)
    for (let count = 0; count < 10_000; count += 1) yield text
    yield close(1_000_000)
  },
  *'a million sets of any number'() {
    yield open()
    for (let count = 0; count < 10_000; count += 1) {
      let text = ''
      for (let each = 0; each < 100; each += 1)
        text += set(
          '850',
          String(((count * 100 + each) * 7_919) % 1_000_003).padStart(9, '0'),
          'BEG*00*SA*P~PO1*1*1~',
        ).join('')
      yield text
    }
    yield close(1_000_000)
  },
  *'2 000 sets with numbers of 60 000 characters'() {
    yield open()
    for (let count = 0; count < 2000; count += 1)
      yield set('850', String(count % 1500).padStart(60_000, '0'), 'BEG*00*SA*P1~PO1*1*1*EA*1**SK*A~').join(
        '',
      )
    yield close(2000)
  },
  *'12 000 sets with long texts in their faults'() {
    yield open()
    for (let count = 0; count < 12_000; count += 1) {
      const [start] = set(
        '850',
        String(count).padStart(30, '0'),
        `BEG*00*SA~${`QTY*${'x'.repeat(100)}~`.repeat(160)}`,
      )
      yield `${start}SE*${String(count).padStart(30, '9')}*${String(count).padStart(30, '8')}~`
    }
    yield close(12_000)
  },
  *'500 MB of blanks, packed'() {
    yield open()
    const text = ' '.repeat(65_536)
    for (let count = 0; count < 8000; count += 1) yield text
  },
  *'100 MB of blank lines and sets, packed'() {
    yield open()
    for (let count = 0; count < 1600; count += 1) {
      let text = ''
      for (let each = 0; each < 30; each += 1) {
        const number = String(((count * 30 + each) * 7_919) % 1_000_003).padStart(9, '0')
        text += `${'\r\n'.repeat(1000)}${set('850', number, `BEG*00*SA*P${number}~PO1*1*1*EA*1**SK*A~`).join('')}`
      }
      yield text
    }
    yield close(48_000)
  },
  *'a million segments before the first record of a set'() {
    const [start, end] = set('846', '0001', 'BIA*00*SI*1*20261116~', 1_000_003)
    yield open('IB') + start
    const text = 'REF*ZZ*Nothing of interest here~'.repeat(100)
    for (let count = 0; count < 10_000; count += 1) yield text
    yield `LIN*1*SK*HV-1~QTY*33*x~LIN*2*SK*HV-2~${end}${close(1)}`
  },
}

const mappings = new URL('../../../mappings/x12/', import.meta.url).pathname
const READERS = {
  async inspect(input) {
    const { inspection } = await inspectFile(input)
    return { interchanges: inspection.interchanges, sets: inspection.sets, ofFile: inspection.ofFile.length }
  },
  async outline(input) {
    const outline = await format.outline(input, [{ syntax: 'x12', document: '850', paths: ['BEG.03'] }])
    if ('problems' in outline) return 'unusable'
    let count = 0
    for await (const parts of outline.parts) count += parts.length
    return count
  },
  async judge(input) {
    const verdicts = {}
    for await (const sets of format.judge(input, { reused: new Set() }))
      for (const { verdict } of sets) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
    return verdicts
  },
  async answer(input) {
    const request = {
      interchanges: [1],
      at: 0,
      numbers: { interchange: 1, group: 1 },
      kind: '997',
      ta1: 'asked',
    }
    return count(format.answer(input, { ...request, echoes: true, reused: new Set() }))
  },
  async copy(input, read) {
    const ranges = [[0, 2 ** 40]]
    return count(formats.copyRecords(input, { read, encoding: 'utf-8', headerLines: 0, ranges }))
  },
  async reject(input, read) {
    // Of a file of items, the last of them.
    const ranges = [[1_000_006, 2 ** 40]]
    return count(formats.copyRecords(input, { read, encoding: 'utf-8', headerLines: 0, ranges }))
  },
  async read(input, read) {
    const reading = await formats.read(input, read)
    if ('problems' in reading) return 'unusable'
    const codes = {}
    let rows = 0
    for await (const batch of reading.batches) {
      for (const { problems = [] } of batch) {
        rows += 1
        for (const { code } of problems) codes[code] = (codes[code] ?? 0) + 1
      }
    }
    return { rows, codes }
  },
}

async function count(pieces) {
  let bytes = 0
  for await (const piece of pieces) bytes += piece.length
  return bytes
}

// As the program itself does.
limitHeap()
const format = createInterchangeFormat()
const formats = createFormats()
const [name, ...only] = process.argv.slice(2)
const make = FILES[name]
const input = repeatable(async function* () {
  const plain = Readable.from(make(), { objectMode: true })
  if (!name.endsWith('packed')) for (const text of make()) yield Buffer.from(text, 'latin1')
  else yield* gunzipIfNeeded(plain.pipe(createGzip()))
})
const ready = name.includes('levels')
  ? '856-shipments'
  : name.includes('record of a set')
    ? '846-inventory'
    : '850-orders'
const { translator } = await loadMapping(`${mappings}${ready}.yaml`)
const found = {}
const ms = {}
for (const [reader, run] of Object.entries(READERS)) {
  if (only.length > 0 && !only.includes(reader)) continue
  const started = performance.now()
  found[reader] = await run(input, translator.read).catch((error) => error.message)
  ms[reader] = Math.round(performance.now() - started)
}
process.stdout.write(JSON.stringify({ found, ms, peakMb: Math.round(peakMb()) }))
