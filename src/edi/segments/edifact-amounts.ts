/** Segments of EDIFACT about amounts, taxes, terms of payment and totals. */
import type { SegmentDefinition } from '../dictionary.ts'
import { describeCode } from './edifact-parts.ts'

const RANGE = ['C280 range', '6411* ID 1/3 unit', '6162 R 1/18 from', '6152 R 1/18 to']
const CURRENCY = [
  'C504 currency',
  '6347* ID 1/3 use',
  '6345 ID 3/3 currency',
  '6343 ID 1/3 qualifier',
  '6348 N0 1/4 base',
]

export const EDIFACT_AMOUNTS: Readonly<Record<string, SegmentDefinition>> = {
  TAX: {
    name: 'Tax',
    qualifier: 1,
    elements: [
      '5283* ID 1/3 tax or duty',
      [...describeCode('C241 kind', '5153 ID 1/3 kind of tax'), '5152 AN 1/35 text'],
      describeCode('C533 account', '5289* AN 1/6 account'),
      '5286 AN 1/15 taxed amount',
      [
        'C243 rate',
        '5279 AN 1/7 rate code',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '5278 AN 1/17 rate',
        '5273 ID 1/12 basis',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
      ],
      '5305 ID 1/3 category',
      '3446 AN 1/20 tax id',
    ],
    codes: {
      1: { 5: 'customs duty', 6: 'fee', 7: 'tax' },
      6: { E: 'exempt', S: 'standard rate', Z: 'zero rate' },
    },
  },
  CUX: {
    name: 'Currency',
    qualifier: 1,
    elements: [CURRENCY, CURRENCY, '5402 R 1/12 exchange rate', '6341 ID 1/3 exchange market'],
    codes: { 1: { 1: 'charge', 2: 'reference', 3: 'target' } },
  },
  PCD: {
    name: 'Percent',
    qualifier: 1,
    elements: [
      [
        'C501* percent',
        '5245* ID 1/3 qualifier',
        '5482 R 1/10 percent',
        '5249 ID 1/3 basis',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
      ],
    ],
    codes: {
      1: { 1: 'allowance', 2: 'charge', 3: 'allowance or charge', 7: 'of the invoice', 12: 'discount' },
    },
  },
  PAT: {
    name: 'Terms of payment',
    qualifier: 1,
    elements: [
      '4279* ID 1/3 kind of terms',
      [...describeCode('C110 terms', '4277 AN 1/17 terms'), '4276 AN 1/35 text', '4276 AN 1/35 text'],
      [
        'C112 time',
        '2475 ID 1/3 reference',
        '2009 ID 1/3 relation',
        '2151 ID 1/3 unit of time',
        '2152 N0 1/3 number',
      ],
    ],
    codes: { 1: { 1: 'basic', 3: 'fixed date', 7: 'extended', 20: 'penalty', 22: 'discount' } },
  },
  MOA: {
    name: 'Amount',
    qualifier: 1,
    elements: [
      [
        'C516* amount',
        '5025* ID 1/3 qualifier',
        '5004 R 1/18 amount',
        '6345 ID 3/3 currency',
        '6343 ID 1/3 kind of currency',
        '4405 ID 1/3 status',
      ],
    ],
    codes: {
      1: {
        8: 'allowance or charge',
        9: 'amount due',
        23: 'charge',
        66: 'goods item total',
        77: 'invoice',
        79: 'total of lines',
        86: 'message total',
        124: 'tax',
        125: 'taxable',
        128: 'total',
        131: 'charges and allowances',
        176: 'total tax',
        203: 'line',
        204: 'allowance',
        259: 'total charges',
        260: 'total allowances',
      },
    },
  },
  ALC: {
    name: 'Allowance or charge',
    qualifier: 1,
    elements: [
      '5463* ID 1/3 allowance or charge',
      ['C552 details', '1230 AN 1/35 number', '5189 ID 1/3 kind'],
      '4471 ID 1/3 way of payment',
      '1227 ID 1/3 sequence',
      [...describeCode('C214 service', '7161 ID 1/3 service'), '7160 AN 1/35 text', '7160 AN 1/35 text'],
    ],
    codes: {
      1: { A: 'allowance', C: 'charge', N: 'no allowance or charge' },
      5: { DI: 'discount', FC: 'freight', HD: 'handling', PC: 'packing', TD: 'trade discount' },
    },
  },
  RTE: {
    name: 'Rate',
    qualifier: 1,
    elements: [
      ['C128* rate', '5419* ID 1/3 qualifier', '5420 R 1/15 rate', '5284 R 1/9 basis', '6411 ID 1/3 unit'],
    ],
  },
  RNG: { name: 'Range', qualifier: 1, elements: ['6167* ID 1/3 qualifier', RANGE] },
  APR: {
    name: 'Further price information',
    elements: [
      '4043 ID 1/3 class of trade',
      ['C138 multiplier', '5394* R 1/12 multiplier', '5393 ID 1/3 qualifier'],
      [
        'C960 reason',
        '4295 ID 1/3 reason',
        '1131 ID 1/3 list',
        '3055 ID 1/3 agency of the list',
        '4294 AN 1/35 text',
      ],
    ],
  },
  CNT: {
    name: 'Totals of a message',
    qualifier: 1,
    elements: [['C270* total', '6069* ID 1/3 qualifier', '6066 R 1/18 value', '6411 ID 1/3 unit']],
    codes: {
      1: { 1: 'sum of quantities', 2: 'number of lines', 7: 'gross weight', 11: 'number of packages' },
    },
  },
}
