/** Makes the supplier's files for orders of a sample: the parcels that were shipped, and the invoices. */
import { type SampleItem, sampleCatalogue } from '../../src/service/sample-seed.ts'
import { addDecimals, formatDecimal, multiplyDecimals, parseDecimal } from '../../src/support/decimal.ts'
import { cell, type OrderRow, type SampleOrder } from './orders.ts'
import { type Dice, dice } from './random.ts'

const SHIPMENT_COLUMNS = ['PO Number', 'Ship Date', 'Carrier', 'Service', 'Tracking Number', 'SKU', 'UPC', 'Qty'] as const
type ShipmentRow = Record<(typeof SHIPMENT_COLUMNS)[number], string>

const INVOICE_COLUMNS = ['PO Number', 'Invoice Number', 'Net Days', 'Due Date', 'Invoice Total', 'Item', 'UPC', 'Qty', 'Unit Cost'] as const
type InvoiceRow = Record<(typeof INVOICE_COLUMNS)[number], string>

/** One record of a file, and the problem codes it must be refused with; empty for a good one. */
export interface SampleRecord<Row> {
  readonly po: string
  readonly rows: Row[]
  damage: string[]
}

export type SampleShipment = SampleRecord<ShipmentRow>
export type SampleInvoice = SampleRecord<InvoiceRow>

const SERVICES = [
  ['FedEx', 'FedEx Ground'],
  ['FedEx', 'FedEx 2Day'],
  ['UPS', 'UPS Ground'],
] as const

/**
 * Ships every order whole, one in four of those with several lines in two parcels. With `damageEvery`, every n-th parcel is
 * damaged; its order is then not shipped whole.
 */
export function sampleShipments(
  orders: readonly SampleOrder[],
  { seed, damageEvery }: { seed: number; damageEvery: number },
): SampleShipment[] {
  const chance = dice(seed)
  const items = new Map(sampleCatalogue().map((item) => [item.identifier, item]))
  const shipments = orders.flatMap((order) => parcelsOf(order, chance, items))
  if (damageEvery > 0) {
    for (let index = damageEvery - 1, turn = 0; index < shipments.length; index += damageEvery, turn++) {
      SHIPMENT_DAMAGES[turn % SHIPMENT_DAMAGES.length]?.(shipments[index] as SampleShipment)
    }
  }
  return shipments
}

function parcelsOf(order: SampleOrder, chance: Dice, items: ReadonlyMap<string, SampleItem>): SampleShipment[] {
  const [carrier, service] = chance.pick(SERVICES)
  const split = order.rows.length > 1 && chance.chance(0.25) ? 1 : order.rows.length
  const parcels = [order.rows.slice(0, split), order.rows.slice(split)].filter((rows) => rows.length > 0)
  const day = chance.between(16, 20)
  return parcels.map((rows) => {
    const tracking = `7946${chance.between(10_000_000, 99_999_999)}`
    const toRow = (row: OrderRow): ShipmentRow => ({
      'PO Number': order.po,
      'Ship Date': `11/${day}/2026 16:30`,
      Carrier: carrier,
      Service: service,
      'Tracking Number': tracking,
      SKU: items.get(row.SKU)?.brandIdentifier ?? '',
      UPC: row.UPC,
      Qty: row.Qty,
    })
    return { po: order.po, rows: rows.map(toRow), damage: [] }
  })
}

const SHIPMENT_DAMAGES: readonly ((shipment: SampleShipment) => void)[] = [
  (shipment) => {
    for (const row of shipment.rows) row['PO Number'] = 'HV-99999'
    shipment.damage = ['order-unknown']
  },
  (shipment) => {
    ;(shipment.rows[0] as ShipmentRow).Qty = '500'
    shipment.damage = ['api-refused']
  },
  (shipment) => {
    for (const row of shipment.rows) row.Service = 'Fedex Grnd'
    shipment.damage = ['lookup-missed', 'lookup-missed']
  },
  (shipment) => {
    for (const row of shipment.rows) row['Ship Date'] = '11/31/2026'
    shipment.damage = ['date-expected']
  },
]

/** Invoices orders, each whole. With `damageEvery`, every n-th is damaged. */
export function sampleInvoices(
  orders: readonly SampleOrder[],
  { firstNumber, damageEvery }: { firstNumber: number; damageEvery: number },
): SampleInvoice[] {
  const invoices = orders.map((order, index) => invoiceOf(order, `NL-INV-${firstNumber + index}`))
  if (damageEvery > 0) {
    for (let index = damageEvery - 1, turn = 0; index < invoices.length; index += damageEvery, turn++) {
      INVOICE_DAMAGES[turn % INVOICE_DAMAGES.length]?.(invoices[index] as SampleInvoice)
    }
  }
  return invoices
}

function invoiceOf(order: SampleOrder, number: string): SampleInvoice {
  const total = order.rows.reduce(
    (sum, row) => addDecimals(sum, multiplyDecimals(amount(row.Cost), amount(row.Qty))),
    amount('0.00'),
  )
  const rows = order.rows.map((row) => ({
    'PO Number': order.po,
    'Invoice Number': number,
    'Net Days': '30',
    'Due Date': '12/20/2026',
    'Invoice Total': `$${formatDecimal(total).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',')}`,
    Item: row.SKU,
    UPC: row.UPC,
    Qty: row.Qty,
    'Unit Cost': `$${row.Cost}`,
  }))
  return { po: order.po, rows, damage: [] }
}

const INVOICE_DAMAGES: readonly ((invoice: SampleInvoice) => void)[] = [
  (invoice) => {
    for (const row of invoice.rows) row['Invoice Total'] = 'see attached'
    invoice.damage = ['decimal-expected']
  },
  (invoice) => {
    for (const row of invoice.rows) row['Due Date'] = ''
    invoice.damage = ['value-missing']
  },
]

function amount(text: string) {
  const value = parseDecimal(text)
  if (!value) throw new Error(`not an amount: ${text}`)
  return value
}

export function shipmentsFile(shipments: readonly SampleShipment[]): string {
  return fileOf(SHIPMENT_COLUMNS, shipments)
}

export function invoicesFile(invoices: readonly SampleInvoice[]): string {
  return fileOf(INVOICE_COLUMNS, invoices)
}

function fileOf<Column extends string>(
  columns: readonly Column[],
  records: readonly SampleRecord<Record<Column, string>>[],
): string {
  const rows = records.flatMap((record) => record.rows.map((row) => columns.map((column) => cell(row[column])).join(',')))
  return [columns.join(','), ...rows].map((row) => `${row}\r\n`).join('')
}
