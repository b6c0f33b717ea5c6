/** Problems of data. Functions return all of them and never throw them. */
import type { CodeText } from '../support/errors.ts'
import { EDI_PROBLEMS } from './edi-problems.ts'
import { FILE_PROBLEMS } from './file-problems.ts'
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
  // "Correct what the message names" says no more than that.
  const more = found.fix === PROBLEMS['api-refused'].fix ? '' : ` ${found.fix}`
  return { ...found, place, message, fix: `Correct ${origin} in the mapping.${more}` }
}

/** Every problem a row, record or file can have. The code never changes its meaning; `docs/errors.md` prints this table. */
export const PROBLEMS = {
  ...FILE_PROBLEMS,
  ...EDI_PROBLEMS,
  // left out, or refused as a whole
  'left-out': {
    title: 'The mapping skips this record.',
    fix: 'Nothing to do if that is right. If not, correct the file or the mapping.',
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
    fix: 'Twice in one file: keep the right one. Known from another: remove the row, or dropbridge undo KEY',
    details:
      'The API has no call that changes an order or an invoice. To correct an order, cancel it first, by a file for a route with `create-cancel`, before the brand acknowledges it; then send it under a new number. A new number alone makes a second order, and the customer gets both. When a file has the same key twice with other contents, neither is sent.',
  },
  'file-repeated': {
    title: 'The same file was processed before on this route.',
    fix: 'Nothing to do. If it is meant again, change its keys. For refused rows, drop in the rejects file.',
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
    fix: 'Remove its rows: no call cancels it any more. Once it has shipped, agree on a return with the brand.',
    details:
      'A retailer may cancel an order only before the brand acknowledges it. The API has no call for a return: the parties agree on it, and the API lists it then.',
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
    fix: 'Ship or cancel the rest and close the order. Then drop the rejects file in again.',
  },
  'order-invoiced': {
    title: 'The order has an invoice already.',
    fix: 'Nothing to do if it is the same invoice; the API cannot change it.',
    details: 'There is one invoice per purchase order.',
  },
  'order-unshipped': {
    title: 'An order is closed of which nothing was shipped.',
    fix: 'Ship it first. If it is right to close it: `rules: { closings: off }`.',
    details:
      'It is closed all the same, unless the route says `rules: { closings: refuse }`. The brand can reopen it.',
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
  'price-implausible': {
    title: 'The price is too low or too high to be right.',
    fix: 'Correct the price. To switch the rule off for the route: `rules: { prices: off }`.',
    details:
      'A net price of 0, or one above the price of the consumer. A consumer price of 0 is taken for one that is not known. The API shows a brand no net price of an order, so an invoice is compared with the price of the consumer.',
  },
  'postal-code-odd': {
    title: 'The postal code has not the form of its country.',
    fix: 'Correct it, or write `digits: 5` in the mapping where a spreadsheet cut a zero.',
    details:
      'Checked for the US and Canada. To switch the rule off for the route: `rules: { addresses: off }`.',
  },
  'number-in-use': {
    title: 'A shipment or invoice of another order has this number.',
    fix: 'Correct the number. Where it is right, such as for a shared parcel: `rules: { numbers: off }`.',
    details:
      'As far as the bridge has seen them: what it created itself, and what exports and reports showed. No call changes a sent number: `dropbridge undo` says what can be done.',
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
