/** What the outline of a file says of its interchanges and sets, in one reading. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUnreadable } from '../../../src/domain/format.ts'
import type { OutlineQuestion } from '../../../src/domain/interchange.ts'
import { createFormats, createInterchangeFormat } from '../../../src/formats/formats.ts'
import {
  type Dress,
  dress,
  dressText,
  FAULTS,
  HAVEN,
  make850,
  make860,
  makeFault,
  makeFaultBase,
  makeInterchange,
  makeOrders,
  NORTHLIGHT,
} from '../../fixtures/edi-maker.ts'
import { answerFile, judgeSets, listOutlined, outlineFile } from './interchange-tools.ts'
import { toInput } from './tools.ts'

const line = { quantity: 1, pairs: [['SK', 'A'] as const] }
const order = (po: string) => make850({ po, references: { CO: `W-${po}` }, lines: [line] })
const ask = (document: string, ...paths: string[]): OutlineQuestion => ({
  syntax: /^\d/.test(document) ? 'x12' : 'edifact',
  document,
  paths,
})

describe('a file of several interchanges', () => {
  const first = makeInterchange({
    syntax: 'x12',
    isAcknowledgmentAsked: true,
    groups: [{ sets: [order('HV-1'), make860({ po: 'HV-2' })] }, { sets: [order('HV-3')] }],
  })
  const second = makeInterchange({
    syntax: 'edifact',
    number: 7,
    usage: 'T',
    groups: [{ sets: [makeOrders({ number: 'HV-4', lines: [] })] }],
  })
  const bytes = dress([first, second], [{ newline: '\n', between: '\n' }, { una: true }])

  test('names both sides, the number and the use of each, then its sets, then what it has', async () => {
    const found = await outlineFile(bytes, [ask('850', 'BEG.03'), ask('ORDERS', 'BGM.1004')])

    expect(found.parts).toMatchObject([
      {
        kind: 'interchange',
        head: {
          ordinal: 1,
          syntax: 'x12',
          sender: 'ZZ:HAVENRETAIL',
          receiver: '12:7755550100',
          number: '000000101',
          usage: 'production',
          spot: { segment: 1, inSet: 0, id: 'ISA', at: 0, set: '' },
        },
      },
      { kind: 'set', ordinal: 1, interchange: 1, document: '850', values: ['HV-1'] },
      { kind: 'set', ordinal: 2, interchange: 1, document: '860', values: [] },
      {
        kind: 'set',
        ordinal: 3,
        interchange: 1,
        groupSender: 'HAVEN',
        groupReceiver: 'NORTHLIGHT',
        values: ['HV-3'],
        spot: { inSet: 1, id: 'ST', set: '000000101/102/0001' },
      },
      { kind: 'interchange-end', ordinal: 1, sets: 3, groups: 2, asksForAnswer: true, isRefused: false },
      { kind: 'interchange', head: { ordinal: 2, syntax: 'edifact', number: '7', usage: 'test' } },
      {
        kind: 'set',
        ordinal: 4,
        interchange: 2,
        document: 'ORDERS',
        groupSender: '',
        groupReceiver: '',
        values: ['HV-4'],
      },
      { kind: 'interchange-end', ordinal: 2, sets: 1, groups: 1, asksForAnswer: false, isAnswer: false },
    ])
    expect(found.problems).toEqual([])
  })

  test('gives the same however its bytes arrive', async () => {
    const questions = [ask('850', 'BEG.03'), ask('ORDERS', 'BGM.1004')]
    const { parts } = await outlineFile(bytes, questions)

    const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect((await outlineFile(single, questions)).parts).toEqual(parts)
  })

  test('is closed when its parts are not read to the end', async () => {
    let isOpen = false
    const input = {
      async *[Symbol.asyncIterator]() {
        isOpen = true
        try {
          for (const byte of bytes) yield await Promise.resolve(Uint8Array.of(byte))
        } finally {
          isOpen = false
        }
      },
    }
    const outline = await createInterchangeFormat().outline(input, [])
    if ('problems' in outline) throw new Error('the file is readable')

    expect(isOpen).toBe(true)
    for await (const _ of outline.parts) break
    expect(isOpen).toBe(false)
  })
})

test('a sender without a qualifier is its id, and spaces around it do not count', async () => {
  const made = makeInterchange({
    syntax: 'x12',
    sender: { qualifier: '  ', id: ' ACME' },
    groups: [{ sets: [order('HV-1')] }],
  })

  const [start] = listOutlined(await outlineFile(dress(made)), 'interchange')
  expect(start?.head.sender).toBe('ACME')
})

describe('the hash of an interchange', () => {
  const made = makeInterchange({ syntax: 'x12', groups: [{ sets: [order('HV-1')] }] })
  const hashOf = async (file: Uint8Array | readonly Uint8Array[]) =>
    listOutlined(await outlineFile(file), 'interchange-end').map(({ sha256 }) => sha256)
  const plain = createHash('sha256').update(dressText(made), 'latin1').digest('hex')

  test('is that of its segments', async () => {
    expect(await hashOf(dress(made))).toEqual([plain])
  })

  const SAME: readonly (Dress & { name: string })[] = [
    { name: 'line feeds', newline: '\n' },
    { name: 'CR LF', newline: '\r\n' },
    { name: 'blank lines', newline: '\n', blankLineEvery: 2, leading: '\n\n' },
    { name: 'blanks around segments', newline: '\n', indent: '\t ', trail: '  ' },
    { name: 'lines of 80 characters', wrapAt: 80 },
    { name: 'a last segment without terminator', lastTerminator: false },
    { name: 'a byte order mark', bom: true },
    { name: 'UTF-16', encoding: 'utf-16le', bom: true },
  ]
  test.each(SAME)('does not change with $name', async (how) => {
    expect(await hashOf(dress(made, how))).toEqual([plain])
  })

  test('changes with any byte of a segment', async () => {
    const text = dressText(made)
    for (let at = 110; at < text.length - 20; at += 7) {
      const other = text[at] === '5' ? '6' : '5'
      const [hash] = await hashOf(Buffer.from(text.slice(0, at) + other + text.slice(at + 1), 'latin1'))
      expect(hash).not.toBe(plain)
    }
  })

  test('is the same for two interchanges of one file that are the same', async () => {
    expect(await hashOf(dress([made, made], [{ newline: '\n' }, { newline: '\r\n' }]))).toEqual([
      plain,
      plain,
    ])
  })

  test('is right in an interchange that is larger than what is hashed at once', async () => {
    const large = makeInterchange({
      syntax: 'x12',
      groups: [{ sets: Array.from({ length: 2000 }, (_, index) => order(`HV-${index}`)) }],
    })
    const expected = createHash('sha256').update(dressText(large), 'latin1').digest('hex')

    expect(await hashOf(dress(large, { newline: '\n' }))).toEqual([expected])
  })

  test.each(['\n', '\r\n', '\r'])('is that of its segments where %j ends them', async (terminator) => {
    const text = dressText(made, { terminator })

    expect(await hashOf(Buffer.from(text, 'latin1'))).toEqual([
      createHash('sha256').update(text.replaceAll('\r\n', '\n'), 'latin1').digest('hex'),
    ])
  })

  test('changes with any byte of a segment that is too large, however the file is cut', async () => {
    const [start = '', end = ''] = dressText(made).split('PO1*')
    const write = (last: string) => `${start}MSG*${'x'.repeat(100_000)}${last}~PO1*${end}`
    const [a, b] = [Buffer.from(write('a')), Buffer.from(write('b'))]
    const cut = [a.subarray(0, 66_000), a.subarray(66_000, 99_000), a.subarray(99_000)]

    expect(await hashOf(a)).not.toEqual(await hashOf(b))
    expect(await hashOf(cut)).toEqual(await hashOf(a))
  })

  test('changes with any byte of a segment in which the file ends', async () => {
    const text = dressText(made)
    const write = (last: string) =>
      Buffer.from(`${text.slice(0, text.indexOf('SE*'))}MSG*${'x'.repeat(50)}${last}`)

    expect(await hashOf(write('a'))).not.toEqual(await hashOf(write('b')))
  })

  test.each(['x', '??'])(
    'changes with any byte of a segment that is too large and in which the file ends, of many %j',
    async (filling) => {
      const made = makeInterchange({
        syntax: 'edifact',
        groups: [{ sets: [makeOrders({ number: '1', lines: [] })] }],
      })
      const text = dressText(made)
      const file = Buffer.from(
        `${text.slice(0, text.indexOf('UNT+'))}FTX+${filling.repeat(80_000 / filling.length)}`,
      )
      const change = (from: number) => {
        const other = Buffer.from(file)
        other[file.length - from] = 97
        return other
      }
      const hash = await hashOf(file)

      for (const from of [1, 2, 15, 16, 17, 40]) expect(await hashOf(change(from))).not.toEqual(hash)
      expect(await hashOf(file.subarray(0, -2))).not.toEqual(hash)
      const cuts = [1, 16, 17, 30].map((from) => [file.subarray(0, -from), file.subarray(-from)])
      for (const cut of cuts) expect(await hashOf(cut)).toEqual(hash)
    },
  )

  test('of EDIFACT has the service string where it is not the usual one', async () => {
    const orders = makeInterchange({
      syntax: 'edifact',
      groups: [{ sets: [makeOrders({ number: '1', lines: [] })] }],
    })
    const comma = Buffer.from(`UNA:+,? '${dressText(orders)}`)

    expect(await hashOf(dress(orders, { una: true }))).toEqual(await hashOf(dress(orders, { una: false })))
    expect(await hashOf(comma)).not.toEqual(await hashOf(dress(orders)))
  })
})

describe('what is answered of an interchange', () => {
  const endOf = async (bytes: Uint8Array) =>
    listOutlined(await outlineFile(bytes), 'interchange-end')[0] ?? undefined

  test('is each of its groups but those that are answers themselves', async () => {
    const answers = { code: 'FA', sets: [{ document: '997', segments: [['AK1', 'PO', '1']] as never }] }
    const mixed = makeInterchange({ syntax: 'x12', groups: [{ sets: [order('HV-1')] }, answers] })
    const only = makeInterchange({ syntax: 'x12', groups: [answers, answers] })

    expect(await endOf(dress(mixed))).toMatchObject({ groups: 1, isAnswer: false })
    expect(await endOf(dress(only))).toMatchObject({ groups: 0, isAnswer: true })
  })

  test('is no group where it is refused as a whole, but EDIFACT all the same', async () => {
    const x12 = makeFaultBase('x12')
    const edifact = makeFaultBase('edifact')
    delete x12.trailer
    delete edifact.trailer

    expect(await endOf(dress(x12))).toMatchObject({ groups: 0, isRefused: true })
    expect(await endOf(dress(edifact))).toMatchObject({ groups: 1, isRefused: true })
  })

  test('is nothing of an answer of ours', async () => {
    for (const syntax of ['x12', 'edifact'] as const) {
      const answer = await answerFile(dress(makeFaultBase(syntax)))
      expect(await endOf(Buffer.from(answer, 'latin1'))).toMatchObject({ groups: 0, isAnswer: true })
    }
  })

  test.each(FAULTS.filter(({ check }) => check !== 'unreadable interchange'))(
    '$syntax: $name: is as many groups as the answer has, and refused as the verdicts say',
    async (fault) => {
      const bytes = makeFault(fault).files[0] ?? Buffer.alloc(0)
      const end = await endOf(bytes)
      const answer = await answerFile(bytes)

      const isX12 = fault.syntax === 'x12'
      expect(end?.groups).toBe(isX12 ? (answer.match(/^GS\*/gm)?.length ?? 0) : 1)
      expect(end?.isRefused).toBe(answer.includes(isX12 ? '*R*' : '+4+') && !/AK2|UCM/.test(answer))
    },
  )
})

