/** Errors in the settings of an export: all of them, each with its line and column. */
import { expect, test } from 'vitest'
import { errorsOf } from './sheet.ts'

test('every error in the options of a column is reported', async () => {
  const text = `operation: export-orders
columns:
  A: gift_message[x]
  B: ship_to[0].city
  C: { all: [ship_to.city, ship_to.town] }
  D: { firstOf: [ship_to.name2], with: x }
  E: { from: id, count: order_lines }
  F: { sum: ship_to.city, case: upper }
  G: { sum: order_lines.quantity, case: upper }
  H: { count: ship_to.city }
  I: { sum: order_line.quantity }
  J: { from: order_lines.variant.nme, join: "|" }
  K: { from: ordered_at, decimal: "," }
  L: { from: subtotal_charged, implied: 2, zeros: cut }
  M: { from: status, yes: Y }
  N: { from: id, reverse: method }
  O: { from: id, table: ship-via, reverse: methd }
  P: { from: id, table: ship-via, pick: method, reverse: method }
  Q: { from: id, long: cut }
  R: { from: id, align: right }
  S: { from: id, width: 0 }
  T: { from: id, formulas: yes }
  U: { const: far too long, width: 5 }
  V: { from: id, with: x }
  W: { from: order_lines, join: "|" }
  X: { const: x, case: upper }
tables:
  ship-via: { rows: { Ground: { method: A, carrier: B } } }
`

  expect(await errorsOf(text)).toEqual([
    '3:6 columns.A: the record has no field "gift_message[x]". Did you mean "gift_message"?',
    '4:6 columns.B: ship_to is no list, so it has no positions',
    '5:28 columns.C.all[1]: ship_to has no field "town".',
    '6:17 columns.D.firstOf: expected a list of paths, two or more',
    '7:6 columns.E: say where the value comes from with exactly one of `from`, `firstOf`, `all`, `sum`, `count`, `filled`, `const` and `kept`',
    '8:33 columns.F.case: a sum or a count takes no `case`',
    '9:41 columns.G.case: a sum or a count takes no `case`',
    '10:15 columns.H.count: ship_to.city is no list, so there is nothing to count',
    '11:13 columns.I.sum: the record has no field "order_line". Did you mean "order_lines"?',
    '12:14 columns.J.from: order_lines.variant has no field "nme". Did you mean "name"?',
    '13:35 columns.K.decimal: `decimal` is for numbers',
    '14:41 columns.L.implied: with `implied` no point is written, so there is no `decimal` and there are no `zeros` to cut',
    '15:27 columns.M.yes: `yes` is for true and false, and status is neither; to say whether it is there write `filled: status`',
    '16:27 columns.N.reverse: `reverse` needs a `table`',
    '17:44 columns.O.reverse: the table "ship-via" has no column "methd". Did you mean "method"?',
    '18:58 columns.P.reverse: `pick` and `reverse` exclude each other',
    '19:24 columns.Q.long: `long: cut` needs a `width`',
    '20:25 columns.R.align: `align` is for fixed-width files',
    '21:25 columns.S.width: must be at least 1',
    '22:28 columns.T.formulas: expected `guard` or `keep`',
    '23:15 columns.U.const: "far too long" has 12 characters; the column takes 5.',
    '24:24 columns.V.with: `with` is for `all`',
    '25:14 columns.W.from: this is a list: name it under `each` to have a row for each of its items',
    '26:6 columns.X: a constant takes no other options',
  ])
})

test('every error in how the file is written is reported', async () => {
  const write = (options: string) =>
    errorsOf(`operation: export-orders\nwrite: { ${options} }\ncolumns: { Größe: id }`)

  expect(await write('format: xml')).toEqual([
    '2:18 write.format: expected `csv`, `fixed`, `x12` or `edifact`',
  ])
  expect(await write('format: csv, encoding: klingon')).toEqual([
    '2:23 write.encoding: files cannot be written as "klingon": try utf-8, windows-1252 or utf-16le',
  ])
  expect(await write('format: csv, encoding: latin1, byteOrderMark: true')).toEqual([
    '2:41 write.byteOrderMark: a byte order mark is for utf-8 and utf-16, not for latin1',
  ])
  expect(await write('format: csv, replace: "?"')).toEqual([
    '2:23 write.replace: utf-8 holds every character, so there is nothing to replace',
  ])
  expect(await write('format: csv, encoding: latin1, replace: "ü"')).toEqual([
    '2:50 write.replace: expected one plain character, such as "?"',
  ])
  expect(await write('format: csv, fold: all')).toEqual(['2:29 write.fold: expected `ascii`'])
  expect(await write('format: fixed, delimiter: ";", quoteAll: true')).toEqual([
    '2:25 write.delimiter: a fixed-width file has no `delimiter`',
    '2:41 write.quoteAll: a fixed-width file has no `quoteAll`',
    '3:19 columns.Größe: a column of a fixed-width file needs a `width`',
  ])
  expect(await write('format: csv, encoding: ascii')).toEqual([
    '3:19 columns.Größe: "ö" (U+00F6) cannot be written in ascii.',
  ])
  expect(await write('format: csv, encoding: ascii, header: false')).toEqual([])
})

