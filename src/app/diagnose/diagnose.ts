/** Diagnoses why a file is not taken: checks every rule that could keep it from that, and changes nothing. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import { getInboxName } from '../../config/edi.ts'
import type { InboundRoute, ScannedInbox } from '../../config/routes.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { formatAccount } from '../../domain/route.ts'
import { createFormats } from '../../formats/formats.ts'
import { openJournal } from '../../journal/open.ts'
import { findClaims, inspectFile, listNamesIfAllowed } from '../../mailboxes/directory/inspect.ts'
import { matchTemporaryName } from '../../mailboxes/names.ts'
import { translateFile } from '../../mapping-tools/translate-file.ts'
import type { Mapping } from '../../mapping/load.ts'
import { assertInboxUnused, refuseToCreateFolder } from '../../pipeline/inbound/inbox.ts'
import { assert, BridgeError, type ExitCode, hasCode } from '../../support/errors.ts'
import { quoteForShell, rankSimilarNames } from '../../support/text.ts'
import {
  allowMissingLineEnds,
  listMappedSteps,
  listRoutesWithoutLineEnds,
  loadMappings,
  openMailboxes,
} from '../context.ts'
import { createJournalGuard } from '../journal-access.ts'
import { holdCutRecords } from '../../pipeline/inbound/planner.ts'
import { type OutcomeCounts, previewFile } from '../outcome-preview.ts'
import { createReaderFinder } from '../run-route.ts'
import { previewInterchanges } from './interchanges.ts'
import { explainTakenFile, findWholeFiles } from './taken-files.ts'
import {
  describeInbox,
  findInboxesAt,
  formatRemotePath,
  isServerAddress,
  listLocalInboxes,
  listRemoteInboxes,
  type LocalInbox,
  locateAddress,
  locateFile,
  type OpenInbox,
  type RemoteInbox,
} from './inboxes.ts'
import {
  chooseExitCode,
  createReason,
  createRefusalReasons,
  type Reason,
  type RouteDiagnosis,
  toReason,
} from './reasons.ts'
import {
  type DiagnosisContext,
  type DiagnosisControls,
  findDuplicateReasons,
  findLeaseReasons,
  findManifestReasons,
  findNameReasons,
  findPermissionReasons,
  findScanReasons,
  findScheduleReasons,
  findSidecarReason,
  findUnfinishedNameReason,
  type LoadedMappings,
  noteEmptyFile,
  noteQueuedFiles,
} from './rules.ts'

/** `from`: the folder that a relative path is relative to. Throws only for a wrong request. */
export async function diagnoseFile(
  written: Configuration,
  { file, from, route }: { readonly file: string; readonly from: string; readonly route?: string },
  controls: DiagnosisControls,
): Promise<{ readonly file: string; readonly verdicts: readonly RouteDiagnosis[]; readonly exit: ExitCode }> {
  const mappings = await loadMappingsOrReason(written)
  const configuration =
    'loaded' in mappings
      ? allowMissingLineEnds(written, listRoutesWithoutLineEnds(written, mappings.loaded))
      : written
  const isAddress = isServerAddress(file)
  const inboxes = isAddress ? [] : listLocalInboxes(configuration, route)
  const at = await findInboxesAt(resolve(from, file), inboxes)
  if (at.length > 0) {
    const described = at.map(async (inbox) => createVerdict(inbox.place, [await describeInbox(inbox)], inbox))
    const verdicts = await Promise.all(described)
    return { file, verdicts, exit: chooseExitCode(verdicts) }
  }
  const findReaders =
    'loaded' in mappings
      ? createReaderFinder({
          configuration,
          mappings: mappings.loaded,
          loadMappings: () => Promise.resolve(),
          format: createFormats(),
        })
      : undefined
  const remote = await listRemoteInboxes(configuration, controls.clock, file, route)
  const located = isAddress ? locateAddress(file, remote) : await locateFile(file, from, inboxes, findReaders)
  const judge = async (checked: CheckedJournal): Promise<RouteDiagnosis[]> => {
    const { name } = located
    const context = { ...checked, ...controls, configuration, mappings, name, inboxes, remote, isAddress }
    const verdicts = located.inboxes.length === 0 ? await diagnoseRemoteInboxes(context) : []
    for (const inbox of located.inboxes) verdicts.push(await diagnoseInInbox(context, inbox))
    if (verdicts.length === 0) verdicts.push(await explainMissingFile(context, located.misplaced))
    // For a marker it does not matter that no other route of the folder takes it.
    const sidecars = verdicts.filter(({ reasons }) => reasons[0]?.code === 'is-sidecar')
    return sidecars.length > 0 ? sidecars : verdicts
  }
  try {
    const verdicts = await withCheckedJournal(configuration, controls, judge)
    return { file, verdicts, exit: chooseExitCode(verdicts) }
  } catch (error) {
    if (!(error instanceof BridgeError) || !error.code.startsWith('journal-')) throw error
    const verdict = createVerdict(configuration.journal.path, [toReason(error)])
    return { file, verdicts: [verdict], exit: error.exit }
  }
}

