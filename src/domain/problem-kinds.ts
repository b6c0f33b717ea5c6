/** Every kind of problem: what it means and what to do about it. */
import { FILE_PROBLEMS, type ProblemKind } from './file-problems.ts'

/** Every problem a row, record or file can have. The code never changes its meaning; `docs/errors.md` prints this table. */
export const PROBLEMS = {
  ...FILE_PROBLEMS,
  // left out, or refused as a whole
  'left-out': {
    cause: 'The mapping takes only some of the records, and this is none of them.',
    cure: 'Nothing to do, if that is right: nothing was sent. If not, correct the cell, or the mapping.',
  },
  'held-by-mapping': {
    cause:
      'The mapping holds the record for a person, because the API has no call for it. Nothing of it was sent; its rows stand in the exceptions file.',
    cure: 'Do what the message says by hand, then note that it is done: dropbridge discard FILE --by NAME --why TEXT.',
  },
  'route-stopped': {
    cause:
      'The API refused so many records of the file that the rest was not sent and is held. Its rows stand in the exceptions file.',
    cure: 'Mend what the message names, then send the rest: dropbridge release FILE --by NAME --why TEXT. If it is not to be sent: dropbridge discard FILE --by NAME --why TEXT.',
  },
  'earlier-step-failed': {
    cause:
      'An earlier step of the route was refused, or is held, for the same order, so this record was not sent and is held.',
    cure: 'Correct the rows in the rejects file, which holds all those of the order, and drop it in again: what was accepted is not sent twice. When the earlier step is settled in another way: dropbridge release FILE --by NAME --why TEXT.',
  },
  discarded: {
    cause: 'The record was held, or its answer was lost, and a person gave it up.',
    cure: 'Nothing to do, if that is right. If not, correct the row and drop the rejects file in again.',
  },
  'control-total-wrong': {
    cause: 'What the last row says of the whole file is not what the file holds. Nothing of it was sent.',
    cure: 'Send the file again, whole; if it is whole, correct its totals.',
  },
  // identity and references
  'key-conflict': {
    cause: 'A record with the same key but other contents is already known.',
    cure: 'If it is a correction, the API has no call to change it: cancel and send a new key. If it is a slip, correct the key.',
  },
  'file-repeated': {
    cause: 'A file with exactly these bytes was processed before on this route.',
    cure: 'Nothing to do: nothing was sent. To send refused records again, correct and drop the rejects file.',
  },
  'record-repeated': {
    cause: 'A record with the same key and the same contents was sent before.',
    cure: 'Nothing to do: it was not sent again.',
  },
  superseded: {
    cause:
      'The record had to wait, and a file that was received later has changed the same meanwhile. It was not sent, so that the older file does not undo the newer one.',
    cure: 'Nothing to do, if the newer file is right. If not, send what is right in a new file.',
  },
  'order-unknown': {
    cause: 'No order with this purchase order number is known to this account.',
    cure: 'Correct the purchase order number, or export the orders first.',
  },
  'order-ambiguous': {
    cause: 'More than one order has this purchase order number.',
    cure: 'Name the order by its id.',
  },
  'reference-unknown': {
    cause: 'Nothing of its kind is known by this name.',
    cure: 'Correct the name, or name it by its id.',
  },
  'reference-ambiguous': {
    cause: 'Several things have this name, so it cannot be known which one is meant.',
    cure: 'Name it by its id, or by a name that only one has.',
  },
  'reference-elsewhere': {
    cause: 'What the file names belongs to another account, and a route acts for its own party only.',
    cure: "Drop the file where that party's files go, or correct the name.",
  },
  'order-value-missing': {
    cause: 'The mapping takes a value from the order, or one kept beside it, and there is none.',
    cure: 'Put the value into the file, or name a `default` in the mapping.',
  },
  'price-unknown': {
    cause: 'The file does not say the price of each line, and nothing else does for certain.',
    cure: 'Name a table with the price of each SKU under `net_price` in the mapping, or send the lines with their prices.',
  },
  // business rules, held to before anything is sent
  'order-finished': {
    cause: 'The order is canceled or closed.',
    cure: 'Look at the order; a closed one can be reopened by the supplier.',
  },
  'order-acknowledged': {
    cause: 'The supplier has acknowledged the order, so the retailer cannot cancel it any more.',
    cure: 'Ask the supplier to cancel it, or take a return later.',
  },
  'waits-for-close': {
    cause: 'The order is not shipped and closed yet, and the route waits for it. Nothing was sent.',
    cure: 'Nothing to do: each run looks again, until the time to wait is over. If it is not to be sent: dropbridge discard.',
  },
  'order-not-shipped': {
    cause:
      'The route closes orders only when every line of them is shipped or canceled, and something of this one is not.',
    cure: 'Nothing to do, if the rest comes later: the file that brings it closes the order.',
  },
  'order-not-closed': {
    cause: 'Only an order that is completely fulfilled and closed can be invoiced.',
    cure: 'Ship what is left of the order and close it, then send the invoice.',
  },
  'order-invoiced': {
    cause: 'The order has an invoice already, and there is one invoice per purchase order.',
    cure: 'Nothing to do, if it is the same invoice; the API has no call to change it.',
  },
  'item-not-ordered': {
    cause: 'The order has no line with this item.',
    cure: 'Correct the item, or the order that the row names.',
  },
  'quantity-exceeded': {
    cause: 'The record has more units of an item than the order has left for it.',
    cure: 'Correct the quantity.',
  },
  'account-not-of-order': {
    cause: 'The shipping account is not one of those the order may be shipped on.',
    cure: 'Use one of the accounts in the message.',
  },
  'method-not-allowed': {
    cause: 'The shipping method is not one of those that are allowed here.',
    cure: 'Use one of the methods in the message.',
  },
  'item-unknown': {
    cause: 'No supplier offers this item to the retailer.',
    cure: 'Correct the item, or ask the supplier to offer it.',
  },
  'date-implausible': {
    cause: 'The date makes no sense where it stands.',
    cure: 'Correct the date. If it is right, the route can leave such dates alone: `rules: { dates: off }`.',
  },
  'stock-short': {
    cause: 'The supplier had fewer units of the item when it was last looked at.',
    cure: 'Order fewer, or leave stock alone on this route: `rules: { stock: off }`.',
  },
  // the API's answers
  'api-refused': { cause: 'The API refused the record.', cure: 'Correct what the message names.' },
  'api-not-found': { cause: 'The API does not know what the record names.', cure: 'Correct the id or key.' },
  'answer-lost': {
    cause: 'The record was sent and the answer was lost, so it is not known whether it took effect.',
    cure: 'Run again: the bridge looks it up before anything is sent a second time.',
  },
  'outcome-unprovable': {
    cause:
      'The record was sent, or may have been, and what the API shows does not tell whether it took effect: the answer was lost, or a backup was put back.',
    cure: 'Look at the API, then say what is there: dropbridge settle KEY --accepted ID --by NAME --why TEXT, or --absent or --discard in place of --accepted ID. It is never sent again by itself: that could do it twice. To have it looked up again: dropbridge release FILE --by NAME --why TEXT.',
  },
  'settled-by-hand': {
    cause: 'The answer was lost, and a person looked at the API and said what came of the record.',
    cure: 'Nothing to do.',
  },
  'api-keeps-failing': {
    cause: 'The API failed on this record every time it was sent, and it was looked up and is not there.',
    cure: 'Ask the operator of the API about the record; correct what is odd in it and drop the rejects file in again.',
  },
  'not-sent': {
    cause: 'The API could not take the record right now. It did not take effect.',
    cure: 'Run again later; the work is kept.',
  },
  'document-missing': {
    cause:
      'The record was accepted, but its packing slip or label could not be had, or not be left in its folder.',
    cure: 'Get it with `dropbridge labels`. Do not send the record again.',
  },
  'document-refused': {
    cause: 'The record was accepted, but the API makes no packing slip or label for it.',
    cure: 'Look at the shipment at the API. If that changes, get it with `dropbridge labels`.',
  },
  'document-forgotten': {
    cause:
      'The contents of the shipment were forgotten, so nothing tells any more which packing slip and label it has, and their names.',
    cure: 'Get them from the API by the id of the shipment, or look for the copies that were delivered: `dropbridge forget` leaves these alone.',
  },
  'acknowledge-refused': {
    cause: 'The API refused to acknowledge a record that was delivered.',
    cure: 'The record is in the delivered file. Look at it at the API and settle it there.',
  },
  'changed-since-delivery': {
    cause: 'The record changed at the API after its file was delivered, for example it was cancelled.',
    cure: 'Do not act on the row in the delivered file. The record was not acknowledged.',
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof PROBLEMS
