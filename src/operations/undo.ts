/** What the API still allows to undo of an order, by its state and by party. Spec: "States and transitions", "Endpoints". */
import type { InboundOperationName } from '../contract/operations.ts'
import type { PartyKind } from '../contract/endpoints.ts'
import { readId, type RequestBody } from './operation.ts'
import { formatScalar, type OrderLine, readItems, readLines, readUnits, readVariant } from './order-lines.ts'

/** `elsewhere`: the parties can do it, and the API has no call for it. */
type UndoChance = 'yes' | 'elsewhere' | 'no'

export interface UndoStep {
  /** What would be undone, or by what: `cancel`, `reopen`, `shipment 65 (7946…)`. */
  readonly what: string
  readonly chance: UndoChance
  /** What it would do, or why it cannot be done. */
  readonly text: string
  /** The file that does it; only where the API allows it. */
  readonly file?: UndoFile
}

/** A file for a ready mapping. */
export interface UndoFile {
  readonly operation: InboundOperationName
  /** The name in the folder of the ready mappings. */
  readonly mapping: string
  readonly header: readonly string[]
  /** The same rows, said in several ways: the first that is no duplicate of what was sent before is meant. */
  readonly versions: readonly (readonly (readonly string[])[])[]
}

/** What each party may still do about the order, then what stays. An order may show less than all of its fields. */
export function listUndoSteps(kind: PartyKind, order: RequestBody): UndoStep[] {
  const state = readState(order)
  const own = kind === 'retailer' ? listRetailerSteps(state) : listBrandSteps(state)
  return [...own, ...listReturnSteps(state), ...listAttachedSteps(order)]
}

interface OrderState {
  readonly order: RequestBody
  readonly number: string
  readonly status: string
  readonly isAcknowledged: boolean
  readonly lines: readonly OpenLine[]
  /** Units that are neither shipped nor canceled. */
  readonly open: number
  /** Units that are shipped and not returned. */
  readonly shipped: number
}

interface OpenLine {
  readonly line: OrderLine
  readonly open: number
}

function readState(order: RequestBody): OrderState {
  const count = (line: OrderLine, name: string) => readUnits(line, name) ?? 0
  const lines = readLines(order).map((line) => {
    const done = count(line, 'quantity_shipped') + count(line, 'quantity_canceled')
    return { line, open: Math.max(0, count(line, 'quantity') - done) }
  })
  const left = ({ line }: OpenLine) => count(line, 'quantity_shipped') - count(line, 'quantity_returned')
  return {
    order,
    number: formatScalar(order['purchase_order_number']),
    status: formatScalar(order['status']).toLowerCase(),
    isAcknowledged: order['is_acknowledged'] === true,
    lines: lines.filter(({ open }) => open > 0),
    open: lines.reduce((sum, { open }) => sum + open, 0),
    shipped: lines.reduce((sum, line) => sum + Math.max(0, left(line)), 0),
  }
}

// What a retailer may do. Spec: a cancel "only by a retailer and only before the supplier acknowledges the order".

function listRetailerSteps(state: OrderState): UndoStep[] {
  const { order, number, status, isAcknowledged, lines, open } = state
  const no = (text: string): UndoStep => ({ what: 'cancel', chance: 'no', text })
  if (status === 'canceled')
    return [no('it is canceled, and no call takes that back: send a new order under another number')]
  if (status === 'closed')
    return [
      no('the order is closed'),
      { what: 'reopen', chance: 'no', text: 'only its supplier may reopen it' },
    ]
  if (isAcknowledged) {
    const at = formatScalar(order['acknowledged_at'])
    return [
      no(
        `the supplier acknowledged the order${at === '' ? '' : ` on ${at}`}, and only before that may it be canceled`,
      ),
    ]
  }
  if (open === 0) return [no('no units are open')]
  const by = formatScalar(order['acknowledge_by'])
  const text = `${open} open units, until the supplier acknowledges the order${by === '' ? '' : `, which is due by ${by}`}; leave out rows to cancel less`
  return [{ what: 'cancel', chance: 'yes', text, file: buildCancelFile(number, lines) }]
}

