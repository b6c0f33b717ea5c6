/** Delivering: the composed file at its final name, flushed, before the journal calls it delivered; and exactly once. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import { type NamingOutcome, namingOf, type StagedFile } from '../../domain/naming.ts'
import { BridgeError } from '../../support/errors.ts'
import { numberedName } from '../names.ts'
import type { OutboundParts } from '../parts.ts'
import { deliverySpoolName } from './compose.ts'
import { assertNeverLeftIn } from './folder-gone.ts'
import { placeOf } from './pick-ups.ts'
import { assureComposed } from './recompose.ts'

/** How many names are tried when others stand there already. */
const NAMES_MAX = 1000

/**
 * composed → delivered, or done where nothing is acknowledged. What an earlier pass began is settled first: a file that got its name
 * is never left again, though its reader may have taken it meanwhile.
 */
export async function deliverFile(
  parts: OutboundParts,
  delivery: DeliveryEntry,
  isNew: boolean,
): Promise<void> {
  const { target, spool } = parts
  const [earlier] = isNew ? [] : await parts.journal.namingsOf(delivery.id)
  if (earlier !== undefined) {
    const fate = await target.settleNaming(delivery.folder, earlier)
    if (fate === 'named') return noteDelivered(parts, delivery, earlier)
    if (fate !== 'not-named') return holdUnclear(parts, delivery, fate.unclear)
  }
  if (!isNew) await assureComposed(parts, delivery)
  const staged = await target.stage(spool.path(deliverySpoolName(delivery.id)), delivery.folder, {
    name: delivery.name,
    mayMake: () => assertNeverLeftIn(parts, delivery.folder),
    ...(earlier === undefined ? {} : { earlier }),
  })
  await nameFile(parts, delivery, staged)
}

async function nameFile(parts: OutboundParts, delivery: DeliveryEntry, staged: StagedFile): Promise<void> {
  const { journal, lease, target } = parts
  let { name } = delivery
  for (let turn = 2; turn <= NAMES_MAX; turn++) {
    const outcome = await tryName(parts, { delivery, staged, name })
    if (outcome === 'delivered') return noteDelivered(parts, delivery, { ...staged, name })
    if (outcome === 'lost') return forgetLost(parts, { delivery, staged, name })
    if (outcome !== 'occupied') return holdUnclear(parts, delivery, outcome.unclear)
    name = numberedName(delivery.name, turn)
    await journal.renameDelivery(lease, delivery.id, name)
  }
  await journal.noteNamings(lease, delivery.id, [])
  await target.discard(staged)
  throw new BridgeError(
    'cannot-write',
    `${target.describe(delivery.folder, delivery.name)} and ${NAMES_MAX} names like it are taken`,
  )
}

interface Trying {
  readonly delivery: DeliveryEntry
  readonly staged: StagedFile
  readonly name: string
}

/** The name and the evidence are durable before the file gets its name. */
async function tryName(
  { journal, lease, target }: OutboundParts,
  { delivery, staged, name }: Trying,
): Promise<NamingOutcome> {
  const note = (evidence = staged.evidence) =>
    journal.noteNamings(lease, delivery.id, [namingOf({ ...staged, evidence }, name)])
  await note()
  return target.giveName(staged, name, { note })
}

/** The working file goes last: until the journal knows that the file is in place, it is the evidence. */
async function noteDelivered(
  parts: OutboundParts,
  { id, folder, records }: DeliveryEntry,
  left: Pick<StagedFile, 'working'> & { readonly name: string },
): Promise<void> {
  const { journal, lease, target, route } = parts
  const place = placeOf(target, folder)
  await (route.acknowledge === 'never'
    ? journal.deliveryDone(lease, id, place)
    : journal.deliveryDelivered(lease, id, place))
  await target.discard({ folder, working: left.working })
  parts.notify({ kind: 'delivered', route: route.name, file: target.describe(folder, left.name), records })
}

/**
 * Somebody removed the working file before it got its name, so its note would say the wrong thing. A file of an earlier pass may
 * have been given its name by a bridge that stood still: then the note stays, and the next pass settles it.
 */
async function forgetLost(
  { journal, lease, target }: OutboundParts,
  { delivery, staged, name }: Trying,
): Promise<never> {
  if (staged.isEarlier !== true) await journal.noteNamings(lease, delivery.id, [])
  const final = target.describe(delivery.folder, name)
  throw new BridgeError(
    'cannot-write',
    `${final} gets no name: its working file was removed by somebody else`,
  )
}

/** A person finds out whether the reader has the file, and says so; nothing is left twice, and nothing is lost. */
function holdUnclear({ journal, lease }: OutboundParts, { id }: DeliveryEntry, why: string): Promise<void> {
  const reason = `the bridge stopped while it was delivered, and ${why}`
  return journal.holdDelivery(lease, id, reason.slice(0, REASON_MAX))
}

const REASON_MAX = 200
