/** Diagnoses why a file is not taken: checks every rule that could keep it from that, and changes nothing. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import type { InboundRoute } from '../../config/routes.ts'
import { ALERTS } from '../../domain/alert.ts'
import { FILE_STATES, type FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import { formatAccount } from '../../domain/route.ts'
import type { Draft } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import { openJournal } from '../../journal/open.ts'
import { findClaims, inspectFile, listNamesIfAllowed } from '../../mailboxes/directory/inspect.ts'
import { matchTemporaryName } from '../../mailboxes/names.ts'
import { translateFile } from '../../mapping-tools/translate-file.ts'
import type { Mapping } from '../../mapping/load.ts'
import { assertInboxUnused } from '../../pipeline/inbound/inbox.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { rankSimilarNames } from '../../support/text.ts'
import { listMappedSteps, loadMappings, openMailboxes } from '../context.ts'
import { createJournalGuard } from '../journal-access.ts'
import { type OutcomeCounts, previewFile, previewOutcomes } from '../outcome-preview.ts'
import { describeInbox, findInboxesAt, listLocalInboxes, type LocalInbox, locateFile } from './inboxes.ts'
import {
  chooseExitCode,
  createReason,
  createRefusalReasons,
  type Reason,
  type RouteDiagnosis,
  toReason,
} from './reasons.ts'
import { describeRemoteInboxes, diagnoseRemoteInboxes, listRemoteInboxes } from './remote.ts'
import {
  type DiagnosisContext,
  type DiagnosisControls,
  findCompletenessReasons,
  findDuplicateReasons,
  findLeaseReasons,
  findManifestReasons,
  findNameReasons,
  findPermissionReasons,
  findSequenceReasons,
  findSidecarReason,
  findUnfinishedNameReason,
  type LoadedMappings,
  noteEmptyFile,
  noteQueuedFiles,
} from './rules.ts'

/** `from`: the folder that a relative path is relative to. Throws only for a wrong request. */
export async function diagnoseFile(
  configuration: Configuration,
  { file, from, route }: { readonly file: string; readonly from: string; readonly route?: string },
  controls: DiagnosisControls,
): Promise<{ readonly file: string; readonly verdicts: readonly RouteDiagnosis[]; readonly exit: ExitCode }> {
  const inboxes = listLocalInboxes(configuration, route)
  const at = await findInboxesAt(resolve(from, file), inboxes)
  if (at.length > 0) {
    const described = at.map(async (inbox) => createVerdict(inbox.place, [await describeInbox(inbox)], inbox))
    const verdicts = await Promise.all(described)
    return { file, verdicts, exit: chooseExitCode(verdicts) }
  }
  const located = await locateFile(file, from, inboxes)
  const mappings = await loadMappingsOrReason(configuration)
  const judge = async (checked: CheckedJournal): Promise<RouteDiagnosis[]> => {
    const remote = listRemoteInboxes(configuration, controls.clock, file, route)
    const context = { ...checked, configuration, mappings, name: located.name, inboxes, remote, ...controls }
    if (located.inboxes.length === 0) {
      const elsewhere = await diagnoseRemoteInboxes(context)
      return elsewhere.length > 0 ? elsewhere : [await explainMissingFile(context, located.misplaced)]
    }
    const verdicts: RouteDiagnosis[] = []
    for (const inbox of located.inboxes) verdicts.push(await diagnoseInInbox(context, inbox))
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

type CheckedJournal = Pick<DiagnosisContext, 'journal' | 'checkRoute'>

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
    const checkRoute: CheckedJournal['checkRoute'] = (route, mailbox) => {
      mailboxes.set(route.from.mailbox, mailbox)
      return guard.checkRoute(route)
    }
    return await work({ journal, checkRoute })
  } finally {
    await journal.close()
  }
}

