/** Grammars of the X12 documents about goods that come back: written from what public guides show, as in x12.ts. */
import type { GrammarDefinition, GrammarEntry } from '../grammar.ts'

const VERSIONS = ['004010', '005010']

const PARTY: GrammarEntry = {
  'N1 0..200': ['N2 0..2', 'N3 0..2', 'N4 0..1', 'REF 0..n', 'N9 0..n', 'PER 0..n'],
}

export const RETURN: GrammarDefinition = {
  document: 'x12/180',
  group: 'AN',
  title: 'Return authorization',
  versions: VERSIONS,
  lines: 'BLI',
  segments: [
    'BGN 1',
    'RDR 0..1',
    'PRF 0..1',
    'DTM 0..10',
    'N9 0..n',
    'PER 0..n',
    { 'SAC 0..25': ['CUR 0..1'] },
    PARTY,
    {
      'BLI 0..n': [
        'N9 0..n',
        'PID 0..n',
        'RDR 0..1',
        'PRF 0..1',
        'DTM 0..10',
        'MSG 0..n',
        'QTY 0..n',
        'AMT 0..n',
        { 'SAC 0..25': ['CUR 0..1'] },
      ],
    },
  ],
}

export const CREDIT: GrammarDefinition = {
  document: 'x12/812',
  group: 'CD',
  title: 'Credit or debit adjustment',
  versions: VERSIONS,
  lines: 'CDD',
  segments: [
    'BCD 1',
    'CUR 0..1',
    'N9 0..n',
    'PER 0..n',
    'ITD 0..n',
    'DTM 0..n',
    'FOB 0..1',
    { 'SAC 0..25': ['CUR 0..1'] },
    PARTY,
    {
      'CDD 0..n': [
        'LIN 0..1',
        'PO4 0..1',
        'N9 0..n',
        'DTM 0..10',
        'PID 0..n',
        'MSG 0..n',
        { 'SAC 0..25': ['CUR 0..1'] },
      ],
    },
  ],
}
