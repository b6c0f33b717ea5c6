/** The grammars of EDI documents and the dictionaries of their segments: whether they fit together. */
import { expect, test } from 'vitest'
import { DICTIONARIES, findGrammar, GROUP_CODES, listDocuments } from '../../src/edi/documents.ts'
import type { SegmentInfo } from '../../src/edi/dictionary.ts'
import type { Grammar, GrammarEntry, LoopRule } from '../../src/edi/grammar.ts'
import type { Syntax } from '../../src/edi/segment.ts'

const SYNTAXES: readonly Syntax[] = ['x12', 'edifact']

const GRAMMARS: readonly Grammar[] = listDocuments().map(({ document }) => {
  const [syntax, name = ''] = document.split('/')
  const grammar = findGrammar(syntax as Syntax, name)
  if (grammar === undefined) throw new Error(`There is no grammar of ${document}.`)
  return grammar
})
const CASES = GRAMMARS.map((grammar) => ({ name: grammar.definition.document, grammar }))

const SEGMENTS = SYNTAXES.flatMap((syntax) =>
  DICTIONARIES[syntax].ids.map((id) => {
    const info = DICTIONARIES[syntax].find(id)
    if (info === undefined) throw new Error(`There is no segment ${id}.`)
    return { name: `${syntax} ${id}`, syntax, info }
  }),
)

function collectLoops(loop: LoopRule): LoopRule[] {
  return [loop, ...[...loop.loops.values()].flatMap(collectLoops)]
}

function findLoop(grammar: Grammar, written: string): LoopRule | undefined {
  return collectLoops(grammar.root).find(({ id }) => id === written.split('*')[0])
}

/** The ids of the segments right in a loop, as they are written: a loop by its first segment. */
function listIds(entries: readonly GrammarEntry[]): string[] {
  return entries.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.keys(entry)).map(cutCount))
}

function cutCount(written: string): string {
  return written.split(' ')[0] ?? ''
}

/** Each list of segments in a definition: that of the set and those of its loops. */
function collectLists(entries: readonly GrammarEntry[]): (readonly GrammarEntry[])[] {
  const inside = entries.flatMap((entry) => (typeof entry === 'string' ? [] : Object.values(entry)))
  return [
    entries,
    ...inside.flatMap((list) =>
      collectLists('tree' in list ? list.segments : (list as readonly GrammarEntry[])),
    ),
  ]
}

test('the documents are those that the bridge promises to read', () => {
  expect(listDocuments().map(({ document }) => document)).toEqual([
    'x12/180',
    'x12/810',
    'x12/812',
    'x12/846',
    'x12/850',
    'x12/855',
    'x12/856',
    'x12/860',
    'x12/865',
    'x12/870',
    'edifact/ORDERS',
    'edifact/ORDCHG',
    'edifact/ORDRSP',
    'edifact/DESADV',
    'edifact/INVOIC',
    'edifact/INVRPT',
  ])
})

test('a document that nothing is known of has no grammar', () => {
  expect(findGrammar('x12', '837')).toBeUndefined()
  expect(findGrammar('x12', 'ORDERS')).toBeUndefined()
  expect(findGrammar('edifact', 'constructor')).toBeUndefined()
})

test('a grammar is compiled once', () => {
  expect(findGrammar('x12', '850')).toBe(findGrammar('x12', '850'))
})

test.each(CASES)('each segment of $name is in the dictionary', ({ grammar }) => {
  expect([...grammar.ids].filter((id) => DICTIONARIES[grammar.syntax].find(id) === undefined)).toEqual([])
})

test('the dictionaries hold no segment that neither a grammar nor the envelope has', () => {
  const envelope = /^(ISA|GS|ST|SE|GE|IEA|TA1|AK\d|IK\d|CTX|UN[BGHTEZ]|UC[IFMSD])$/
  const named = new Set(GRAMMARS.flatMap(({ syntax, ids }) => [...ids].map((id) => `${syntax} ${id}`)))
  const idle = SEGMENTS.filter(({ name, info }) => !named.has(name) && !envelope.test(info.id))
  expect(idle.map(({ name }) => name)).toEqual([])
})

