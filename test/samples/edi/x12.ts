/** The X12 samples: what a retailer and its supplier would send, each in another dress. */
import {
  dress,
  make810,
  make846,
  make850,
  make855,
  make856,
  make860,
  make870,
  makeInterchange,
  makeLevels,
  type MadeDocument,
  type MadeSegment,
  NORTHLIGHT,
} from '../../fixtures/edi-maker.ts'
import {
  findItem,
  findOrder,
  HAVEN_OFFICE,
  retailerPairs,
  shipTo,
  supplierPairs,
  WAREHOUSE,
  type EdiOrder,
  type OrderedItem,
} from './orders.ts'

/** The bytes of each sample, by its name below `samples/edi/`. */
export function x12Samples(): Readonly<Record<string, Buffer>> {
  return {
    '850-two-orders.x12': dress(order('HV-41001', 'HV-41003'), { newline: '\n' }),
    '850-one-day.x12': oneDay(),
    '850-three-interchanges.x12': threeInterchanges(),
    '850-orders-amazon-style.x12': amazonStyle(),
    '850-orders-walmart-style.x12': walmartStyle(),
    '855-acknowledgements.x12': acknowledgements(),
    '856-shipments.x12': shipments(),
    '856-shipments-order-level.x12': orderLevelShipments(),
    '810-invoices.x12': invoices(),
    '846-inventory.x12': inventory(),
    '860-cancel-whole.x12': wholeCancels(),
    '860-cancel-lines.x12': lineCancels(),
    '870-order-status.x12': orderStatus(),
  }
}

/** One group of one kind of document. */
function interchange(number: number, at: string, sets: readonly MadeDocument[], version = '004010') {
  return makeInterchange({ syntax: 'x12', number, at, version, groups: [{ sets }] })
}

function order(...numbers: readonly string[]) {
  return interchange(1121, '2026-11-16T14:00', numbers.map(findOrder).map(makeOrder))
}

function makeOrder(order: EdiOrder): MadeDocument {
  return make850({
    po: order.po,
    date: order.date,
    references: { CO: order.customer, IA: '20771' },
    dates: { '004': `${order.date} ${order.time} ET`, '038': '20261119' },
    carrier: ['TD5', '', '2', order.carrier, 'M', order.service],
    ...(order.gift === undefined ? {} : { gift: order.gift }),
    addresses: [HAVEN_OFFICE, shipTo(order)],
    lines: order.lines.map(orderLine),
  })
}

function orderLine({ identifier, quantity }: OrderedItem) {
  const { netPrice, price, name } = findItem(identifier)
  return { quantity, price: netPrice, retail: price, name, pairs: retailerPairs(identifier) }
}

/** The orders of one day. The second has a quantity that is no number. */
function oneDay(): Buffer {
  const sets = ['HV-41001', 'HV-41002', 'HV-41003'].map((po) => makeOrder(findOrder(po)))
  const damaged = sets.map(({ document, segments }, index) => {
    const isDamaged = ([id]: MadeSegment) => index === 1 && id === 'PO1'
    const spoil = ([id, line, , ...rest]: MadeSegment): MadeSegment => [id, line ?? '', 'two', ...rest]
    return { document, segments: segments.map((segment) => (isDamaged(segment) ? spoil(segment) : segment)) }
  })
  return dress(interchange(1126, '2026-11-16T23:00', damaged), { newline: '\n' })
}

/** A VAN put three interchanges into one file. Each has delimiters of its own. */
function threeInterchanges(): Buffer {
  const made = ['HV-41002', 'HV-41004', 'HV-41005'].map((po, index) =>
    interchange(1122 + index, `2026-11-16T2${index}:30`, [makeOrder(findOrder(po))]),
  )
  return dress(made, [
    { newline: '\n', between: '\n\n' },
    { element: '|', component: '>', newline: '\r\n', between: '' },
    { element: '^', component: ':', terminator: '\n' },
  ])
}

