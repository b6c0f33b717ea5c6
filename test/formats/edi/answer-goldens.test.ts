/** The whole answer to each fault of the table, the data elements that it names, and answers to anything at all. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnswerRequest } from '../../../src/domain/interchange.ts'
import { problem } from '../../../src/domain/problem.ts'
import {
  type DocumentName,
  dress,
  type Fault,
  FAULTS,
  listSegments,
  listSets,
  make850,
  make856,
  makeFault,
  makeFaultBase,
  makeInterchange,
  type MadeDocument,
  type MadeElement,
  type MadeInterchange,
  makeRandom,
} from '../../fixtures/edi-maker.ts'
import { dice } from '../../samples/random.ts'
import { readAnswers } from './answer-reader.ts'
import { answerFile, inBatches, judgeRecords } from './interchange-tools.ts'
import { ORDERS } from './tools.ts'

const goldens = new URL('../../samples/edi/answers/', import.meta.url).pathname

/** The fault as an inbox answers it: by the records of its route, and by what is known of the partner and of earlier files. */
async function answerFault(fault: Fault, request: Partial<AnswerRequest> = {}): Promise<string> {
  const bytes = makeFault(fault).files.at(-1) ?? Buffer.alloc(0)
  const reused = new Set(fault.check === 'duplicate interchange' ? [1] : [])
  const isKnown = fault.check !== 'unknown partner'
  const judged = await judgeRecords(ORDERS[fault.syntax], bytes)
  const records = inBatches(
    judged.map((record) =>
      fault.problem === 'value-too-long' && record.line === placeOf(fault).line
        ? { ...record, problems: [problem('value-too-long', placeOf(fault), 'It is too long.')] }
        : record,
    ),
  )
  return answerFile(bytes, { records, reused, ...(isKnown ? {} : { interchanges: [] }), ...request })
}

/** The length of a value is judged when a record is planned, so it is given here. */
function placeOf({ syntax, codes }: Fault) {
  const { inSet = 0 } = codes.ak3 ?? codes.ucs ?? {}
  const [start, id, element] = syntax === 'x12' ? [57, 'BEG', 3] : [73, 'BGM', 2]
  return { line: start, spot: { segment: start + inSet - 1, inSet, id, element, at: 0, set: '' } }
}

