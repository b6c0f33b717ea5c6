/** The end of a file: its source is archived, and nothing of it is left in the spool. */
import type { FileEntry } from '../../domain/journal.ts'
import { sweepDocuments } from '../documents/bring.ts'
import type { InboundParts } from '../parts.ts'
import { archiveCompanion } from './companions.ts'
import { giveBack, spoolName } from './pick-up.ts'

/**
 * reported → closed: the source leaves the inbox for good, and the spool is cleared. A file that was taken up again is in
 * the archive already, or a person has taken it from there.
 */
export async function archiveFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { source, journal, lease, route, clock } = parts
  if (await hasGrown(parts, file)) return returnGrown(parts, file)
  const day = new Date(file.receivedAt ?? clock.now()).toISOString().slice(0, 10).replaceAll('-', '/')
  const claim = { id: file.id, folder: file.folder, name: file.name }
  const folder = `${route.archiveFolder}/${day}`
  const archivedAs = file.archivedAs ?? (await source.archive(claim, folder))
  await archiveCompanion(parts, file, folder)
  await journal.fileClosed(lease, file.id, archivedAs)
  await clearSpool(parts, file.id)
  parts.notify({
    kind: 'file-closed',
    route: route.name,
    file: file.name,
    outcome: file.outcome ?? 'processed',
  })
}

/** Whoever had it open went on writing after it was taken, and copied. What came then was never read. */
async function hasGrown({ source }: InboundParts, { id, folder, name, size, archivedAs }: FileEntry) {
  if (archivedAs !== undefined) return false
  return ((await source.sizeOf({ id, folder, name })) ?? 0) > size
}

/**
 * reported → closed, and back into the inbox, where it settles again and is taken as what it is now: records that were sent are
 * duplicates then, and no others are. After a crash in between, `giveBackStrays` gives it back.
 */
async function returnGrown(parts: InboundParts, file: FileEntry): Promise<void> {
  const { source, journal, lease, route } = parts
  await journal.fileClosed(lease, file.id)
  await giveBack(parts, file)
  await clearSpool(parts, file.id)
  parts.notify({
    kind: 'file-left-alone',
    route: route.name,
    file: source.describe(route.folder, file.name),
    why: 'more was written to it after it was taken; it is given back, to be taken again with all that is in it',
  })
}

/** The copy of a file with held records is kept: what becomes of them is reported with their rows. */
async function clearSpool({ spool, journal }: InboundParts, fileId: string): Promise<void> {
  const held = await journal.heldFiles(1, fileId)
  if (held.length === 0) await spool.remove(spoolName(fileId))
  for (const suffix of ['results', 'rejects', 'exceptions', 'summary', 'manifest']) {
    await spool.remove(`${fileId}.${suffix}`)
  }
}

/** Removes what files left behind that were closed right before a crash. */
export async function sweepSpool(parts: InboundParts): Promise<void> {
  const ids = new Set((await parts.spool.list()).map((name) => name.split('.', 1)[0] ?? ''))
  if (ids.size > 0) await parts.journal.renewLease(parts.lease)
  for (const id of ids) {
    const file = await parts.journal.file(id)
    if (file?.state !== 'closed') continue
    await clearSpool(parts, id)
    await sweepDocuments(parts, id)
  }
}