/** In the style of Amazon's direct fulfilment: the PO is a ship id, TD5 and PER stand in the N1 loop, TE in PER05. Wrapped by the VAN. */
function amazonStyle(): Buffer {
  const consumers = ['HV-41004', 'HV-41005', 'HV-41001'].map(findOrder)
  const sets = consumers.map((order, index) => {
    const { name, phone = '206-555-0100', email = 'ship@example.com', ...address } = order.consumer
    const country = 'US'
    return make850({
      po: `DqK7hV${index + 1}Rt`,
      type: 'NE',
      references: { OQ: `114-50071${index}3-88412${index}7`, ZZ: 'HAVEN' },
      more: [['CUR', 'BY', 'USD']],
      dates: { '004': `20261116 ${order.time} PT`, '037': '20261117 0800 PT' },
      addresses: [
        { role: 'BT', name: 'Haven Marketplace', id: ['92', 'HAVENMKT'] },
        { role: 'SF', name: 'Northlight Goods', id: ['92', 'RENO'] },
        {
          role: 'ST',
          name,
          ...address,
          country,
          more: [
            ['PER', 'IC', name, 'EM', email, 'TE', phone],
            ['TD5', '', 'ZZ', order.carrier, '', order.service],
          ],
        },
        { role: 'LW', name, ...address, country, more: [['PER', 'IC', '', 'EM', email, 'TE', phone]] },
      ],
      lines: order.lines.map(({ identifier, quantity }) => ({
        quantity,
        price: findItem(identifier).netPrice,
        pairs: supplierPairs(identifier),
        retail: findItem(identifier).price,
        retailCode: 'PUR',
      })),
    })
  })
  return dress(interchange(700213, '2026-11-16T17:10', sets), { component: '>', wrapAt: 80, wrapWith: '\r\n' })
}

/** In the style of Walmart's drop-ship vendors: REF*CO, DTM*806, CSH, texts for the slip in N9*L1, TD5 and REF in the N1 loop. */
function walmartStyle(): Buffer {
  const sets = ['HV-41003', 'HV-41001'].map(findOrder).map((order, index) => {
    const more: readonly MadeSegment[] = [
      ['REF', '4N', '20'],
      ['REF', 'OD', `70000${order.po.slice(-4)}`],
      ['TD5', 'O', '93', '67', 'M', order.service],
    ]
    return make850({
      po: `004100770${index + 1}`,
      type: 'SA',
      references: { CO: `2000${order.po.slice(-5)}4410`, VR: '31', IA: '660077001' },
      more: [
        ['CTP', 'RS', 'TRN', '0'],
        ['CSH', 'SC'],
      ],
      dates: { 806: order.date },
      gift: order.gift ?? ['Thank you for shopping with Haven'],
      addresses: [
        { role: 'BT', ...order.consumer, country: 'USA' },
        { ...shipTo(order), country: 'USA', more },
        { ...HAVEN_OFFICE, role: 'RT', name: 'Haven Returns' },
      ],
      lines: order.lines.map((line) => ({ ...orderLine(line), retailCode: 'RTL' })),
    })
  })
  return dress(interchange(40177, '2026-11-16T16:45', sets), { component: '>', terminator: '\n' })
}

/** All lines accepted; the whole order accepted without lines; a line of which a part is refused. */
function acknowledgements(): Buffer {
  const line = ({ identifier, quantity }: OrderedItem) => ({
    quantity,
    price: findItem(identifier).netPrice,
    pairs: supplierPairs(identifier),
    acks: [{ quantity, shipDate: '20261118' }],
  })
  const partly = findOrder('HV-41004').lines.map((each, index) =>
    index === 0 ? { ...line(each), acks: [{ quantity: 2 }, { status: 'IR', quantity: 1 }] } : line(each),
  )
  const sets = [
    make855({ po: 'HV-41001', type: 'AD', lines: findOrder('HV-41001').lines.map(line) }),
    make855({ po: 'HV-41002', type: 'AK' }),
    make855({ po: 'HV-41003', addresses: [WAREHOUSE], lines: findOrder('HV-41003').lines.map(line) }),
    make855({ po: 'HV-41004', lines: partly }),
  ]
  return dress(interchange(501, '2026-11-17T07:10', sets), { newline: '\r\n' })
}

