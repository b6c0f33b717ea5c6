/**
 * Grammars of EDIFACT messages. Written from what public guides of trading partners show for D.96A and D.01B; they are not
 * the standard, and a segment that they lack may be right. Loops are named by the segment that begins them.
 */
import type { GrammarDefinition, GrammarEntry } from '../grammar.ts'

const VERSIONS = ['D.93A', 'D.96A', 'D.97A', 'D.99B', 'D.01B', 'D.10A', 'D.21A']

const REFERENCE: GrammarEntry = { 'RFF 0..9999': ['DTM 0..5'] }
const DOCUMENT_NAMED: GrammarEntry = { 'DOC 0..5': ['DTM 0..1'] }

const PARTY: GrammarEntry = {
  'NAD 0..999': [
    'LOC 0..25',
    'FII 0..5',
    REFERENCE,
    DOCUMENT_NAMED,
    { 'CTA 0..25': ['COM 0..n'] },
    'COM 0..n',
  ],
}

const TAX: GrammarEntry = { 'TAX 0..99': ['MOA 0..n', 'LOC 0..5'] }
const CURRENCY: GrammarEntry = { 'CUX 0..5': ['PCD 0..1', 'DTM 0..5'] }
const TERMS: GrammarEntry = { 'PAT 0..10': ['DTM 0..5', 'PCD 0..1', 'MOA 0..1', 'PAI 0..1'] }
const TRANSPORT: GrammarEntry = {
  'TDT 0..10': ['MEA 0..n', REFERENCE, { 'LOC 0..10': ['DTM 0..5'] }, 'DTM 0..5'],
}
const DELIVERY_TERMS: GrammarEntry = { 'TOD 0..5': ['LOC 0..2', 'FTX 0..5'] }

/** Packages with their marks and numbers. */
const PACKAGES: GrammarEntry = {
  'PAC 0..9999': [
    'MEA 0..10',
    'QTY 0..10',
    'DTM 0..5',
    'HAN 0..n',
    'FTX 0..5',
    { 'PCI 0..1000': [REFERENCE, 'DTM 0..5', 'GIR 0..99', 'GIN 0..100', 'MEA 0..10', 'QTY 0..10'] },
  ],
}

/** Allowances and charges. */
const ALLOWANCE: GrammarEntry = {
  'ALC 0..99': [
    'ALI 0..5',
    REFERENCE,
    'DTM 0..5',
    'QTY 0..1',
    'PCD 0..1',
    'MOA 0..5',
    'RTE 0..1',
    'RNG 0..1',
    { 'TAX 0..5': ['MOA 0..1'] },
  ],
}

const PRICE: GrammarEntry = { 'PRI 0..25': ['CUX 0..1', 'APR 0..n', 'RNG 0..1', 'DTM 0..5'] }

/** What each line of an order or an invoice has. */
const LINE: readonly GrammarEntry[] = [
  'PIA 0..25',
  'IMD 0..99',
  'MEA 0..99',
  'QTY 0..99',
  'PCD 0..5',
  'ALI 0..5',
  'DTM 0..35',
  'MOA 0..10',
  'GIN 0..1000',
  'GIR 0..1000',
  'QVR 0..n',
  'PAI 0..1',
  'FTX 0..99',
  'EQD 0..n',
  PRICE,
  REFERENCE,
  PACKAGES,
  TAX,
  PARTY,
  ALLOWANCE,
  TERMS,
  TRANSPORT,
  DELIVERY_TERMS,
  DOCUMENT_NAMED,
  { 'LOC 0..9999': ['QTY 0..1', 'DTM 0..5'] },
  { 'SCC 0..100': ['FTX 0..5', REFERENCE, { 'QTY 0..10': ['DTM 0..5'] }] },
]

/** What an order, its change and the response to it share. */
const ORDER: readonly GrammarEntry[] = [
  'BGM 1',
  'DTM 1..35',
  'PAI 0..1',
  'ALI 0..5',
  'IMD 0..999',
  'FTX 0..99',
  'GIR 0..10',
  REFERENCE,
  PARTY,
  TAX,
  CURRENCY,
  TERMS,
  TRANSPORT,
  DELIVERY_TERMS,
  PACKAGES,
  'EQD 0..10',
  ALLOWANCE,
]

/** The summary behind the lines. The total of an order, MOA, is the message's. */
const ORDER_SUMMARY: readonly GrammarEntry[] = ['UNS 0..1', 'CNT 0..10', 'MOA 0..12']

const ORDERS: GrammarDefinition = {
  document: 'edifact/ORDERS',
  title: 'Purchase order',
  versions: VERSIONS,
  lines: 'LIN',
  segments: [...ORDER, { 'LIN 1..200000': LINE }, ...ORDER_SUMMARY],
}

const ORDCHG: GrammarDefinition = {
  document: 'edifact/ORDCHG',
  title: 'Purchase order change by the buyer',
  versions: VERSIONS,
  lines: 'LIN',
  // A change that cancels the whole order has no lines.
  segments: [...ORDER, { 'LIN 0..200000': LINE }, ...ORDER_SUMMARY],
}

