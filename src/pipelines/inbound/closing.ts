/** The end of a file: its source is archived, and nothing of it is left in the spool. */
import type { FileEntry } from '../../domain/journal.ts'
import { sweepDocuments } from '../documents/bring.ts'
import type { InboundParts } from '../parts.ts'
import { archiveCompanion } from './companions.ts'
import { spoolName } from './pick-up.ts'

/**
 * reported → closed: the source leaves the inbox for good, and the spool is cleared. A file that was taken up again is in
 * the archive already, or a person has taken it from there.
 */
export async function archiveFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { source, journal, lease, route, clock } = parts
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
