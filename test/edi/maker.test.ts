/** The maker of EDI itself: tests of the reader are worth what its counts, dresses and faults are worth. */
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import {
  type Dress,
  dress,
  dressText,
  EDIFACT_DOCUMENTS,
  EDIFACT_DRESSES,
  FAULTS,
  type LevelOrder,
  listSegments,
  listSets,
  make850,
  make856,
  makeFault,
  makeFaultBase,
  makeInterchange,
  type MadeInterchange,
  type MadeSegment,
  makeLevels,
  makeOrders,
  makeRandom,
  resolveDelimiters,
  X12_DOCUMENTS,
  X12_DRESSES,
} from '../fixtures/edi-maker.ts'
import { dice } from '../samples/random.ts'

const seeds = fc.integer({ min: 1, max: 1_000_000 })

describe('counts and control numbers', () => {
  test.each(X12_DOCUMENTS)('are right in an interchange of %s', (name) => {
    fc.assert(
      fc.property(
        seeds,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
        (seed, groups) => {
          const random = dice(seed)
          const made = makeInterchange({
            syntax: 'x12',
            number: seed,
            groups: groups.map((sets) => ({
              sets: Array.from({ length: sets }, () => makeRandom(name, random)),
            })),
          })
          const lines = dressText(made, { newline: '\n' }).trimEnd().split('\n')
          const control = String(seed).padStart(9, '0')

          expect(lines[0]).toHaveLength(106)
          expect(lines[0]?.slice(90, 99)).toBe(control)
          expect(lines.at(-1)).toBe(`IEA*${groups.length}*${control}~`)
          expect(groupSizes(lines, 'GS', 'GE')).toEqual(groups)
          for (const [index, line] of lines.entries()) {
            if (!line.startsWith('SE*')) continue
            const start = lines.slice(0, index).findLastIndex((each) => each.startsWith('ST*'))
            const number = lines[start]?.split('*')[2]?.replace('~', '')
            expect(line).toBe(`SE*${index - start + 1}*${number}~`)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each(EDIFACT_DOCUMENTS)('are right in an interchange of %s', (name) => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 5 }), fc.boolean(), (seed, sets, isGrouped) => {
        const random = dice(seed)
        const documents = Array.from({ length: sets }, () => makeRandom(name, random))
        const groups = [{ sets: documents }, { sets: documents }]
        const made = makeInterchange({ syntax: 'edifact', number: seed, groups, isGrouped })
        const lines = dressText(made, { newline: '\n' }).trimEnd().split('\n')

        expect(lines.at(-1)).toBe(`UNZ+${isGrouped ? 2 : sets * 2}+${seed}'`)
        expect(groupSizes(lines, 'UNG', 'UNE')).toEqual(isGrouped ? [sets, sets] : [])
        const trailers = lines.flatMap((line, index) => (line.startsWith('UNT+') ? [index] : []))
        expect(trailers).toHaveLength(sets * 2)
        for (const [ordinal, index] of trailers.entries()) {
          const start = lines.slice(0, index).findLastIndex((each) => each.startsWith('UNH+'))
          expect(lines[start]).toBe(`UNH+${ordinal + 1}+${name}:D:96A:UN'`)
          expect(lines[index]).toBe(`UNT+${index - start + 1}+${ordinal + 1}'`)
        }
      }),
      { numRuns: 40 },
    )
  })

  /** The sets of each group, which its trailer must count. */
  function groupSizes(lines: readonly string[], header: string, trailer: string): number[] {
    const sizes: number[] = []
    let sets = 0
    for (const line of lines) {
      const [id, count] = line.split(/[*+]/)
      if (id === header) sets = 0
      if (id === 'ST' || id === 'UNH') sets += 1
      if (id !== trailer) continue
      expect(count).toBe(String(sets))
      sizes.push(sets)
    }
    return sizes
  }

  test('a document is not changed by an interchange that is damaged', () => {
    const document = make850({ po: 'HV-1', lines: [{ quantity: 1, pairs: [['UP', '086000100025']] }] })
    const made = makeInterchange({ syntax: 'x12', groups: [{ sets: [document] }] })

    for (const set of listSets(made)) set.body[0]?.splice(1)

    expect(document.segments[0]).toEqual(['BEG', '00', 'DS', 'HV-1', '', '20261116'])
  })
})

describe('levels of an 856', () => {
  const consignment = {
    orders: [
      {
        po: 'HV-1',
        packs: [
          { tracking: '1Z1', items: [{ quantity: 1, pairs: [['UP', 'A']] }] },
          { tracking: '1Z2', items: [{ quantity: 2, pairs: [['UP', 'B']] }] },
        ],
      },
    ],
  } as const
  const hierarchy = (numbering: Parameters<typeof make856>[0]['numbering'], order: LevelOrder) =>
    make856({ number: '1', levels: makeLevels(consignment, order), numbering: numbering ?? {} })
      .segments.filter(([id]) => id === 'HL')
      .map((segment) => segment.slice(1).join(' '))

  test.each([
    ['S-O-P-I', ['1  S 1', '2 1 O 1', '3 2 P 1', '4 3 I 0', '5 2 P 1', '6 5 I 0']],
    ['S-O-I', ['1  S 1', '2 1 O 1', '3 2 I 0', '4 2 I 0']],
    ['S-O-T-P-I', ['1  S 1', '2 1 O 1', '3 2 T 1', '4 3 P 1', '5 4 I 0', '6 3 P 1', '7 6 I 0']],
    ['S-P-O-I', ['1  S 1', '2 1 P 1', '3 2 O 1', '4 3 I 0', '5 1 P 1', '6 5 O 1', '7 6 I 0']],
    ['S-O-I-P', ['1  S 1', '2 1 O 1', '3 2 I 1', '4 3 P 0', '5 2 I 1', '6 5 P 0']],
  ] as const)('%s name their parents', (order, expected) => {
    expect(hierarchy({}, order)).toEqual(expected)
  })

  test.each([
    [{ first: 7 }, ['7  S 1', '8 7 O 1', '9 8 I 0', '10 8 I 0']],
    [{ parents: 'blank' }, ['1  S 1', '2  O 1', '3  I 0', '4  I 0']],
    [{ parents: 'own' }, ['1 1 S 1', '2 2 O 1', '3 3 I 0', '4 4 I 0']],
    [{ parents: 'later' }, ['1  S 1', '2 3 O 1', '3 4 I 0', '4 5 I 0']],
    [{ id: (number: number) => `A${number % 2}` }, ['A1  S 1', 'A0 A1 O 1', 'A1 A0 I 0', 'A0 A0 I 0']],
  ] as const)('are numbered as %j says', (numbering, expected) => {
    expect(hierarchy(numbering, 'S-O-I')).toEqual(expected)
  })
})

describe('a dress', () => {
  test.each(X12_DRESSES)('of X12 decodes back: $name', (how) => {
    const made = makeFaultBase('x12')
    expect(undress(dress(made, how), made, how)).toEqual(listTexts(made, how))
  })

  test.each(EDIFACT_DRESSES)('of EDIFACT decodes back: $name', (how) => {
    const made = makeFaultBase('edifact')
    expect(undress(dress(made, how), made, how)).toEqual(listTexts(made, how))
  })

  test('of EDIFACT decodes back whatever the texts hold', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('?', "'", '+', ':', 'a', '.', '*', ' ') }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(texts, (values) => {
        const segments: MadeSegment[] = values.map((value) => ['FTX', 'AAI', ['a', value, 'b'], value, '.'])
        const groups = [{ sets: [{ document: 'ORDERS', segments }] }]
        const made = makeInterchange({ syntax: 'edifact', groups })
        expect(undress(dress(made), made, {})).toEqual(listTexts(made, {}))
      }),
    )
  })

  test.each([
    ['utf-8', 'efbbbf'],
    ['utf-16le', 'fffe'],
    ['utf-16be', 'feff'],
  ])('in %s begins with its byte order mark', (encoding, mark) => {
    const bytes = dress(makeFaultBase('x12'), { bom: true, encoding })

    expect(bytes.toString('hex').startsWith(mark)).toBe(true)
  })

  test('of X12 refuses a value that holds a delimiter', () => {
    const made = makeInterchange({
      syntax: 'x12',
      groups: [{ sets: [make850({ po: 'HV*1', lines: [] })] }],
    })

    expect(() => dress(made)).toThrow('"HV*1" holds the delimiter "*"')
    expect(dressText(made, { element: '|' })).toContain('BEG|00|DS|HV*1||20261116~')
  })

  test('wraps each line but the last at the same length', () => {
    const lines = dress(makeFaultBase('x12'), { wrapAt: 80, wrapWith: '\r\n' }).toString().split('\r\n')

    expect(new Set(lines.slice(0, -1).map(({ length }) => length))).toEqual(new Set([80]))
    expect(lines.join('')).toBe(dressText(makeFaultBase('x12')))
  })

  test('gives each interchange of a file its own delimiters', () => {
    const text = dressText(
      [makeFaultBase('x12'), makeFaultBase('x12')],
      [{ between: '\n$ part 2\n' }, { element: '|', terminator: '\n' }],
    )
    const [first = '', second = ''] = text.split('\n$ part 2\n')

    expect(first).toMatch(/~IEA\*3\*000000101~$/)
    expect(second).toMatch(/^ISA\|00\|/)
    expect(second).toMatch(/\nIEA\|3\|000000101\n$/)
  })

  test('encodes EDIFACT as its level says', () => {
    const write = (level: string) => {
      const order = makeOrders({ number: '1', parties: [{ role: 'DP', names: ['Zoë Müller'] }] })
      return dress(makeInterchange({ syntax: 'edifact', level, groups: [{ sets: [order] }] }))
    }

    expect(write('UNOC:3').toString('latin1')).toContain('Zoë Müller')
    expect(write('UNOY:4').toString('utf8')).toContain('Zoë Müller')
  })

  /** The separators are known here, so that this is no reader: it undoes what the dress says. */
  function undress(bytes: Buffer, made: MadeInterchange, how: Dress): string[][] {
    const plain = how.gzip === true ? gunzipSync(bytes) : bytes
    const { element, component, terminator, release } = resolveDelimiters(made, how)
    const isWrapped = how.wrapAt !== undefined || how.breakAt !== undefined
    const text = iconv.decode(plain, how.encoding ?? (made.syntax === 'x12' ? 'utf-8' : 'latin1'))
    const joined = (isWrapped ? text.replaceAll(/[\r\n]/g, '') : text).replace(/^UNA.{6}/, '')
    const split = (whole: string, separator: string) => splitReleased(whole, separator, release)
    const segments = split(joined, terminator).map((each) =>
      each.startsWith('ISA') ? each : trimBreaks(each),
    )
    return segments
      .filter((segment) => segment.trim() !== '')
      .map((segment) => {
        const elements = split(segment.trimStart(), element)
        if (made.syntax === 'x12') return elements
        return elements.flatMap((each, at) =>
          split(each, component).map((value, part) => `${at}-${part} ${unrelease(value, release)}`),
        )
      })
  }

  function trimBreaks(text: string): string {
    return text.replaceAll(/^[\s\0]+|[\r\n]+$/g, '')
  }

  function listTexts(made: MadeInterchange, how: Dress): string[][] {
    return listSegments(made).map((segment) => asTexts(segment, made, how))
  }

  function asTexts(segment: MadeSegment, made: MadeInterchange, how: Dress): string[] {
    const { component, decimal } = resolveDelimiters(made, how)
    const text = (value: string | number) =>
      typeof value === 'number' ? String(value).replace('.', decimal) : value
    if (made.syntax === 'edifact') {
      return segment.flatMap((element, at) =>
        (typeof element === 'object' ? element : [element]).map(
          (value, part) => `${at}-${part} ${text(value)}`,
        ),
      )
    }
    const values = segment.map(String)
    if (values[0] !== 'ISA') return values
    values[16] = component
    values[11] = how.repetition ?? values[11] ?? ''
    return how.unpaddedIsa === true ? values.map((value) => value.trim()) : values
  }

  function splitReleased(text: string, separator: string, release: string): string[] {
    if (release === '') return text.split(separator)
    const pattern = new RegExp(
      `((?:${escape(release)}[^]|(?!${escape(separator)})[^])*)(${escape(separator)}|$)`,
      'y',
    )
    const parts: string[] = []
    for (;;) {
      const match = pattern.exec(text)
      parts.push(match?.[1] ?? '')
      if (match?.[2] === '' || match === null) return parts
    }
  }

  function escape(text: string): string {
    return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  }

  function unrelease(text: string, release: string): string {
    return release === '' ? text : text.replaceAll(new RegExp(`${escape(release)}([^])`, 'g'), '$1')
  }
})

