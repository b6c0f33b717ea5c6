/** The larger samples: a week of a retailer's orders with damage in it, and its supplier's files about them. */
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from './fulfilment.ts'
import { ordersFile, sampleOrders } from './orders.ts'

/** The same at every call and on every machine. */
export function largeSamples() {
  const orders = sampleOrders({ seed: 20_261_121, orders: 2000, damageEvery: 40 })
  const good = orders.filter((order) => order.damage.length === 0)
  const shipments = sampleShipments(good.slice(0, 600), { seed: 7, damageEvery: 50 })
  const damaged = new Set(shipments.filter((each) => each.damage.length > 0).map((each) => each.po))
  // An order whose parcel was refused may have left under another number: only whole orders are invoiced.
  const whole = good.slice(0, 600).filter((order) => {
    const parcels = shipments.filter((each) => each.rows.some((row) => row['PO Number'] === order.po))
    return !damaged.has(order.po) && parcels.reduce((sum, each) => sum + each.rows.length, 0) === order.rows.length
  })
  const invoices = sampleInvoices(whole.slice(0, 400), { firstNumber: 40_001, damageEvery: 100 })
  return {
    orders,
    shipments,
    invoices,
    files: {
      'orders/harbor-vine-week.csv': ordersFile(orders).text,
      'shipments/northlight-shipments.csv': shipmentsFile(shipments),
      'invoices/northlight-invoices.csv': invoicesFile(invoices),
    },
  }
}