describe('the values of sets', () => {
  const file = dress(
    makeInterchange({
      syntax: 'x12',
      groups: [
        {
          sets: [
            make850({
              po: ' HV-1 ',
              references: { CO: 'W1', ZZ: 'first' },
              addresses: [
                { role: 'BT', name: 'Bill', city: 'Reno' },
                { role: 'ST', name: 'Ada', city: 'Portland' },
              ],
              lines: [line],
            }),
            make850({ po: 'HV-2', lines: [line] }),
            make860({ po: 'HV-3', purpose: '03' } as never),
          ],
        },
      ],
    }),
  )
  const valuesOf = async (...questions: OutlineQuestion[]) =>
    listOutlined(await outlineFile(file, questions), 'set').map(({ values }) => values)

  test('are those of paths of any kind, without blanks around them', async () => {
    expect(
      await valuesOf(
        ask('850', 'BEG.03', 'REF*CO.02', 'N1*ST/N4.01', 'N1*BT.02', 'CTT.01', 'ISA.06', 'any/PO1.02'),
      ),
    ).toEqual([
      ['HV-1', 'W1', 'Portland', 'Bill', '1', 'HAVENRETAIL', '1'],
      ['HV-2', '', '', '', '1', 'HAVENRETAIL', '1'],
      [],
    ])
  })

  test('of several questions about a document follow each other', async () => {
    expect(await valuesOf(ask('850', 'BEG.01'), ask('860', 'BCH.03'), ask('850', 'BEG.03'))).toEqual([
      ['00', 'HV-1'],
      ['00', 'HV-2'],
      ['HV-3'],
    ])
  })

  test('are blank where the set is larger than a record may be', async () => {
    const lines = Array.from({ length: 100_001 }, () => ['MSG', 'x'] as never)
    const large = makeInterchange({
      syntax: 'x12',
      groups: [{ sets: [{ document: '850', segments: lines }, order('HV-9')] }],
    })
    const found = await outlineFile(dress(large), [ask('850', 'BEG.03', 'REF*CO.02')])

    expect(listOutlined(found, 'set').map(({ values }) => values)).toEqual([
      ['', ''],
      ['HV-9', 'W-HV-9'],
    ])
  })

  /** A path of the whole document for each sample that has a grammar. */
  const SAMPLES = [
    [
      '850-one-day.x12',
      '850',
      ['BEG.03', 'REF*CO.02', 'N1*ST/N4.02', 'PER.TE', 'N1*ST/PER.TE', 'DTM*004.date'],
    ],
    ['850-three-interchanges.x12', '850', ['BEG.03', 'CTT.01', 'GS.02']],
    ['855-acknowledgements.x12', '855', ['BAK.02', 'BAK.03']],
    ['856-shipments.x12', '856', ['BSN.02', 'HL*S.01', 'any/MAN*CP.02', 'HL*S/TD5.03']],
    ['860-cancel-lines.x12', '860', ['BCH.01', 'BCH.03']],
    ['810-invoices.x12', '810', ['BIG.02', 'TDS.01']],
    ['orders.edi', 'ORDERS', ['BGM.1004', 'NAD+DP.3164', 'NAD+DP/COM.TE']],
    ['desadv.edi', 'DESADV', ['BGM.1004', 'RFF+ON.1154']],
  ] as const

  test.each(SAMPLES)('of %s are those that a mapping reads', async (name, document, paths) => {
    const bytes = readFileSync(new URL(`../../../samples/edi/${name}`, import.meta.url))
    const { syntax } = ask(document)
    const columns = paths.map((path) => ({ name: path, path }))
    const root = syntax === 'x12' ? 'ST' : 'UNH'
    const edi = { document, records: [root], recordColumns: columns, lineColumns: [], usage: 'any' as const }
    const reading = await createFormats().read(toInput(bytes), { format: syntax, edi })
    if (isUnreadable(reading)) throw new Error('the sample is readable')
    const read: (readonly string[])[] = []
    for await (const rows of reading.batches)
      for (const row of rows) if (row.layout === 0) read.push(row.values.map((value) => value.trim()))

    const found = listOutlined(await outlineFile(bytes, [ask(document, ...paths)]), 'set')
    expect(found.filter((set) => set.document === document).map(({ values }) => values)).toEqual(read)
    expect(read.flat().filter((value) => value !== '').length).toBeGreaterThan(read.length)
  })
})

