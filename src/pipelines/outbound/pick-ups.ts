/** Delivered files that somebody took away: seen by their absence, in a place that is known to be the right one. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { AwaitedDelivery } from '../../domain/taking.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'

/**
 * An empty folder left beside the files. A share that is not mounted shows an empty folder where the files should be; and
 * without the mark, all of them would look taken.
 */
export const MARK = '.dropbridge'

/** So many files that wait are looked for in one pass; those behind them come up as these are taken. */
const AWAITED_MAX = 10_000

/** One listing for each folder, however many files wait there. Gives those that are gone to the journal. */
export async function notePickUps(parts: OutboundParts): Promise<void> {
  const { journal, lease, route, target, signal } = parts
  const awaited = await journal.awaitedDeliveries(AWAITED_MAX, route.name)
  const folders = new Set([route.folder, ...awaited.map(({ folder }) => folder)])
  for (const folder of folders) {
    const place = placeOf(target, folder)
    // What was left in another place of the same folder, before the mailbox was moved, is not missing here.
    const own = awaited.filter((delivery) => delivery.folder === folder && delivery.leftIn === place)
    const here = await whatLies(parts, folder, own)
    if (here === undefined) continue
    for (const { id, name } of own) {
      if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
      if (!here.has(plain(name))) await journal.deliveryPickedUp(lease, id)
    }
  }
}

/**
 * The names in the folder; undefined where it is not the known place and only old deliveries are there. Where new ones go,
 * nothing goes on.
 */
async function whatLies(
  parts: OutboundParts,
  folder: string,
  awaited: readonly AwaitedDelivery[],
): Promise<ReadonlySet<string> | undefined> {
  const { journal, lease, route, target } = parts
  const place = placeOf(target, folder)
  const isKnown = await journal.isPlaceKnown(place)
  const names = await target.names(folder)
  const here = names === undefined ? undefined : new Set([...names].map(plain))
  if (isKnown && here?.has(MARK) === true) return here
  // Files of ours tell the place as well as the mark does; and a place that is not known yet has none.
  const isOurs = awaited.some(({ name }) => here?.has(plain(name)) === true)
  if (isOurs || (!isKnown && folder === route.folder)) {
    await target.mark(folder, MARK)
    await journal.notePlace(lease, place)
    // what was delivered while the place had no mark may have been taken, or may be elsewhere
    return isOurs ? here : undefined
  }
  if (folder !== route.folder) return undefined
  throw new BridgeError(
    'mailbox-unreachable',
    `The folder of route ${route.name} is not the one it was: ${place}, by which it is known, is not there.`,
    {
      details: [
        'Perhaps a share is not mounted. Files that wait to be picked up do not count as taken while this is so.',
        `If it is the right folder all the same, make the empty folder ${place} again. Every file of ours that is not there by then counts as taken, and its records are acknowledged.`,
      ],
    },
  )
}

/** By what a place is known: the path or address of its mark. */
export function placeOf(target: Mailbox, folder: string): string {
  return target.describe(folder, MARK)
}

/** Whether the records of the delivery wait until somebody took or confirmed its file. */
export function isAwaited(
  { route }: { readonly route: Pick<OutboundParts['route'], 'acknowledge'> },
  { state, takenAt }: DeliveryEntry,
): boolean {
  const waits = route.acknowledge === 'picked-up' || route.acknowledge === 'receipt'
  return waits && state === 'delivered' && takenAt === undefined
}

/** Some systems give names back with their accents taken apart. */
function plain(name: string): string {
  return name.normalize('NFC')
}