test('every error in the rows of a file is reported', async () => {
  const text = `operation: export-orders
write: { format: csv, header: true }
each: order_lines
columns: { A: id }
records:
  - type: H
    columns: { A: order_lines.quantity }
  - type: D
    each: order_line
    columns: { A: idd }
  - columns: { A: id }
  - type: X
trailer:
  columns: { A: { count: recrds }, B: { sum: id, count: id }, C: { sum: status }, D: { from: id } }
file: { records: 0 }
`

  expect(await errorsOf(text)).toEqual([
    '2:23 write.header: a file of `records` has no header line',
    '3:1 each: `each` and `records` exclude each other',
    '4:1 columns: `columns` and `records` exclude each other',
    '7:19 records[0].columns.A: order_lines is a list: name it under `each` to have a row for each of its items, or pack them into one cell with `join`',
    '9:11 records[1].each: the record has no field "order_line". Did you mean "order_lines"?',
    '10:19 records[1].columns.A: the record has no field "idd". Did you mean "id"?',
    '11:5 records[2]: type is missing',
    '12:5 records[3]: columns are missing: each column of the file, and the path of the API field in it',
    '14:26 trailer.columns.A.count: the record has no field "recrds".',
    '14:39 trailer.columns.B: say what stands here with exactly one of `const`, `sum` and `count`',
    '14:73 trailer.columns.C.sum: `sum` is for numbers; status is not a number',
    '14:88 trailer.columns.D.from: there is no such key here. Known are const, sum, count, decimal, implied, grouping, zeros, pad, width, align.',
    '15:18 file.records: must be at least 1',
  ])
})

test('every error in a condition of a column is reported', async () => {
  const text = `operation: export-orders
each: order_lines
columns:
  A: { from: id, when: {} }
  B: { from: id, when: { ship_to.town: x } }
  C: { from: id, when: { order_lines: filled } }
  D: { from: id, when: { order_lines.qty: 1 } }
  E: { from: id, when: { status: { abov: 1 } } }
  F: { const: x, when: { $row: 1 } }
  G: { const: x, when: { status: open }, case: upper }
`

  expect(await errorsOf(text)).toEqual([
    '4:24 columns.A.when: a condition names at least one column',
    '5:26 columns.B.when.ship_to.town: ship_to has no field "town".',
    '6:26 columns.C.when.order_lines: this is a list: name it under `each` to have a row for each of its items',
    '7:26 columns.D.when.order_lines.qty: the record has no field "qty".',
    '8:36 columns.E.when.status.abov: there is no such key here. Did you mean "above"?',
    '9:26 columns.F.when.$row: the record has no field "$row".',
    '10:6 columns.G: a constant takes no other options',
  ])
})

test('an escape needs a separator between the values of a list', async () => {
  const text = `operation: export-orders
columns:
  A: { from: gift_message, escape: "x" }
  B: { from: gift_message, join: "|", escape: "|" }
  C: { from: gift_message, join: "", escape: "x" }
`

  expect(await errorsOf(text)).toEqual([
    '3:36 columns.A.escape: `escape` needs `join`',
    '4:47 columns.B.escape: the escape must be a character that is not in the separator',
    '5:46 columns.C.escape: `escape` needs `join`',
  ])
})

test('every error in lines above the header and in files without quotes is reported', async () => {
  const write = (options: string, columns = '{ A: id }') =>
    errorsOf(`operation: export-orders\nwrite: { ${options} }\ncolumns: ${columns}`)

  expect(await write('format: csv, above: Orders')).toEqual([
    '2:30 write.above: must be a list, such as `above: [[TemplateType=Orders, Version=7], "# text as it stands"]`',
  ])
  expect(await write('format: csv, above: [{ text: x }]')).toEqual([
    '2:31 write.above[0]: expected a line as text, or a list of its cells',
  ])
  expect(
    await write('format: csv, encoding: ascii, quote: null, above: ["a\\nb", [é, "a,b"], "a,b"]'),
  ).toEqual([
    '2:61 write.above[0]: this is one line, and holds no line break',
    '2:70 write.above[1][0]: "é" (U+00E9) cannot be written in ascii.',
    '2:73 write.above[1][1]: "a,b" holds ",", which stands between cells, and the file has no quotes around it.',
  ])
  expect(await write('format: fixed, quote: null, above: [[A, B]]', '{ A: { from: id, width: 5 } }')).toEqual(
    [
      '2:25 write.quote: a fixed-width file has no `quote`',
      '2:46 write.above[0]: a fixed-width file has no cells here: write the line as one text',
    ],
  )
  expect(await write('format: csv, quote: "x"')).toEqual([
    '2:30 write.quote: expected null: quotes stand where they are needed, or nowhere',
  ])
  expect(await write('format: csv, quote: null, quoteAll: true, replace: ","')).toEqual([
    '2:36 write.quoteAll: the file has no quotes: `quote` is null',
    '2:52 write.replace: this stands between the cells itself',
  ])
})

