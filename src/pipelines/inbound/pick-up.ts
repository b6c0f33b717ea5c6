/** Taking files in: settled ones only, claimed, and safe in the spool before anything else happens. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Claim, Sighting } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import type { SpooledBlob } from '../../support/spool.ts'
import type { InboundParts } from '../parts.ts'
import { claimCompanion, companionOf } from './companions.ts'
import { createSightings, type Sightings } from './sightings.ts'
import { type Survey, surveyInbox } from './survey.ts'
import type { LeftAlone } from './taking-order.ts'

/** A file that keeps growing after it was claimed is copied again, at most this often, before the run gives up on it. */
const COPIES_MAX = 20

/** How many files one pass of a watch takes, so that files of other routes need not wait for a full inbox. */
const TAKEN_AT_ONCE = 500

/**
 * Notes the intent to claim the files that are whole, as many as one turn takes, and gives how many. A pass that knows
 * nothing of its inbox looks twice, the settle time apart, and then takes what was there at both looks.
 */
export function fileTaker(parts: InboundParts): () => Promise<number> {
  const { sightings } = parts
  if (sightings !== undefined) {
    let left = TAKEN_AT_ONCE
    return async () => {
      if (left === 0) return 0
      const { ready, leftAlone } = await surveyInbox(parts, sightings)
      const taken = await take(parts, ready.slice(0, left))
      for (const name of taken) sightings.taking(name)
      left -= taken.length
      tellLeftAlone(parts, leftAlone, sightings)
      return taken.length
    }
  }
  const own = createSightings()
  let there: Set<string> | undefined
  return async () => {
    const isFirst = there === undefined
    const survey = await (isFirst ? settledSurvey(parts, own) : surveyInbox(parts, own))
    there ??= new Set(survey.ready.map(({ name }) => name))
    const among = there
    const ready = survey.ready.filter(({ name }) => among.has(name))
    const taken = await take(parts, ready)
    for (const name of taken) among.delete(name)
    const isLast = taken.length === 0
    const told = survey.leftAlone.filter(({ isUsual, sighting: { name } }) =>
      // What is wrong with a file is said at the end: what comes before it may have been done meanwhile.
      isUsual ? isFirst || among.has(name) : isLast,
    )
    tellLeftAlone(parts, told)
    return taken.length
  }
}

async function settledSurvey(parts: InboundParts, sightings: Sightings): Promise<Survey> {
  const { clock, signal, route } = parts
  const first = await surveyInbox(parts, sightings)
  if (first.settlesInMs === undefined) return first
  await clock.sleep(route.settleMs, signal)
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  return surveyInbox(parts, sightings)
}

/** Gives the names of what it took. */
async function take(parts: InboundParts, ready: readonly Sighting[]): Promise<readonly string[]> {
  const { journal, lease, route, signal } = parts
  const open = await journal.unfinishedFiles(route.name)
  // What could not be claimed before has its intent in the journal already.
  const begun = new Set(open.filter(({ state }) => state === 'claiming').map(({ name }) => name))
  // While one of a strict sequence is not done, the next is not even claimed.
  const turn = ready
    .filter(({ name }) => !begun.has(name))
    .slice(0, route.sequence === undefined ? TAKEN_AT_ONCE : 1)
  if (turn.length === 0) return []
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  const files = turn.map(({ folder, name, size, modifiedAt }) => {
    return { id: parts.newId(), folder, name, size, modifiedAt }
  })
  await journal.beginClaims(lease, files)
  return turn.map(({ name }) => name)
}

/** What waits for another file may have to wait a while without anybody wondering. */
const TOLD_AFTER_MS = 5 * 60_000

/** A single run says what it leaves; a watch, that sees every file come, only what is odd, and that once. */
export function tellLeftAlone(
  { source, route, notify }: Pick<InboundParts, 'source' | 'route' | 'notify'>,
  leftAlone: readonly LeftAlone[],
  watched?: Sightings,
): void {
  for (const { sighting, why, isUsual } of leftAlone) {
    const { name } = sighting
    if (watched !== undefined) {
      const { thereMs = 0 } = watched.of(name) ?? {}
      if (isUsual || thereMs < TOLD_AFTER_MS || !watched.isNews(name, why)) continue
    }
    notify({ kind: 'file-left-alone', route: route.name, file: source.describe(route.folder, name), why })
  }
}

/**
 * Gives back what lies claimed for a file that is done with: a process that was stopped right before its claim, and woke
 * up after another one had finished the file, has taken a later file of the same name instead.
 */
export async function giveBackStrays(parts: InboundParts, unfinished: ReadonlySet<string>): Promise<void> {
  const { journal, source, route } = parts
  for (const id of await source.claims(route.folder)) {
    if (unfinished.has(id)) continue
    const file = await journal.file(id)
    if (file?.state !== 'closed' || file.route !== route.name) continue
    await giveBack(parts, file)
  }
}

/** Back to the inbox, with what lies beside it. Where its name is taken by now, it stays for a later pass. */
export async function giveBack(parts: InboundParts, file: FileEntry): Promise<void> {
  const companion = companionOf(parts, file)
  if (companion !== undefined) await parts.source.unclaim(companion)
  await parts.source.unclaim({ id: file.id, folder: file.folder, name: file.name })
}

/** claiming → received, or closed when the file was gone. May be repeated from the start after a crash. */
export async function receiveFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease, source, route } = parts
  const claim: Claim = { id: file.id, folder: file.folder, name: file.name }
  const isWhole = (await source.claim(claim)) === 'claimed' && (await claimCompanion(parts, file))
  if (!isWhole) {
    // One that was stopped and wakes up now must not give back what its successor has claimed.
    await journal.renewLease(lease)
    // Does nothing where the file itself was gone.
    await source.unclaim(claim)
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
