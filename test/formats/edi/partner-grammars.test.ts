/** Grammars of partners: what they let through that the built-in ones refuse, and what they refuse besides. */
import { describe, expect, test } from 'vitest'
import {
  dress,
  make810,
  make850,
  make856,
  makeInterchange,
  makeLevels,
  type MadeDocument,
  type MadeSegment,
  makeOrders,
} from '../../fixtures/edi-maker.ts'
import { constantBody } from '../../mapping/ready-bodies.ts'
import { stringify } from 'yaml'
import { bodiesOf, outcomeOf, problemsOf, readFile } from './tools.ts'

const LINE = { quantity: 2, pairs: [['SK', 'A-1'] as const] }

const ORDER_BASE = stringify({
  operation: 'create-order',
  read: { format: 'x12', document: 850 },
  body: constantBody('create-order', {
    purchase_order_number: { from: 'BEG.03' },
    order_lines: [{ variant: { identifier: { from: 'PO1.SK' } }, quantity: { from: 'PO1.02' } }],
  }),
})

const SHIPMENT_BASE = stringify({
  operation: 'create-shipment',
  read: { format: 'x12', document: 856 },
  body: constantBody('create-shipment', {
    tracking_number: { from: 'MAN*CP.02' },
    shipment_lines: [{ variant: { upc: { from: 'LIN.UP' } }, quantity: { from: 'SN1.02' } }],
  }),
})

const INVOICE_BASE = stringify({
  operation: 'create-invoice',
  read: { format: 'x12', document: 810 },
  body: constantBody('create-invoice', {
    invoice_number: { from: 'BIG.02' },
    invoice_lines: [{ variant: { upc: { from: 'IT1.UP' } }, quantity: { from: 'IT1.02' } }],
  }),
})

function fileOf(...sets: readonly MadeDocument[]): Buffer {
  return dress(makeInterchange({ syntax: 'x12', groups: [{ sets }] }), { newline: '\n' })
}

/** Puts segments into a document behind the first one of an id. */
function insertAfter(made: MadeDocument, id: string, ...segments: MadeSegment[]): MadeDocument {
  const at = made.segments.findIndex(([own]) => own === id) + 1
  return { ...made, segments: [...made.segments.slice(0, at), ...segments, ...made.segments.slice(at)] }
}

/** A mapping of five lines that extends the base and names the grammar. */
const extending = (lines = '') => `extends: ./base.yaml\nread: { grammar: ./acme.yaml }\n${lines}`

describe('a grammar and a mapping of five lines each read what the built-in grammar refuses', () => {
  test('references whose qualifier stands in another element', async () => {
    const file = fileOf(insertAfter(make850({ po: '', lines: [LINE] }), 'BEG', ['REF', '', 'HV-1', 'PO']))
    const base = ORDER_BASE.replace('BEG.03', 'REF*PO.02')
    const grammar = 'extends: x12/850\nqualifiers: { REF: 03 }\n'

    const refused = await readFile(base, file)
    const read = await readFile(extending(), file, { 'base.yaml': base, 'acme.yaml': grammar })

    expect(problemsOf(refused.drafts)).toEqual(['value-missing segment 3 (REF*PO) 02'])
    expect(bodiesOf(read)).toMatchObject([{ purchase_order_number: 'HV-1' }])
  })

  test('packs below their items, of which no level names its parent', async () => {
    const item = { quantity: 3, pairs: [['UP', '812345678904'] as const] }
    const levels = makeLevels(
      { orders: [{ po: 'HV-1', packs: [{ tracking: '1Z1', items: [item] }] }] },
      'S-O-I-P',
    )
    const file = fileOf(make856({ number: '1', levels, numbering: { parents: 'blank' } }))
    const grammar = 'extends: x12/856\nranks: [S, O, I, P]\n'

    const refused = await readFile(SHIPMENT_BASE, file)
    const read = await readFile(extending(), file, { 'base.yaml': SHIPMENT_BASE, 'acme.yaml': grammar })

    // The pack without items, and the item without a pack.
    expect(refused.drafts.map(outcomeOf)).toEqual(['refused', 'refused'])
    expect(bodiesOf(read)).toMatchObject([
      { tracking_number: '1Z1', shipment_lines: [{ variant: { upc: '812345678904' }, quantity: 3 }] },
    ])
  })

  test('invoices without the segment of their total', async () => {
    const made = make810({ number: 'INV-1', po: 'HV-1', total: '10', lines: [] })
    const lines: MadeSegment[] = [['IT1', '1', '2', 'EA', '5', '', 'UP', '812345678904']]
    const whole = insertAfter(made, 'BIG', ...lines)
    const file = fileOf({ ...whole, segments: whole.segments.filter(([id]) => id !== 'TDS') })
    const grammar = 'extends: x12/810\nsegments: { ST: [TDS 0..1] }\n'

    const refused = await readFile(INVOICE_BASE, file)
    const read = await readFile(extending(), file, { 'base.yaml': INVOICE_BASE, 'acme.yaml': grammar })

    expect(problemsOf(refused.drafts)).toEqual(['segment-missing segment 3 (ST)'])
    expect(bodiesOf(read)).toMatchObject([{ invoice_number: 'INV-1' }])
  })

  test('segments of their own, which a path names', async () => {
    const file = fileOf(insertAfter(make850({ po: 'HV-1', lines: [LINE] }), 'PO1', ['ZA1', 'BLUE']))
    const mapping = extending('body: { gift_message: { every: PO1/ZA1.01 } }')
    const grammar = 'extends: x12/850\nsegments: { PO1: [ZA1 0..1] }\n'

    const read = await readFile(mapping, file, { 'base.yaml': ORDER_BASE, 'acme.yaml': grammar })

    expect(bodiesOf(read)).toMatchObject([{ gift_message: ['BLUE'] }])
  })
})

