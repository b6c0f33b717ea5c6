/** Delivered files that somebody took away: seen by their absence, in a place that is known to be the right one. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { AwaitedDelivery } from '../../domain/taking.ts'
import { BridgeError } from '../../support/errors.ts'
import { inParallel } from '../../support/parallel.ts'
import type { OutboundParts } from '../parts.ts'

/**
 * An empty folder left beside the files. A share that is not mounted shows an empty folder where the files should be; and
 * without the mark, all of them would look taken.
 */
export const MARK = '.dropbridge'

/** So many files that wait are looked for in one pass; those behind them come up as these are taken. */
const AWAITED_MAX = 10_000

/** So many names are looked at at once. */
const LOOKS_AT_ONCE = 16

/**
 * One listing for each folder, however many files wait there, and a second one where files are gone. Gives those that are
 * gone to the journal.
 */
export async function notePickUps(parts: OutboundParts): Promise<void> {
  const { journal, lease, route, target, signal } = parts
  const awaited = await journal.awaitedDeliveries(AWAITED_MAX, route.name)
  const folders = new Set([route.folder, ...awaited.map(({ folder }) => folder)])
  for (const folder of folders) {
    const place = placeOf(target, folder)
    // What was left in another place of the same folder, before the mailbox was moved, is not missing here.
    const own = awaited.filter((delivery) => delivery.folder === folder && delivery.leftIn === place)
    for (const { id } of await takenFrom(parts, folder, own)) {
      if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
      await journal.deliveryPickedUp(lease, id)
    }
  }
}

/**
 * The deliveries whose files are gone. A listing can miss a name: of a share, or of a folder that changes while it is read.
 * So each name that is missing is looked at by itself, and the folder is listed again. The second listing comes last,
 * because it also shows that the place was the right one all the time.
 */
async function takenFrom(
  parts: OutboundParts,
  folder: string,
  awaited: readonly AwaitedDelivery[],
): Promise<readonly AwaitedDelivery[]> {
  const { target, signal } = parts
  const missing = missingFrom(await whatLies(parts, folder, awaited), awaited)
  if (missing.length === 0) return []
  const stands = await inParallel(missing, LOOKS_AT_ONCE, async ({ name }) => {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    return target.stands(folder, name)
  })
  const gone = missing.filter((_, index) => stands[index] === false)
  if (gone.length === 0) return []
  return missingFrom(await whatLies(parts, folder, awaited), gone)
}

/** None where it is not known what lies in the folder. */
function missingFrom(
  here: ReadonlySet<string> | undefined,
  awaited: readonly AwaitedDelivery[],
): readonly AwaitedDelivery[] {
  return here === undefined ? [] : awaited.filter(({ name }) => !here.has(plain(name)))
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
