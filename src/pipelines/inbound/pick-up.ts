/** Taking files in: settled ones only, claimed, and safe in the spool before anything else happens. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Claim, Sighting } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import type { SpooledBlob } from '../../support/spool.ts'
import type { InboundParts } from '../parts.ts'

/** A file that keeps growing after it was claimed is copied again, at most this often, before the run gives up on it. */
const COPIES_MAX = 20

/**
 * Notes the intent to claim every settled file of the route. A file is settled when its size and time stay the same
 * over the settle time of our own clock: what a file's own date says cannot be trusted.
 */
export async function sightFiles(parts: InboundParts): Promise<void> {
  const { journal, lease, route, source, clock, signal } = parts
  const before = await matchingFiles(parts)
  if (before.length === 0) return
  await clock.sleep(route.settleMs, signal)
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  const earlier = new Map(before.map((sighting) => [sighting.name, sighting]))
  for (const sighting of await matchingFiles(parts)) {
    const first = earlier.get(sighting.name)
    if (first?.size === sighting.size && first.modifiedAt === sighting.modifiedAt) {
      const { folder, name, size, modifiedAt } = sighting
      await journal.beginClaim(lease, { id: parts.newId(), folder, name, size, modifiedAt })
    } else {
      const why = first === undefined ? 'it has just arrived' : 'it is still being written'
      parts.notify({
        kind: 'file-left-alone',
        route: route.name,
        file: source.describe(route.folder, sighting.name),
        why,
      })
    }
  }
}

async function matchingFiles({ source, route }: InboundParts): Promise<Sighting[]> {
  return (await source.list(route.folder)).filter((sighting) => route.matches(sighting.name))
}

/**
 * Gives back what lies claimed for a file that is done with: a process that was stopped right before its claim, and woke
 * up after another one had finished the file, has taken a later file of the same name instead.
 */
export async function giveBackStrays(
  { journal, source, route }: InboundParts,
  unfinished: ReadonlySet<string>,
): Promise<void> {
  for (const id of await source.claims(route.folder)) {
    if (unfinished.has(id)) continue
    const file = await journal.file(id)
    if (file?.state !== 'closed' || file.route !== route.name) continue
    await source.unclaim({ id, folder: file.folder, name: file.name })
  }
}

/** claiming → received, or closed when the file was gone. May be repeated from the start after a crash. */
export async function receiveFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease, source, route } = parts
  const claim: Claim = { id: file.id, folder: file.folder, name: file.name }
  if ((await source.claim(claim)) === 'gone') {
    await journal.fileVanished(lease, file.id)
    parts.notify({ kind: 'file-closed', route: route.name, file: file.name, outcome: 'vanished' })
    return
  }
  const { sha256, bytes } = await copyToSpool(parts, claim, file.size)
  const mayRepeat = OPERATIONS[route.operation].repeatable
  await journal.fileReceived(lease, file.id, { sha256, bytes, mayRepeat })
  parts.notify({ kind: 'file-received', route: route.name, file: file.name, bytes })
}

/** Whoever still had the file open may go on writing after the claim, so a copy larger than the sighting is taken again. */
async function copyToSpool(parts: InboundParts, claim: Claim, sightedSize: number): Promise<SpooledBlob> {
  let expected = sightedSize
  for (let copies = 0; copies < COPIES_MAX; copies++) {
    const blob = await parts.spool.put(spoolName(claim.id), untilStopped(parts, parts.source.read(claim)))
    if (blob.bytes === expected) return blob
    expected = blob.bytes
    await parts.clock.sleep(parts.route.settleMs, parts.signal)
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  }
  throw new BridgeError(
    'mailbox-unreachable',
    `${claim.name} keeps growing although it was claimed; it is left in place`,
  )
}

/** A large file takes longer to copy than whoever stops a program waits. */
async function* untilStopped(
  { signal }: InboundParts,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    yield chunk
  }
}

/** The name of a file's copy in the spool. */
export function spoolName(fileId: string): string {
  return `${fileId}.in`
}
