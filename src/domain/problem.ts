/** Problems of data. Functions return all of them and never throw them. */
import type { CodeText } from '../support/errors.ts'
import { EDI_PROBLEMS } from './edi-problems.ts'
import type { Place } from './place.ts'

/** A problem of data: what, where, why and what to do. */
export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  readonly fix: string
  readonly place: Place
  /** It does not stop the record. */
  readonly severity?: 'warning'
}

/** Makes a problem; without `fix` it gets the fix of its code. */
export function problem(code: ProblemCode, place: Place, message: string, fix?: string): Problem {
  return { code, message, fix: fix ?? PROBLEMS[code].fix, place }
}

/** Blames the mapping for a value that it holds itself, because the sender of the file cannot correct that. */
export function blameMapping(found: Problem, origin: string | undefined): Problem {
  if (origin === undefined) return found
  const { column: _, ...place } = found.place
  const message = `${origin.charAt(0).toUpperCase()}${origin.slice(1)} gives a refused value: ${found.message}`
  return { ...found, place, message, fix: `Correct ${origin} in the mapping. ${found.fix}` }
}

// The problems of files, rows and cells.

const FILE_PROBLEMS = {
  // reading a file
  'file-empty': { title: 'The file has no rows.', fix: 'Send a file with at least one data row.' },
  'file-undecodable': {
    title: 'The bytes of the file do not fit its encoding.',
    fix: 'Save the file as UTF-8, or set its encoding in the mapping: `read: { encoding: … }`.',
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
  'delimiter-wrong': {
    title: 'The file has another delimiter than the mapping says.',
    fix: 'Save the file with that delimiter, or remove `delimiter` from the mapping.',
  },
  'column-missing': {
    title: 'A column that the mapping needs is missing.',
    fix: 'Add the column, or add its other spelling to the mapping.',
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
  'date-expected': {
    title: 'The value is not a date in the form of the mapping.',
    fix: 'Write the date as the message says, or correct `format` in the mapping.',
  },
  'boolean-expected': { title: 'The value is neither yes nor no.', fix: 'Write true or false.' },
  'upc-in-exponent-form': {
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
    fix: 'Use the two-letter code, such as US or CA, or the name of the country.',
  },
  'province-unknown': {
    title: 'The state or province does not belong to the country.',
    fix: 'Use a state or province of that country, such as NY for US, or correct the country.',
  },
  'lookup-missed': {
    title: 'The value is not in the lookup table of the mapping.',
    fix: 'Correct the value, or add a row to the table.',
  },
  'rows-disagree': {
    title: 'Rows of one record contradict each other.',
    fix: 'Write the same value in these cells, or give the rows different keys.',
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
  'cell-is-formula': {
    title: 'A spreadsheet would run an exported cell as a formula.',
    fix: 'Set `formulas` under `write`: `guard` if people open the file in a spreadsheet, else `keep`.',
    details:
      'A warning: the cell is written as it is. Anyone who can place an order or name an item may have typed it.',
  },
} as const satisfies Record<string, CodeText>

/** Every problem a row, record or file can have. The code never changes its meaning; `docs/errors.md` prints this table. */
export const PROBLEMS = {
  ...FILE_PROBLEMS,
  ...EDI_PROBLEMS,
  // left out, or refused as a whole
  'left-out': {
    title: 'The mapping skips this record.',
    fix: 'Nothing to do if that is right. If not, correct the cell or the mapping.',
    details: 'The mapping takes only some of the records. Nothing of this one was sent.',
  },
  'held-by-mapping': {
    title: 'The mapping holds the record for a person.',
    fix: 'Do what the message says, then: dropbridge discard FILE --by NAME --why TEXT.',
    details: 'The API has no call for it. Nothing of it was sent; its rows are in the exceptions file.',
  },
  'file-perhaps-cut': {
    title: 'The last line has no line end; it may be cut.',
    fix: 'If it is whole: dropbridge release FILE --by NAME --why TEXT. If not, send the file again.',
    details: 'Other lines have one; 12 may have become 1. If all files end so: `lastLineEnd: optional`.',
  },
  'circuit-breaker-open': {
    title: 'The API refused too many records; the rest is held.',
    fix: 'If the API was at fault: dropbridge release FILE --by NAME --why TEXT. If not: discard and correct.',
    details:
      'Their rows are in the exceptions file. A release sends them as they came. If the file or the mapping is wrong: dropbridge discard FILE --by NAME --why TEXT; correct the new rejects file or the mapping, and drop that file in.',
  },
  'earlier-step-failed': {
    title: 'An earlier step failed for the same order.',
    fix: 'Correct the rows in the rejects file and drop it in again.',
    details:
      'The record was not sent and is held. The rejects file has all rows of the order; what was accepted is not sent twice. When the earlier step is resolved in another way: dropbridge release FILE --by NAME --why TEXT.',
  },
  discarded: {
    title: 'A person discarded the record.',
    fix: 'Nothing to do if that is right. If not, correct the row and drop the rejects file.',
    details: 'It was held, or its answer was lost.',
  },
  'control-total-wrong': {
    title: 'The file does not match its own totals.',
    fix: 'Send the whole file again, or correct its totals.',
    details: 'The last row of the file states other totals than the file has. Nothing of it was sent.',
  },
  // identity and references
  'key-conflict': {
    title: 'Another record has the same key and other contents.',
    fix: 'Give a new record its own key. A sent one does not change: cancel it if you can, or remove the row.',
    details:
      'The API has no call that changes an order or an invoice. An order can be canceled before the brand acknowledged it, by a file for a route with `create-cancel`; then a new one needs another number. When a file has the same key twice with other contents, neither is sent.',
  },
  'file-repeated': {
    title: 'The same file was processed before on this route.',
    fix: 'Nothing to do. To send refused records again, correct and drop the rejects file.',
    details: 'Every byte is the same. Nothing was sent.',
  },
  'record-repeated': {
    title: 'The same record was sent before.',
    fix: 'Nothing to do: it was not sent again.',
  },
  superseded: {
    title: 'A newer file has changed the same resource.',
    fix: 'Nothing to do if the newer file is right. If not, send the right values again.',
    details:
      'The record had to wait, and a file that came later was faster. It was not sent, so that it does not undo the newer values.',
  },
  'order-unknown': {
    title: 'The account has no order with this number.',
    fix: 'Correct the number. If it is right, wait until the API has the order, and send again.',
  },
  'order-ambiguous': {
    title: 'More than one order has this purchase order number.',
    fix: 'Write the id of the order in the file, and leave `find` out of the mapping.',
  },
  'reference-unknown': {
    title: 'No such carrier, method, item or other resource is known.',
    fix: 'Correct the name, or write the id and leave `find` out of the mapping.',
  },
  'reference-ambiguous': {
    title: 'Several resources have this name.',
    fix: 'Use a name that only one has, or the id without `find` in the mapping.',
  },
  'reference-elsewhere': {
    title: 'The named resource belongs to another account.',
    fix: 'Drop the file in the folder of that party, or correct the name.',
    details: 'A route acts for its own party only.',
  },
  'order-value-missing': {
    title: 'The order has no value for the mapping to take.',
    fix: 'Put the value into the file, or set a `default` in the mapping.',
  },
  'price-unknown': {
    title: 'The price of a line is not known for certain.',
    fix: 'Set a price table under `net_price` in the mapping, or send prices with the lines.',
  },
  // business rules, checked before anything is sent
  'order-finished': {
    title: 'The order is canceled or closed.',
    fix: 'Correct the order number, or remove the record. A closed order: the brand can reopen it.',
  },
  'order-acknowledged': {
    title: 'The order is acknowledged and cannot be canceled.',
    fix: 'Ask the brand to cancel it, or take a return later.',
  },
  'waiting-for-order': {
    title: 'The record waits until its order is shipped and closed.',
    fix: 'Wait: each run looks again. To give up: dropbridge discard FILE --by NAME --why TEXT.',
    details: 'Nothing was sent. It waits as long as `waitFor` says.',
  },
  'order-not-shipped': {
    title: 'A line of the order is neither shipped nor canceled.',
    fix: 'Nothing to do if the rest comes later: that file closes the order.',
    details: 'The route closes orders only when every line is shipped or canceled.',
  },
  'order-not-closed': {
    title: 'The order is not closed, so it cannot be invoiced.',
    fix: 'Ship or cancel the rest (the brand can reopen a closed order), then drop the rejects file.',
  },
  'order-invoiced': {
    title: 'The order has an invoice already.',
    fix: 'Nothing to do if it is the same invoice; the API cannot change it.',
    details: 'There is one invoice per purchase order.',
  },
  'item-not-ordered': {
    title: 'The order has no line with this item.',
    fix: 'Correct the item, or the order that the row names.',
  },
  'quantity-exceeded': {
    title: 'The quantity is more than the order has left.',
    fix: 'Correct the quantity; where nothing is left, remove the row.',
  },
  'account-not-of-order': {
    title: 'The order may not be shipped on this account.',
    fix: 'Use one of the accounts in the message.',
  },
  'method-not-allowed': {
    title: 'The shipping method is not allowed here.',
    fix: 'Use one of the methods in the message.',
  },
  'item-unknown': {
    title: 'No brand offers this item to the retailer.',
    fix: 'Correct the item, or ask the brand to offer it.',
  },
  'date-implausible': {
    title: 'The date is too early or too late to be right.',
    fix: 'Correct the date. To switch the rule off for the route: `rules: { dates: off }`.',
  },
  'stock-short': {
    title: 'The brand has too few units of the item.',
    fix: 'Order fewer. To switch the rule off for the route: `rules: { stock: off }`.',
    details: 'The stock is that of the latest read.',
  },
  // the API's answers
  'api-refused': { title: 'The API refused the record.', fix: 'Correct what the message names.' },
  'api-not-found': { title: 'The API does not know what the record names.', fix: 'Correct the id or key.' },
  'answer-lost': {
    title: 'The answer of the API was lost.',
    fix: 'Run `dropbridge run`: it looks the record up before anything is sent a second time.',
    details: 'The record was sent, and it is not known whether it took effect.',
  },
  'outcome-unprovable': {
    title: 'Nothing shows whether the record took effect.',
    fix: 'Check the API, then: dropbridge resolve KEY --accepted ID --by NAME --why TEXT.',
    details:
      'The answer was lost, or the journal was restored from a backup. It is never sent again by itself: that could do it twice. If the API does not have it: --absent, to send it, or --discard, to give it up. To have it looked up again: dropbridge release FILE --by NAME --why TEXT.',
  },
  'resolved-by-hand': {
    title: 'A person stated what came of the record.',
    fix: 'Nothing to do.',
    details: 'The answer was lost, and a person checked the API.',
  },
  'api-keeps-failing': {
    title: 'The API failed each time the record was sent.',
    fix: 'Ask the operator of the API; correct the record and drop the rejects file again.',
    details: 'It was looked up and is not there.',
  },
  'not-sent': {
    title: 'The API could not take the record now.',
    fix: 'Run `dropbridge run` again later; the work is kept.',
    details: 'It did not take effect.',
  },
  'document-missing': {
    title: 'A document of the shipment was not delivered.',
    fix: 'Run `dropbridge labels`. Do not send the record again.',
    details: 'The record was accepted, but its packing slip or label could not be fetched or written.',
  },
  'document-refused': {
    title: 'The API makes no such document for the shipment.',
    fix: 'Check the shipment at the API. If that changes, run `dropbridge labels`.',
    details: 'The record was accepted.',
  },
  'document-pruned': {
    title: 'The contents of the shipment were pruned.',
    fix: 'Get the documents from the API by the id, or use the delivered copies.',
    details:
      'Which packing slip and label it has, and their names, is not known any more. `dropbridge prune` leaves delivered copies alone.',
  },
  'acknowledge-refused': {
    title: 'The API refused to acknowledge a delivered record.',
    fix: 'Look the record up at the API by its id, and acknowledge it there if it is right.',
    details: 'The record is in the delivered file.',
  },
  'changed-since-delivery': {
    title: 'The record changed at the API after its delivery.',
    fix: 'Do not act on the row in the delivered file.',
    details: 'It was canceled, for example. It was not acknowledged.',
  },
} as const satisfies Record<string, CodeText>

export type ProblemCode = keyof typeof PROBLEMS
