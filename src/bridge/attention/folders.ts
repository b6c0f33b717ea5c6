/** Folders that somebody should empty: results and deliveries that lie there for longer than they should. */
import type { Configuration } from '../../config/configuration.ts'
import type { Concern } from '../../domain/attention.ts'
import type { Sighting } from '../../domain/mailbox.ts'
import { isoTime } from '../../support/clock.ts'
import type { Looking } from './looking.ts'
import { type FolderMeant, placeOf } from './listings.ts'

/** A folder nobody empties grows for ever; it need not be read each minute to find out. */
const LOOK_MS = 15 * 60_000

/** Files are as old as the mailbox says: a day more or less changes nothing. */
export async function folderConcerns(looking: Looking): Promise<Concern[]> {
  const { configuration, listings, folderLooks, now } = looking
  const found: Concern[] = []
  for (const [place, { emptiedMs, ...meant }] of foldersToEmpty(configuration)) {
    const before = folderLooks.get(place)
    if (before !== undefined && now >= before.at && now - before.at < LOOK_MS) {
      if (before.concern !== undefined) found.push(before.concern)
      continue
    }
    const files = await listings.of(meant)
    if (files === undefined) continue
    const concern = emptied(files, place, { emptiedMs, now })
    folderLooks.set(place, { at: now, concern })
    if (concern !== undefined) found.push(concern)
  }
  return found
}

/** Each once, with the shortest of the times that routes say of it. */
function foldersToEmpty({ routes }: Configuration): Map<string, FolderMeant & { emptiedMs: number }> {
  const folders = new Map<string, FolderMeant & { emptiedMs: number }>()
  for (const route of routes) {
    const { mailbox, folder, emptiedMs } = route.direction === 'inbound' ? route.results : route.to
    if (emptiedMs === undefined) continue
    const place = placeOf({ mailbox, folder })
    const known = folders.get(place)?.emptiedMs ?? Infinity
    folders.set(place, { mailbox, folder, emptiedMs: Math.min(emptiedMs, known) })
  }
  return folders
}

function emptied(
  files: readonly Sighting[],
  place: string,
  { emptiedMs, now }: { readonly emptiedMs: number; readonly now: number },
): Concern | undefined {
  // A listing has the oldest first.
  const old = files.filter(({ modifiedAt }) => modifiedAt <= now - emptiedMs)
  const [oldest] = old
  if (oldest === undefined) return undefined
  const many = old.length === 1 ? '1 file lies' : `${old.length} files lie`
  return {
    code: 'folder-not-emptied',
    subject: place,
    since: oldest.modifiedAt + emptiedMs,
    message: `${many} in ${place} for more than ${Math.round(emptiedMs / DAY_MS)} days; the oldest, ${oldest.name}, since ${isoTime(oldest.modifiedAt)}`,
    cure: 'find out who should read them; move away what is read, or set `emptied: never`',
  }
}

const DAY_MS = 24 * 60 * 60_000