describe('a file that is unusable', () => {
  const FILES = {
    'an empty file': Buffer.alloc(0),
    'blank lines': Buffer.from('\n \r\n\t\n'),
    text: Buffer.from('id,name\n1,x\n'),
    'text before an interchange': Buffer.concat([Buffer.from('Hello\n'), dress(makeFaultBase('x12'))]),
    EBCDIC: Buffer.from([0xc9, 0xe2, 0xc1, 0x5c, 0xf0, 0xf0]),
    gzip: gzipSync(dress(makeFaultBase('x12'))),
    'one byte': Buffer.from('I'),
    ...Object.fromEntries(
      FAULTS.filter(({ check }) => check === 'unreadable interchange').map((fault) => [
        `${fault.syntax}: ${fault.name}`,
        makeFault(fault).files[0] ?? Buffer.alloc(0),
      ]),
    ),
  }
  test.each(Object.entries(FILES))('%s: the answer is that of reading it', async (_, bytes) => {
    const edi = { document: '850', recordColumns: [], lineColumns: [] }
    const reading = await createFormats().read(toInput(bytes), { format: 'x12', edi })

    const found = await outlineFile(bytes)
    expect(found.unusable).toHaveLength(1)
    expect(found.unusable).toEqual(isUnreadable(reading) ? reading.problems : 'readable')
  })
})

