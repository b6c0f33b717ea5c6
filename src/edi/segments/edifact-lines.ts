/** Segments of EDIFACT about levels and single items: ordered, answered, shipped, invoiced, in stock. */
import type { SegmentDefinition } from '../dictionary.ts'
import { ITEM_NUMBER, ITEM_NUMBERS, LINE_ACTIONS, describeCode } from './edifact-parts.ts'

const FURTHER_ITEM_NUMBERS = Array.from({ length: 5 }, () => ITEM_NUMBER)
const IDENTITIES = Array.from({ length: 5 }, () => [
  'C208 numbers',
  '7402* AN 1/35 number',
  '7402 AN 1/35 last number',
])
const RELATED_NUMBERS = Array.from({ length: 5 }, () => [
  'C206 number',
  '7402* AN 1/35 number',
  '7405 ID 1/3 kind of number',
  '4405 ID 1/3 status',
])
const STATUS_DETAIL = [
  '9011* ID 1/3 status',
  '1131 ID 1/3 list',
  '3055 ID 1/3 agency of the list',
  '9010 AN 1/35 text',
]
const STATUS_REASON = [
  'C556 reason',
  '9013* ID 1/3 reason',
  '1131 ID 1/3 list',
  '3055 ID 1/3 agency of the list',
  '9012 AN 1/35 text',
]
const NUMBER_KINDS = {
  BJ: 'SSCC',
  BN: 'serial number',
  BX: 'batch',
  EE: 'engine',
  ML: 'label',
}