const ADDRESS = {
  role: 'ST',
  name: 'Ada Whitfield',
  street: ['1 Mill Lane'],
  city: 'Portland',
  province: 'ME',
  postalCode: '04101',
  country: 'US',
}

/** ISA 1, GS 2, ST 3, BEG 4, N1 5, N3 6, N4 7, PO1 8, CTT 9, SE 10. */
const order = make850({ po: 'HV-1', addresses: [ADDRESS], lines: [LINE] })

async function refusalsOf(grammar: string, file: Buffer): Promise<string[]> {
  const { drafts } = await readFile(extending(), file, {
    'base.yaml': ORDER_BASE,
    'acme.yaml': `extends: x12/850\n${grammar}\n`,
  })
  return drafts.flatMap(({ problems }) =>
    problems.map(({ code, message, place: { spot } }) => `${code} ${spot?.segment} ${spot?.id}: ${message}`),
  )
}

function without(made: MadeDocument, id: string): MadeDocument {
  return { ...made, segments: made.segments.filter(([own]) => own !== id) }
}

describe('what a partner requires', () => {
  test.each([
    ['a segment of the document', 'REF*DP', [' 3 ST: No REF*DP stands in the set']],
    ['a loop that is there', 'N1*ST', []],
    ['a loop of another qualifier', 'N1*BT', [' 3 ST: No N1*BT stands in the set']],
    ['a segment in a loop', 'N1*ST/N3', []],
    ['a segment that the loop lacks', 'N1*ST/N2', [' 5 N1: No N2 stands in the loop of N1*ST']],
    ['a segment in a loop that is not there', 'N1*BT/N3', [' 3 ST: No N1*BT stands in the set']],
    ['a segment in each of several loops', 'PO1/PID', [' 8 PO1: No PID stands in the loop of PO1']],
    ['an element that is filled', 'N1*ST/N4.03', []],
    ['an element of the first segment of a loop', 'PO1.02', []],
  ])('%s', async (_, place, expected) => {
    const found = await refusalsOf(`required: [${place}]`, fileOf(order))

    expect(found).toEqual(expected.map((each) => `segment-missing${each}; the grammar requires it.`))
  })

  test('a segment in each loop, of which one lacks it', async () => {
    const two = make850({ po: 'HV-1', lines: [{ ...LINE, name: 'Lamp' }, LINE] })

    expect(await refusalsOf('required: [PO1/PID]', fileOf(two))).toEqual([
      'segment-missing 7 PO1: No PID stands in the loop of PO1; the grammar requires it.',
    ])
  })

  test('an element that is blank is named with its loop', async () => {
    const file = fileOf(make850({ po: 'HV-1', addresses: [{ ...ADDRESS, postalCode: '' }], lines: [LINE] }))

    expect(await refusalsOf('required: [N1*ST/N4.03]', file)).toEqual([
      'value-missing 7 N1*ST/N4: N403 is blank; the grammar requires it.',
    ])
  })

  test('a segment of a level is looked for at that level', async () => {
    const items = [{ quantity: 1, pairs: [['UP', '1'] as const] }]
    const levels = makeLevels({ orders: [{ po: 'HV-1', packs: [{ tracking: '1Z1', items }, { items }] }] })
    const grammar = 'extends: x12/856\nrequired: [HL*P/MAN*CP, HL*O/PRF.01]\n'

    const { drafts } = await readFile(extending(), fileOf(make856({ number: '1', levels })), {
      'base.yaml': SHIPMENT_BASE,
      'acme.yaml': grammar,
    })

    const messages = drafts.flatMap(({ problems }) => problems.map(({ message }) => message))
    expect(messages).toEqual(['No MAN*CP stands in the loop of HL*P; the grammar requires it.'])
  })

  test('refuses only the set that lacks it', async () => {
    const { drafts } = await readFile(extending(), fileOf(order, without(order, 'N3')), {
      'base.yaml': ORDER_BASE,
      'acme.yaml': 'extends: x12/850\nrequired: [N1*ST/N3]\n',
    })

    expect(drafts.map(outcomeOf)).toEqual(['taken', 'refused'])
  })
})

