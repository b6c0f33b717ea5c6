/** Contradictory settings of a mapping about its files are reported before any file is touched. */
import { expect, test } from 'vitest'
import { errorsOf, ORDERS } from './sheet.ts'

const withRead = (read: string) =>
  ORDERS.replace('operation: create-order\n', `operation: create-order\n${read}`)

const ofRead = async (read: string) => {
  const errors = await errorsOf(withRead(read))
  // The columns that the mapping then lacks do not matter here.
  return errors.filter((error) => error.includes(' read'))
}

test.each([
  ['{ format: xlsx }', '3:17 read.format: expected `csv`, `fixed`, `x12` or `edifact`'],
  ['{ format: csv, skip: heading }', '3:28 read.skip: expected how many lines, at most 1000, or `header`'],
  ['{ format: csv, skip: 0 }', '3:28 read.skip: must be at least 1'],
  [
    '{ format: csv, header: { lines: 2, names: 3 } }',
    '3:30 read.header: there are fewer lines than that: `names` is one of them',
  ],
  ['{ format: csv, header: { lines: 2 } }', '3:30 read.header: names is missing'],
  ['{ format: csv, rows: { short: fill } }', '3:37 read.rows.short: expected `pad`'],
  ['{ format: csv, decimal: comma }', '3:31 read.decimal: expected "." or ","'],
  ['{ format: csv, extra: reject }', '3:29 read.extra: expected `ignore` or `refuse`'],
  ['{ format: csv, missing: never }', '3:31 read.missing: expected `allow` or `refuse`'],
  ['{ format: csv, blanks: "-" }', '3:30 read.blanks: must be a list, such as `blanks: ["-", "N/A"]`'],
  [
    '{ format: csv, ignore: header }',
    '3:30 read.ignore: must be a list, such as `ignore: [{ startsWith: "#" }, { header: repeated }]`',
  ],
  [
    '{ format: csv, ignore: [header] }',
    '3:31 read.ignore[0]: must hold keys and values, such as `ignore: [{ startsWith: "#" }, { header: repeated }]`',
  ],
  [
    '{ format: csv, delimiter: comma }',
    '3:33 read.delimiter: expected one character in quotes, such as ";" or "\\t"',
  ],
  ['csv', '3:7 read: must hold keys and values, such as `read: { format: csv }`'],
  [
    '{ format: csv, columns: [PO], missing: refuse }',
    '3:37 read.missing: this is for files with a header line, and this mapping names the columns itself',
  ],
  ['{ format: csv, ignor: [] }', '3:22 read.ignor: there is no such key here. Did you mean "ignore"?'],
  [
    '{ format: csv, ignore: [{ startsWith: "#", matches: x }] }',
    '3:31 read.ignore[0]: say what the line is known by: either `startsWith`, `matches` or `header`',
  ],
  ['{ format: csv, ignore: [{ header: again }] }', '3:41 read.ignore[0].header: expected `repeated`'],
  [
    '{ format: csv, columns: [PO], ignore: [{ header: repeated }] }',
    '3:48 read.ignore[0].header: this is for files with a header line, and these have none',
  ],
  [
    '{ format: csv, ignore: [{ header: repeated }], records: { H: { as: header, columns: [A] }, D: { as: detail, columns: [B] }, X: { as: ignore } } }',
    '3:33 read.ignore[0].header: this is for files with a header line, and these have none',
  ],
  [
    '{ format: fixed, columns: [{ name: PO, length: 3 }], ignore: [{ header: repeated }] }',
    '3:71 read.ignore[0].header: this is for files with a header line, and these have none',
  ],
  [
    '{ format: csv, ignore: [{ matches: "(?=.*a)b" }] }',
    '3:42 read.ignore[0].matches: what the expression looks ahead or behind for may have no *, no + and no capturing brackets',
  ],
  [
    '{ format: csv, ignore: [{ matches: "a(" }] }',
    '3:42 read.ignore[0].matches: this is no regular expression: Invalid regular expression: /a(/u: Unterminated group',
  ],
  [
    '{ format: csv, escape: "," , delimiter: "," }',
    '3:22 read.escape: the escape must be a character other than the quote and the delimiter',
  ],
  ['{ format: csv, typeIn: 2 }', '3:22 read.typeIn: this is for files with `records`: name their types'],
])('%s is an error', async (read, error) => {
  expect(await ofRead(`read: ${read}\n`)).toEqual([error])
})