export const EDIFACT_LINES: Readonly<Record<string, SegmentDefinition>> = {
  CPS: {
    name: 'Level',
    elements: ['7164* AN 1/12 id', '7166 AN 1/12 id of the level above', '7075 ID 1/3 kind of packaging'],
    codes: { 3: { 1: 'inner', 2: 'intermediate', 3: 'outer', 4: 'none' } },
  },
  LIN: {
    name: 'Line',
    pairs: { from: 3, value: 1, qualifier: 2, more: { id: 'PIA', from: 2 } },
    elements: [
      '1082 AN 1/6 line number',
      '1229 ID 1/3 action',
      ITEM_NUMBER,
      ['C829 part of a line', '5495 ID 1/3 part', '1082 AN 1/6 line number'],
      '1222 N0 1/2 level',
      '7083 ID 1/3 assembly',
    ],
    codes: { 2: LINE_ACTIONS, 3: ITEM_NUMBERS },
  },
  PIA: {
    name: 'More item numbers',
    qualifier: 1,
    pairs: { from: 2, value: 1, qualifier: 2 },
    elements: ['4347* ID 1/3 what they are for', ...FURTHER_ITEM_NUMBERS],
    codes: {
      1: {
        1: 'additional',
        2: 'for potential substitution',
        3: 'substituted by',
        4: 'substituted for',
        5: 'product',
      },
      2: ITEM_NUMBERS,
    },
  },
  IMD: {
    name: 'Description',
    qualifier: 1,
    elements: [
      '7077 ID 1/3 format',
      describeCode('C272 characteristic', '7081 ID 1/3 characteristic'),
      [
        ...describeCode('C273 description', '7009 AN 1/17 code'),
        '7008 AN 1/35 text',
        '7008 AN 1/35 text',
        '3453 ID 1/3 language',
      ],
      '7383 ID 1/3 surface',
    ],
    codes: { 1: { A: 'free text', C: 'code', F: 'free text' }, 2: { 35: 'color', 98: 'size', 8: 'product' } },
  },
  QTY: {
    name: 'Quantity',
    qualifier: 1,
    elements: [['C186* quantity', '6063* ID 1/3 qualifier', '6060* R 1/15 quantity', '6411 ID 1/3 unit']],
    codes: {
      1: {
        1: 'discrete',
        11: 'split',
        12: 'despatched',
        17: 'on hand',
        21: 'ordered',
        33: 'available',
        46: 'delivered',
        47: 'invoiced',
        52: 'in a package',
        59: 'consumer units in the traded unit',
        83: 'backordered',
        113: 'to be delivered',
        145: 'actual stock',
        192: 'free goods',
      },
    },
  },
  PRI: {
    name: 'Price',
    qualifier: 1,
    elements: [
      [
        'C509 price',
        '5125* ID 1/3 qualifier',
        '5118 R 1/15 price',
        '5375 ID 1/3 kind of price',
        '5387 ID 1/3 price list',
        '5284 R 1/9 units for the price',
        '6411 ID 1/3 unit',
      ],
      '5213 ID 1/3 change of the price of a part',
    ],
    codes: {
      1: {
        AAA: 'net',
        AAB: 'gross',
        AAE: 'information',
        CAL: 'calculated',
        INF: 'information',
        INV: 'invoice',
      },
    },
  },
  GIN: {
    name: 'Identities of goods',
    qualifier: 1,
    elements: ['7405* ID 1/3 kind of number', ...IDENTITIES],
    codes: { 1: NUMBER_KINDS },
  },
  GIR: {
    name: 'Related identities of goods',
    qualifier: 1,
    elements: ['7297* ID 1/3 set', ...RELATED_NUMBERS],
  },
  DLM: {
    name: 'Limits of a delivery',
    qualifier: 1,
    elements: [
      '4455 ID 1/3 back order',
      [
        'C522 instruction',
        '4403* ID 1/3 qualifier',
        '4401 ID 1/3 instruction',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '4400 AN 1/35 text',
      ],
      [...describeCode('C214 service', '7161 ID 1/3 service'), '7160 AN 1/35 text', '7160 AN 1/35 text'],
      '4457 ID 1/3 substitution',
    ],
  },
  QVR: {
    name: 'Difference of a quantity',
    elements: [
      ['C279 difference', '6064* R 1/15 difference', '6063 ID 1/3 qualifier'],
      '4221 ID 1/3 discrepancy',
      [
        'C960 reason',
        '4295 ID 1/3 reason',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '4294 AN 1/35 text',
      ],
    ],
    codes: {
      2: { AC: 'over-shipped', BP: 'partly shipped, rest follows', CP: 'partly shipped, rest canceled' },
    },
  },
  SGP: {
    name: 'Goods in equipment',
    elements: [
      [...describeCode('C237* id', '8260 AN 1/17 id'), '3207 ID 2/3 country'],
      '7224 N0 1/8 number of packages',
    ],
  },
  SCC: {
    name: 'Schedule',
    qualifier: 1,
    elements: [
      '4017* ID 1/3 status',
      '4493 ID 1/3 requirements',
      ['C329 pattern', '2013 ID 1/3 frequency', '2015 ID 1/3 pattern', '2017 ID 1/3 time'],
    ],
  },
  AJT: { name: 'Adjustment', qualifier: 1, elements: ['4465* ID 1/3 reason', '1082 AN 1/6 line number'] },
  INV: {
    name: 'Movement of stock',
    qualifier: 1,
    elements: [
      '4501 ID 1/3 direction',
      '7491 ID 1/3 kind of stock',
      '4499 ID 1/3 reason',
      '4503 ID 1/3 balance',
      [
        'C522 instruction',
        '4403* ID 1/3 qualifier',
        '4401 ID 1/3 instruction',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '4400 AN 1/35 text',
      ],
    ],
    codes: { 1: { 1: 'out of stock', 2: 'into stock' } },
  },
  STS: {
    name: 'Status',
    qualifier: 1,
    elements: [
      ['C601 kind of status', '9015* ID 1/3 kind', '1131 ID 1/3 list', '3055 ID 1/3 agency of the list'],
      ['C555 status', ...STATUS_DETAIL],
      STATUS_REASON,
      STATUS_REASON,
    ],
  },
}