test('the segments of each envelope and acknowledgment are known', () => {
  const x12 = 'ISA GS ST SE GE IEA TA1 AK1 AK2 AK3 AK4 AK5 AK9 IK3 IK4 IK5 CTX'.split(' ')
  const edifact = 'UNB UNG UNH UNS UNT UNE UNZ UCI UCF UCM UCS UCD'.split(' ')
  expect(x12.filter((id) => DICTIONARIES.x12.find(id) === undefined)).toEqual([])
  expect(edifact.filter((id) => DICTIONARIES.edifact.find(id) === undefined)).toEqual([])
})

test.each(CASES)('no loop of $name has a segment twice, also not as a loop', ({ grammar }) => {
  const twice = collectLists(grammar.definition.segments).flatMap((list) => {
    const ids = listIds(list)
    return ids.filter((id, index) => ids.indexOf(id) !== index)
  })
  expect(twice).toEqual([])
})

test.each(CASES)('no loop of $name has its own first segment inside', ({ grammar }) => {
  const nested = collectLoops(grammar.root).filter(
    ({ id, segments, loops }) => segments.has(id) || loops.has(id),
  )
  expect(nested.map(({ id }) => id)).toEqual([])
})

test.each(CASES)('the loops of the records and lines of $name exist', ({ grammar }) => {
  const { records = [], lines } = grammar.definition
  expect([...records, lines].filter((loop) => findLoop(grammar, loop) === undefined)).toEqual([])
})

test.each(CASES)('the level that a line or record of $name names is one of its tree', ({ grammar }) => {
  const { records = [], lines } = grammar.definition
  const leveled = [...records, lines].filter((loop) => loop.includes('*'))
  const unknown = leveled.filter((loop) => {
    const level = loop.split('*')[1] ?? ''
    return findLoop(grammar, loop)?.tree?.ranks.includes(level) !== true
  })
  expect(unknown).toEqual([])
})

test.each(CASES)('the elements of the trees of $name exist', ({ grammar }) => {
  const trees = collectLoops(grammar.root).filter(({ tree }) => tree !== undefined)
  for (const { id, tree } of trees) {
    const elements = DICTIONARIES[grammar.syntax].find(id)?.elements ?? []
    for (const at of [tree?.id, tree?.parent, tree?.level ?? 1]) {
      expect(elements[(at ?? 0) - 1], `${id} element ${at}`).toBeDefined()
    }
  }
})

test('the despatch advice and the ship advice have levels', () => {
  const withTrees = GRAMMARS.filter(({ root }) => collectLoops(root).some(({ tree }) => tree !== undefined))
  expect(withTrees.map(({ document }) => document)).toEqual(['856', '870', 'DESADV'])
})

test('each document of X12 has the group code of the list of group codes', () => {
  const x12 = GRAMMARS.filter(({ syntax }) => syntax === 'x12')
  for (const { document, definition } of x12) expect(definition.group).toBe(GROUP_CODES[document])
  expect(
    GRAMMARS.filter(({ syntax }) => syntax === 'edifact').map(({ definition }) => definition.group),
  ).toEqual(Array.from({ length: 6 }, () => undefined))
})

test.each(CASES)('each document begins with a mandatory segment: $name', ({ grammar }) => {
  expect(grammar.definition.segments[0]).toMatch(/^[A-Z0-9]{3} 1$/)
})

/** The qualifier of a pair has the type of a code, and so has the qualifier of a segment. */
function findQualifierOfPair({ pairs, elements }: SegmentInfo): unknown {
  if (pairs === undefined) return 'none'
  const first = elements[pairs.from - 1]
  return 'value' in pairs ? first?.components[pairs.qualifier - 1]?.type : first?.type
}

test.each(SEGMENTS)('the qualifier, pairs, dates and codes of $name are among its elements', ({ info }) => {
  const { qualifier, pairs, date, codes = {}, elements } = info
  const places = [
    qualifier,
    pairs?.from,
    date?.date,
    date?.time,
    date?.zone,
    ...Object.keys(codes).map(Number),
  ]
  for (const place of places.filter((place) => place !== undefined)) {
    expect(elements[place - 1], `element ${place}`).toBeDefined()
  }
  expect(['ID', 'none']).toContain(findQualifierOfPair(info))
})