function packed({ identifier, quantity }: OrderedItem) {
  return { quantity, pairs: supplierPairs(identifier) }
}

function travel({ carrier, service }: EdiOrder): MadeSegment {
  return ['TD5', 'B', '2', carrier, 'M', service]
}

/**
 * S-O-P-I. One order in two packs; one order in one pack, with levels that do not name their parents; one consignment of two
 * orders. With a byte order mark.
 */
function shipments(): Buffer {
  const [ada, olga, tom, mei] = ['HV-41001', 'HV-41003', 'HV-41004', 'HV-41005'].map(findOrder) as [
    EdiOrder,
    EdiOrder,
    EdiOrder,
    EdiOrder,
  ]
  const addresses = [WAREHOUSE]
  const sets = [
    make856({
      number: '810041',
      levels: makeLevels({
        carrier: travel(ada),
        dates: { '011': '20261118 1630 PT' },
        addresses: [WAREHOUSE, shipTo(ada)],
        orders: [
          {
            po: ada.po,
            references: { CO: ada.customer },
            packs: [
              { tracking: '794600004101', weight: 9.5, items: ada.lines.slice(0, 1).map(packed) },
              { tracking: '794600004102', weight: 4.25, items: ada.lines.slice(1).map(packed) },
            ],
          },
        ],
      }),
    }),
    make856({
      number: '810042',
      header: [['DTM', '011', '20261118', '1745', 'PT']],
      levels: makeLevels({
        carrier: travel(olga),
        addresses,
        orders: [
          { po: olga.po, packs: [{ tracking: '1Z0000000000004103', weight: 31, items: olga.lines.map(packed) }] },
        ],
      }),
      numbering: { first: 7, parents: 'blank' },
    }),
    make856({
      number: '810043',
      levels: makeLevels({
        carrier: travel(tom),
        dates: { '011': '20261119' },
        addresses,
        orders: [
          { po: tom.po, packs: [{ tracking: '794600004104', items: tom.lines.map(packed) }] },
          { po: mei.po, packs: [{ tracking: '794600004105', items: mei.lines.map(packed) }] },
        ],
      }),
      counted: 'items',
    }),
  ]
  return dress(interchange(502, '2026-11-18T18:00', sets), { bom: true, newline: '\n' })
}

/** S-O-I: no packs; one tracking number for each order. All on one line. */
function orderLevelShipments(): Buffer {
  const sets = ['HV-41002', 'HV-41005'].map(findOrder).map((order, index) =>
    make856({
      number: String(820041 + index),
      structure: '0004',
      date: '20261119',
      time: '0900',
      levels: makeLevels(
        {
          carrier: travel(order),
          dates: { '011': '20261119 0900 PT' },
          addresses: [WAREHOUSE],
          orders: [
            { po: order.po, packs: [{ tracking: `7946000042${10 + index}`, items: order.lines.map(packed) }] },
          ],
        },
        'S-O-I',
      ),
      counted: 'nothing',
    }),
  )
  return dress(interchange(503, '2026-11-19T09:30', sets))
}

/** Three invoices: terms by days, terms by a date and freight, a total written with a point. Bars between elements. */
function invoices(): Buffer {
  const line = ({ identifier, quantity }: OrderedItem) => {
    const { netPrice, name } = findItem(identifier)
    return { quantity, price: netPrice, pairs: supplierPairs(identifier), name }
  }
  const lines = (po: string) => findOrder(po).lines.map(line)
  const addresses = [{ ...WAREHOUSE, role: 'RI' }]
  const sets = [
    make810({
      number: 'NL-INV-4101',
      po: 'HV-41001',
      references: { IA: '20771' },
      addresses,
      terms: ['ITD', '01', '3', '', '', '', '', '30'],
      dates: { '011': '20261118' },
      lines: lines('HV-41001'),
    }),
    make810({
      number: 'NL-INV-4103',
      po: 'HV-41003',
      addresses,
      terms: ['ITD', '01', '3', '', '', '', '20261219', '30'],
      lines: lines('HV-41003'),
      charges: [{ kind: 'C', code: 'D240', cents: 1250, text: 'Freight' }],
    }),
    // HV-10005 at 38.20.
    make810({
      number: 'NL-INV-4102',
      po: 'HV-41002',
      addresses,
      terms: ['ITD', '01', '3', '', '', '', '', '30'],
      lines: lines('HV-41002'),
      total: '38.20',
    }),
  ]
  return dress(interchange(504, '2026-11-19T20:00', sets), { element: '|', component: '>', newline: '\n' })
}

