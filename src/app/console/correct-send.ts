/** Sends corrected records: notes the correction, leaves the corrected file in the inbox exactly once, notes that it is there. */
import { type Correction, CORRECTIONS_MAX } from '../../domain/decision.ts'
import type { FileEntry } from '../../domain/file.ts'
import { type Naming, type StagedFile, toNaming } from '../../domain/mailbox.ts'
import { formatCorrectionSubject } from '../../journal/corrections.ts'
import { type InboundContext } from '../../pipeline/context.ts'
import { createLeaseGuard } from '../../pipeline/failures.ts'
import { createInboundProgress, getInboundOutcome } from '../../pipeline/inbound/inbound.ts'
import { assertInboxUnused } from '../../pipeline/inbound/inbox.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import type { BridgeContext } from '../context.ts'
import { runRoute } from '../run-route.ts'
import { findCorrectableRoute, type OpenCorrection, openCorrection } from './correct-source.ts'
import { checkCorrection, chooseNames, type CorrectedFile, type CorrectionDraft } from './correct-try.ts'
import { toStream } from '../../support/async.ts'

export interface CorrectionRequest extends CorrectionDraft {
  /** The id of the file whose rows are corrected. */
  readonly file: string
  readonly by: string
  readonly why: string
  readonly via?: 'console'
  /** The SHA-256 of the corrected file that the person was shown. */
  readonly expected: string
}

export type CorrectionResult =
  /** Its file lies in the inbox, or was taken; by this request or by an earlier one for the same file. */
  | { readonly kind: 'left'; readonly correction: Correction }
  /** The corrected file would be another one than the person was shown; nothing was done. */
  | { readonly kind: 'changed' }
  /** Records of it are in another correction, or wait for none any more; nothing was done. */
  | { readonly kind: 'overlapping'; readonly correction?: Correction }

export interface CorrectionHooks {
  readonly signal: AbortSignal
  readonly onDecided?: (decision: { readonly id: number }) => void
}

/** Throws `not-known`, `lease-held` while another bridge works on the route, and every failure of the mailbox. */
export async function sendCorrection(
  context: BridgeContext,
  request: CorrectionRequest,
  hooks: CorrectionHooks,
): Promise<CorrectionResult> {
  const { journal, configuration } = context
  const file = await journal.getFile(request.file)
  const route = file && findCorrectableRoute(configuration, file.route)
  if (file === undefined || route === undefined)
    throw new BridgeError('not-known', `The file ${request.file} is not known, or its route takes no files.`)
  let result: CorrectionResult | undefined
  const inbound = async (parts: InboundContext) => {
    result = await correctUnderLease(context, parts, { file, request, hooks })
    return getInboundOutcome(route.name, createInboundProgress())
  }
  const done = await runRoute(context, route, hooks.signal, { inbound })
  if (done.kind === 'failed') throw done.failure
  assert(result, `the correction of ${file.name} ended without a result`)
  return result
}

/**
 * Finds out what came of the corrections of a route whose file should lie in the inbox: one whose file another program removed
 * is given up, so that its records may be corrected or dismissed again. Throws `lease-held`, and every failure of the mailbox.
 */
export async function concludeWaitingCorrections(
  context: BridgeContext,
  route: string,
  signal: AbortSignal,
): Promise<void> {
  const { journal, configuration } = context
  const found = findCorrectableRoute(configuration, route)
  const listOwn = async () =>
    (await journal.listWaitingCorrections(CORRECTIONS_MAX)).filter((each) => each.route === route)
  if (found === undefined || (await listOwn()).length === 0) return
  const inbound = async (parts: InboundContext) => {
    // Under the lease: another bridge may have taken some.
    for (const each of await listOwn()) await giveUpIfGone(parts, each)
    return getInboundOutcome(route, createInboundProgress())
  }
  const done = await runRoute(context, found, signal, { inbound })
  if (done.kind === 'failed') throw done.failure
}

interface CorrectionWork {
  readonly file: FileEntry
  readonly request: CorrectionRequest
  readonly hooks: CorrectionHooks
}