type CheckedJournal = Pick<DiagnosisContext, 'journal' | 'mailboxes' | 'checkInbox'>

/** Throws what a run throws about the journal. Where no journal exists, a new one in memory takes its place. */
async function withCheckedJournal<Result>(
  configuration: Configuration,
  { clock }: DiagnosisControls,
  work: (checked: CheckedJournal) => Promise<Result>,
): Promise<Result> {
  const { path } = configuration.journal
  const local = Object.entries(configuration.mailboxes).filter(([, { type }]) => type === 'directory')
  const options = { clock, random: Math.random, newId: randomUUID }
  const mailboxes = await openMailboxes({ ...configuration, mailboxes: Object.fromEntries(local) }, options)
  const journal = await openJournal({ path: existsSync(path) ? path : ':memory:', clock })
  try {
    const guard = createJournalGuard({ configuration, journal, mailboxes, clock, isReadOnly: true })
    await guard.checkJournal()
    const checkInbox: CheckedJournal['checkInbox'] = (inbox, mailbox) => {
      mailboxes.set(inbox.from.mailbox, mailbox)
      return guard.checkInbox(inbox)
    }
    return await work({ journal, mailboxes, checkInbox })
  } finally {
    await journal.close()
  }
}

/** Without an inbox the diagnosis is about no route. */
function createVerdict(path: string, reasons: Reason[], inbox?: LocalInbox | RemoteInbox): RouteDiagnosis {
  return { ...(inbox && { route: inbox.key }), path, reasons, notes: [] }
}

/** An error in any mapping stops every route. */
async function loadMappingsOrReason(configuration: Configuration): Promise<LoadedMappings> {
  try {
    return { loaded: await loadMappings(configuration) }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { wrong: toReason(error) }
  }
}

const SIMILAR_MAX = 5

/** No inbox has the file: it may have been taken already, or have another name. */
async function explainMissingFile(context: DiagnosisContext, misplaced: Reason | undefined) {
  const { journal, name, inboxes, remote, isAddress } = context
  if (misplaced?.code === 'is-folder') return { path: name, reasons: [misplaced], notes: [] }
  const taken = await findWholeFiles(journal, name, SIMILAR_MAX)
  const meant = isAddress ? remote : inboxes.length === 1 ? inboxes : []
  const only = meant.length === 1 ? meant[0] : undefined
  const isMeant = ({ route }: FileEntry) => meant.some((each) => each.key === route)
  const known = taken.find((file) => meant.length === 0 || isMeant(file))
  for (const inbox of inboxes.filter(({ key }) => known === undefined || known.route === key)) {
    const away = await findAwayReason(context, inbox)
    if (away !== undefined) return createVerdict(inbox.place, [away], inbox)
  }
  const knownReason = known && (await explainTakenFile(context, known))
  if (knownReason !== undefined && misplaced?.code !== 'not-in-inbox')
    return createVerdict(name, [knownReason], only)
  for (const inbox of inboxes) {
    const [claim] = await findClaims(inbox.root, inbox.from.folder, name)
    if (claim === undefined || known !== undefined) continue
    const message = `it was claimed from ${inbox.place} under the id ${claim}, which this journal does not know`
    return createVerdict(inbox.place, [createReason('claimed-elsewhere', message)], inbox)
  }
  if (misplaced !== undefined) {
    const notes = knownReason === undefined ? [] : [`a file of this name ${knownReason.message}`]
    return { path: name, reasons: [misplaced], notes }
  }
  const names: string[] = []
  for (const { place } of inboxes) names.push(...(await listNamesIfAllowed(place)))
  const nearKnown = await journal.findSimilarNames(name, SIMILAR_MAX)
  const { records } = await journal.traceKey(name, { limit: 1 })
  if (records.length > 0 || nearKnown.includes(name)) {
    const message = `${name} is no file: the bridge knows it as the number of an order or another record`
    return createVerdict(name, [createReason('no-such-file', message, suggestTrace(name))], only)
  }
  const near = [
    ...findSimilarFiles(name, names, SIMILAR_MAX),
    ...nearKnown.map((each) => `${each} (taken earlier)`),
  ]
  const also = near.length === 0 ? '' : `; similar names: ${near.join(', ')}`
  const local = inboxes.map(({ place }) =>
    existsSync(place) ? place : `${place} (not there; a run makes it)`,
  )
  const servers = remote.map(({ from }) => `${from.mailbox}:${from.folder}`)
  const searched = [...local, ...servers].join(', ')
  const message = `no inbox has a file ${name}, and none was ever taken${also}. Looked in ${searched}`
  return createVerdict(name, [createReason('no-such-file', message)], only)
}

