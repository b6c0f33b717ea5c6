/** The problems of files, rows and cells, with their fixes. */
import type { CodeText } from '../support/errors.ts'

export const FILE_PROBLEMS = {
  // reading a file
  'file-empty': {
    title: 'The file has no rows.',
    fix: 'Have it sent with its rows. If there are none: dropbridge dismiss FILE --by NAME --why TEXT.',
  },
  'file-undecodable': {
    title: 'The bytes of the file do not fit its encoding.',
    fix: 'Save it in the encoding of the mapping, or correct that there: `read: { encoding: … }`.',
  },
  'file-not-text': {
    title: 'The file is no text, such as CSV.',
    fix: 'Save it as CSV (in a spreadsheet: Save as, CSV UTF-8) and drop that file in.',
    details:
      'Such as an Excel workbook, a zip archive, a PDF document or a web page. Nothing of it was sent.',
  },
  'file-without-records': {
    title: 'The file holds no records.',
    fix: 'Nothing to do if there were none. If there were, have it sent again with its rows.',
    details: 'It has no row that makes a record, only a header, for example. This is no error.',
  },
  'file-damaged': {
    title: 'The gzip file cannot be unpacked.',
    fix: 'Pack the file again, or send it unpacked.',
    details: 'Nothing of it was sent.',
  },
  'manifest-differs': {
    title: 'The file does not match its manifest.',
    fix: 'Send the whole file again, or correct the manifest.',
    details: 'Nothing of it was sent.',
  },
  'manifest-unusable': {
    title: 'The manifest cannot be read.',
    fix: 'Write it as JSON or as lines such as `rows: 120`, and send both files again.',
    details:
      'A manifest states at least one of rows, bytes, sha256 and sum.COLUMN. Nothing of the file was sent.',
  },
  'header-duplicate': {
    title: 'Two columns of the file have the same name.',
    fix: 'Rename or remove one of the columns.',
  },
  'header-missing': {
    title: 'The file lacks the header line that the mapping expects.',
    fix: 'Send the header line as the mapping spells it; case and spaces do not matter.',
  },
  'header-repeated': {
    title: 'The header line comes again in the file.',
    fix: 'Take the line out; once the file was taken: dropbridge dismiss FILE --by NAME --why TEXT.',
    details:
      'Such as where several files were joined. Nothing of the line is sent, and nothing is lost. For all files: `ignore: [{ header: repeated }]` under `read` of the mapping.',
  },
  'delimiter-wrong': {
    title: 'The delimiter is not that of the mapping or the header.',
    fix: 'Save the file with that delimiter, or remove `delimiter` from the mapping.',
  },
  'column-missing': {
    title: 'A column that the mapping needs is missing.',
    fix: 'Add the column, or its other spelling to the mapping. A fixed value there is { const: TEXT }.',
  },
  'file-foreign': {
    title: 'The file is not one of this route.',
    fix: 'Drop it into the inbox of its own route, or name its columns in the mapping.',
    details: 'It is a file of another route, or a result file of the bridge.',
  },
  'column-unexpected': {
    title: 'The file has a column that the mapping does not use.',
    fix: 'Remove the column, or use it in the mapping.',
    details: 'The mapping refuses files with unknown columns.',
  },
  'row-short': {
    title: 'The row has fewer cells than the header.',
    fix: 'Fill in the missing cells; keep the delimiters of empty cells.',
  },
  'row-long': {
    title: 'The row has more cells than the header.',
    fix: 'Put quotes around cells that contain the delimiter, or remove the extra cells.',
  },
  'row-too-large': { title: 'The row is larger than the limit.', fix: 'Shorten the row.' },
  'record-too-large': {
    title: 'The record has more rows than the limit.',
    fix: 'Split the record, or fill the column that identifies it.',
  },
  'quote-not-closed': {
    title: 'A quoted cell on this line is not closed.',
    fix: 'Close the quote; write a quote inside a quoted cell twice.',
  },
  'quote-misplaced': {
    title: 'A quote stands inside a cell without quotes.',
    fix: 'Put the delimiter before the quote. If quotes are text, write `quote: null` under `read`.',
  },
  'text-undecodable': {
    title: 'The bytes of the row do not fit the encoding of the file.',
    fix: 'Save the file in its encoding, or set the right one in the mapping.',
  },
  'text-damaged': {
    title: 'The text holds signs of a wrong encoding.',
    fix: 'Have the file written in its right encoding, or set `damaged: allow` under `read`.',
    details:
      'UTF-8 that was read as Windows-1252 and saved again, such as JosÃ© for José, is a warning only: the record is sent as it is.',
  },
  'record-type-unknown': {
    title: 'The mapping does not know the record type of the row.',
    fix: 'Correct the first cell, or add the record type to the mapping.',
  },
  'record-part-misplaced': {
    title: 'The row does not follow the row it belongs to.',
    fix: 'Move it right behind that row, once.',
  },
  'record-without-header': {
    title: 'A detail row stands before any header row.',
    fix: 'Put the header row of the record before its details.',
  },
  'detail-of-other-record': {
    title: 'A detail row names another record than its header.',
    fix: 'Put the row below its own header, or add the header row that is missing above it.',
  },
  'neighbour-unreadable': {
    title: 'A damaged row beside this record may belong to it.',
    fix: 'Correct that row, which is refused too; then the record is sent whole.',
  },
  // mapping cells to fields
  'value-missing': { title: 'A required value is blank.', fix: 'Fill in the cell.' },
  'value-too-long': { title: 'The value is longer than the API allows.', fix: 'Shorten the value.' },
  'value-not-allowed': {
    title: 'The value is not one of the allowed values.',
    fix: 'Use one of the allowed values.',
  },
  'integer-expected': {
    title: 'The value is not a whole number.',
    fix: 'Write a whole number with digits only, such as 2.',
  },
  'number-out-of-range': { title: 'The number is too small or too large.', fix: 'Correct the number.' },
  'decimal-expected': {
    title: 'The value is not a decimal number that the API can keep.',
    fix: 'Write digits with a point, such as 12.50.',
  },
  'point-as-grouping': {
    title: 'A point in the number was read as a separator of thousands.',
    fix: 'If right: `grouping: "."` under `read`. If wrong: `dropbridge undo KEY` says how to cancel it.',
    details:
      'A warning: the mapping says `decimal: ","`, so `1.124` is 1124. The record is sent. To change it, correct `decimal`.',
  },
  'point-as-decimal': {
    title: 'A number was rounded that may mean a thousand and more.',
    fix: 'If right: `decimal: "."` in the mapping. If it means thousands: `decimal: ","`, and cancel it.',
    details:
      'A warning: the mapping rounds, and says nothing of the decimal mark, so `1.001` is 1.00. The record is sent. `dropbridge undo KEY` says how to cancel it.',
  },
  'date-expected': {
    title: 'The value is not a date in the form of the mapping.',
    fix: 'Write the date as the message says, or correct `format` in the mapping.',
  },
  'date-order-doubtful': {
    title: 'Day and month may be swapped in dates that were taken.',
    fix: 'If swapped: correct `format` in the mapping; `dropbridge undo KEY` says how to cancel what was sent.',
    details:
      'A warning for a file: one date of a column fits only the other order of day and month, and others, such as 03/04/2026, fit both. The record with the first is refused, the others are not.',
  },
  'boolean-expected': { title: 'The value is neither yes nor no.', fix: 'Write true or false.' },
  'spreadsheet-error': {
    title: 'The cell holds an error of a spreadsheet.',
    fix: 'Correct the formula or the width of the column. To send it as text: `read: { damaged: allow }`.',
    details:
      'Such as #N/A, #REF! or ########, as the whole text of a cell. To take it for blank: `blanks: ["#N/A"]`.',
  },
  'number-in-exponent-form': {
    title: 'A spreadsheet cut off the last digits of the number.',
    fix: 'Take the number from its source again, and format the column as text.',
    details: 'A long number in exponent form, such as 7.12E+11, has lost its last digits.',
  },
  'check-digit-wrong': {
    title: 'The check digit of the UPC does not fit.',
    fix: 'Take the number from its source again; a digit is missing or mistyped.',
  },
  'text-unmatched': {
    title: 'The text does not have the form that `match` asks for.',
    fix: 'Write the value in that form, or set a `default` in the mapping.',
  },
  'country-unknown': {
    title: 'The country is not one that ISO 3166 knows.',
    fix: 'Use the two-letter code, such as US or DE, or the English name of the country.',
  },
  'province-unknown': {
    title: 'The state or province does not belong to the country.',
    fix: 'Write the code of a state or province of that country, or correct the country.',
  },
  'lookup-missed': {
    title: 'The value is not in the lookup table of the mapping.',
    fix: 'Correct the value, or add a row to the table that the message names.',
  },
  'rows-disagree': {
    title: 'Rows of one record contradict each other.',
    fix: 'Write the same value or different keys in these rows, or correct `group` in the mapping.',
  },
  'item-missing': {
    title: 'A line names no item.',
    fix: 'Fill in at least one of the columns that name the item.',
  },
  'item-repeated': {
    title: 'Two lines of the record name the same item.',
    fix: 'Add the quantities up in one line; or if the record stands in the file twice, remove one.',
    details: 'The API takes one line per item.',
  },
  'shipment-mode-unclear': {
    title: 'The shipment has neither a tracking number nor an account.',
    fix: 'Fill in carrier, method and tracking number; or account, method, weight and dimensions.',
  },
  'totals-disagree': {
    title: 'The total is not the sum of its parts.',
    fix: 'Correct the total or the lines.',
  },
  'lines-uneven': {
    title: 'The list cells of the row have different lengths.',
    fix: 'Give every line its part in each of these cells; leave a part empty, not out.',
  },
  'check-failed': {
    title: 'The record fails a `check` of the mapping.',
    fix: 'Correct what the message names.',
  },
  'field-invalid': { title: 'The value breaks a rule of the API.', fix: 'Correct the value.' },
  // API fields to cells of an export
  'character-unwritable': {
    title: 'The encoding of the file lacks a character of the value.',
    fix: 'Write the file as utf-8, or set `fold: ascii` or `replace` under `write`.',
  },
  'value-too-wide': {
    title: 'The value is wider than its column in the exported file.',
    fix: 'Widen the column in the mapping, or cut the value with `long: cut`.',
  },
  'character-replaced': {
    title: 'A value holds a delimiter of X12 and is written otherwise.',
    fix: 'Change the delimiters of the partner, or set `replace` or `clash: hold` under `write`.',
    details:
      'A warning: X12 cannot write its own delimiters as data, so `replace` or a blank stands for them.',
  },
  'cell-is-formula': {
    title: 'A spreadsheet would run an exported cell as a formula.',
    fix: 'Set `formulas` under `write`: `guard` if people open the file in a spreadsheet, else `keep`.',
    details:
      'A warning: the cell is written as it is. Anyone who can place an order or name an item may have typed it.',
  },
} as const satisfies Record<string, CodeText>