test('what a column puts between its values must fit into a file without quotes', async () => {
  const text = `operation: export-orders
write: { format: csv, quote: null, formulas: guard }
columns:
  "A,B": { all: [id, status], with: ", " }
  C: { from: gift_message, join: "\\n" }
  D: { from: subtotal_charged, decimal: ",", default: "0,00" }
  E: { from: id, pad: { to: 9, with: "," } }
  F: { const: "x,y" }
trailer: { columns: { Sum: { sum: subtotal_charged, decimal: "," } } }
`

  const holds = (shown: string, what = '",", which stands between cells') =>
    `${JSON.stringify(shown)} holds ${what}, and the file has no quotes around it.`
  expect(await errorsOf(text)).toEqual([
    `4:10 columns.A,B: ${holds('A,B')}`,
    `4:37 columns.A,B.with: ${holds(', ')}`,
    `5:34 columns.C.join: "\n" holds a line break, and the file has no quotes around it.`,
    `6:41 columns.D.decimal: ${holds(',')}`,
    `6:55 columns.D.default: ${holds('0,00')}`,
    `7:38 columns.E.pad.with: ${holds(',')}`,
    `8:15 columns.F.const: ${holds('x,y')}`,
    `9:62 trailer.columns.Sum.decimal: ${holds(',')}`,
  ])
})

test('the type of a row must be writable too', async () => {
  const text = `operation: export-orders
write: { format: csv, encoding: ascii }
records: [{ type: É, columns: { A: id } }]
trailer: { type: Ü, columns: { N: { count: records } } }
`

  expect(await errorsOf(text)).toEqual([
    '3:19 records[0].type: "É" (U+00C9) cannot be written in ascii.',
    '4:18 trailer.type: "Ü" (U+00DC) cannot be written in ascii.',
  ])
})

test('every error in flags, required columns, thousands and numbers of a table is reported', async () => {
  const text = `operation: export-orders
columns:
  A: { filled: gift_mesage, yes: Y }
  B: { filled: gift_message, case: upper }
  C: { filled: gift_message, required: true }
  D: { count: order_lines, yes: Y, decimal: "," }
  E: { sum: order_lines.quantity, yes: Y }
  F: { from: gift_message, yes: Y, no: N }
  G: { from: status, required: true, default: none }
  H: { from: status, required: yes please }
  I: { from: subtotal_charged, grouping: "." }
  J: { from: subtotal_charged, grouping: ",", decimal: "," }
  K: { from: subtotal_charged, grouping: ".", implied: 2 }
  L: { from: subtotal_charged, grouping: "-" }
  M: { from: status, grouping: "," }
  N: { from: status, table: words, implied: 2 }
  O: { from: status, table: costs, implied: 2 }
  P: { from: status, table: costs, decimal: ",", miss: keep }
tables:
  words: { rows: { Open: ready } }
  costs: { rows: { Open: "9.505" } }
`

  expect(await errorsOf(text)).toEqual([
    '3:16 columns.A.filled: the record has no field "gift_mesage". Did you mean "gift_message"?',
    '4:36 columns.B.case: `filled` says yes or no, and takes no `case`',
    '5:40 columns.C.required: `filled` says yes or no, and takes no `required`',
    '6:45 columns.D.decimal: a sum or a count takes no `decimal`',
    '7:40 columns.E.yes: a sum or a count takes no `yes`',
    '8:33 columns.F.yes: `yes` is for true and false, and gift_message is neither; to say whether it is there write `filled: gift_message`',
    '8:40 columns.F.no: `no` is for true and false, and gift_message is neither; to say whether it is there write `filled: gift_message`',
    '9:32 columns.G.required: a column with a `default` is never blank',
    '10:32 columns.H.required: expected `true`',
    '11:42 columns.I.grouping: "." stands before the decimals already; say with `decimal` what does',
    '12:42 columns.J.grouping: "," stands before the decimals already; say with `decimal` what does',
    '13:42 columns.K.grouping: with `implied` nothing but digits is written',
    '14:42 columns.L.grouping: expected ".", ",", " " or "\'"',
    '15:32 columns.M.grouping: `grouping` is for numbers',
    '16:45 columns.N.implied: the table "words" has "ready", which is no number such as 9.50: a table\'s text is written as it is',
    '17:45 columns.O.implied: the table "costs": 9.505 has more than the 2 decimals that the column implies.',
    '18:56 columns.P.miss: a text that is kept is no number: leave out `miss: keep`',
  ])
})
