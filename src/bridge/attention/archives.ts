/** Files to which more was written after they were done: what came then lies in the archive, and nobody has read it. */
import type { InboundRoute } from '../../config/routes.ts'
import type { Concern } from '../../domain/attention.ts'
import type { FileEntry } from '../../domain/journal.ts'
import { foundIn, type Looking } from './looking.ts'

/** Whoever goes on writing for longer than from one nightly run to the next is not waited for. */
const WINDOW_MS = 36 * 60 * 60_000

/** So many of the latest files of a route are looked at. */
const FILES_MAX = 2000

export async function archiveConcerns(looking: Looking): Promise<Concern[]> {
  const routes = looking.configuration.routes.filter((route) => route.direction === 'inbound')
  const found = await Promise.all(
    routes.map((route) => foundIn(looking, `archive of ${route.name}`, () => grown(looking, route))),
  )
  return found.flat()
}

/** Undefined when the archive is away. */
async function grown(
  { journal, listings, mailboxes, now }: Looking,
  { name: route, from }: InboundRoute,
): Promise<Concern[] | undefined> {
  // A file that stays where it came from is seen there, and taken as another one.
  if (mailboxes.get(from.mailbox)?.leaves === true) return []
  const latest = await journal.recentFiles(FILES_MAX, route)
  const late = latest.filter(({ archivedAs, closedAt = 0 }) => {
    return archivedAs !== undefined && now - closedAt <= WINDOW_MS
  })
  if (late.length === 0) return []
  const sizes = await listings.tried({ mailbox: from.mailbox, folder: from.archive }, (mailbox) =>
    mailbox.sizesInArchive(late.map(({ archivedAs = '' }) => archivedAs)),
  )
  return sizes && late.flatMap((file) => grownConcern(file, from, { sizes, now }))
}

function grownConcern(
  { route, name, size: read, archivedAs = '' }: FileEntry,
  from: InboundRoute['from'],
  { sizes, now }: { readonly sizes: ReadonlyMap<string, number>; readonly now: number },
): Concern[] {
  const size = sizes.get(archivedAs) ?? 0
  if (size <= read) return []
  return [
    {
      code: 'file-grew',
      route,
      subject: `${from.mailbox}:${archivedAs}`,
      since: now,
      message: `${archivedAs} has grown since it was read: ${size} bytes lie there, and ${read} of them were read`,
      cure: `move it back into ${from.folder} as ${name}: what was sent of it counts as duplicate`,
    },
  ]
}