/** All items of one warehouse; then items that changed, one of them with what is on hand too. ISA is not padded. */
function inventory(): Buffer {
  const stock = (identifier: string, quantity: number) => ({
    pairs: supplierPairs(identifier),
    name: findItem(identifier).name,
    quantities: { 33: quantity },
  })
  const sets = [
    make846({
      number: 'NL20261120A',
      references: { IA: '20771' },
      addresses: [WAREHOUSE],
      items: [
        stock('NL-0001', 12),
        stock('HV-10001', 0),
        stock('NL-0003', 10),
        stock('HV-10002', 250),
        stock('NL-0005', 7),
      ],
    }),
    make846({
      number: 'NL20261120B',
      purpose: '04',
      time: '1200',
      items: [stock('HV-10003', 31), { ...stock('NL-0007', 4), quantities: { 33: 4, 17: 9 } }],
    }),
  ]
  return dress(interchange(505, '2026-11-20T12:05', sets), { unpaddedIsa: true, newline: '\n' })
}

/** Two whole orders. Blanks behind the terminators, blank lines, and no terminator at the end. */
function wholeCancels(): Buffer {
  const sets = [
    make860({ po: 'HV-41002', references: { CO: 'W501002', ACE: '1' } }),
    make860({ po: 'HV-41005', purpose: '03', changed: '20261118', references: { CO: 'W501005' } }),
  ]
  const how = { trail: '  ', newline: '\n', blankLineEvery: 6, lastTerminator: false }
  return dress(interchange(1130, '2026-11-18T08:00', sets), how)
}

/** A line with its quantity; a line of which all is taken; a line whose quantity changes, for which there is no call. */
function lineCancels(): Buffer {
  const line = (identifier: string, number: string) => ({ number, pairs: retailerPairs(identifier) })
  const sets = [
    make860({ po: 'HV-41003', lines: [{ ...line('NL-0043', '2'), quantity: 1 }] }),
    make860({ po: 'HV-41004', lines: [line('HV-10003', '2')] }),
    make860({ po: 'HV-41001', lines: [{ ...line('HV-10001', '1'), change: 'QD', quantity: 1, left: 1 }] }),
  ]
  return dress(interchange(1131, '2026-11-18T08:05', sets), {
    element: '\x1d',
    component: '\x1f',
    terminator: '\x1c',
  })
}

/** In process, shipped and cancelled orders, by the codes of this partner. Version 005010; carriage returns end segments. */
function orderStatus(): Buffer {
  const items = (po: string) =>
    findOrder(po).lines.map(({ identifier, quantity }) => ({ quantity, pairs: supplierPairs(identifier) }))
  const sets = [
    make870({
      number: 'ST1117A',
      orders: [
        { po: 'HV-41001', status: 'IP', lines: items('HV-41001') },
        { po: 'HV-41003', status: 'IP' },
      ],
    }),
    make870({
      number: 'ST1119A',
      date: '20261119',
      orders: [
        { po: 'HV-41005', status: 'CC' },
        { po: 'HV-41002', status: 'CN' },
      ],
    }),
  ]
  const made = makeInterchange({
    syntax: 'x12',
    number: 506,
    at: '2026-11-19T21:00',
    version: '005010',
    sender: { ...NORTHLIGHT, group: 'NLGOODS' },
    groups: [{ sets }],
  })
  return dress(made, { terminator: '\r' })
}
