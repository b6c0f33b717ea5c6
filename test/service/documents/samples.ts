/** A shipment's documents as a real one would have them; each test changes the part that it checks. */
import type { ShippingLabel } from '../../../src/service/documents/label-layout.ts'
import type { PackingSlip, PackingSlipLine } from '../../../src/service/documents/packing-slip.ts'

const WAREHOUSE = {
  name1: 'Northlight Goods',
  name2: 'Warehouse 3',
  street1: '1200 Industrial Parkway',
  street2: 'Dock 14',
  city: 'Reno',
  province: 'NV',
  postal_code: '89502',
  country: 'US',
  phone1: '+1 775 555 0100',
}

export const CONSUMER = {
  name1: 'Zoë Łukasiewicz',
  name2: null,
  street1: '48 Harbor View Terrace',
  street2: null,
  city: 'Portland',
  province: 'ME',
  postal_code: '04101',
  country: 'US',
  phone1: null,
}

const MADE_AT = Date.UTC(2026, 10, 21, 2, 15)

export function slipLine(changes: Partial<PackingSlipLine> = {}): PackingSlipLine {
  return {
    number: '1',
    part: 1,
    identifier: 'NL-1001',
    upc: '012345678905',
    name: 'Stoneware mug',
    size: null,
    color: 'Sage',
    quantity: 2,
    ...changes,
  }
}

export function packingSlip(changes: Partial<PackingSlip> = {}): PackingSlip {
  return {
    retailerName: 'Harbor & Pine',
    brandName: 'Northlight Goods',
    purchaseOrderNumber: 'PO-2026-001187',
    customerOrderNumber: 'HP-55018',
    orderedAt: '2026-11-20T18:00:00Z',
    shippedAt: '2026-11-21T02:15:00Z',
    shipFrom: WAREHOUSE,
    shipTo: CONSUMER,
    carrierName: 'FedEx',
    methodName: 'FedEx Ground',
    trackingNumber: '794644790132',
    giftMessage: [],
    lines: [slipLine()],
    madeAt: MADE_AT,
    ...changes,
  }
}

export function shippingLabel(changes: Partial<ShippingLabel> = {}): ShippingLabel {
  return {
    shipFrom: WAREHOUSE,
    shipTo: CONSUMER,
    carrierName: 'FedEx',
    carrierCode: 'FDEG',
    methodName: 'FedEx Ground',
    trackingNumber: '794644790132',
    weight: '2.5',
    width: '8',
    length: '12',
    height: '6.25',
    purchaseOrderNumber: 'PO-2026-001187',
    reference: 'Bin 14',
    signature: null,
    madeAt: MADE_AT,
    ...changes,
  }
}
