/** Files to which more was written after they were done: what came then lies in the archive, and nobody has read it. */
import type { InboundRoute } from '../../config/routes.ts'
import type { Concern } from '../../domain/attention.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { foundIn, type Looking } from './looking.ts'

/** Whoever goes on writing for longer than from one nightly run to the next is not waited for. */
const WINDOW_MS = 36 * 60 * 60_000

/** So many of the latest files of a route are looked at. */
const FILES_MAX = 200

export async function archiveConcerns(looking: Looking): Promise<Concern[]> {
  const found: Concern[] = []
  for (const route of looking.configuration.routes) {
    if (route.direction !== 'inbound') continue
    const mailbox = looking.mailboxes.get(route.from.mailbox)
    // A file that stays where it came from is seen there, and taken as another one.
    if (mailbox === undefined || mailbox.leaves) continue
    found.push(...(await foundIn(looking, `archive of ${route.name}`, () => grown(looking, route, mailbox))))
  }
  return found
}

/** Undefined when the mailbox is away, which is told elsewhere. */
async function grown(
  { journal, now }: Looking,
  route: InboundRoute,
  mailbox: Mailbox,
): Promise<Concern[] | undefined> {
  const files = await journal.recentFiles(FILES_MAX, route.name)
  const late = files.filter(({ closedAt = 0 }) => now - closedAt <= WINDOW_MS)
  const sizes = await sizesOf(mailbox, late)
  if (sizes === undefined) return undefined
  return late.flatMap((file) => {
    const { archivedAs = '', closedAt: since = 0 } = file
    const size = sizes.get(archivedAs) ?? 0
    if (size <= file.size || isTakenAgain(file, size, files)) return []
    return [grownConcern(route, file, { archivedAs, size, since })]
  })
}

async function sizesOf(
  mailbox: Mailbox,
  files: readonly FileEntry[],
): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    return await mailbox.sizesInArchive(files.flatMap(({ archivedAs }) => archivedAs ?? []))
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
}

/** Somebody has put all of it into the inbox again. */
function isTakenAgain({ id, closedAt = 0 }: FileEntry, size: number, files: readonly FileEntry[]): boolean {
  return files.some((other) => other.id !== id && other.size === size && other.claimedAt >= closedAt)
}

interface Grown {
  readonly archivedAs: string
  readonly size: number
  readonly since: number
}

function grownConcern(route: InboundRoute, file: FileEntry, { archivedAs, size, since }: Grown): Concern {
  return {
    code: 'file-grew',
    route: route.name,
    subject: `${route.from.mailbox}:${archivedAs}`,
    since,
    message: `${archivedAs} has grown since it was read: ${size} bytes lie there, and ${file.size} of them were read`,
    cure: `when its writer is done, copy it back into ${route.from.folder} as ${file.name}: what was sent of it counts as duplicate`,
  }
}