/** What stands where a segment has its date: types in X12, the numbers of the components in EDIFACT. */
function describeDate({ elements, date }: SegmentInfo): string {
  const at = (place: number | undefined) => (place === undefined ? undefined : elements[place - 1])
  const [whole, time, zone] = [at(date?.date), at(date?.time), at(date?.zone)]
  const components = whole?.components.map(({ number }) => number) ?? []
  return [whole?.type, ...components, time?.type, zone?.number].filter((each) => each !== undefined).join(' ')
}

test.each(SEGMENTS.filter(({ info }) => info.date !== undefined))(
  'the date, time and zone of $name have the types of such',
  ({ syntax, info }) => {
    const expected = syntax === 'x12' ? /^DT( TM( 623)?)?$/ : /^AN 2005 2380 2379$/
    expect(describeDate(info)).toMatch(expected)
  },
)

test('the pairs of X12 are a qualifier and a value, up to the end of the segment or other elements', () => {
  const alternating = SEGMENTS.filter(({ syntax, info }) => syntax === 'x12' && info.pairs !== undefined)
  expect(alternating.map(({ info }) => info.id)).toEqual([
    'PER',
    'PO1',
    'IT1',
    'LIN',
    'SLN',
    'ACK',
    'POC',
    'BLI',
    'IT8',
  ])
  for (const { info } of alternating) {
    const from = info.pairs?.from ?? 0
    const numbers = info.elements.slice(from - 1, from + 3).map(({ number }) => number)
    expect(numbers.slice(0, 2)).toEqual(numbers.slice(2))
  }
})

test.each(SEGMENTS)('no element of $name has a shorter maximum than minimum', ({ info }) => {
  const all = info.elements.flatMap((element) => [element, ...element.components])
  expect(all.filter(({ min, max }) => min > max)).toEqual([])
})

test.each(SEGMENTS)('the codes of $name fit the length of their element', ({ info }) => {
  for (const [place, meanings] of Object.entries(info.codes ?? {})) {
    const element = info.elements[Number(place) - 1]
    // Where pairs begin with a value, the codes are those of the qualifier behind it.
    const isValueFirst =
      info.pairs !== undefined && 'value' in info.pairs && info.pairs.from === Number(place)
    const coded = isValueFirst ? element?.components[1] : (element?.components[0] ?? element)
    const misfits = Object.keys(meanings).filter(
      (code) => code.length < (coded?.min ?? 0) || code.length > (coded?.max ?? 0),
    )
    expect(misfits, `element ${place}`).toEqual([])
  }
})

test('totals of invoices and amounts of charges have two implied decimals', () => {
  expect(DICTIONARIES.x12.find('TDS')?.elements.map(({ type }) => type)).toEqual(['N2', 'N2', 'N2', 'N2'])
  expect(DICTIONARIES.x12.find('SAC')?.elements[4]).toMatchObject({ number: '610', type: 'N2' })
})

test('numbers of data elements stand where acknowledgments need them', () => {
  const find = (syntax: Syntax, id: string, element: number, component?: number) => {
    const found = DICTIONARIES[syntax].find(id)?.elements[element - 1]
    return component === undefined ? found?.number : found?.components[component - 1]?.number
  }
  expect(find('x12', 'BEG', 3)).toBe('324')
  expect(find('x12', 'N4', 3)).toBe('116')
  expect(find('x12', 'PO1', 7)).toBe('234')
  expect(find('x12', 'PO1', 25)).toBe('234')
  expect(find('x12', 'MEA', 4, 1)).toBe('355')
  expect(find('edifact', 'NAD', 5, 2)).toBe('3042')
  expect(find('edifact', 'LIN', 3, 2)).toBe('7143')
  expect(find('edifact', 'QTY', 1, 2)).toBe('6060')
  expect(find('edifact', 'TDT', 5, 4)).toBe('3128')
})
