/** Delivers the bytes of a finished delivery once more, under a name of its own. Acknowledges nothing. */
import type { DeliveryEntry, RedeliveryEntry } from '../../domain/delivery.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { getDeliverySpoolName } from './compose.ts'
import { deliverOnce, type NamingContext } from './naming.ts'

type RedeliveryContext = NamingContext & Pick<OutboundContext, 'newId' | 'notify'>

/** Puts the bytes of the delivery into the spool under this name; false where they cannot be made again as they were. */
export type ComposeAgain = (delivery: DeliveryEntry, spooled: string) => Promise<boolean>

export interface RedeliveryResult {
  readonly redelivery: RedeliveryEntry
  readonly delivery: DeliveryEntry
  /** The path of the file, for people. */
  readonly path: string
}

/** Notes the intent, once the same bytes are in the spool. One that a crash left open is continued in place of a new one. */
export async function startRedelivery(
  context: RedeliveryContext,
  delivery: DeliveryEntry,
  { folder, composeAgain }: { readonly folder: string; readonly composeAgain: ComposeAgain },
) {
  const { journal, lease, route } = context
  const open = await journal.listOpenRedeliveries(route.name)
  const earlier = open.find((each) => each.delivery === delivery.id)
  if (earlier !== undefined) return { redelivery: earlier, isNew: false }
  const id = context.newId()
  if (!(await composeAgain(delivery, getDeliverySpoolName(id)))) {
    const message = `The bytes of ${delivery.name} cannot be made again: what they were made from has changed since.`
    throw new BridgeError('not-repeatable', message, { fix: FIX_CHANGED })
  }
  // The name of the first file has no suffix, so the second one has 2.
  const nameFor = (attempt: number) => addNameSuffix(delivery.name, attempt + 1)
  const begun = { id, delivery: delivery.id, folder, nameFor }
  return { redelivery: await journal.startRedelivery(lease, begun), isNew: true }
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