/** The lines of a text that the other one has not, and the other way: both of them are known from one and the difference. */
function describeDifference(before: readonly string[], after: readonly string[]): string[] {
  const common = before.map(() => after.map(() => 0)).concat([[]])
  const at = (row: number, column: number) => common[row]?.[column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    const cells = common[row] ?? []
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column]
      cells[column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: string[] = []
  for (let [row, column] = [0, 0]; row < before.length || column < after.length;) {
    if (before[row] === after[column]) {
      row += 1
      column += 1
    } else if (
      column >= after.length ||
      (row < before.length && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(`- ${row + 1}: ${before[row] ?? ''}`)
      row += 1
    } else {
      lines.push(`+ ${row + 1}: ${after[column] ?? ''}`)
      column += 1
    }
  }
  return lines
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

test.each(['x12', 'edifact'] as const)(
  'the answers to all faults of %s are as they were decided',
  async (syntax) => {
    const sound = linesOf(await answerFile(dress(makeFaultBase(syntax), { newline: '\n' })))
    const page = [
      'The answer to the sound file:',
      '',
      ...sound,
      '',
      'To each fault, how the answer differs:',
      '',
    ]
    for (const fault of FAULTS.filter((each) => each.syntax === syntax)) {
      const text = await answerFault(fault)
      readAnswers(text)
      const answer = linesOf(text)
      const changes = describeDifference(sound, answer)
      // An interchange that is refused has a short answer.
      const difference = text === '' ? ['(none)'] : changes.length > answer.length ? answer : changes
      page.push(`${fault.name}:`, ...(difference.length > 0 ? difference : ['(the same)']), '')
    }

    await expect(page.join('\n')).toMatchFileSnapshot(`${goldens}${syntax}.txt`)
  },
)

/** Components as one text, as far as it only matters whether there is any. */
function formatMade(value: MadeElement): string {
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`
}

/** The verdict of each set that the file has, by the answer. */
function listAnswered(text: string) {
  return readAnswers(text).flatMap(({ sets }) => sets)
}

/** ST01 and ST02, or the document and the number of UNH, of every set that was made. */
function listMade(made: MadeInterchange): string[][] {
  return listSets(made).map(({ header: [, first, second] }) =>
    made.syntax === 'x12'
      ? [first as string, second as string]
      : [(second as string[])[0] ?? '', first as string],
  )
}

describe('each set of a file has its verdict', () => {
  /** The interchange is refused as a whole, or nothing is answered, or the file has no such sets. */
  const isNamed = ({ reach, outcome, check }: Fault) =>
    (reach === 'set' || reach === 'group' || (reach === 'interchange' && outcome !== 'refused')) &&
    check !== 'unknown partner' &&
    check !== 'interchange cut off'

  test.each(FAULTS.filter(isNamed))('$syntax: $name', async (fault) => {
    const made = makeFaultBase(fault.syntax)
    fault.damage(made)
    const answered = listAnswered(await answerFault(fault))
    const { verdicts } = makeFault(fault)

    expect(answered.map(([document, number]) => [document, number])).toEqual(listMade(made))
    // Lengths of the dictionary are not checked.
    if (fault.problem === 'value-too-short') return
    const names =
      fault.syntax === 'x12' ? { A: 'A', E: 'E', R: 'R', P: 'P' } : { A: '7', E: '7', R: '4', P: '4' }
    expect(answered.map(([, , verdict]) => verdict)).toEqual(verdicts.map((verdict) => names[verdict]))
  })

  const isStructural = (fault: Fault) => isNamed(fault) && fault.check !== 'element'

  test.each(FAULTS.filter(isStructural))(
    '$syntax: $name: by its structure alone as with the records of its route',
    async (fault) => {
      const [bytes = Buffer.alloc(0)] = makeFault(fault).files

      expect(await answerFile(bytes)).toBe(await answerFault(fault))
    },
  )

  test('in a 999 as in a 997', async () => {
    for (const fault of FAULTS.filter(({ syntax }) => syntax === 'x12')) {
      const [is997, is999] = [await answerFault(fault), await answerFault(fault, { kind: '999' })]
      expect(linesOf(is999).map((line) => line.replace(/^IK/, 'AK').replace('ST*999', 'ST*997'))).toEqual(
        linesOf(is997),
      )
    }
  })
})

/** The data elements of the documents that mappings read, by the numbers that public guides give them. */
const ELEMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  850: {
    BEG: '353 92 324 - 373',
    REF: '128 127',
    DTM: '374 373',
    TD5: '133 66 67 91 387',
    N1: '98 93 66 67',
    N2: '93',
    N3: '166 166',
    N4: '19 156 116 26',
    PER: '366 93 365 364',
    PO1: '350 330 355 212 639 235 234 235 234',
    CTP: '687 236 212',
    MSG: '933',
    CTT: '354 347',
  },
  855: { BAK: '353 587 324 373', PO1: '350 330 355 212', ACK: '668 380 355' },
  856: {
    BSN: '353 396 373 337 1005',
    HL: '628 734 735',
    PRF: '324',
    MAN: '88 87',
    TD1: '103 80 23 22 79 187 81 355',
    LIN: '350 235 234',
    SN1: '350 382 355',
  },
  860: { BCH: '353 92 324', POC: '350 670 330 671' },
  810: { BIG: '373 76 373 324', IT1: '350 358 355 212', TDS: '610', ITD: '336 333 338 370 351 446 386' },
  846: { BIA: '353 755 127 373', LIN: '350 235 234', QTY: '673 380' },
  870: { PRF: '324', HL: '628 734 735' },
}

/** Documents with segments that random ones lack. */
const RARE: Readonly<Record<string, readonly MadeDocument[]>> = {
  850: [
    make850({
      po: 'HV-1',
      dates: { '010': '20261118' },
      addresses: [{ role: 'ST', name: 'Ada', name2: 'Dock 2', phone: '5550100' }],
      lines: [{ quantity: 1, pairs: [['SK', 'A']] }],
    }),
  ],
  856: [
    make856({
      number: '1',
      levels: [{ level: 'S', segments: [['TD1', 'CTN25', '2', '', '', '', 'G', '12.5', 'LB']] }],
    }),
  ],
}

test.each(Object.entries(ELEMENTS))(
  'a wrong element of a %s is named by its number and its place',
  async (name, known) => {
    const seen = new Set<string>()
    const documents = Array.from({ length: 12 }, (_, seed) =>
      makeRandom(name as DocumentName, dice(seed + 1)),
    )
    for (const document of [...documents, ...(RARE[name] ?? [])]) {
      const made = makeInterchange({ syntax: 'x12', groups: [{ sets: [document] }] })
      const segments = listSegments(made)
      for (const [index, [id, ...elements]] of segments.entries()) {
        const numbers = known[id]?.split(' ') ?? []
        for (const [at, number] of numbers.entries()) {
          const text = formatMade(elements[at] ?? '')
          if (number === '-' || text === '' || seen.has(`${id}${at}`)) continue
          seen.add(`${id}${at}`)
          const [segment, inSet] = [index + 1, index - 1]
          const spot = { segment, inSet, id, element: at + 1, at: 0, set: '' }
          const records = inBatches([
            { line: 3, problems: [problem('value-not-allowed', { line: 3, spot }, 'Wrong.')] },
          ])
          const answer = linesOf(await answerFile(dress(made, { newline: '\n' }), { records }))

          const errors = answer.filter((line) => /^AK[34]/.test(line))
          expect(errors[0]?.split('*').slice(0, 3)).toEqual(['AK3', id, String(inSet)])
          expect(errors[1]).toBe(`AK4*${at + 1}*${number}*7*${text.trimEnd()}~`)
        }
      }
    }
    // Each segment of the table was there.
    expect(Object.keys(known).filter((id) => ![...seen].some((each) => each.startsWith(id)))).toEqual([])
  },
)

describe('whatever is changed in a file', () => {
  const bases = (['x12', 'edifact'] as const).map((syntax) => ({
    syntax,
    text: dress(makeFaultBase(syntax), { newline: '\n' }).toString('latin1'),
  }))
  const byBytes = fc.record({
    at: fc.nat(6000),
    remove: fc.nat(60),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.constantFrom(
        '~',
        "'",
        '*',
        '+',
        '?',
        ':',
        '\n',
        'ISA*',
        'UNB+',
        'GS*',
        'ST*850*',
        'SE*',
        'GE*1*1~',
        'TA1*',
      ),
    ),
  })
  const bySegments = fc.record({
    kind: fc.constantFrom('delete', 'double', 'swap'),
    at: fc.nat(200),
    other: fc.nat(200),
  })

  function changeBytes(text: string, { at, remove, insert }: { at: number; remove: number; insert: string }) {
    return text.slice(0, at) + insert + text.slice(at + remove)
  }

  function changeSegments(text: string, change: { kind: string; at: number; other: number }): string {
    const lines = text.split('\n')
    const at = change.at % lines.length
    const line = lines[at] ?? ''
    const other = change.other % lines.length
    if (change.kind === 'delete') lines.splice(at, 1)
    else if (change.kind === 'double') lines.splice(at, 0, line)
    else [lines[at], lines[other]] = [lines[other] ?? '', line]
    return lines.join('\n')
  }

  const anyFile = fc
    .tuple(
      fc.constantFrom(...bases),
      fc.array(bySegments, { maxLength: 3 }),
      fc.array(byBytes, { maxLength: 3 }),
      fc.boolean(),
    )
    .map(([{ syntax, text }, segments, bytes, isMapped]) => ({
      syntax,
      isMapped,
      file: Buffer.from(bytes.reduce(changeBytes, segments.reduce(changeSegments, text)), 'latin1'),
    }))

  test(
    'there is an answer that can be read, with right counts and numbers',
    { timeout: 120_000 },
    async () => {
      let answered = 0
      await fc.assert(
        fc.asyncProperty(anyFile, async ({ syntax, isMapped, file }) => {
          const records = isMapped ? { records: inBatches(await judgeRecords(ORDERS[syntax], file)) } : {}
          const text = await answerFile(file, { ...records, ta1: isMapped ? 'always' : 'asked' })
          const read = readAnswers(text)
          answered += read.length
          const numbers = read.map(({ segments: [first = []] }) => Number(first[first[0] === 'ISA' ? 13 : 5]))
          expect(numbers).toEqual(numbers.map((_, index) => 41 + index))
          const groups = read.flatMap(({ segments }) =>
            segments.filter(([id]) => id === 'GS').map((gs) => Number(gs[6])),
          )
          expect(groups).toEqual(groups.map((_, index) => 7 + index))
        }),
        { numRuns: 400 },
      )
      expect(answered).toBeGreaterThan(200)
    },
  )
})