describe('what stands in no set', () => {
  test('is listed with its place, and of much of it the first hundred', async () => {
    const made = makeInterchange({ syntax: 'x12', groups: [{ sets: [order('HV-1')] }] })
    const all = Array.from({ length: 150 }, () => made)
    const { problems } = await outlineFile(dress(all, { newline: '\n', between: 'stray\n' }))

    expect(problems).toHaveLength(100)
    expect(problems[0]).toMatchObject({ code: 'edi-between', place: { spot: { set: '', inSet: 0 } } })
  })

  test('is an interchange that cannot be read, behind one that can', async () => {
    const made = makeInterchange({ syntax: 'x12', groups: [{ sets: [order('HV-1')] }] })
    const bytes = Buffer.from(`${dressText(made)}\nISA*00*short~GS*PO~\n`)
    const { problems, parts } = await outlineFile(bytes)

    expect(problems.map(({ code }) => code)).toEqual(['edi-delimiters'])
    expect(parts.at(-1)).toMatchObject({ kind: 'interchange-end', isRefused: false })
  })
})

test('any bytes are outlined without an error, and its sets are those that are judged', async () => {
  const bases = (['x12', 'edifact'] as const).map((syntax) => dress(makeFaultBase(syntax), { newline: '\n' }))
  const change = fc.record({ at: fc.nat(6000), remove: fc.nat(60), insert: fc.uint8Array({ maxLength: 6 }) })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...bases), fc.array(change, { maxLength: 5 }), async (base, changes) => {
      const bytes = changes.reduce<Buffer>(
        (before, { at, remove, insert }) =>
          Buffer.concat([before.subarray(0, at), insert, before.subarray(at + remove)]),
        base,
      )
      const found = await outlineFile(bytes, [ask('850', 'BEG.03', 'N1*ST/N4.01'), ask('ORDERS', 'BGM.1004')])
      if (found.unusable.length > 0) return
      const judged = await judgeSets(bytes)
      expect(
        listOutlined(found, 'set').map(({ ordinal, interchange, document }) => [
          ordinal,
          interchange,
          document,
        ]),
      ).toEqual(judged.map(({ ordinal, interchange, document }) => [ordinal, interchange, document]))
      const ends = listOutlined(found, 'interchange-end')
      expect(ends.map(({ ordinal }) => ordinal)).toEqual(
        listOutlined(found, 'interchange').map(({ head }) => head.ordinal),
      )
      expect(ends.reduce((sum, { sets }) => sum + sets, 0)).toBe(judged.length)
    }),
    { numRuns: 200 },
  )
})