describe('faults', () => {
  const named = FAULTS.map((fault) => [`${fault.syntax}: ${fault.name}`, fault] as const)

  test('have names of their own, and both syntaxes have each check', () => {
    const checks = (syntax: string) =>
      new Set(FAULTS.filter((each) => each.syntax === syntax).map(({ check }) => check))

    expect(new Set(named.map(([name]) => name)).size).toBe(FAULTS.length)
    expect(checks('x12')).toEqual(checks('edifact'))
  })

  test.each(named)('%s: changes the file, and says what comes of each set', (_, fault) => {
    const right = dress(makeFaultBase(fault.syntax), { newline: '\n' })

    const { files, outcomes, verdicts, posted } = makeFault(fault)

    expect(files).toHaveLength(fault.isSecond === true ? 2 : 1)
    expect(files.at(-1)?.equals(right)).toBe(false)
    expect(outcomes).toHaveLength(9)
    expect(verdicts).toHaveLength(9)
    expect(outcomes.map((outcome) => outcome === 'refused')).toEqual(
      verdicts.map((verdict) => verdict === 'R'),
    )
    expect(posted).toHaveLength(outcomes.filter((outcome) => outcome === 'taken').length)
  })

  test('of a group reach its three sets, and of a set the fifth', () => {
    const find = (name: string) => makeFault(FAULTS.find((fault) => fault.name === name)!)

    expect(find('GE02 is not GS06')).toMatchObject({
      groupVerdicts: ['A', 'R', 'A'],
      posted: ['HV-31001', 'HV-31002', 'HV-31003', 'HV-31007', 'HV-31008', 'HV-31009'],
    })
    expect(find('UNT 0062 is not that of UNH').groupVerdicts).toEqual(['A', 'P', 'A'])
    expect(find('ST02 comes twice in the group').groupVerdicts).toEqual(['A', 'E', 'A'])
    expect(find('The file ends in the fifth set').lenientOutcomes.slice(3, 6)).toEqual([
      'taken',
      'refused',
      'refused',
    ])
  })

  const placed = FAULTS.filter(({ codes }) => codes.ak4 !== undefined || codes.ucd !== undefined)
  test.each(placed.map((fault) => [`${fault.syntax}: ${fault.name}`, fault] as const))(
    '%s: is at the segment that its codes name',
    (_, fault) => {
      const made = makeFaultBase(fault.syntax)
      const lines = () => dressText(made, { newline: '\n' }).split('\n')
      const right = lines()

      fault.damage(made)

      const changed = lines().findIndex((line, index) => line !== right[index])
      const start = right.slice(0, changed).findLastIndex((line) => /^(ST|UNH)\b/.test(line))
      const { ak3, ucs } = fault.codes
      expect(changed - start + 1).toBe(ak3?.inSet ?? ucs?.inSet)
      expect(right[changed]).toMatch(new RegExp(`^${ak3?.id ?? '[A-Z]{3}'}\\b`))
    },
  )
})
