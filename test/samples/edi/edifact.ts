/** The EDIFACT samples in the shape of D.96A, each in another dress. */
import {
  dress,
  type MadeDocument,
  type MadeNad,
  type MadeSegment,
  makeDesadv,
  makeInterchange,
  makeInvoic,
  makeInvrpt,
  makeOrdchg,
  makeOrders,
  makeOrdrsp,
  makeTransport,
} from '../../fixtures/edi-maker.ts'
import { deliverTo, type EdiOrder, findItem, findOrder, type OrderedItem } from './orders.ts'

/** The bytes of each sample, by its name below `samples/edi/`. */
export function edifactSamples(): Readonly<Record<string, Buffer>> {
  return {
    'orders.edi': orders(),
    'ordchg.edi': changes(),
    'ordrsp.edi': responses(),
    'desadv.edi': shipments(),
    'invoic.edi': invoices(),
    'invrpt.edi': inventory(),
  }
}

const BUYER: MadeNad = { role: 'BY', id: ['HAVEN', '92'], names: ['Haven'] }
const SUPPLIER: MadeNad = { role: 'SU', id: ['NORTHLIGHT', '92'], names: ['Northlight Goods'] }
const WAREHOUSE: MadeNad = {
  role: 'SF',
  names: ['Northlight Goods'],
  street: ['2100 Vassar St'],
  city: 'Reno',
  province: 'NV',
  postalCode: '89502',
  country: 'US',
}

function interchange(number: number, at: string, sets: readonly MadeDocument[], level = 'UNOC:3') {
  return makeInterchange({ syntax: 'edifact', number, at, level, version: 'D:96A:UN', groups: [{ sets }] })
}

function line({ identifier, quantity }: OrderedItem, qualifier: string) {
  const { upc, brandIdentifier } = findItem(identifier)
  return {
    item: [upc, 'UP'] as const,
    more: [['5', brandIdentifier, 'SA'] as const],
    quantities: { [qualifier]: quantity },
  }
}

function orderLine(item: OrderedItem) {
  const { netPrice, price, name } = findItem(item.identifier)
  const made = line(item, '21')
  return {
    ...made,
    more: [...made.more, ['1', item.identifier, 'IN'] as const],
    name,
    prices: { AAA: Number(netPrice), INF: Number(price) },
  }
}

/** Three orders, one with a gift text that needs release characters. UNA, a line feed behind each segment, Latin-1. */
function orders(): Buffer {
  const sets = ['HV-42001', 'HV-42002', 'HV-42003'].map(findOrder).map((order) =>
    makeOrders({
      number: order.po,
      dates: { 137: order.date + order.time, 2: '20261120' },
      ...(order.gift === undefined ? {} : { texts: { GFT: order.gift } }),
      references: { CR: order.customer },
      parties: [BUYER, SUPPLIER, deliverTo(order)],
      currency: 'USD',
      transport: makeTransport('', '', order.service),
      lines: order.lines.map(orderLine),
    }),
  )
  return dress(interchange(2101, '2026-11-16T18:00', sets), { una: true, newline: '\n' })
}

/** A whole order is cancelled; one line of another is. No UNA and no line breaks. */
function changes(): Buffer {
  const item = findOrder('HV-42003').lines[1] as OrderedItem
  const sets = [
    makeOrdchg({ number: 'HV-42002', dates: { 137: '20261117' }, parties: [BUYER, SUPPLIER] }),
    makeOrdchg({
      number: 'HVC-0007',
      references: { ON: 'HV-42003' },
      dates: { 137: '20261117' },
      parties: [BUYER, SUPPLIER],
      lines: [{ ...line(item, '21'), number: '2', action: '2' }],
    }),
  ]
  return dress(interchange(2102, '2026-11-17T08:00', sets))
}