test('settings of a header line are an error where the mapping names the columns itself', async () => {
  const read = 'read: { format: csv, columns: [PO], skip: header, repeated: allowed, extra: refuse }\n'

  const why = 'this is for files with a header line, and this mapping names the columns itself'
  expect(await ofRead(read)).toEqual([
    `3:37 read.skip: ${why}`,
    `3:51 read.repeated: ${why}`,
    `3:70 read.extra: ${why}`,
  ])
})

test('settings of cells with delimiters are an error in a file of fixed width', async () => {
  const read =
    'read: { format: fixed, quote: null, delimiter: ";", skip: header, columns: [PO, { name: X, length: 2 }] }\n'

  expect(await ofRead(read)).toEqual([
    '3:24 read.quote: a file of fixed width has no use for this',
    '3:37 read.delimiter: a file of fixed width has no use for this',
    '3:53 read.skip: a file of fixed width has no header: write how many lines to skip',
    '3:67 read.columns: in a file of fixed width every column is written as { name: …, start: …, length: … }',
  ])
  expect(await ofRead('read: { format: fixed }\n')).toEqual([
    '3:9 read.format: a file of fixed width needs `columns`, or `records`, with the place of every column',
  ])
  expect(await ofRead('read: { format: csv, columns: [{ name: PO, start: 1, length: 3 }] }\n')).toEqual([
    '3:22 read.columns: `start` and `length` are for `format: fixed`; here name the columns in order',
  ])
})

test('record types that do not go together are all reported', async () => {
  const read = `read:
  format: csv
  typeIn: { start: 1, length: 2 }
  records:
    H: { as: header, columns: [PO, Name] }
    A: { of: H, columns: [Name, City] }
    B: { of: D, columns: [X] }
    C: { columns: [X] }
    E: { as: ignore }
    F: { of: E, columns: [X] }
    G: { as: footer, columns: [X] }
`
  expect(await ofRead(read)).toEqual([
    '13:14 read.records.G.as: expected `header`, `detail`, `ignore` or `totals`',
  ])
  expect(await ofRead(read.replace(/ +G:.*\n/, ''))).toEqual([
    '5:3 read.typeIn: `start` and `length` are for `format: fixed`; here write the number of a cell or a column name',
    '8:17 read.records.A.columns: the type H has a column "Name" already: its rows become one',
    '9:10 read.records.B.of: there is no record type "D". Known: H, A, B, C, E, F.',
    '10:5 read.records.C: say either what its rows are, `as: header`, `detail`, `ignore` or `totals`, or `of` which type they are a part',
    '12:10 read.records.F.of: rows are a part of a type that is `as: header` or `as: detail`',
  ])
})

test('a mapping whose record types name their columns may use no others', async () => {
  const read = `read:
  format: csv
  records:
    H: { as: header, columns: [PO Number] }
    A: { of: H, columns: [Order Date] }
    D: { as: detail, columns: [SKU] }
`
  const errors = await errorsOf(withRead(read).replace('group: PO Number\n', ''))

  expect(errors.some((error) => error.includes('purchase_order_number'))).toBe(false)
  expect(errors.some((error) => error.includes('ordered_at'))).toBe(false)
  expect(errors.find((error) => error.includes('name1'))).toContain('"Name"')
})

test('an unknown key of an ignored line is reported with the nearest one', async () => {
  expect(await ofRead('read: { format: csv, ignore: [{ startWith: "#" }] }\n')).toContain(
    '3:33 read.ignore[0].startWith: there is no such key here. Did you mean "startsWith"?',
  )
})