function buildCancelFile(number: string, lines: readonly OpenLine[]): UndoFile {
  const header = ['PO Number', 'Reason', 'SKU', 'UPC', 'Qty']
  const write = (names: (variant: RequestBody) => readonly unknown[]) =>
    lines.map(({ line, open }) => {
      const [sku, upc] = names(readVariant(line)).map(formatScalar)
      return [number, 'Customer changed mind', sku ?? '', upc ?? '', String(open)]
    })
  // The same units of an item may be canceled a second time: named otherwise, they are no duplicate of the first time.
  const all = [
    write(({ identifier, upc }) => [identifier, upc]),
    write(({ identifier }) => [identifier, undefined]),
    write(({ upc }) => [undefined, upc]),
  ]
  const versions = all.filter((rows) => rows.every(([, , sku, upc]) => sku !== '' || upc !== ''))
  return { operation: 'create-cancel', mapping: 'retailer-cancels.yaml', header, versions }
}

// What a supplier may do. Spec: close, and "reopen a closed order"; there is no call that takes back an acknowledgement.

function listBrandSteps({ number, status, isAcknowledged, open }: OrderState): UndoStep[] {
  if (status === 'canceled')
    return [{ what: 'cancel', chance: 'no', text: 'the order is canceled, and no call takes that back' }]
  const cancel: UndoStep = isAcknowledged
    ? { what: 'cancel', chance: 'no', text: 'only its retailer could, and only before it was acknowledged' }
    : {
        what: 'cancel',
        chance: 'elsewhere',
        text: 'its retailer may until the order is acknowledged; ask for it',
      }
  const acknowledgement: UndoStep[] = isAcknowledged
    ? [{ what: 'acknowledgement', chance: 'no', text: 'no call takes it back' }]
    : []
  if (status === 'closed') {
    const text = 'it is open or partial again; what was shipped and invoiced stays'
    return [
      { what: 'reopen', chance: 'yes', text, file: buildMoveFile('reopen', number) },
      cancel,
      ...acknowledgement,
    ]
  }
  const rest =
    open === 0
      ? 'all units are shipped or canceled'
      : `${open} units are still open, and the API does not say what becomes of them`
  const close: UndoStep = { what: 'close', chance: 'yes', text: rest, file: buildMoveFile('close', number) }
  return [close, cancel, ...acknowledgement]
}

function buildMoveFile(move: 'reopen' | 'close', number: string): UndoFile {
  const mapping = move === 'reopen' ? 'supplier-reopenings.yaml' : 'supplier-closings.yaml'
  return { operation: `${move}-order`, mapping, header: ['PO Number'], versions: [[[number]]] }
}

// Returns and credits. Spec: the API lists and acknowledges both, and has no call that creates one.

function listReturnSteps({ order, shipped }: OrderState): UndoStep[] {
  const returns = readItems(order, 'rmas')
  const accepted = returns.filter(({ status }) => formatScalar(status).toLowerCase() === 'accepted')
  const credits = readItems(order, 'credits')
  const there = (what: string, items: readonly RequestBody[]) =>
    items.length === 0
      ? ''
      : `; there ${items.length === 1 ? `is one ${what}` : `are ${items.length} ${what}s`}`
  const returning: UndoStep =
    shipped === 0
      ? {
          what: 'return',
          chance: 'no',
          text: `no shipped units are left to return${there('return', returns)}`,
        }
      : {
          what: 'return',
          chance: 'elsewhere',
          text: `${shipped} shipped units; the parties agree on it outside of the API, which then lists it${there('return', returns)}`,
        }
  const crediting: UndoStep =
    accepted.length === 0
      ? {
          what: 'credit',
          chance: 'no',
          text: `only after the supplier accepted a return${there('return', returns)}`,
        }
      : {
          what: 'credit',
          chance: 'elsewhere',
          text: `the supplier issues it outside of the API, for no more than its return${there('credit', credits)}`,
        }
  return [returning, crediting]
}

// What stays: the API has no call that changes or removes these.

const ATTACHED = [
  {
    list: 'shipments',
    noun: 'shipment',
    name: 'tracking_number',
    text: 'no call changes or removes it; the carrier may void its label, and what comes back is a return',
  },
  {
    list: 'invoices',
    noun: 'invoice',
    name: 'invoice_number',
    text: 'no call changes or removes it, and an order has one; what is too much is credited after a return',
  },
  { list: 'cancels', noun: 'cancel', name: 'reason', text: 'no call takes it back; order the units again' },
] as const

function listAttachedSteps(order: RequestBody): UndoStep[] {
  return ATTACHED.flatMap(({ list, noun, name, text }) =>
    readItems(order, list).map((each): UndoStep => {
      const called = formatScalar(each[name])
      return {
        what: `${noun} ${readId(each) ?? '?'}${called === '' ? '' : ` (${called})`}`,
        chance: 'no',
        text,
      }
    }),
  )
}
