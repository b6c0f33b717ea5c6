/** Delivers the bytes of a finished delivery once more, as a person asks. */
import type { InterchangeInbox } from '../config/edi.ts'
import type { OutboundRoute } from '../config/routes.ts'
import type { DeliveryEntry } from '../domain/delivery.ts'
import { getOutboundOutcome } from '../pipeline/outbound/outbound.ts'
import {
  type ComposeAgain,
  deliverAgain,
  type RedeliveryRequest,
  type RedeliveryResult,
} from '../pipeline/outbound/redeliver.ts'
import { redeliverAnswer } from '../pipeline/interchanges/answers.ts'
import { getInterchangeOutcome } from '../pipeline/interchanges/interchange-pass.ts'
import { composeAgain } from '../pipeline/outbound/deliver.ts'
import { runInbox } from './run-inbox.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, usageError } from '../support/errors.ts'
import { didYouMean, quoteForShell } from '../support/text.ts'
import type { BridgeContext } from './context.ts'
import { chooseOnly, formatRunOf, ROUTE_GONE_FIX } from './decide.ts'
import { runRoute } from './run-route.ts'
import { findDeliveriesByName } from './trace.ts'

/** How many deliveries of one name a message lists. */
const AMBIGUOUS_MAX = 20

/** Throws `not-known` and `not-repeatable`, and every failure that keeps the file from being delivered. */
export async function redeliver(
  context: BridgeContext,
  what: string,
  signal: AbortSignal,
  asked: RedeliveryRequest = {},
): Promise<RedeliveryResult> {
  const delivery = await findDelivery(context, what)
  const from = await assertRepeatable(context, delivery)
  if ('inbox' in from) return redeliverOfInbox(context, { ...from, delivery, asked }, signal)
  const { route } = from
  let result: RedeliveryResult | undefined
  const outcome = await runRoute(context, route, signal, {
    outbound: async (parts) => {
      const again: ComposeAgain = (of, spooled) => composeAgain(parts, of, spooled)
      result = await deliverAgain(parts, delivery, {
        ...asked,
        folder: parts.route.folder,
        composeAgain: again,
      })
      return { ...getOutboundOutcome(route.name, []), redeliveries: [result] }
    },
  })
  if (outcome.kind === 'failed') throw outcome.failure
  assert(result, `${route.name} delivered nothing`)
  return result
}

/** Returns where the delivery is from. Throws why its bytes cannot be delivered once more, as far as the journal knows. */
export async function assertRepeatable(
  { journal, configuration: { routes, edi } }: Pick<BridgeContext, 'journal' | 'configuration'>,
  delivery: DeliveryEntry,
): Promise<{ readonly inbox: InterchangeInbox } | { readonly route: OutboundRoute }> {
  const inbox = edi?.inboxes.find(({ key }) => key === delivery.route)
  if (inbox !== undefined) {
    assertFinished(inbox.key, delivery)
    return { inbox }
  }
  const route = routes.find(({ name }) => name === delivery.route)
  if (route?.direction !== 'outbound')
    throw usageError(
      `${delivery.name} is of the route ${delivery.route}, which is not in the configuration`,
      ROUTE_GONE_FIX,
    )
  await assertRecordsKept(journal, route, delivery)
  return { route }
}

/** Among how many of the latest deliveries a similar name is sought. */
const SIMILAR_AMONG = 1000

async function findDelivery({ journal }: BridgeContext, what: string): Promise<DeliveryEntry> {
  const delivery = chooseOnly(
    await findDeliveriesByName(journal, what, AMBIGUOUS_MAX),
    `several deliveries are called ${what}; name the one that is meant by its id`,
    ({ id, route, composedAt }) => `${id}: composed ${isoTime(composedAt)} on ${route}`,
  )
  if (delivery !== undefined) return delivery
  const latest = await journal.listRecentDeliveries(SIMILAR_AMONG)
  const fix =
    latest.length === 0
      ? 'Nothing can be delivered once more: no file was delivered yet. `dropbridge run` delivers files.'
      : 'See `dropbridge status` for the latest deliveries; one goes by its name or its id.'
  const meant = didYouMean(
    what,
    latest.map(({ name }) => name),
  )
  throw new BridgeError('not-known', `no delivery "${what}" is known.${meant}`, { fix })
}

/** An answer to interchanges: its bytes are made again from the incoming file in the archive. */
async function redeliverOfInbox(
  context: BridgeContext,
  {
    inbox,
    delivery,
    asked,
  }: {
    readonly inbox: InterchangeInbox
    readonly delivery: DeliveryEntry
    readonly asked: RedeliveryRequest
  },
  signal: AbortSignal,
): Promise<RedeliveryResult> {
  let result: RedeliveryResult | undefined
  const outcome = await runInbox(context, inbox, signal, async (own, progress) => {
    result = await redeliverAnswer(own, delivery, asked)
    return getInterchangeOutcome(inbox.key, progress)
  })
  if (outcome.kind === 'failed') throw outcome.failure
  assert(result, `${inbox.key} delivered nothing`)
  return result
}

function refuse({ name }: DeliveryEntry, why: string, fix: string): never {
  throw new BridgeError('not-repeatable', `${name} is not delivered once more: ${why}.`, { fix })
}

async function assertRecordsKept(
  journal: BridgeContext['journal'],
  route: OutboundRoute,
  delivery: DeliveryEntry,
): Promise<void> {
  // A partner that got nothing, or lost it, answers only what is sent again.
  if (delivery.state !== 'delivered' || route.acknowledge !== 'answered') assertFinished(route.name, delivery)
  const { id, prunedAt } = delivery
  const exported = `Write the records anew: \`dropbridge export ${route.name} --out FILE\`.`
  if (prunedAt !== undefined) refuse(delivery, `its contents were pruned on ${isoTime(prunedAt)}`, exported)
  const [first] = await journal.listDeliveryRecords(id, 0, 1)
  if (first === undefined)
    refuse(delivery, 'it is a report, whose contents the journal does not keep', exported)
}

/** `name`: the route, or the key of the inbox. */
function assertFinished(name: string, delivery: DeliveryEntry): void {
  const { id, state, held } = delivery
  if (held !== undefined) {
    const resolve = `dropbridge resolve ${quoteForShell(id)} --again --by NAME --why TEXT`
    refuse(delivery, 'it is held, and a person says first whether it was delivered', `Use \`${resolve}\`.`)
  }
  const run = formatRunOf(name)
  if (state === 'composed')
    refuse(delivery, 'it is not delivered yet', `Run \`${run}\`: it delivers the file.`)
  if (state === 'delivered')
    refuse(
      delivery,
      'it is in place and not finished: its records are not acknowledged yet',
      'Wait until it is picked up or confirmed, or copy the file in its folder by hand.',
    )
}
