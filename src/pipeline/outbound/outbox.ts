/** Checks the folder of deliveries: which files were picked up, and whether the folder is still the right one. */
import type { UnconfirmedDelivery } from '../../domain/delivery.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { runInParallel } from '../../support/async.ts'
import { BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'

// A picked-up file shows by its absence, in a folder that is known to be the right one.

/** An empty folder beside the files: without it, a share that is not mounted would look as if all files were picked up. */
const FOLDER_MARK = '.dropbridge'

/** How many waiting files one pass checks; the others follow once these are picked up. */
const PICK_UPS_MAX = 10_000

/** How many names are checked at once. */
const CHECKS_IN_FLIGHT = 16

/** Notes the files that are gone. Lists each folder once, and again if files are gone. */
export async function recordPickUps(context: OutboundContext): Promise<void> {
  const { journal, lease, route, target, signal } = context
  const awaited = await journal.listUnconfirmedDeliveries(PICK_UPS_MAX, route.name)
  for (const folder of new Set([route.folder, ...awaited.map(({ folder }) => folder)])) {
    const place = getFolderPlace(target, folder)
    // A file delivered to another place of the same folder, before the mailbox was moved, is not missing here.
    const own = awaited.filter((delivery) => delivery.folder === folder && delivery.place === place)
    for (const { id } of await findPickedUp(context, folder, own)) {
      throwIfStopped(signal)
      await journal.markDeliveryPickedUp(lease, id)
    }
  }
}

/**
 * The deliveries whose files are gone. A listing can miss a name: of a share, or of a folder that changes while it is read.
 * So each missing name is checked by itself, and the folder is listed again. The second listing comes last because it
 * also shows that the place was the right one all the time.
 */
async function findPickedUp(
  context: OutboundContext,
  folder: string,
  awaited: readonly UnconfirmedDelivery[],
): Promise<readonly UnconfirmedDelivery[]> {
  const { target, signal } = context
  const missing = findMissing(await listKnownFolder(context, folder, awaited), awaited)
  if (missing.length === 0) return []
  const present = await runInParallel(missing, CHECKS_IN_FLIGHT, async ({ name }) => {
    throwIfStopped(signal)
    return target.hasEntry(folder, name)
  })
  const gone = missing.filter((_, index) => present[index] === false)
  return gone.length === 0 ? [] : findMissing(await listKnownFolder(context, folder, awaited), gone)
}

/** Empty where the contents of the folder are not known. */
function findMissing(here: ReadonlySet<string> | undefined, awaited: readonly UnconfirmedDelivery[]) {
  return here === undefined ? [] : awaited.filter(({ name }) => !here.has(normalizeFileName(name)))
}

/** The names in the folder; undefined for a place that has just got its mark, or an old folder that is not the known place. */
async function listKnownFolder(
  context: OutboundContext,
  folder: string,
  awaited: readonly UnconfirmedDelivery[],
): Promise<ReadonlySet<string> | undefined> {
  const { journal, lease, route, target } = context
  const place = getFolderPlace(target, folder)
  const isKnown = await journal.isPlaceKnown(place)
  const names = await target.listNames(folder)
  const here = names === undefined ? undefined : new Set([...names].map(normalizeFileName))
  if (isKnown && here?.has(FOLDER_MARK) === true) return here
  // The bridge's own files identify the place as well as the mark does. A place that is not known yet has no mark.
  const hasOwnFile = awaited.some(({ name }) => here?.has(normalizeFileName(name)) === true)
  if (hasOwnFile || (!isKnown && folder === route.folder)) {
    await target.createMarkerFolder(folder, FOLDER_MARK)
    await journal.savePlace(lease, place)
    // Files delivered while the place had no mark may have been picked up, or may be elsewhere.
    return hasOwnFile ? here : undefined
  }
  if (folder !== route.folder) return undefined
  throw new BridgeError(
    'mailbox-unreachable',
    `The folder of route ${route.name} has changed: its mark ${place} is missing.`,
    {
      details: [
        'Perhaps a share is not mounted. Files that wait to be picked up do not count as picked up until it is there again.',
        `If it is the right folder all the same, make the empty folder ${place} again. Every delivered file that is missing then counts as picked up, and its records are acknowledged.`,
      ],
    },
  )
}

/** The identity of a place: the path or address of its mark. */
export function getFolderPlace(target: Mailbox, folder: string): string {
  return target.describe(folder, FOLDER_MARK)
}

/** Some systems return names with their accents decomposed. */
function normalizeFileName(name: string): string {
  return name.normalize('NFC')
}

// A missing folder of deliveries is most likely on a share that is not mounted.

/** Throws `mailbox-unreachable` where files were delivered to the missing folder: its share may not be mounted. */
export async function assertOutboxUnused(
  {
    journal,
    target,
    route,
  }: Pick<OutboundContext, 'journal' | 'target'> & { readonly route: { readonly name: string } },
  folder: string,
) {
  if (!(await journal.hasDeliveredTo(route.name, getFolderPlace(target, folder)))) return
  throw new BridgeError(
    'mailbox-unreachable',
    `The folder of route ${route.name} is gone: earlier files were left in ${folder} of the mailbox, and there is no such folder now.`,
    {
      details: [
        'Perhaps a share is not mounted. Nothing is left there, and nothing acknowledged, until the folder is back.',
        'If it was removed on purpose, make it again.',
      ],
      fix: `Mount its share, or make the folder ${folder} again.`,
    },
  )
}

/** Call it before any other folder is created: while the outbox is missing, its whole share may be missing. */
export async function assertOutboxExists(context: OutboundContext): Promise<void> {
  const { target, route } = context
  if (!(await target.hasFolder(route.folder))) await assertOutboxUnused(context, route.folder)
}
