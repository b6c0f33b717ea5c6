/** The problems of files, their rows and their cells: what each means and what to do about it. */

export interface ProblemKind {
  /** What it means, for `dropbridge explain`. */
  readonly cause: string
  /** What the person who made the file should do; the default hint of a problem. */
  readonly cure: string
}

export const FILE_PROBLEMS = {
  // reading a file
  'file-empty': { cause: 'The file holds no rows.', cure: 'Send a file with at least one data row.' },
  'file-undecodable': {
    cause: 'The bytes of the file are not text in the encoding it should have.',
    cure: 'Save the file as UTF-8, or name its encoding in the mapping under `read: { encoding: … }`.',
  },
  'file-damaged': {
    cause: 'The file is packed with gzip and cannot be unpacked whole. Nothing of it was sent.',
    cure: 'Pack the file again, or send it unpacked.',
  },
  'manifest-differs': {
    cause: 'The file does not hold what its manifest says. Nothing of it was sent.',
    cure: 'Send the file again, whole, with its manifest; if it is whole, correct the manifest.',
  },
  'manifest-unusable': {
    cause: 'The manifest of the file cannot be understood. Nothing of the file was sent.',
    cure: 'Write the manifest as JSON or as lines such as `rows: 120`, with at least one of rows, bytes, sha256 and sum.COLUMN, and send both again.',
  },
  'header-duplicate': {
    cause: 'Two columns of the file have the same name, so it cannot be known which one is meant.',
    cure: 'Rename or remove one of the columns.',
  },
  'header-missing': {
    cause: 'The first line of the file is not the header the mapping expects.',
    cure: 'Send the header line, spelled as in the mapping; upper and lower case and spaces do not matter.',
  },
  'delimiter-wrong': {
    cause: 'The cells of the file are divided by another character than the mapping says.',
    cure: 'Save the file with the delimiter that the mapping names, or take `delimiter` out of the mapping.',
  },
  'column-missing': {
    cause: 'A column the mapping needs is not in the file.',
    cure: 'Add the column, or name its other spelling in the mapping.',
  },
  'column-unexpected': {
    cause: 'The file has a column the mapping does not use, and the mapping says to refuse such files.',
    cure: 'Remove the column, or use it in the mapping.',
  },
  'row-short': {
    cause: 'The row has fewer cells than the header has columns.',
    cure: 'Fill in the missing cells; leave empty cells between their delimiters.',
  },
  'row-long': {
    cause: 'The row has more cells than the header has columns.',
    cure: 'Put quotes around cells that hold the delimiter, or remove the extra cells.',
  },
  'row-too-large': { cause: 'The row is larger than the limit.', cure: 'Shorten the row.' },
  'record-too-large': {
    cause: 'One record is spread over more rows than the limit.',
    cure: 'Split it, or check that the column that names the record is filled.',
  },
  'quote-not-closed': {
    cause: 'A quote opens a cell on this line and does not close it where the cell ends.',
    cure: 'Close the quote; write a quote inside a quoted cell twice.',
  },
  'text-undecodable': {
    cause: 'The row holds bytes that are not text in the encoding of the file.',
    cure: 'Save the file in the encoding it claims to have, or name the right one in the mapping.',
  },
  'record-type-unknown': {
    cause: 'The first cell of the row names a record type that the mapping does not know.',
    cure: 'Correct the record type, or add it to the mapping.',
  },
  'record-part-misplaced': {
    cause: 'A row that adds to the row before it does not stand behind such a row, or stands there twice.',
    cure: 'Put it right behind the row it belongs to, once.',
  },
  'record-without-header': {
    cause: 'A detail row stands before any header row.',
    cure: 'Put the header row of the record before its details.',
  },
  'neighbour-unreadable': {
    cause:
      'A row next to this record is damaged or says nothing of where it belongs, so it may be a line of this record.',
    cure: 'Correct that row, which is refused too; the record is then sent whole.',
  },
  // mapping cells to fields
  'value-missing': { cause: 'A value that the API requires is blank.', cure: 'Fill in the cell.' },
  'value-too-long': { cause: 'The value is longer than the API allows.', cure: 'Shorten the value.' },
  'value-not-allowed': {
    cause: 'The value is not one of the allowed ones.',
    cure: 'Use one of the allowed values.',
  },
  'integer-expected': {
    cause: 'The value is not a whole number.',
    cure: 'Write a whole number with digits only, such as 2.',
  },
  'number-out-of-range': { cause: 'The number is too small or too large.', cure: 'Correct the number.' },
  'decimal-expected': {
    cause: 'The value is not a decimal number, or has more decimals than the API keeps.',
    cure: 'Write digits with a point, such as 12.50.',
  },
  'date-expected': {
    cause: 'The value is not a date in the form the mapping names.',
    cure: 'Write the date in the form named in the message.',
  },
  'boolean-expected': { cause: 'The value is neither yes nor no.', cure: 'Write true or false.' },
  'upc-in-exponent-form': {
    cause: 'A spreadsheet has turned a long number into exponent form, and its last digits are gone.',
    cure: 'Take the number from the source again, and format the column as text before saving.',
  },
  'check-digit-wrong': {
    cause: 'The check digit of a UPC does not fit its other digits.',
    cure: 'Take the number from the source again; a digit is missing or mistyped.',
  },
  'text-unmatched': {
    cause: 'The text does not have the form that the mapping asks for with `match`.',
    cure: 'Write the value in that form, or name a `default` in the mapping.',
  },
  'country-unknown': {
    cause: 'The country is not a two-letter ISO 3166 code.',
    cure: 'Use the two-letter code, such as US or CA.',
  },
  'province-unknown': {
    cause: 'The state or province code does not belong to the country.',
    cure: 'Use the code of a state or province of that country, such as NY for US.',
  },
  'lookup-missed': {
    cause: 'The value is not in the lookup table of the mapping.',
    cure: 'Correct the value, or add a row to the table.',
  },
  'rows-disagree': {
    cause: 'Rows of one record say different things where they must agree.',
    cure: 'Make the cells agree, or give the rows different record keys.',
  },
  'item-missing': {
    cause: 'A line names no item.',
    cure: 'Fill in at least one of the columns that name the item.',
  },
  'item-repeated': {
    cause: 'Two lines of one record name the same item. The API takes one line per unique item.',
    cure: 'Add the quantities up in one line.',
  },
  'shipment-mode-unclear': {
    cause:
      'A shipment names neither a carrier with a tracking number nor a shipping account with weight and size.',
    cure: 'Fill in carrier, method and tracking number; or account, method, weight and dimensions.',
  },
  'totals-disagree': {
    cause: 'The total is not the sum of its parts.',
    cure: 'Correct the total or the lines.',
  },
  'lines-uneven': {
    cause: 'The cells of a row that hold the lines of the record do not hold equally many.',
    cure: 'Give every line its part in each of these cells, and leave a part empty rather than out.',
  },
  'check-failed': {
    cause: 'The record breaks a rule that the mapping has under `check`.',
    cure: 'Correct what the message names.',
  },
  'field-invalid': { cause: 'The value breaks a rule of the API.', cure: 'Correct the value.' },
  // API fields to cells of an export
  'character-unwritable': {
    cause: 'The value holds a character that the exported file cannot hold.',
    cure: 'Write the file as utf-8, or name `fold: ascii` or `replace` under `write` in the mapping.',
  },
  'value-too-wide': {
    cause: 'The value is longer than its column in the exported file.',
    cure: 'Make the column wider in the mapping, or let it cut the value with `long: cut`.',
  },
} as const satisfies Record<string, ProblemKind>
