/** Segments of EDIFACT about packages, carriers and measures. */
import type { SegmentDefinition } from '../dictionary.ts'
import { UNITS, describeCode } from './edifact-parts.ts'

const PACKAGE_KIND = [
  'C202 kind of package',
  '7065 ID 1/17 kind of package',
  '1131 ID 1/3 list',
  '3055 ID 1/3 agency of the list',
  '7064 AN 1/35 text',
]

export const EDIFACT_TRANSPORT: Readonly<Record<string, SegmentDefinition>> = {
  TDT: {
    name: 'Carrier and method',
    qualifier: 1,
    elements: [
      '8051* ID 1/3 stage',
      '8028 AN 1/17 conveyance',
      ['C220 mode', '8067 ID 1/3 mode', '8066 AN 1/17 mode text'],
      ['C228 means', '8179 ID 1/8 means', '8178 AN 1/17 means text'],
      [
        'C040 carrier',
        '3127 AN 1/17 carrier',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '3128 AN 1/35 carrier name',
      ],
      '8101 ID 1/3 direction',
      ['C401 excess', '8457* ID 1/3 reason', '8459* ID 1/3 who pays', '7130 AN 1/17 authorization'],
      [
        'C222 vehicle',
        '8213 AN 1/9 id',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '8212 AN 1/35 text',
        '8453 ID 1/3 nationality',
      ],
      '8281 ID 1/3 ownership',
    ],
    codes: {
      1: { 10: 'pre-carriage', 12: 'at departure', 20: 'main carriage', 30: 'on-carriage' },
      3: { 10: 'sea', 20: 'rail', 30: 'road', 40: 'air', 50: 'mail', 60: 'multimodal' },
    },
  },
  TOD: {
    name: 'Terms of delivery',
    elements: [
      '4055 ID 1/3 function',
      '4215 ID 1/3 way of payment',
      [...describeCode('C100 terms', '4053 ID 1/3 terms'), '4052 AN 1/70 text', '4052 AN 1/70 text'],
    ],
    codes: { 1: { 3: 'price and despatch', 5: 'transport', 6: 'delivery' } },
  },
  PAC: {
    name: 'Packages',
    elements: [
      '7224 N0 1/8 number of packages',
      ['C531 packaging', '7075 ID 1/3 level', '7233 ID 1/3 information', '7073 ID 1/3 terms'],
      PACKAGE_KIND,
      [
        'C402 described as',
        '7077* ID 1/3 format',
        '7064* AN 1/35 text',
        '7143 ID 1/3 kind of number',
        '7064 AN 1/35 text',
        '7143 ID 1/3 kind of number',
      ],
      ['C532 returnable', '8395 ID 1/3 payment', '8393 ID 1/3 contents'],
    ],
  },
  PCI: {
    name: 'Marks of packages',
    qualifier: 1,
    elements: [
      '4233 ID 1/3 kind of marks',
      ['C210 marks', '7102* AN 1/35 mark', ...Array.from({ length: 9 }, () => '7102 AN 1/35 mark')],
      '8275 ID 1/3 status',
      describeCode('C827 kind', '7511* ID 1/3 kind of mark'),
    ],
    codes: { 1: { 16: "buyer's", 17: "seller's", 24: "shipper's", '33E': 'SSCC' } },
  },
  HAN: {
    name: 'Handling',
    elements: [
      [...describeCode('C524 handling', '4079 ID 1/3 handling'), '4078 AN 1/70 text'],
      [...describeCode('C218 hazard', '7419 ID 1/4 hazard'), '7418 AN 1/35 text'],
    ],
  },
  EQD: {
    name: 'Equipment',
    qualifier: 1,
    elements: [
      '8053* ID 1/3 kind of equipment',
      [...describeCode('C237 id', '8260 AN 1/17 id'), '3207 ID 2/3 country'],
      [...describeCode('C224 size', '8155 ID 1/4 size'), '8154 AN 1/35 text'],
      '8077 ID 1/3 supplier',
      '8249 ID 1/3 status',
      '8169 ID 1/3 full or empty',
    ],
  },
  SEL: {
    name: 'Seal',
    elements: [
      '9308* AN 1/10 seal',
      [
        'C215 party',
        '9303 ID 1/3 party',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '9302 AN 1/35 text',
      ],
      '4517 ID 1/3 condition',
    ],
  },
  MEA: {
    name: 'Measure',
    qualifier: 1,
    elements: [
      '6311* ID 1/3 of what',
      [
        'C502 measure',
        '6313 ID 1/3 measure',
        '6321 ID 1/3 significance',
        '6155 ID 1/3 attribute',
        '6154 AN 1/70 text',
      ],
      [
        'C174 value',
        '6411* ID 1/3 unit',
        '6314 R 1/18 value',
        '6162 R 1/18 from',
        '6152 R 1/18 to',
        '6432 N0 1/2 digits',
      ],
      '7383 ID 1/3 surface',
    ],
    codes: {
      1: { AAE: 'measurement', CT: 'count', PD: 'physical dimension', WT: 'weight' },
      2: {
        AAA: 'net weight',
        AAB: 'gross weight',
        AAD: 'gross weight',
        G: 'gross weight',
        HT: 'height',
        LN: 'length',
        WD: 'width',
        WT: 'weight',
      },
      3: UNITS,
    },
  },
}
