/**
 * Grammars of X12 documents. Written from what public guides of trading partners show; they are not the standard, and a
 * segment that they lack may be right.
 */
import type { GrammarDefinition, GrammarEntry } from '../grammar.ts'
import { CREDIT, RETURN } from './x12-returns.ts'

const VERSIONS = ['004010', '004030', '004060', '005010', '006010', '007030', '008010']

/** Parties of a header. Amazon and Walmart write the carrier of an order, TD5, behind its ship-to. */
const PARTY: GrammarEntry = {
  'N1 0..200': [
    'N2 0..2',
    'N3 0..2',
    'N4 0..n',
    'REF 0..12',
    'PER 0..n',
    'FOB 0..1',
    'TD1 0..2',
    'TD5 0..12',
    'TD3 0..12',
    'TD4 0..5',
    'PKG 0..200',
  ],
}

/** Parties where a carrier behind one is never theirs, such as a party of a line or of a level of an 856. */
const PLAIN_PARTY: GrammarEntry = {
  'N1 0..200': ['N2 0..2', 'N3 0..2', 'N4 0..1', 'REF 0..12', 'PER 0..3'],
}

const NOTE: GrammarEntry = { 'N9 0..1000': ['DTM 0..n', 'MSG 0..1000', 'MTX 0..n', 'PWK 0..n'] }

/** What the headers of an order, its acknowledgment and its change share. */
const ORDER_HEADER: readonly GrammarEntry[] = [
  'CUR 0..1',
  'REF 0..n',
  'PER 0..3',
  'TAX 0..n',
  'FOB 0..n',
  'CTP 0..n',
  'PAM 0..10',
  'CSH 0..25',
  { 'SAC 0..25': ['CUR 0..1'] },
  'ITD 0..n',
  'DTM 0..10',
  'LDT 0..12',
  'LIN 0..5',
  'PID 0..200',
  'MEA 0..40',
  'PWK 0..25',
  'PKG 0..200',
  'TD1 0..2',
  'TD5 0..12',
  'TD3 0..12',
  'TD4 0..5',
  'MAN 0..10',
  'CTB 0..5',
  'TXI 0..n',
  'NTE 0..n',
  'MSG 0..n',
  NOTE,
  PARTY,
]

/** What the lines of an order, its acknowledgment and its change share. */
const ORDER_LINE: readonly GrammarEntry[] = [
  'LIN 0..n',
  'CUR 0..1',
  'PO3 0..25',
  'CTP 0..n',
  'PAM 0..10',
  'MEA 0..40',
  { 'PID 0..1000': ['MEA 0..10'] },
  'PWK 0..25',
  'PKG 0..200',
  'PO4 0..n',
  'REF 0..n',
  'PER 0..5',
  { 'SAC 0..25': ['CTP 0..1'] },
  'IT8 0..25',
  'CSH 0..n',
  'ITD 0..2',
  'TAX 0..n',
  'TXI 0..n',
  'FOB 0..n',
  'SDQ 0..500',
  'IT3 0..5',
  'DTM 0..10',
  'LDT 0..12',
  'TD1 0..1',
  'TD5 0..12',
  'TD3 0..12',
  'TD4 0..5',
  'MAN 0..10',
  'QTY 0..n',
  'AMT 0..n',
  'MSG 0..n',
  'NTE 0..n',
  { 'SCH 0..200': ['TD1 0..2', 'TD5 0..12', 'TD3 0..12', 'TD4 0..5', 'REF 0..n'] },
  { 'N9 0..1000': ['DTM 0..n', 'MSG 0..1000', 'MTX 0..n'] },
  PLAIN_PARTY,
  {
    'SLN 0..1000': [
      'MSG 0..n',
      'PID 0..1000',
      'CTP 0..25',
      'PO4 0..n',
      'TAX 0..3',
      'DTM 0..10',
      'REF 0..n',
      'SAC 0..25',
      'QTY 0..n',
    ],
  },
]

/**
 * The end of an order. AMT behind CTT belongs to the set and not to CTT, because a path such as AMT*TT.02 does not look
 * into a loop beside it.
 */
const ORDER_END: readonly GrammarEntry[] = ['CTT 0..1', 'AMT 0..n']