/** Without an inbox the diagnosis is about no route. */
function createVerdict(path: string, reasons: readonly Reason[], inbox?: LocalInbox): RouteDiagnosis {
  return { ...(inbox && { route: inbox.route.name }), path, reasons, notes: [] }
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
  const { journal, name, inboxes } = context
  if (misplaced?.code === 'is-folder') return { path: name, reasons: [misplaced], notes: [] }
  const taken = await journal.findFilesByName(name, SIMILAR_MAX)
  const only = inboxes.length === 1 ? inboxes[0] : undefined
  const known = taken.find((file) => only === undefined || file.route === only.route.name)
  for (const inbox of inboxes.filter(({ route }) => known === undefined || known.route === route.name)) {
    const away = await findAwayReason(context, inbox)
    if (away !== undefined) return createVerdict(inbox.place, [away], inbox)
  }
  const knownReason = known && explainTakenFile(context, known)
  if (knownReason !== undefined && misplaced?.code !== 'not-in-inbox')
    return createVerdict(name, [knownReason], only)
  for (const inbox of inboxes) {
    const [claim] = await findClaims(inbox.root, inbox.route.from.folder, name)
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
  const near = [
    ...findSimilarFiles(name, names, SIMILAR_MAX),
    ...(await journal.findSimilarNames(name, SIMILAR_MAX)).map((each) => `${each} (taken earlier)`),
  ]
  const also = near.length === 0 ? '' : `; similar names: ${near.join(', ')}`
  const local = inboxes.map(({ place }) =>
    existsSync(place) ? place : `${place} (not there; a run makes it)`,
  )
  const searched = [...local, ...describeRemoteInboxes(context)].join(', ')
  const message = `no inbox has a file ${name}, and none was ever taken${also}. Looked in ${searched}`
  return createVerdict(name, [createReason('no-such-file', message)], only)
}

/** The mailbox cannot be read; or the inbox is gone, for which a run fails if files came from it before. */
async function findAwayReason({ journal, name }: DiagnosisContext, { root, place, route }: LocalInbox) {
  const { folder } = route.from
  const found = await inspectFile(root, folder, name)
  const fix = 'Check that the folder exists, is mounted and may be read.'
  if (found.what === 'away') return toReason(new BridgeError('mailbox-unreachable', found.why, { fix }))
  if (existsSync(place)) return undefined
  try {
    await assertInboxUnused(journal, { name: route.name, folder })
    return undefined
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    const { message } = error
    return { ...toReason(error), message, fix: `Mount the share, or make the folder ${place} again.` }
  }
}

function explainTakenFile({ configuration }: DiagnosisContext, file: FileEntry): Reason {
  const { id, state, outcome = 'processed', route, claimedAt, reportName, archivedAs } = file
  const taken = `was taken by route ${route} on ${isoTime(file.receivedAt ?? claimedAt)} (id ${id})`
  if (state !== 'closed') {
    const message = `${taken} and is ${state}. ${FILE_STATES[state]}`
    if (configuration.routes.some(({ name }) => name === route)) return createReason('in-progress', message)
    const gone = `${message} But the configuration has no route ${route} any more`
    const { fix } = ALERTS['route-not-configured']
    return { code: 'route-not-configured', message: gone, fix, exit: EXIT.badConfiguration }
  }
  const results = reportName === undefined ? '' : `; results: ${reportName}.results.csv`
  const archived = archivedAs === undefined ? '' : `; archived as ${archivedAs}`
  const why = file.problems.length === 0 ? '' : `: ${file.problems[0]?.message ?? ''}`.replace(/\.$/, '')
  const closed = `closed on ${isoTime(file.closedAt ?? claimedAt)}, ${outcome}${why}`
  return createReason('finished', `${taken} and ${closed}${results}${archived}`)
}

async function diagnoseInInbox(context: DiagnosisContext, inbox: LocalInbox): Promise<RouteDiagnosis> {
  try {
    return await diagnosePresentFile(context, inbox)
  } catch (error) {
    // Most likely the bridge takes the file at this moment.
    const { what } = await inspectFile(inbox.root, inbox.route.from.folder, context.name)
    if (what !== 'nothing') throw error
    return { ...(await explainMissingFile(context, undefined)), path: join(inbox.place, context.name) }
  }
}

async function diagnosePresentFile(context: DiagnosisContext, inbox: LocalInbox): Promise<RouteDiagnosis> {
  const { name, journal, mappings } = context
  const { route, root, place } = inbox
  const path = join(place, name)
  const away = await findAwayReason(context, inbox)
  if (away !== undefined) return createVerdict(path, [away], inbox)
  const found = await inspectFile(root, route.from.folder, name)
  if (found.what === 'nothing') return { ...(await explainMissingFile(context, undefined)), path }
  const sidecar = await findSidecarReason(context, inbox)
  if (sidecar !== undefined) return createVerdict(path, [sidecar], inbox)
  const isIgnored = found.what === 'entry-ignored'
  const unfinished = isIgnored ? findUnfinishedNameReason(name, route.from.match) : undefined
  const ignored = isIgnored ? [createReason('entry-ignored', found.why)] : []
  const reasons = unfinished === undefined ? [...findNameReasons(context, inbox), ...ignored] : [unfinished]
  const notes: string[] = []
  if (found.what === 'file') {
    const incomplete = await findCompletenessReasons(context, inbox, found)
    reasons.push(...findPermissionReasons(found, path), ...incomplete)
    notes.push(...noteEmptyFile(inbox, found))
    if (found.isReadable) {
      const contents =
        'loaded' in mappings ? await previewContents(path, route, mappings.loaded, journal) : undefined
      const repeated = await findDuplicateReasons(context, inbox, path)
      const manifest = await findManifestReasons(context, inbox)
      reasons.push(...repeated, ...manifest, ...(contents?.reasons ?? []))
      if (repeated.length === 0) notes.push(...(contents?.notes ?? []))
    }
  }
  if ('wrong' in mappings) reasons.push(mappings.wrong)
  reasons.push(...(await findSequenceReasons(context, inbox)))
  reasons.push(...(await findLeaseReasons(context, route.name)))
  notes.push(...(await noteQueuedFiles(context, inbox)))
  return { route: route.name, path, reasons, notes }
}

// Previews what a run would make of the contents: each step translates the file, and nothing is sent.

async function previewContents(
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
    const whole = previewFile(mapping.operation, translation)
    const previews = previewOutcomes(journal, mapping.operation, formatAccount(route.party))
    let batch: Draft[] = []
    for await (const drafts of translation.drafts) {
      for (const draft of drafts) whole.add(draft)
      batch.push(...drafts)
      if (batch.length < BATCH_RECORDS) continue
      await previews.add(batch)
      batch = []
    }
    await previews.add(batch)
    const { unusable } = whole.end()
    if (unusable.length > 0) return { reasons: createRefusalReasons(unusable), notes: [] }
    const counts = previews.count()
    notes.push(formatOutcomeCounts(operation, counts))
    if (counts.known > 0) notes.push(KNOWN_RECORDS_NOTE)
  }
  return { reasons: [], notes }
}

/** How many records one query to the journal covers. */
const BATCH_RECORDS = 500

const KNOWN_RECORDS_NOTE =
  'what is known already is not sent again: with the same contents it is reported as a duplicate, with others it is refused'

const OUTCOME_LABELS: readonly (readonly [keyof OutcomeCounts, string])[] = [
  ['known', 'known already'],
  ['repeated', 'there twice'],
  ['conflicting', 'refused because the file has them twice with different contents'],
  ['refused', 'refused by the mapping'],
  ['held', 'held by the mapping'],
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
