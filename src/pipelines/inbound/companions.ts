/** The marker or manifest of a file goes with it: claimed under the same id, and archived beside it. */
import type { FileEntry } from '../../domain/journal.ts'
import type { Claim } from '../../domain/mailbox.ts'
import type { InboundParts } from '../parts.ts'

type Named = Pick<FileEntry, 'id' | 'folder' | 'name'>

/** As a claim; undefined where files of the route stand alone. */
export function companionOf({ route }: Pick<InboundParts, 'route'>, file: Named): Claim | undefined {
  const { ready } = route
  if (ready === undefined || !('companionOf' in ready)) return undefined
  return { id: file.id, folder: file.folder, name: ready.companionOf(file.name) }
}

/** The copy of a manifest in the spool. */
export function manifestName(fileId: string): string {
  return `${fileId}.manifest`
}

/**
 * Takes the companion of a claimed file out of the inbox. False when a manifest is gone: nobody knows any more what the
 * file must hold, so it is not whole. A marker has said already what it has to say. May be repeated after a crash.
 */
export async function claimCompanion(parts: InboundParts, file: Named): Promise<boolean> {
  const companion = companionOf(parts, file)
  if (companion === undefined) return true
  const claimed = await parts.source.claim(companion)
  if (parts.route.ready?.when !== 'manifest') return true
  if (claimed === 'gone') return false
  await parts.spool.put(manifestName(file.id), bounded(parts.source.read(companion)))
  return true
}

/** A file that is no manifest may be of any size; what is cut off here is found out when it is read. */
const MANIFEST_BYTES_MAX = 64 * 1024

async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk.subarray(0, MANIFEST_BYTES_MAX - bytes)
    bytes += chunk.length
    if (bytes >= MANIFEST_BYTES_MAX) return
  }
}

/**
 * After the file itself. What still lies claimed under its id is the companion: asked like that, a marker that came for
 * the next file of the name is never taken for this one's.
 */
export async function archiveCompanion(parts: InboundParts, file: Named, folder: string): Promise<void> {
  const companion = companionOf(parts, file)
  if (companion === undefined) return
  const claims = await parts.source.claims(file.folder)
  if (claims.includes(file.id)) await parts.source.archive(companion, folder)
}
