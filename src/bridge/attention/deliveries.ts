/** Deliveries that wait for a person, delivered files that nobody took in time, and receipts that confirm nothing. */
import type { OutboundRoute } from '../../config/routes.ts'
import type { Concern } from '../../domain/attention.ts'
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { AwaitedDelivery } from '../../domain/taking.ts'
import { type Overdue, overdueOf } from '../../pipelines/outbound/overdue.ts'
import { isoTime } from '../../support/clock.ts'
import { atMost } from './at-most.ts'
import type { Looking } from './looking.ts'

/** So many of the files that wait are looked through; those behind them wait no longer than these. */
const AWAITED_MAX = 10_000

/** So many held deliveries are findings of their own. */
const HELD_MAX = 50

export async function deliveryConcerns(looking: Looking): Promise<Concern[]> {
  const { journal, configuration, mailboxes, now } = looking
  const concerns = (await journal.heldDeliveries(HELD_MAX)).map((each) => heldConcern(looking, each))
  for (const route of configuration.routes) {
    if (route.direction !== 'outbound' || route.overdue === undefined) continue
    const mailbox = mailboxes.get(route.to.mailbox)
    const found: Concern[] = []
    for (const delivery of await journal.awaitedDeliveries(AWAITED_MAX, route.name)) {
      const path = mailbox?.describe(delivery.folder, delivery.name) ?? delivery.name
      const late = overdueOf(delivery, route.overdue, now)
      if (delivery.refusedReceipt !== undefined) found.push(refusedConcern(route, delivery, path))
      else if (late !== undefined) found.push(overdueConcern(route, delivery, { ...late, path, now }))
    }
    concerns.push(...atMost(looking, found, route.name))
  }
  return concerns
}

function heldConcern({ configuration, mailboxes }: Looking, delivery: DeliveryEntry): Concern {
  const { route: name, folder, name: file, id, records, composedAt, held = '' } = delivery
  const route = configuration.routes.find((each) => each.name === name)
  const mailbox = route?.direction === 'outbound' ? mailboxes.get(route.to.mailbox) : undefined
  const path = mailbox?.describe(folder, file) ?? file
  return {
    code: 'delivery-held',
    route: name,
    subject: `${file} (${id})`,
    since: composedAt,
    message: `${path} with ${records} records is not delivered: ${held}`,
    cure:
      route === undefined
        ? `give the route back its name, ${name}`
        : `ask whoever reads the files whether its records came, under whatever name (dropbridge trace ${id} lists them). All: dropbridge settle ${id} --delivered; none: --again, with --by NAME --why TEXT; some: see docs/support.md`,
  }
}

function refusedConcern(route: OutboundRoute, delivery: AwaitedDelivery, path: string): Concern {
  const { name = '', at = 0 } = delivery.refusedReceipt ?? {}
  return {
    code: 'receipt-refused',
    route: route.name,
    subject: `${delivery.name} (${delivery.id})`,
    since: at,
    message: `the receipt ${name} for ${path} does not hold what \`receipt.contains\` asks for${byWhen(delivery)}`,
    cure: `read it in ${route.receipt?.archive ?? 'the archive'} and ask whoever sent it; a new receipt is looked for`,
  }
}

function overdueConcern(
  route: OutboundRoute,
  delivery: AwaitedDelivery,
  { since, isNear, path, now }: Overdue & { readonly path: string; readonly now: number },
): Concern {
  const left = isoTime(delivery.deliveredAt ?? delivery.composedAt)
  const isReceipt = route.acknowledge === 'receipt'
  const what = isReceipt ? 'no receipt came for' : 'nobody took'
  const isOver = (delivery.acknowledgeBy ?? Infinity) <= now
  return {
    code: isReceipt ? 'receipt-overdue' : 'pick-up-overdue',
    route: route.name,
    // It is said again when the time of its records comes near.
    subject: `${delivery.name} (${delivery.id})${isNear ? ', time is short' : ''}`,
    since,
    message: `${what} ${path}, left there at ${left}: none of its ${delivery.records} records is acknowledged${byWhen(delivery)}${isOver ? ', and that is over' : ''}`,
    cure: isReceipt
      ? 'find out whether the file was read; what is confirmed is acknowledged by the next run'
      : 'find out why nobody takes it; what is taken is acknowledged by the next run',
  }
}

function byWhen({ acknowledgeBy }: AwaitedDelivery): string {
  return acknowledgeBy === undefined
    ? ''
    : `; the first of its records should be acknowledged by ${isoTime(acknowledgeBy)}`
}