describe('a path of a question', () => {
  const errorOf = (document: string, path: string) =>
    createInterchangeFormat().findPathError({ ...ask(document), document, path })

  test.each([
    ['850', 'BEG.01'],
    ['860', 'BCH.01'],
    ['850', 'N1*ST/N4.02'],
    ['850', 'ISA.06'],
    ['856', 'BSN.05'],
    ['846', 'BIA.01'],
    ['ORDERS', 'BGM.1225'],
  ])('%s %s leads to one value', (document, path) => {
    expect(errorOf(document, path)).toBeUndefined()
  })

  test.each([
    ['850', 'BEX.01', 'no segment BEX'],
    ['850', 'BEG.99', 'BEG has'],
    ['850', 'PO1.02', 'PO1.02 has a value for each PO1'],
    ['850', 'PO1/PID.05', 'PO1/PID.05 has a value for each PO1'],
    ['846', 'QTY*33.02', 'QTY*33.02 has a value for each LIN'],
    ['875', 'BEG.01', 'no grammar for 875'],
  ])('%s %s does not', (document, path, said) => {
    expect(errorOf(document, path)).toContain(said)
  })

  test('that leads nowhere is refused when a file is outlined', async () => {
    await expect(outlineFile(dress(makeFaultBase('x12')), [ask('850', 'BEX.01')])).rejects.toMatchObject({
      code: 'configuration-invalid',
    })
  })
})

test('the addresses of EDIFACT are a qualifier and an id too', async () => {
  const [start] = listOutlined(await outlineFile(dress(makeFaultBase('edifact'))), 'interchange')

  expect([start?.head.sender, start?.head.receiver]).toEqual([
    `${HAVEN.qualifier}:${HAVEN.id}`,
    `${NORTHLIGHT.qualifier}:${NORTHLIGHT.id}`,
  ])
})
