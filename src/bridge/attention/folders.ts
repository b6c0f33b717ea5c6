/** Folders that somebody should empty: results and deliveries that lie there for longer than they should. */
import type { Configuration } from '../../config/configuration.ts'
import type { Concern } from '../../domain/attention.ts'
import type { Sighting } from '../../domain/mailbox.ts'
import { isoTime } from '../../support/clock.ts'
import { foundIn, type Looking } from './looking.ts'
import { type FolderMeant, placeOf } from './listings.ts'

/** Files are as old as the mailbox says: a day more or less changes nothing. */
export async function folderConcerns(looking: Looking): Promise<Concern[]> {
  const { configuration, listings, now } = looking
  const found: Concern[] = []
  for (const [place, { emptiedMs, ...meant }] of foldersToEmpty(configuration)) {
    const look = async () => {
      const files = await listings.of(meant)
      return files === undefined ? undefined : emptied(files, place, { emptiedMs, now })
    }
    found.push(...(await foundIn(looking, `emptied ${place}`, look)))
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
): Concern[] {
  // A listing has the oldest first.
  const old = files.filter(({ modifiedAt }) => modifiedAt <= now - emptiedMs)
  const [oldest] = old
  if (oldest === undefined) return []
  const many = old.length === 1 ? '1 file lies' : `${old.length} files lie`
  return [
    {
      code: 'folder-not-emptied',
      subject: place,
      since: oldest.modifiedAt + emptiedMs,
      message: `${many} in ${place} for more than ${Math.round(emptiedMs / DAY_MS)} days; the oldest, ${oldest.name}, since ${isoTime(oldest.modifiedAt)}`,
      cure: 'find out who should read them; move away what is read, or set `emptied: never`',
    },
  ]
}

const DAY_MS = 24 * 60 * 60_000