describe('the codes that a partner allows', () => {
  test.each([
    ['is one of them', '{ BEG.02: [DS, SA] }', []],
    ['is none of them', '{ BEG.02: [SA, NE] }', ['4 BEG: BEG02 is "DS"; the grammar allows SA, NE.']],
    ['is blank', '{ BEG.04: [X] }', []],
    ['looks like a number', '{ BEG.01: [00, 01] }', []],
    ['is in a loop', '{ N1*ST/N4.04: [CA] }', ['7 N1*ST/N4: N404 is "US"; the grammar allows CA.']],
    ['is in another loop', '{ N1*BT/N4.04: [CA] }', []],
    ['is in every line', '{ PO1.03: [CT] }', ['8 PO1: PO103 is "EA"; the grammar allows CT.']],
    ['is in the header of the set', '{ ST.01: ["850"] }', []],
  ])('a code that %s', async (_, codes, expected) => {
    const found = await refusalsOf(`codes: ${codes}`, fileOf(order))

    expect(found).toEqual(expected.map((each) => `value-not-allowed ${each}`))
  })

  test('are those of components and data elements too', async () => {
    const orders = makeOrders({ number: 'HV-1', lines: [{ item: ['1', 'UP'], quantities: { 21: 1 } }] })
    const file = dress(makeInterchange({ syntax: 'edifact', groups: [{ sets: [orders] }] }), {
      newline: '\n',
    })
    const base = ORDER_BASE.replace('x12', 'edifact')
      .replace('850', 'ORDERS')
      .replace('BEG.03', 'BGM.1004')
      .replace('PO1.SK', 'LIN.UP')
      .replace('PO1.02', 'QTY+21.6060')
    const grammar = 'extends: edifact/ORDERS\ncodes: { BGM.1225: [5], LIN.03-2: [EN] }\n'

    const { drafts } = await readFile(extending(), file, { 'base.yaml': base, 'acme.yaml': grammar })

    expect(drafts.flatMap(({ problems }) => problems.map(({ message }) => message))).toEqual([
      'BGM03 is "9"; the grammar allows 5.',
      'LIN03-2 is "UP"; the grammar allows EN.',
    ])
  })
})

describe('a closed grammar', () => {
  const foreign = insertAfter(order, 'BEG', ['ZZZ', '1'])
  const misplaced = insertAfter(order, 'BEG', ['N3', '1 Mill Lane'])
  const doubled = insertAfter(order, 'BEG', ['CUR', 'BY', 'USD'], ['CUR', 'BY', 'USD'])
  const manyLoops = insertAfter(order, 'BEG', ['SAC', 'C'], ['SAC', 'A'])

  test('refuses segments that the document does not have, or not there, or not so often', async () => {
    const grammar = 'closed: true\nsegments: { ST: [SAC 0..1] }'

    expect(await refusalsOf(grammar, fileOf(order))).toEqual([])
    expect(await refusalsOf(grammar, fileOf(foreign))).toEqual([
      'segment-unknown 5 ZZZ: ZZZ has no place in the set.',
    ])
    expect(await refusalsOf(grammar, fileOf(misplaced))).toEqual([
      'segment-misplaced 5 N3: N3 has no place in the set.',
    ])
    expect(await refusalsOf(grammar, fileOf(doubled))).toEqual([
      'segment-repeated 6 CUR: CUR stands there more than 1 times.',
    ])
    expect(await refusalsOf(grammar, fileOf(manyLoops))).toEqual([
      'segment-repeated 6 SAC: SAC stands there more than 1 times.',
    ])
  })

  test('refuses what it takes away, which an open one only notes', async () => {
    const grammar = 'segments: { "N1": [N3 0] }'

    expect(await refusalsOf(`closed: true\n${grammar}`, fileOf(order))).toEqual([
      'segment-misplaced 6 N3: N3 has no place in the loop of N1.',
    ])
    expect(await refusalsOf(grammar, fileOf(order))).toEqual([])
  })
})
