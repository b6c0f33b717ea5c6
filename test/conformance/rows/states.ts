/** Spec: "States and transitions". */
import { choices, statements } from './row.ts'

const ORDER = 'Order status'
const FLAG = 'Acknowledgement flag'
const SHIPMENT = 'Shipment status'
const RETURN = 'Return status'

const set = 'is_acknowledged true, acknowledged_at set.'

export const STATE_ROWS = [
  ...statements(ORDER, 'state.order', [
    ['created', '(created): POST order in retailer context with valid input, then open; response 201.'],
    ['dates', 'received_at, acknowledge_by and fulfill_by are set by the service.'],
    ['reopen-closed', 'reopen is for a closed order.'],
  ]),
  ...choices(ORDER, 'choice.order', [
    [
      'to-partial',
      'A shipment that fulfills a whole line and leaves others outstanding moves the order to partial.',
    ],
    [
      'to-closed',
      'A shipment or cancel that leaves nothing outstanding closes the order, unless a switch says otherwise.',
    ],
    ['to-canceled', 'Cancels of everything ordered move the order to canceled.'],
    ['line-closed', 'A line is closed once everything ordered is shipped or canceled.'],
    ['close', 'Any order that is not canceled can be closed, and a closed one stays as it is.'],
    ['reopen', 'Reopening makes the order partial when a line is fulfilled, else open; others stay.'],
    ['canceled-stays', 'A canceled order cannot be acknowledged, closed or reopened: 400.'],
    ['again', 'Acknowledging again changes nothing and is fine.'],
    ['updated', 'updated_at is when the order changed or something was made for it.'],
  ]),
  ...statements(FLAG, 'state.acknowledge', [
    ['order', `Order: PUT acknowledge (brand context), supplier acts; ${set}`],
    ['variant', `Variant: PUT acknowledge (retailer context), retailer acts; ${set}`],
    ['shipment', `Shipment: PUT acknowledge (retailer context), retailer acts; ${set}`],
    ['cancel', `Cancel: PUT acknowledge (retailer context), retailer acts; ${set}`],
    ['invoice', `Invoice: PUT acknowledge (retailer context), retailer acts; ${set}`],
    ['credit', `Credit: PUT acknowledge (retailer context), retailer acts; ${set}`],
    ['rma', `Return: PUT acknowledge (retailer context), retailer acts; ${set}`],
  ]),
  ...choices(FLAG, 'choice.acknowledge', [
    ['again', 'Acknowledging a second time keeps the time of the first.'],
  ]),
  ...statements('Cancel eligibility', 'rule.cancel', [
    ['only-retailer', 'A cancel may be requested only by a retailer.'],
    ['before-acknowledge', 'A cancel may be requested only before the supplier acknowledges the order.'],
  ]),
  ...choices('Cancel eligibility', 'choice.cancel', [
    ['closed', 'Nothing of a closed order is canceled, even when something of it was never shipped.'],
    ['left', 'No more of a line is canceled than is neither shipped nor canceled.'],
  ]),
  ...statements(SHIPMENT, 'state.shipment', [
    ['pick-up', '(a) open when created and closed when the carrier picked the package up.'],
    ['tracking', '(b) open when no tracking number is present and closed when one is.'],
    ['tracking-object', 'The tracking object is the recommended test of actual pickup.'],
  ]),
  ...choices(SHIPMENT, 'choice.shipment', [
    ['closes', '(b) is taken; the switch shipmentCloses turns to (a).'],
    [
      'label-made',
      'A label and its tracking number are made with the shipment; with the switch labelMade, when the label is first fetched.',
    ],
  ]),
  ...statements(RETURN, 'state.rma', [
    ['created', '(created): creation by either party, then Pending.'],
    [
      'accepted',
      'Pending: supplier closes the return, items received and inspected, all well; then Accepted.',
    ],
  ]),
  ...choices('Connection states', 'choice.connection', [
    ['open', 'Orders go only over a connection that is Full and Active; the operator changes both.'],
  ]),
  ...statements('Connection states', 'state.connection', [
    ['level', 'Level states: Full, Basic.'],
    ['status', 'Status states: Active, Pending, Suspended.'],
  ]),
]
