/** Alerts about inboxes: unmatched files, orphaned markers, waiting files, entries that no route can take. */
import { resolvePlace } from '../config/mailboxes.ts'
import { formatIntakeKey } from '../config/edi.ts'
import { listScannedInboxes, type ScannedInbox } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileInfo, IgnoredEntry, Mailbox } from '../domain/mailbox.ts'
import type { UnmatchedFile } from '../domain/snapshot.ts'
import { hasInvalidUtf8, isListedName, isSafeName, matchTemporaryName } from '../mailboxes/names.ts'
import { createFileTracker } from '../pipeline/inbound/file-tracker.ts'
import { assertInboxUnused, listWantedNames, scanInbox } from '../pipeline/inbound/inbox.ts'
import { buildIntakeRoute } from '../pipeline/route-settings.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { HOUR_MS } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { escapeControlChars, findSimilarName } from '../support/text.ts'
import {
  type EvaluationContext,
  type FolderRef,
  formatFolder,
  GRACE_MS,
  groupByFolder,
  limitAlerts,
  toNamePattern,
} from './context.ts'

/** An inbox with folders in it, which no run reads. */
export interface InboxWithFolders {
  readonly takers: readonly [ScannedInbox, ...ScannedInbox[]]
  readonly folders: readonly string[]
}

interface InboxAlerts {
  readonly alerts: readonly Alert[]
  readonly unmatchedFiles: readonly UnmatchedFile[]
  readonly withFolders: readonly InboxWithFolders[]
}

export async function findInboxAlerts(context: EvaluationContext): Promise<InboxAlerts> {
  const inboxes = listScannedInboxes(context.configuration)
  const alerts: Alert[] = []
  const unmatchedFiles: UnmatchedFile[] = []
  const withFolders: InboxWithFolders[] = []
  for (const takers of groupByFolder(context, inboxes, ({ from }) => from)) {
    const mailbox = context.mailboxes.get(takers[0].from.mailbox)
    if (mailbox === undefined) continue
    // A missing inbox counts as unreachable if any of its routes ever took files from it.
    const whenMissing = async () => {
      for (const { key: name, from } of takers)
        await assertInboxUnused({ ...context, source: mailbox, route: { name, folder: from.folder } })
    }
    const only = listNamesToRequest(takers)
    const files = await context.listings.list(takers[0].from, { only, whenMissing })
    if (files === undefined) continue
    const folder: SharedFolder = { mailbox, files, takers }
    const unknown = findUnmatchedFiles(context, folder)
    unmatchedFiles.push(...unknown.unmatchedFiles)
    const patterns = takers.map(({ from }) => compileFilePattern(from.match))
    const isWanted = (name: string) => patterns.some((matches) => matches(name))
    const scanned = { ...takers[0].from, isWanted, mayBeClosed: only !== undefined }
    const ignored = await listIgnoredEntries(context, scanned)
    const folders = ignored.flatMap(({ name, kind }) =>
      kind === 'folder' && isListedName(name) ? [name] : [],
    )
    if (folders.length > 0) withFolders.push({ takers, folders })
    alerts.push(...unknown.alerts, ...findIgnoredEntries(context, scanned, ignored))
    for (const taker of takers) alerts.push(...(await findWaitingFiles(context, folder, taker)))
  }
  return { alerts, unmatchedFiles, withFolders }
}

/** Undefined when any of them takes files by a pattern: then the folder must be listed. */
function listNamesToRequest(takers: readonly ScannedInbox[]) {
  const asked = takers.map((taker) => listWantedNames(buildIntakeRoute(taker)))
  return asked.some((names) => names === undefined) ? undefined : asked.flatMap((names) => names ?? [])
}

/** A folder, and the routes and inboxes of interchanges that take files from it. */
interface SharedFolder {
  readonly mailbox: Mailbox
  readonly files: readonly FileInfo[]
  readonly takers: readonly [ScannedInbox, ...ScannedInbox[]]
}

function findUnmatchedFiles(context: EvaluationContext, { mailbox, files, takers }: SharedFolder) {
  const { folder } = takers[0].from
  const place = formatFolder(takers[0].from)
  const patterns = takers.map(({ from }) => from.match)
  const sidecarPatterns = takers.flatMap(({ from: { ready } }) =>
    ready !== undefined && 'sidecar' in ready ? [toNamePattern(ready.sidecar)] : [],
  )
  const known = [...patterns, ...sidecarPatterns, ...listReceiptPatterns(context, takers[0])].map(
    compileFilePattern,
  )
  const unmatchedFiles: UnmatchedFile[] = []
  const alerts: Alert[] = []
  for (const { name } of files) {
    if (known.some((matches) => matches(name))) continue
    const subject = `${place}/${name}`
    const path = mailbox.describe(folder, name)
    const nearest = findSimilarName(name, patterns)
    unmatchedFiles.push({ path, ...(nearest === undefined ? {} : { nearest }) })
    const message = `no route takes ${path}: it does not match ${describePatterns(takers, nearest)}`
    const fix = WORKBOOK.test(name) ? { fix: describeWorkbookFix(patterns) } : {}
    alerts.push(createAlert({ code: 'file-unmatched', subject, since: context.now, message, ...fix }))
  }
  return { unmatchedFiles, alerts: limitAlerts(context, alerts, place) }
}

/** The nearest pattern, or the first one, with the route or inbox that has it. */
function describePatterns(takers: SharedFolder['takers'], nearest: string | undefined): string {
  const shown = takers.find(({ from }) => from.match === nearest) ?? takers[0]
  const others = new Set(takers.map(({ from }) => from.match)).size - 1
  const more = others === 0 ? '' : `, nor ${others} other pattern${others === 1 ? '' : 's'}`
  return `"${shown.from.match}" of ${formatIntakeKey(shown.key)}${more}`
}

