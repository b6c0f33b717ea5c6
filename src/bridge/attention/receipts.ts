/** Files that lie where receipts come and confirm nothing: a name that is not the one that is looked for is never read. */
import { receiptText } from '../../config/acknowledge.ts'
import type { OutboundRoute } from '../../config/routes.ts'
import type { Concern } from '../../domain/attention.ts'
import { nearestName } from '../../support/nearest.ts'
import { filePattern } from '../file-pattern.ts'
import { atMost } from './at-most.ts'
import { placeOf } from './listings.ts'
import type { Looking } from './looking.ts'
import { anyName, byPlace, GRACE_MS } from './places.ts'

/** As many as a pass looks after. */
const AWAITED_MAX = 10_000

type Confirmed = OutboundRoute & { readonly receipt: NonNullable<OutboundRoute['receipt']> }

export async function receiptConcerns(looking: Looking): Promise<readonly Concern[]> {
  const { configuration, mailboxes } = looking
  const confirmed = configuration.routes.flatMap((route) =>
    route.direction === 'outbound' && isConfirmed(route) ? [route] : [],
  )
  const concerns: Concern[] = []
  for (const routes of byPlace(looking, confirmed, ({ receipt }) => receipt)) {
    const [{ receipt }] = routes
    // Where nothing may be moved, receipts that were read lie there still.
    if (mailboxes.get(receipt.mailbox)?.leaves !== false) continue
    concerns.push(...atMost(looking, await strayReceipts(looking, routes), placeOf(receipt)))
  }
  return concerns
}

function isConfirmed(route: OutboundRoute): route is Confirmed {
  return route.receipt !== undefined
}

async function strayReceipts(
  looking: Looking,
  routes: readonly [Confirmed, ...Confirmed[]],
): Promise<Concern[]> {
  const { journal, listings, mailboxes, now } = looking
  const awaited: string[] = []
  for (const { name, receipt } of routes) {
    const deliveries = await journal.awaitedDeliveries(AWAITED_MAX, name)
    awaited.push(...deliveries.map((delivery) => receiptText(receipt.match, delivery.name)))
  }
  const [first] = routes
  const { mailbox, folder } = first.receipt
  const files = (await listings.of(first.receipt, { only: awaited })) ?? []
  const wanted = new Set(awaited.map((name) => name.toLowerCase()))
  const patterns = routes.map(({ receipt }) => filePattern(anyName(receipt.match)))
  return files
    .filter(({ name, modifiedAt }) => now - modifiedAt > GRACE_MS && !wanted.has(name.toLowerCase()))
    .filter(({ name }) => patterns.some((isReceipt) => isReceipt(name)))
    .map(({ name, modifiedAt }) => {
      const path = mailboxes.get(mailbox)?.describe(folder, name) ?? name
      // Most often an ending of the file's own name is left out.
      const [stem = name] = name.split('.')
      const nearest = awaited.find((each) => each.startsWith(`${stem}.`)) ?? nearestName(name, awaited)
      const hint = nearest === undefined ? '' : ` (the nearest name that is looked for is ${nearest})`
      return {
        code: 'receipt-unknown' as const,
        subject: `${placeOf(first.receipt)}/${name}`,
        since: modifiedAt,
        message: `${path} confirms no file that waits for a receipt${hint}`,
        cure: 'rename it if it is meant for one of these, or take it away; nobody reads it as it is',
      }
    })
}