const ORDRSP: GrammarDefinition = {
  document: 'edifact/ORDRSP',
  title: 'Purchase order response',
  versions: VERSIONS,
  lines: 'LIN',
  // A response that accepts the whole order may have no lines.
  segments: [
    ...ORDER,
    { 'AJT 0..10': ['FTX 0..5'] },
    { 'LIN 0..200000': [...LINE, { 'AJT 0..10': ['FTX 0..5'] }] },
    ...ORDER_SUMMARY,
  ],
}

const DESADV: GrammarDefinition = {
  document: 'edifact/DESADV',
  title: 'Despatch advice',
  versions: VERSIONS,
  // The innermost levels are packages, or the whole shipment where no package is described.
  records: ['CPS'],
  lines: 'LIN',
  total: { place: 'CNT+2.6066', loops: ['LIN'] },
  segments: [
    'BGM 1',
    'DTM 0..10',
    'ALI 0..5',
    'MEA 0..5',
    'MOA 0..5',
    'FTX 0..n',
    REFERENCE,
    PARTY,
    DELIVERY_TERMS,
    TRANSPORT,
    { 'EQD 0..10': ['MEA 0..5', 'SEL 0..25', 'HAN 0..n'] },
    {
      'CPS 1..9999': {
        tree: { id: 1, parent: 2, ranks: [] },
        segments: [
          'FTX 0..5',
          'QVR 0..n',
          'MEA 0..n',
          REFERENCE,
          PARTY,
          TRANSPORT,
          PACKAGES,
          {
            'LIN 0..9999': [
              'PIA 0..10',
              'IMD 0..25',
              'MEA 0..10',
              'QTY 0..10',
              'ALI 0..10',
              'GIN 0..100',
              'GIR 0..100',
              'DLM 0..100',
              'DTM 0..5',
              'FTX 0..5',
              'MOA 0..5',
              'QVR 0..10',
              'SGP 0..n',
              REFERENCE,
              PARTY,
              TRANSPORT,
              PRICE,
              { 'LOC 0..100': ['NAD 0..1', 'DTM 0..1', 'QTY 0..10'] },
              { 'PCI 0..9999': ['DTM 0..5', 'MEA 0..10', 'QTY 0..1', 'GIN 0..100'] },
            ],
          },
        ],
      },
    },
    'UNS 0..1',
    'CNT 0..5',
  ],
}

const INVOIC: GrammarDefinition = {
  document: 'edifact/INVOIC',
  title: 'Invoice',
  versions: VERSIONS,
  lines: 'LIN',
  segments: [
    'BGM 1',
    'DTM 1..35',
    'PAI 0..1',
    'ALI 0..5',
    'IMD 0..n',
    'FTX 0..99',
    'LOC 0..10',
    'GIR 0..10',
    REFERENCE,
    PARTY,
    // Taxes, allowances and charges of the whole invoice stand before the lines, and their sums behind them.
    TAX,
    CURRENCY,
    TERMS,
    TRANSPORT,
    DELIVERY_TERMS,
    PACKAGES,
    ALLOWANCE,
    { 'LIN 0..9999999': LINE },
    'UNS 1',
    'CNT 0..10',
    { 'MOA 1..100': [REFERENCE] },
  ],
}

const INVRPT: GrammarDefinition = {
  document: 'edifact/INVRPT',
  title: 'Inventory report',
  versions: VERSIONS,
  // Each item is a record, and its own only line.
  records: ['LIN'],
  lines: 'LIN',
  total: { place: 'CNT+2.6066', loops: ['LIN'] },
  segments: [
    'BGM 1',
    'DTM 1..10',
    'FTX 0..n',
    'MEA 0..n',
    REFERENCE,
    PARTY,
    CURRENCY,
    {
      'LIN 1..9999': [
        // INV says what the quantities behind it are of. It is no loop, so that QTY+145.6060 finds them.
        'PIA 0..10',
        'IMD 0..10',
        'MEA 0..99',
        'ALI 0..5',
        'DTM 0..n',
        'MOA 0..n',
        'FTX 0..n',
        'GIN 0..99',
        'GIR 0..n',
        'INV 0..n',
        'STS 0..n',
        { 'QTY 0..n': ['DTM 0..n', 'STS 0..n'] },
        PRICE,
        REFERENCE,
        // A quantity behind a warehouse is that of the warehouse, and no path takes it for the whole stock.
        { 'NAD 0..n': ['LOC 0..n', 'QTY 0..n', 'DTM 0..n', { 'CTA 0..5': ['COM 0..5'] }] },
        { 'LOC 0..n': ['QTY 0..n', 'DTM 0..n', 'INV 0..n'] },
      ],
    },
    'UNS 0..1',
    'CNT 0..5',
  ],
}

export const EDIFACT_GRAMMARS: readonly GrammarDefinition[] = [ORDERS, ORDCHG, ORDRSP, DESADV, INVOIC, INVRPT]
