/** Carrying out what a person says of a held delivery: noted first, then the delivery goes on. */
import type { DeliveryEntry, NewDeliveryAnswer } from '../domain/journal.ts'
import { type DeliveryResult, finishDelivery } from '../pipelines/outbound/finish-delivery.ts'
import { type OutboundPass, outboundSoFar } from '../pipelines/outbound/outbound.ts'
import { placeOf } from '../pipelines/outbound/pick-ups.ts'
import type { OutboundParts } from '../pipelines/parts.ts'
import { assert, BridgeError, type ExitCode } from '../support/errors.ts'
import { isoTime } from '../support/clock.ts'
import { nearestNames } from '../support/nearest.ts'
import { exitOf } from './outcome.ts'
import { runRoute, type Workshop } from './run-route.ts'

export interface DeliveryAnswerRequest extends Omit<NewDeliveryAnswer, 'place'> {
  /** The name or id of a held delivery. */
  readonly what: string
}

export interface AnsweredDelivery {
  readonly delivery: DeliveryEntry
  /** The outcome of the delivery. Left out when another person decided first. */
  readonly result?: DeliveryResult
  readonly exit: ExitCode
}

/** Throws `not-known` for what is not held, and whatever keeps the delivery from going on. */
export async function answerDelivery(
  shop: Workshop,
  { what, ...answer }: DeliveryAnswerRequest,
  signal: AbortSignal,
): Promise<AnsweredDelivery> {
  const delivery = await heldDeliveryCalled(shop, what)
  const route = shop.configuration.routes.find(({ name }) => name === delivery.route)
  if (route?.direction !== 'outbound') {
    const message = `${delivery.name} is of the route ${delivery.route}, which is not in the configuration any more: give it back its name`
    throw new BridgeError('usage-wrong', message)
  }
  const outcome = await runRoute(shop, route, signal, {
    outbound: (parts) => passAnswered(parts, delivery, answer),
  })
  if (outcome.kind === 'failed') throw outcome.failure
  assert(outcome.kind === 'outbound', `${route.name} delivers no files`)
  const [result] = outcome.pass.deliveries
  const exit = exitOf([outcome], [])
  return result === undefined ? { delivery, exit } : { delivery: result.delivery, result, exit }
}

/** A pass without deliveries when it is not held any more. */
async function passAnswered(
  parts: OutboundParts,
  delivery: DeliveryEntry,
  answer: NewDeliveryAnswer,
): Promise<OutboundPass> {
  const { journal, lease, route, target } = parts
  const place = placeOf(target, delivery.folder)
  const answered = await journal.answerHeldDelivery(lease, delivery.id, { ...answer, place })
  if (answered === undefined) return outboundSoFar(route.name, [])
  return outboundSoFar(route.name, [await finishDelivery(parts, answered, false)])
}

/** How many held deliveries one is looked for among. */
const HELD_MAX = 10_000

/** At most so many similar names are shown. */
const NEAR_MAX = 5

async function heldDeliveryCalled({ journal }: Workshop, what: string): Promise<DeliveryEntry> {
  const held = await journal.heldDeliveries(HELD_MAX)
  const meant = held.filter(({ id, name }) => id === what || name === what)
  const [delivery] = meant
  if (delivery === undefined) {
    const near = nearestNames(
      what,
      held.map(({ name }) => name),
      NEAR_MAX,
    )
    const details = near.length === 0 ? [] : [`spelt much alike: ${near.join(', ')}`]
    throw new BridgeError('not-known', `no delivery "${what}" is held`, { details })
  }
  if (meant.length === 1) return delivery
  const message = `several deliveries called ${what} are held; name the one that is meant by its id`
  const details = meant.map(
    ({ id, route, composedAt }) => `${id}: composed ${isoTime(composedAt)} on ${route}`,
  )
  throw new BridgeError('usage-wrong', message, { details })
}
