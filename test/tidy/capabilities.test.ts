/** Each capability of the mapping language is shown by a test, or left out on purpose with a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const repository = new URL('../..', import.meta.url).pathname

const CAPABILITIES = {
  R1: 'encodings, byte order marks',
  R2: 'delimiter, quote, escape, files without quotes',
  R3: 'ends of lines of every kind',
  R4: 'lines above the header',
  R5: 'headers of several lines',
  R6: 'files without a header',
  R7: 'names of columns spelled otherwise',
  R8: 'several columns of one name',
  R9: 'required and unexpected columns',
  R10: 'rows too short and too long',
  R11: 'comments and blank lines',
  R12: 'footers',
  R13: 'types of rows',
  R14: 'columns and headings of each type',
  R15: 'fixed width',
  R16: 'sections in one file',
  R17: 'two files that belong together',
  R18: 'rows that make one record',
  R19: 'rows of one record that say different things',
  R20: 'several lines in one row',
  R21: 'lines of the same item',
  R22: 'packed files',
  R23: 'control totals',
  R24: 'files that repeat what was sent',
  V1: 'constant, default, first of several',
  V2: 'texts put together',
  V3: 'a part of a text',
  V4: 'capitals, padding, blanks',
  V5: 'texts that mean blank',
  V6: 'lookup tables',
  V7: 'keys of several columns',
  V8: 'conditions',
  V9: 'dates in many forms',
  V10: 'hours that come twice or never',
  V11: 'amounts in many forms',
  V12: 'exact decimals',
  V13: 'whole numbers in many forms',
  V14: 'words for yes and no',
  V15: 'UPCs from spreadsheets',
  V16: 'postal codes from spreadsheets',
  V17: 'names of countries and provinces',
  V18: 'texts that are too long',
  V19: 'characters a file cannot hold',
  V20: 'calculations',
  V21: 'numbers of rows and lines',
  V22: 'name and folder of the file',
  V23: 'rules with messages',
  O1: 'fields at their paths',
  O2: 'several records of one order',
  O3: 'several parcels of one item',
  O4: 'the kind of body chosen by the row',
  O5: 'what is blank is left out',
  O6: 'ids found by what files name',
  O7: 'nothing twice',
  O8: 'an outcome for every record',
  O9: 'each record for itself',
  O10: 'shapes of an export',
  O11: 'how an export is divided',
  O12: 'names of exported files',
  O13: 'a mapping that extends another',
  O14: 'a mapping held to its examples',
  O15: 'errors with their places',
} as const

/** The codes at the start of a title, as in `V6 and V7: lookups`. */
const TITLE = /['"`]((?:[RVO]\d+(?:, | and )?)+): /g

test('every capability is shown by a test that names it, or left out with a reason', () => {
  const files = readdirSync(`${repository}test`, { recursive: true, encoding: 'utf8' })
  const tests = files.filter((path) => path.endsWith('.test.ts'))
  const shown = tests.flatMap((path) =>
    [...readFileSync(`${repository}test/${path}`, 'utf8').matchAll(TITLE)].flatMap(
      ([, codes = '']) => codes.match(/\w\d+/g) ?? [],
    ),
  )
  const [, leftOut = ''] = readFileSync(`${repository}docs/mapping.md`, 'utf8').split(
    '## Left out on purpose',
  )
  const reasoned = [...leftOut.matchAll(/<!-- (\w\d+) -->/g)].map(([, code = '']) => code)

  const named = new Set([...shown, ...reasoned])
  expect(Object.entries(CAPABILITIES).filter(([code]) => !named.has(code))).toEqual([])
  expect([...named].filter((code) => !(code in CAPABILITIES))).toEqual([])
})