/** A level of an 856 or 870 is a whole order, package or item. */
const LEVEL_SHARED: readonly GrammarEntry[] = [
  'LIN 0..1',
  'SN1 0..1',
  'SLN 0..n',
  'PRF 0..1',
  'PO4 0..1',
  'PID 0..200',
  'MEA 0..40',
  'PWK 0..25',
  'PKG 0..25',
  'TD1 0..20',
  'TD5 0..12',
  'TD3 0..12',
  'TD4 0..5',
  'REF 0..n',
  'PER 0..3',
  'MAN 0..n',
  'DTM 0..10',
  'QTY 0..n',
  'NTE 0..n',
  'N9 0..n',
  'MSG 0..n',
  PLAIN_PARTY,
]

const ORDER: GrammarDefinition = {
  document: 'x12/850',
  group: 'PO',
  title: 'Purchase order',
  versions: VERSIONS,
  lines: 'PO1',
  segments: ['BEG 1', ...ORDER_HEADER, { 'PO1 1..100000': ORDER_LINE }, ...ORDER_END],
}

const ORDER_ACKNOWLEDGMENT: GrammarDefinition = {
  document: 'x12/855',
  group: 'PR',
  title: 'Purchase order acknowledgment',
  versions: VERSIONS,
  // A PO1 may have several answers, such as four accepted and two refused. An answer is a line.
  lines: 'ACK',
  segments: [
    'BAK 1',
    ...ORDER_HEADER,
    { 'PO1 0..100000': [...ORDER_LINE, { 'ACK 0..104': ['DTM 0..n'] }] },
    ...ORDER_END,
  ],
}

const ORDER_CHANGE: GrammarDefinition = {
  document: 'x12/860',
  group: 'PC',
  title: 'Purchase order change by the buyer',
  versions: VERSIONS,
  lines: 'POC',
  // A change that cancels the whole order has no lines.
  segments: ['BCH 1', ...ORDER_HEADER, { 'POC 0..n': ORDER_LINE }, ...ORDER_END],
}

const ORDER_CHANGE_BY_SELLER: GrammarDefinition = {
  document: 'x12/865',
  group: 'CA',
  title: 'Purchase order change by the seller, or the answer to one',
  versions: VERSIONS,
  lines: 'POC',
  segments: [
    'BCA 1',
    ...ORDER_HEADER,
    { 'POC 0..n': [...ORDER_LINE, { 'ACK 0..104': ['DTM 0..n'] }] },
    ...ORDER_END,
  ],
}

const ORDER_STATUS: GrammarDefinition = {
  document: 'x12/870',
  group: 'RS',
  title: 'Order status report',
  versions: VERSIONS,
  records: ['HL*O'],
  lines: 'HL*I',
  total: { place: 'CTT.01', loops: ['HL', 'HL*O', 'HL*I'] },
  segments: [
    'BSR 1',
    'REF 0..n',
    'PER 0..3',
    'DTM 0..10',
    'NTE 0..n',
    PLAIN_PARTY,
    {
      'HL 1..n': {
        tree: { id: 1, parent: 2, level: 3, ranks: ['S', 'O', 'T', 'P', 'I'] },
        // PO1 is no loop: an item level has one. As a loop it would hide the status of the item, ISR, behind it, and
        // a path would find that of the order. A partner with several PO1 in one level needs a grammar of its own.
        segments: [...LEVEL_SHARED, 'ISR 0..n', 'PO1 0..1', 'ACK 0..n', 'CTP 0..n', 'SCH 0..n'],
      },
    },
    'CTT 0..1',
  ],
}

const SHIPMENT: GrammarDefinition = {
  document: 'x12/856',
  group: 'SH',
  title: 'Advance ship notice',
  versions: VERSIONS,
  // Packages where an order has any, else orders.
  records: ['HL*P', 'HL*O'],
  lines: 'HL*I',
  // Some partners count levels, and others items.
  total: { place: 'CTT.01', loops: ['HL', 'HL*I'] },
  segments: [
    'BSN 1',
    'REF 0..n',
    'DTM 0..10',
    {
      'HL 1..200000': {
        tree: { id: 1, parent: 2, level: 3, ranks: ['S', 'O', 'T', 'P', 'I'] },
        segments: [
          ...LEVEL_SHARED,
          'FOB 0..1',
          'PAL 0..1',
          'CLD 0..200',
          'CUR 0..1',
          'SAC 0..n',
          'ITD 0..n',
          'AMT 0..n',
          'SDQ 0..50',
        ],
      },
    },
    'CTT 0..1',
  ],
}