const WORKBOOK = /\.(?:xls[xmb]?|ods|numbers)$/i

/** Names the patterns of the routes, because a workbook under their names is refused. */
function describeWorkbookFix(patterns: readonly string[]): string {
  return `It is a workbook: save it as CSV, under a name like ${[...new Set(patterns)].join(' or ')}, and take it away.`
}

/** The patterns of receipts that arrive in the folder of an inbox. */
function listReceiptPatterns({ configuration }: EvaluationContext, { from }: ScannedInbox): string[] {
  const { routes, mailboxes } = configuration
  return routes.flatMap((route) => {
    const receipt = route.direction === 'outbound' ? route.receipt : undefined
    const isHere = receipt !== undefined && resolvePlace(mailboxes, receipt) === resolvePlace(mailboxes, from)
    return isHere ? [toNamePattern(receipt.match)] : []
  })
}

/** Complete files that wait for their marker, their manifest, or the number before them. */
async function findWaitingFiles(
  context: EvaluationContext,
  { mailbox, files }: SharedFolder,
  taker: ScannedInbox,
): Promise<readonly Alert[]> {
  const { journal, clock, now } = context
  const source: Mailbox = { ...mailbox, list: () => Promise.resolve([...files]) }
  const scanned = { route: buildIntakeRoute(taker), source, journal, clock }
  // Alerts scan only once and go by the age of a file: every file counts as stable.
  const tracker = { ...createFileTracker(), getMsUntilStable: () => 0 }
  const { skippedFiles } = await scanInbox(scanned, tracker)
  const place = formatFolder(taker.from)
  const waiting = skippedFiles
    .filter(({ isUsual, file }) => !isUsual && now - file.modifiedAt > GRACE_MS)
    .map(({ file: { folder, name, modifiedAt: since }, code: reason, message: why, fix }): Alert => {
      const code = reason === 'is-sidecar' ? 'marker-orphaned' : 'file-waiting'
      const message = `${mailbox.describe(folder, name)} is not taken: ${why}`
      return { code, route: taker.key, subject: `${place}/${name}`, since, message, fix }
    })
  return limitAlerts(context, waiting, place)
}

// Entries that no route can take: because of the name or the kind, or because their writer never finished.

/** No writer of a file pauses for this long. By the file's own date. */
const ABANDONED_MS = HOUR_MS

interface ScannedFolder extends FolderRef {
  /** Whether any route takes files of this name from there. */
  readonly isWanted: (name: string) => boolean
  /** Whether listing may be forbidden: then there are no alerts about its entries. */
  readonly mayBeClosed: boolean
}

/** None where the folder cannot be read. */
async function listIgnoredEntries({ listings }: EvaluationContext, inbox: ScannedFolder) {
  const found = await listings.tryMailbox(inbox, (mailbox) =>
    mailbox.listIgnored(inbox.folder).catch((error: unknown): IgnoredEntry[] => {
      if (inbox.mayBeClosed && error instanceof BridgeError) return []
      throw error
    }),
  )
  return found ?? []
}

function findIgnoredEntries(
  context: EvaluationContext,
  inbox: ScannedFolder,
  ignored: readonly IgnoredEntry[],
): readonly Alert[] {
  const { now } = context
  const place = formatFolder(inbox)
  const alerts = [...ignored]
    .toSorted((one, other) => one.modifiedAt - other.modifiedAt)
    .flatMap((each) => {
      const description = describeIgnoredEntry(each, inbox, place, now)
      if (description === undefined) return []
      const subject = `${place}/${escapeControlChars(each.name)}`
      return [createAlert({ code: 'file-unmatched', subject, since: now, ...description })]
    })
  return limitAlerts(context, alerts, `${place} (never taken)`)
}

/** Undefined for an entry that does not look like a file of a route. */
function describeIgnoredEntry(
  { name, kind, modifiedAt }: IgnoredEntry,
  { isWanted }: ScannedFolder,
  place: string,
  now: number,
): { readonly message: string; readonly fix?: string } | undefined {
  const shown = escapeControlChars(name)
  if (hasInvalidUtf8(name))
    return {
      message: `${place} holds a file whose name is no UTF-8, and reads about like ${shown}: it cannot be taken`,
      fix: RENAME_FIX,
    }
  const mark = matchTemporaryName(name)
  if (mark !== undefined) {
    // Names with a dot in front belong to the system.
    const { ends = '' } = mark
    const isOld = modifiedAt > 0 && now - modifiedAt > ABANDONED_MS
    if (kind !== 'file' || ends === '' || !isOld || !isWanted(name.slice(0, -ends.length))) return undefined
    return {
      message: `${place}/${shown} has the name of an unfinished file, and has not changed for an hour`,
    }
  }
  if (!isSafeName(name))
    return {
      message: `${place} holds a file whose name has a control character or "\\" in it, and is shown here as ${shown}: it cannot be taken`,
      fix: RENAME_FIX,
    }
  if (kind === 'file' || !isWanted(name)) return undefined
  // Where a route takes every name, folders beside the files are usual.
  if (kind === 'folder' && !/\.[a-z]{2,5}$/i.test(name)) return undefined
  return {
    message: `${place}/${shown} is ${KIND_LABELS[kind]}; only plain files are taken`,
    fix: 'Put a plain file there, or remove it.',
  }
}

const RENAME_FIX = 'Rename it, with plain letters and digits; `match` makes no difference.'

const KIND_LABELS = {
  folder: 'a folder',
  link: 'a link',
  linked: 'a file with a second name (a hard link)',
  other: 'no plain file',
} as const
