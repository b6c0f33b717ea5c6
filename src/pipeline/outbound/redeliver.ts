/** Delivers the bytes of a finished delivery once more, under a name of its own. Acknowledges nothing. */
import type { Decider } from '../../domain/decision.ts'
import type { DeliveryEntry, RedeliveryEntry } from '../../domain/delivery.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { OutboundContext } from '../context.ts'
import { getDeliverySpoolName } from './compose.ts'
import { deliverOnce, type NamingContext } from './naming.ts'

type RedeliveryContext = NamingContext & Pick<OutboundContext, 'newId' | 'notify'>

/** Puts the bytes of the delivery into the spool under this name; false where they cannot be made again as they were. */
export type ComposeAgain = (delivery: DeliveryEntry, spooled: string) => Promise<boolean>

/** Who wants it, and what that person saw before; both left out on the command line. */
export interface RedeliveryRequest {
  readonly decided?: Decider
  /** As `identifyRedeliveries` gives it: where the delivery was delivered once more meanwhile, nothing is done. */
  readonly expected?: string
  /** Called when the journal has noted the decision, before the file is delivered. */
  readonly onDecided?: (decision: number) => void
}

export interface RedeliveryResult {
  readonly redelivery: RedeliveryEntry
  readonly delivery: DeliveryEntry
  /** The path of the file, for people. */
  readonly path: string
  /** The number of the decision of the person who wants it. */
  readonly decision?: number
}

/** Another text after each redelivery that begins or ends. */
export function identifyRedeliveries(all: readonly RedeliveryEntry[]): string {
  return all.map(({ id, state }) => `${id}.${state}`).join(' ')
}

interface Redelivering extends RedeliveryRequest {
  readonly folder: string
  readonly composeAgain: ComposeAgain
}

/** Delivers the bytes once more. One that a crash left open is finished in place of a new one. */
export async function deliverAgain(
  context: RedeliveryContext,
  delivery: DeliveryEntry,
  asked: Redelivering,
): Promise<RedeliveryResult> {
  const { redelivery, isNew, decision } = await startRedelivery(context, delivery, asked)
  if (decision !== undefined) asked.onDecided?.(decision)
  const result = await finishRedelivery(context, redelivery, { isNew, composeAgain: asked.composeAgain })
  return omitUndefined({ ...result, decision })
}

/** Notes the intent, once the same bytes are in the spool. */
async function startRedelivery(
  context: RedeliveryContext,
  delivery: DeliveryEntry,
  { folder, composeAgain, decided, expected }: Redelivering,
) {
  const { journal, lease } = context
  const all = await journal.listRedeliveries(delivery.id)
  if (expected !== undefined && expected !== identifyRedeliveries(all)) {
    const message = `${delivery.name} was delivered once more meanwhile, and nothing was done now.`
    throw new BridgeError('not-repeatable', message, { fix: 'See whether its reader needs it yet again.' })
  }
  const earlier = all.find(({ state }) => state === 'begun')
  if (earlier !== undefined) {
    const decision = decided && (await journal.noteRedeliveryDecision(lease, delivery.id, decided))
    return { redelivery: earlier, isNew: false, decision }
  }
  const id = context.newId()
  if (!(await composeAgain(delivery, getDeliverySpoolName(id)))) {
    const message = `The bytes of ${delivery.name} cannot be made again: what they were made from has changed since.`
    throw new BridgeError('not-repeatable', message, { fix: FIX_CHANGED })
  }
  // The name of the first file has no suffix, so the second one has 2.
  const nameFor = (attempt: number) => addNameSuffix(delivery.name, attempt + 1)
  const begun = omitUndefined({ id, delivery: delivery.id, folder, nameFor, decided })
  const { decision, ...redelivery } = await journal.startRedelivery(lease, begun)
  return { redelivery, isNew: true, decision }
}

const FIX_CHANGED =
  'Put the mapping or the partner back as it was; records of an export: `dropbridge export` writes them anew.'

/** begun → its end. After a crash it continues from what was noted, so that the file gets one name. */
export async function finishRedelivery(
  context: RedeliveryContext,
  redelivery: RedeliveryEntry,
  { isNew, composeAgain }: { readonly isNew: boolean; readonly composeAgain: ComposeAgain },
): Promise<RedeliveryResult> {
  const { journal, lease, route, spool, target } = context
  const { id, folder } = redelivery
  const delivery = await journal.getDelivery(redelivery.delivery)
  assert(delivery, `redelivery ${id} is of no delivery`)
  const spooled = getDeliverySpoolName(id)
  let { name } = redelivery
  let isImpossible = false
  const compose = async () => {
    if ((await spool.has(spooled)) || (await composeAgain(delivery, spooled))) return
    isImpossible = true
    throw new BridgeError('not-repeatable', `The bytes of ${delivery.name} cannot be made again.`)
  }
  try {
    await deliverOnce(context, {
      id,
      folder,
      name,
      spooled,
      isNew,
      compose,
      rename: async (tries) => {
        const nameFor = (attempt: number) => addNameSuffix(delivery.name, attempt + tries)
        name = await journal.renameRedelivery(lease, id, nameFor)
        return name
      },
      finish: async (given) => {
        name = given
        await journal.finishRedelivery(lease, id, 'delivered')
        const file = target.describe(folder, given)
        return () => context.notify({ kind: 'delivered', route: route.name, file, records: delivery.records })
      },
      hold: () => journal.finishRedelivery(lease, id, 'unclear'),
    })
  } catch (error) {
    if (!isImpossible) throw error
    await journal.finishRedelivery(lease, id, 'impossible')
  }
  await spool.remove(spooled)
  const ended = (await journal.listRedeliveries(delivery.id)).find((each) => each.id === id)
  return { redelivery: ended ?? redelivery, delivery, path: target.describe(folder, name) }
}