/** While it has the lease, nothing of the inbox is taken by a bridge. */
async function correctUnderLease(
  context: BridgeContext,
  parts: InboundContext,
  { file, request, hooks }: CorrectionWork,
): Promise<CorrectionResult> {
  const { journal, lease, source } = parts
  const { configuration, mappings, options } = context
  const findKnown = async () =>
    (await journal.listCorrections(file.id, CORRECTIONS_MAX)).find(
      ({ sha256, givenUpAt }) => sha256 === request.expected && givenUpAt === undefined,
    )
  await concludeCorrections(parts, file, request.expected)
  const known = await findKnown()
  if (known !== undefined && isLeft(known)) return { kind: 'left', correction: known }
  const opened = await openCorrection(
    { journal, configuration, clock: options.clock, mailbox: source, mappings },
    file,
  )
  if ('missing' in opened) throw new BridgeError('not-repeatable', `${file.name}: ${opened.missing}`)
  const checked = await checkCorrection(
    { journal, configuration, clock: options.clock, mailbox: source, mappings },
    opened,
    request,
    known?.id,
  )
  if (checked.file?.sha256 !== request.expected) {
    const ids = listOverlapping(opened, request, known?.id)
    const [other] = (await journal.listCorrections(file.id, CORRECTIONS_MAX)).filter(({ id }) => ids.has(id))
    return other === undefined ? { kind: 'changed' } : { kind: 'overlapping', correction: other }
  }
  const names = chooseNames(opened)
  const { by, why, via } = request
  const noted = {
    by,
    why,
    ...(via && { via }),
    records: checked.ready.flatMap(({ records }) => records.map(({ id }) => id)),
    folder: parts.route.folder,
    name: known?.name ?? (await findFreeName(parts, names)),
    sha256: checked.file.sha256,
    sourceSha256: file.sha256 ?? '',
  }
  const started = await journal.startCorrection(lease, file.id, noted)
  if (started.kind === 'overlapping') return started
  hooks.onDecided?.(started.correction)
  await leaveCorrectedFile(parts, started.correction, { file: checked.file, names })
  const correction = await findKnown()
  assert(correction, `the correction of ${file.name} is gone from the journal`)
  return { kind: 'left', correction }
}

/** The unfinished corrections that have rows which the person changed or chose. */
function listOverlapping(
  { units }: OpenCorrection,
  { changes, asTheyAre }: CorrectionRequest,
  own: number | undefined,
): ReadonlySet<number> {
  const lines = new Set([...asTheyAre, ...changes.map(({ line }) => line)])
  const chosen = units.filter(({ line, rows }) => lines.has(line) || rows.some((row) => lines.has(row.line)))
  const ids = chosen.flatMap(({ correction }) => correction ?? [])
  return new Set(ids.filter((id) => id !== own))
}

function isLeft({ leftAt, takenAs }: Correction): boolean {
  return leftAt !== undefined || takenAs !== undefined
}

/**
 * Finds out what came of earlier corrections: one whose file never got its name is given up, unless it is the one that is asked
 * for again; so is one whose file another program removed from the inbox.
 */
async function concludeCorrections(parts: InboundContext, file: FileEntry, expected: string): Promise<void> {
  for (const each of await parts.journal.listCorrections(file.id, CORRECTIONS_MAX)) {
    if (each.givenUpAt !== undefined || each.takenAs !== undefined) continue
    if (each.leftAt !== undefined) await giveUpIfGone(parts, each)
    else if (await wasNamed(parts, each)) await finishCorrection(parts, each.id)
    else if (each.sha256 !== expected) await withdrawCorrection(parts, each)
  }
}

type LeftCorrection = Pick<Correction, 'id' | 'folder' | 'name'>

/** For a correction whose file was left in the inbox. */
async function giveUpIfGone(parts: InboundContext, correction: LeftCorrection): Promise<void> {
  if (await isGone(parts, correction)) await parts.journal.giveUpCorrection(parts.lease, correction.id)
}

/** Whether another program removed the file that was left. One that is about to be taken is claimed already. */
async function isGone({ journal, source, route }: InboundContext, { folder, name }: LeftCorrection) {
  if (await source.hasEntry(folder, name)) return false
  const open = await journal.listUnfinishedFiles(route.name)
  return !open.some((each) => each.state === 'claiming' && each.name === name)
}

/** What is not certain counts as left: a second file could do no harm but waste a person's time. */
async function wasNamed({ journal, source }: InboundContext, { id, folder, name }: Correction) {
  const namings = await journal.listNamings(formatCorrectionSubject(id))
  const naming = namings.find((each) => each.name === name)
  if (naming === undefined) return false
  // Its marker or manifest may be missing still, and is left by the next try.
  if (namings.length > 1) return false
  return (await source.inspectNaming(folder, naming)) !== 'not-named'
}

async function withdrawCorrection(parts: InboundContext, { id, folder, name }: Correction): Promise<void> {
  const { journal, lease, source } = parts
  const namings = await journal.listNamings(formatCorrectionSubject(id))
  const data = namings.find((each) => each.name === name)
  // With its marker missing, no bridge takes it.
  if (data !== undefined && (await source.inspectNaming(folder, data)) !== 'not-named')
    return finishCorrection(parts, id)
  await journal.giveUpCorrection(lease, id)
  for (const { working } of namings) await source.removeStaged({ folder, working })
}

async function finishCorrection({ journal, lease, source, route }: InboundContext, id: number) {
  const namings = await journal.listNamings(formatCorrectionSubject(id))
  await journal.markCorrectionLeft(lease, id)
  for (const { working } of namings) await source.removeStaged({ folder: route.folder, working })
}