/** Accepted without lines; accepted line by line; refused. CR LF behind each segment. */
function responses(): Buffer {
  const accepted = (order: EdiOrder) => order.lines.map((each) => ({ ...line(each, '21'), action: '5' }))
  const common = { dates: { 137: '20261117' }, parties: [BUYER, SUPPLIER] }
  const sets = [
    makeOrdrsp({ number: 'NLR-2001', references: { ON: 'HV-42001' }, ...common }),
    makeOrdrsp({
      number: 'NLR-2003',
      references: { ON: 'HV-42003' },
      ...common,
      lines: accepted(findOrder('HV-42003')),
    }),
    makeOrdrsp({ number: 'NLR-2002', purpose: '27', references: { ON: 'HV-42002' }, ...common }),
  ]
  return dress(interchange(901, '2026-11-17T09:00', sets), { newline: '\r\n' })
}

/** An order in two parcels, another in one. Wrapped at 80. */
function shipments(): Buffer {
  const notice = (order: EdiOrder, tracking: readonly string[]) => {
    const parcels = tracking.map((number, index) => ({
      tracking: number,
      weight: 4.5 + index,
      lines: (tracking.length === 1 ? order.lines : order.lines.slice(index, index + 1)).map((each) =>
        line(each, '12'),
      ),
    }))
    return makeDesadv({
      number: `NLD-${order.po.slice(3)}`,
      dates: { 137: '20261118', 11: '202611181630' },
      references: { ON: order.po },
      parties: [BUYER, SUPPLIER, WAREHOUSE, deliverTo(order)],
      transport: makeTransport(order.carrier, '', order.service),
      parcels,
    })
  }
  const sets = [
    notice(findOrder('HV-42001'), ['794600004201', '794600004202']),
    notice(findOrder('HV-42003'), ['794600004203']),
  ]
  return dress(interchange(902, '2026-11-18T18:30', sets), { wrapAt: 80 })
}

/** Decimal commas, capitals only (UNOA). The second one has freight. */
function invoices(): Buffer {
  const invoice = (number: string, order: EdiOrder, freight: number) => {
    const cents = order.lines.map(
      ({ identifier, quantity }) => Math.round(Number(findItem(identifier).netPrice) * 100) * quantity,
    )
    const goods = cents.reduce((total, each) => total + each, 0)
    return makeInvoic({
      number,
      dates: { 137: '20261119', 13: '20261219' },
      references: { ON: order.po },
      parties: [
        { ...BUYER, names: ['HAVEN'] },
        {
          ...WAREHOUSE,
          role: 'PE',
          names: ['NORTHLIGHT GOODS'],
          street: ['2100 VASSAR ST'],
          city: 'RENO',
        },
      ],
      currency: 'USD',
      more: [
        ['PAT', '1', '', ['5', '3', 'D', 30]],
        ...(freight === 0 ? [] : chargeFreight(freight)),
      ],
      lines: order.lines.map((each, index) => ({
        ...line(each, '47'),
        amounts: { 203: (cents[index] ?? 0) / 100 },
        prices: { AAA: Number(findItem(each.identifier).netPrice) },
      })),
      totals: { 79: goods / 100, 9: (goods + freight) / 100 },
    })
  }
  const sets = [
    invoice('NL-INV-4201', findOrder('HV-42001'), 0),
    invoice('NL-INV-4203', findOrder('HV-42003'), 995),
  ]
  return dress(interchange(903, '2026-11-19T20:15', sets, 'UNOA:1'), { decimal: ',', newline: '\n' })
}

function chargeFreight(cents: number): MadeSegment[] {
  return [
    ['ALC', 'C', '', '', '', 'FC'],
    ['MOA', ['8', cents / 100]],
  ]
}

/** Stock of two days. No UNA; each line is a segment, without apostrophes. */
function inventory(): Buffer {
  const report = (number: string, date: string, stock: readonly (readonly [string, number])[]) =>
    makeInvrpt({
      number,
      dates: { 137: date, 366: date },
      parties: [BUYER, SUPPLIER, { role: 'WH', id: ['RENO', '92'] }],
      lines: stock.map(([identifier, quantity]) => line({ identifier, quantity }, '145')),
    })
  const sets = [
    report('NLS-1119', '20261119', [
      ['NL-0001', 14],
      ['HV-10001', 3],
      ['NL-0003', 10],
    ]),
    report('NLS-1120', '20261120', [
      ['NL-0001', 12],
      ['HV-10001', 0],
    ]),
  ]
  return dress(interchange(904, '2026-11-20T06:00', sets), { terminator: '\n', una: false })
}