function suggestTrace(key: string): string {
  return `See \`dropbridge trace ${quoteForShell(key)}\`; why-not takes the name of a file.`
}

/** The mailbox cannot be read; or the inbox is gone, for which a run fails if files came from it before. */
async function findAwayReason(context: DiagnosisContext, inbox: LocalInbox) {
  const { folder } = inbox.from
  const mailbox = getLocalMailbox(context, inbox)
  try {
    const isThere = (await mailbox.listNames(folder)) !== undefined
    if (isThere) await mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
    else await assertInboxUnused({ ...context, source: mailbox, route: { name: inbox.key, folder } })
    return undefined
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { ...toReason(error), message: error.message }
  }
}

function getLocalMailbox({ mailboxes }: DiagnosisContext, { key, from }: ScannedInbox): Mailbox {
  const mailbox = mailboxes.get(from.mailbox)
  assert(mailbox, `the mailbox of ${key} is not open`)
  return mailbox
}

async function diagnoseInInbox(context: DiagnosisContext, inbox: LocalInbox): Promise<RouteDiagnosis> {
  try {
    return await diagnosePresentFile(context, inbox)
  } catch (error) {
    // Most likely the bridge takes the file at this moment.
    const path = join(inbox.place, context.name)
    const { what } = await inspectFile(inbox.root, inbox.from.folder, context.name)
    if (what === 'nothing') return { ...(await explainMissingFile(context, undefined)), path }
    throw error
  }
}

async function diagnosePresentFile(context: DiagnosisContext, inbox: LocalInbox): Promise<RouteDiagnosis> {
  const { name, mappings } = context
  const { key, from, route, root, place } = inbox
  const opened = { ...inbox, mailbox: getLocalMailbox(context, inbox) }
  const path = join(place, name)
  const away = await findAwayReason(context, inbox)
  if (away !== undefined) return createVerdict(path, [away], inbox)
  const found = await inspectFile(root, from.folder, name)
  if (found.what === 'nothing') return { ...(await explainMissingFile(context, undefined)), path }
  const sidecar = await findSidecarReason(context, opened)
  if (sidecar !== undefined) return createVerdict(path, [sidecar], inbox)
  const isIgnored = found.what === 'entry-ignored'
  const unfinished = isIgnored ? findUnfinishedNameReason(name, from.match) : undefined
  const ignored = isIgnored ? [createReason('entry-ignored', found.why)] : []
  const reasons = unfinished === undefined ? [...findNameReasons(context, inbox), ...ignored] : [unfinished]
  const notes: string[] = []
  if (found.what === 'file') {
    const skipped = await findScanReasons(context, opened)
    if (skipped === undefined) return { ...(await explainMissingFile(context, undefined)), path }
    reasons.push(...findPermissionReasons(found, path), ...skipped)
    notes.push(...noteEmptyFile(inbox, found))
    if (found.isReadable) {
      const contents =
        'loaded' in mappings ? await previewContents(context, inbox, mappings.loaded) : undefined
      const repeated = await findDuplicateReasons(context, inbox)
      const manifest = await findManifestReasons(context, inbox)
      reasons.push(...repeated, ...manifest, ...(contents?.reasons ?? []))
      // No other name and no longer wait makes a table of a workbook.
      const unreadable = reasons.find(({ code }) => code === 'file-not-text')
      if (unreadable !== undefined) reasons.splice(0, Infinity, unreadable)
      if (repeated.length === 0) notes.push(...(contents?.notes ?? []))
    }
  }
  if ('wrong' in mappings) reasons.push(mappings.wrong)
  reasons.push(...(await findLeaseReasons(context, key)), ...(await findScheduleReasons(context, route)))
  notes.push(...(await noteQueuedFiles(context, inbox)))
  return { route: key, path, reasons, notes }
}

// Files on servers are diagnosed as far as possible without moving or fetching them.

