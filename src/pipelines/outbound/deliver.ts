/** Delivering: the composed file at its final name, flushed, before the journal calls it delivered. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { numberedName } from '../names.ts'
import { deliverySpoolName } from './compose.ts'
import { assertNeverLeftIn } from './folder-gone.ts'
import { placeOf } from './pick-ups.ts'

/** How many names are tried when others stand there already. */
const NAMES_MAX = 1000

/** composed → delivered, or done where nothing is acknowledged. Repeating it after a crash finds the same bytes at the name and goes on. */
export async function deliverFile(
  parts: OutboundParts,
  delivery: DeliveryEntry,
  isNew: boolean,
): Promise<void> {
  const { journal, lease, spool, target, route } = parts
  const place = placeOf(target, delivery.folder)
  let { name } = delivery
  const handover = {
    stillOurs: () => journal.renewLease(lease),
    takenOver: !isNew,
    mayMake: () => assertNeverLeftIn(parts, delivery.folder),
  }
  for (let turn = 2; turn <= NAMES_MAX; turn++) {
    const composed = spool.path(deliverySpoolName(delivery.id))
    const outcome = await target.deliver(composed, delivery.folder, name, handover)
    if (outcome === 'delivered') {
      await (route.acknowledge === 'never'
        ? journal.deliveryDone(lease, delivery.id, place)
        : journal.deliveryDelivered(lease, delivery.id, place))
      const file = target.describe(delivery.folder, name)
      return parts.notify({ kind: 'delivered', route: route.name, file, records: delivery.records })
    }
    name = numberedName(delivery.name, turn)
    await journal.renameDelivery(lease, delivery.id, name)
  }
  throw new BridgeError(
    'cannot-write',
    `${target.describe(delivery.folder, delivery.name)} and ${NAMES_MAX} names like it are taken`,
  )
}