const INVOICE: GrammarDefinition = {
  document: 'x12/810',
  group: 'IN',
  title: 'Invoice',
  versions: VERSIONS,
  lines: 'IT1',
  segments: [
    'BIG 1',
    'NTE 0..100',
    'CUR 0..1',
    'REF 0..12',
    'PER 0..3',
    PLAIN_PARTY,
    'ITD 0..n',
    'DTM 0..10',
    'FOB 0..1',
    'PID 0..200',
    'MEA 0..40',
    'PWK 0..25',
    'PKG 0..25',
    'TAX 0..n',
    'PAM 0..n',
    'MSG 0..n',
    { 'N9 0..n': ['MSG 0..n'] },
    {
      'IT1 0..200000': [
        'QTY 0..5',
        'CUR 0..1',
        'IT3 0..5',
        'TXI 0..10',
        'CTP 0..25',
        'PAM 0..10',
        'MEA 0..40',
        { 'PID 0..1000': ['MEA 0..10'] },
        'PWK 0..25',
        'PKG 0..25',
        'PO4 0..n',
        'ITD 0..2',
        'REF 0..n',
        'PER 0..5',
        'SDQ 0..500',
        'DTM 0..10',
        'CAD 0..n',
        'AMT 0..n',
        'TAX 0..n',
        'NTE 0..n',
        'MSG 0..n',
        { 'SAC 0..25': ['TXI 0..10'] },
        { 'SLN 0..1000': ['DTM 0..1', 'REF 0..n', 'PID 0..1000', 'SAC 0..25', 'TXI 0..10'] },
        PLAIN_PARTY,
      ],
    },
    'TDS 1',
    'TXI 0..10',
    'CAD 0..1',
    'AMT 0..n',
    { 'SAC 0..25': ['TXI 0..10'] },
    { 'ISS 0..n': ['PID 0..1'] },
    'CTT 0..1',
  ],
}

const INVENTORY: GrammarDefinition = {
  document: 'x12/846',
  group: 'IB',
  title: 'Inventory advice',
  versions: VERSIONS,
  // Each item is a record, and its own only line.
  records: ['LIN'],
  lines: 'LIN',
  total: { place: 'CTT.01', loops: ['LIN'] },
  segments: [
    'BIA 1',
    'CUR 0..1',
    'DTM 0..10',
    'REF 0..12',
    'PER 0..3',
    'NTE 0..n',
    'MSG 0..n',
    PLAIN_PARTY,
    {
      'LIN 1..n': [
        'CUR 0..1',
        'PID 0..200',
        'MEA 0..40',
        'PKG 0..n',
        'PO4 0..n',
        'DTM 0..10',
        'CTP 0..25',
        'PAM 0..n',
        'REF 0..n',
        'PER 0..3',
        'SDQ 0..500',
        'UIT 0..12',
        'AMT 0..n',
        'NTE 0..n',
        'MSG 0..n',
        'SLN 0..n',
        'IT3 0..n',
        { 'QTY 0..99': ['UIT 0..n', 'MEA 0..n', 'LDT 0..12', 'DTM 0..n', 'REF 0..n', 'SCH 0..n'] },
        // A quantity behind a warehouse is that of the warehouse, and no path takes it for the whole stock.
        {
          'N1 0..200': [
            'N2 0..2',
            'N3 0..2',
            'N4 0..1',
            'REF 0..12',
            'PER 0..3',
            'QTY 0..n',
            'LDT 0..12',
            'DTM 0..n',
          ],
        },
      ],
    },
    'CTT 0..1',
  ],
}

export const X12_GRAMMARS: readonly GrammarDefinition[] = [
  RETURN,
  INVOICE,
  CREDIT,
  INVENTORY,
  ORDER,
  ORDER_ACKNOWLEDGMENT,
  SHIPMENT,
  ORDER_CHANGE,
  ORDER_CHANGE_BY_SELLER,
  ORDER_STATUS,
]