/** One diagnosis for each inbox that has the file, or that cannot be read; none when no inbox has it. */
async function diagnoseRemoteInboxes(context: DiagnosisContext): Promise<RouteDiagnosis[]> {
  const verdicts: RouteDiagnosis[] = []
  for (const inbox of context.remote) {
    const { key, from } = inbox
    const mailbox = await inbox.open()
    const opened = { ...inbox, mailbox }
    const path = formatRemotePath(opened, context.name)
    try {
      // Comes before the listing, which creates missing folders.
      const names = await mailbox.listNames(from.folder)
      if (names === undefined || !names.has(context.name)) continue
      await context.checkInbox(inbox, mailbox)
      const verdict = await diagnoseRemoteFile(context, opened)
      if (verdict !== undefined) verdicts.push({ route: key, path, ...verdict })
    } catch (error) {
      if (!(error instanceof BridgeError) || hasCode(error, 'interrupted')) throw error
      verdicts.push({ route: key, path, reasons: [toReason(error)], notes: [] })
    } finally {
      await mailbox.close()
    }
  }
  return verdicts
}

/** Undefined for a file that is taken. */
async function diagnoseRemoteFile(context: DiagnosisContext, inbox: OpenInbox) {
  const { mappings, name } = context
  const { key, from, route } = inbox
  const sidecar = await findSidecarReason(context, inbox)
  if (sidecar !== undefined) return { reasons: [sidecar], notes: [] }
  const unfinished = findUnfinishedNameReason(name, from.match)
  const scanned = await findScanReasons(context, inbox)
  if (scanned === undefined) return undefined
  const reasons = [
    ...(unfinished === undefined ? [...findNameReasons(context, inbox), ...scanned] : [unfinished]),
    ...('wrong' in mappings ? [mappings.wrong] : []),
    ...(await findLeaseReasons(context, key)),
    ...(await findScheduleReasons(context, route)),
  ]
  const queued = await noteQueuedFiles(context, inbox)
  return { reasons, notes: [...queued, 'the contents are checked when the file is taken'] }
}

// Previews what a run would make of the contents: each step translates the file, and nothing is sent.

function previewContents(
  context: DiagnosisContext,
  { key, route, place }: LocalInbox,
  mappings: ReadonlyMap<string, Mapping>,
): Promise<Pick<RouteDiagnosis, 'reasons' | 'notes'>> {
  const path = join(place, context.name)
  return route === undefined
    ? previewInterchanges(context, { path, inbox: getInboxName(key), mappings })
    : previewRecords(path, route, mappings, context.journal)
}

async function previewRecords(
  path: string,
  route: InboundRoute,
  mappings: ReadonlyMap<string, Mapping>,
  journal: Journal,
): Promise<Pick<RouteDiagnosis, 'reasons' | 'notes'>> {
  const notes: string[] = []
  for (const { key, operation } of listMappedSteps(route)) {
    const mapping = mappings.get(key)
    if (mapping?.direction !== 'inbound') continue
    const translation = await translateFile(path, createFormats(), mapping.translator)
    if ('unusable' in translation) return { reasons: createRefusalReasons(translation.unusable), notes: [] }
    const known = { journal, account: formatAccount(route.party) }
    const preview = previewFile({
      operation: mapping.operation,
      bound: translation,
      reading: translation,
      known,
    })
    for await (const drafts of translation.drafts)
      await preview.add(holdCutRecords(drafts, translation, route.from))
    const { unusable, counts } = preview.end()
    if (unusable.length > 0) return { reasons: createRefusalReasons(unusable), notes: [] }
    notes.push(formatOutcomeCounts(operation, counts))
    if (counts.known > 0) notes.push(KNOWN_RECORDS_NOTE)
  }
  return { reasons: [], notes }
}

const KNOWN_RECORDS_NOTE =
  'what is known already is not sent again: with the same contents it is reported as a duplicate, with others it is refused'

const OUTCOME_LABELS: readonly (readonly [keyof OutcomeCounts, string])[] = [
  ['known', 'known already'],
  ['repeated', 'there twice'],
  ['conflicting', 'refused because the file has them twice with different contents'],
  ['refused', 'refused by the mapping'],
  ['held', 'held for a person'],
  ['skipped', 'left out'],
]

function formatOutcomeCounts(operation: string, count: OutcomeCounts): string {
  const also = OUTCOME_LABELS.flatMap(([kind, label]) => (count[kind] > 0 ? [`${count[kind]} ${label}`] : []))
  return `${operation}: ${[`${count.sent} to be sent`, ...also].join(', ')}`
}

/** Similar names in the inbox: first the file itself under its working name, then similar names. */
function findSimilarFiles(name: string, names: readonly string[], limit: number): string[] {
  const isWorkingName = (other: string) => {
    const ends = matchTemporaryName(other)?.ends
    return ends !== undefined && other.slice(0, -ends.length) === name
  }
  const otherNames = names.filter((each) => !isWorkingName(each))
  return [
    ...names.filter(isWorkingName).map((each) => `${each} (still being written, or its sending broke off)`),
    ...rankSimilarNames(name, otherNames, limit),
  ].slice(0, limit)
}