/** A name that no file of the inbox has, nor has had from this route; its own name a file may have had. */
async function findFreeName(parts: InboundContext, names: readonly string[]): Promise<string> {
  const { journal, source, route } = parts
  const sidecarNameOf = getSidecarNamer(route)
  for (const name of names) {
    const sidecar = sidecarNameOf?.(name)
    const isThere =
      (await source.hasEntry(route.folder, name)) ||
      (sidecar !== undefined && (await source.hasEntry(route.folder, sidecar)))
    if (isThere) continue
    const before = await journal.findFilesByName(name, 1)
    if (before.length === 0 || names.length === 1) return name
  }
  const [first = ''] = names
  const message = `No name that the route takes is free in its inbox for the corrected file, such as ${first}.`
  throw new BridgeError('cannot-write', message, {
    fix: 'Wait until the file of that name is taken, and send the correction again.',
  })
}

function getSidecarNamer({ ready }: Pick<InboundContext['route'], 'ready'>) {
  return ready !== undefined && 'sidecarNameOf' in ready ? ready.sidecarNameOf : undefined
}

// Leaving: the file, and its marker or manifest behind it, each under its name exactly once.

interface LeftFile {
  readonly name: string
  readonly spooled: string
  readonly bytes: Uint8Array
}

async function leaveCorrectedFile(
  parts: InboundContext,
  correction: Correction,
  { file, names }: { readonly file: CorrectedFile; readonly names: readonly string[] },
): Promise<void> {
  const { journal, lease } = parts
  let { name } = correction
  for (;;) {
    const files = listFiles(parts, correction, { name, file })
    for (const { spooled, bytes } of files) await parts.spool.put(spooled, toStream(bytes))
    if (await nameFiles(parts, correction.id, files)) break
    name = await findFreeName(parts, names)
    await journal.renameCorrection(lease, correction.id, name)
  }
  await finishCorrection(parts, correction.id)
  for (const { spooled } of listFiles(parts, correction, { name, file })) await parts.spool.remove(spooled)
}

function listFiles(
  { route }: InboundContext,
  { id }: Correction,
  { name, file }: { readonly name: string; readonly file: CorrectedFile },
): readonly LeftFile[] {
  const data = { name, spooled: `correction-${id}.data`, bytes: file.bytes }
  const sidecarNameOf = getSidecarNamer(route)
  if (sidecarNameOf === undefined) return [data]
  const manifest = `bytes: ${file.bytes.length}\nsha256: ${file.sha256}\n`
  const text = route.ready?.when === 'manifest' ? manifest : ''
  const sidecar = { name: sidecarNameOf(name), spooled: `correction-${id}.sidecar`, bytes: Buffer.from(text) }
  return [data, sidecar]
}

/** False where another file has the name of the first one: nothing was left. */
async function nameFiles(parts: InboundContext, id: number, files: readonly LeftFile[]): Promise<boolean> {
  const { journal, lease, source, route, spool } = parts
  const subject = formatCorrectionSubject(id)
  const earlier = await journal.listNamings(subject)
  const named: Naming[] = []
  const staged: { readonly file: LeftFile; readonly copy: StagedFile }[] = []
  for (const file of files) {
    const before = earlier.find(({ name }) => name === file.name)
    const state = before && (await source.inspectNaming(route.folder, before))
    if (before !== undefined && state !== 'not-named') {
      named.push(before)
      continue
    }
    const how = { name: file.name, beforeCreate: () => assertInboxUnused(parts) }
    const copy = await source.stage(spool.path(file.spooled), route.folder, {
      ...how,
      ...(before && { earlier: before }),
    })
    staged.push({ file, copy })
  }
  const pending = new Map(staged.map(({ file, copy }) => [file.name, toNaming(copy, file.name)]))
  const save = () => journal.saveNamings(lease, subject, [...named, ...pending.values()])
  await save()
  const { assertHeld } = createLeaseGuard(parts)
  for (const { file, copy } of staged) {
    await assertHeld()
    const outcome = await source.giveName(copy, file.name, {
      note: async (evidence) => {
        pending.set(file.name, toNaming({ ...copy, evidence }, file.name))
        await save()
      },
    })
    if (outcome === 'occupied' && file === files[0]) {
      await journal.saveNamings(lease, subject, [])
      for (const each of staged)
        await source.removeStaged({ folder: route.folder, working: each.copy.working })
      return false
    }
    if (outcome === 'lost') {
      pending.delete(file.name)
      await save()
      const place = source.describe(route.folder, file.name)
      throw new BridgeError('cannot-write', `another program removed ${place} before it was complete`)
    }
    // A marker of that name does as well; another manifest is reported when the file is read.
  }
  return true
}
