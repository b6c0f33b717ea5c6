/** Alerts about files beside the inboxes, where no run looks: above one, beside one, or in a folder of exports. */
import { posix } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import { formatIntakeKey } from '../config/edi.ts'
import { listScannedInboxes, type Route, type ScannedInbox } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { groupBy } from '../support/collections.ts'
import { findSimilarName } from '../support/text.ts'
import { type EvaluationContext, formatFolder, limitAlerts, toNamePattern } from './context.ts'

/** Looks only into folders of this machine: on a server each listing costs a call, and may be forbidden. */
export async function findMisplacedFiles(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, mailboxes } = context
  const configured = listConfiguredFolders(configuration)
  const alerts: Alert[] = []
  const listings = new Map<string, Promise<readonly FileInfo[]>>()
  for (const inbox of listScannedInboxes(configuration)) {
    const { mailbox: name } = inbox.from
    const mailbox = mailboxes.get(name)
    if (mailbox === undefined || configuration.mailboxes[name]?.type !== 'directory') continue
    const folders = await listFoldersBeside(inbox, mailbox, configured)
    const outboxes = listOutboxes(configuration, inbox)
    for (const folder of [...folders, ...outboxes.keys()]) {
      const place = formatFolder({ mailbox: name, folder })
      const listing = listings.get(place) ?? listFiles(mailbox, folder)
      listings.set(place, listing)
      const isOwn = createOwnFilter(context, outboxes.get(folder))
      const files = (await listing).filter(({ name }) => !isOwn(name))
      alerts.push(...createAlerts(inbox, { files, mailbox, now: context.now }))
    }
  }
  // Several routes may take such names: the first one counts.
  const once = new Map(alerts.toReversed().map((alert) => [alert.subject, alert]))
  return limitAlerts(context, [...once.values()].toReversed(), 'beside the inboxes')
}

/** Their files belong there, whatever their names. */
function listConfiguredFolders(configuration: Configuration): ReadonlySet<string> {
  const { routes, edi } = configuration
  const answers = (edi?.partners ?? []).flatMap(({ to }) => to?.folder ?? [])
  const ofRoutes = routes.flatMap((route) =>
    route.direction === 'outbound' ? [route.to.folder, route.receipt?.folder] : [],
  )
  return new Set([...listIntakeFolders(configuration), ...normalizeAll([...ofRoutes, ...answers])])
}

/** The folders of what comes in: files, and what became of them. */
function listIntakeFolders(configuration: Configuration): string[] {
  return normalizeAll([
    ...listScannedInboxes(configuration).flatMap(({ from, results }) => [
      from.folder,
      from.archive,
      results.folder,
    ]),
    ...configuration.routes.flatMap((route: Route) =>
      route.direction === 'inbound' ? [route.results.folder, route.documents?.folder] : [],
    ),
  ])
}

function normalizeAll(folders: readonly (string | undefined)[]): string[] {
  return folders.flatMap((folder) => (folder === undefined ? [] : posix.normalize(folder)))
}

async function listFoldersBeside({ from }: ScannedInbox, mailbox: Mailbox, configured: ReadonlySet<string>) {
  const own = posix.normalize(from.folder)
  const parent = posix.dirname(own)
  const names = (await mailbox.listNames(parent).catch(() => undefined)) ?? []
  const isMistyped = (name: string) =>
    findSimilarName(name, [posix.basename(own)]) !== undefined && !configured.has(posix.join(parent, name))
  const mistyped = [...names].filter(isMistyped).map((name) => posix.join(parent, name))
  return [...new Set([parent, ROOT])].filter((folder) => !configured.has(folder)).concat(mistyped)
}

/** The folder of a mailbox itself. */
const ROOT = '.'

/** A folder that the bridge delivers to, and the template of the names. */
interface Outbox {
  readonly mailbox: string
  readonly folder: string
  readonly name: string
}

/** The folders that the bridge delivers to in the mailbox of the inbox, and in which it takes no files. */
function listOutboxes(configuration: Configuration, { from }: ScannedInbox): Map<string, Outbox[]> {
  const { routes, edi } = configuration
  const intake = new Set(listIntakeFolders(configuration))
  const outboxes = [
    ...routes.flatMap((route) => (route.direction === 'outbound' ? [route.to] : [])),
    ...(edi?.partners ?? []).flatMap(({ to }) => to ?? []),
  ]
  const here = outboxes.filter(
    ({ mailbox, folder }) => mailbox === from.mailbox && !intake.has(posix.normalize(folder)),
  )
  return groupBy(here, ({ folder }) => posix.normalize(folder))
}

/** Recognizes the files of the bridge, and the receipts for them, by their names. */
function createOwnFilter({ configuration }: EvaluationContext, outboxes: readonly Outbox[] = []) {
  const receipts = configuration.routes.flatMap((route) =>
    route.direction === 'outbound' && route.receipt ? [toNamePattern(route.receipt.match)] : [],
  )
  const templates = outboxes.flatMap(({ name }) => {
    const pattern = name.replace(/\{[^{}]*\}/g, '*')
    // A name that was taken got a number before its extension.
    return [pattern, pattern.replace(/(\.[^.]*)?$/, '~*$1')]
  })
  const isOwn = outboxes.length === 0 ? [] : [...templates, ...receipts].map(compileFilePattern)
  return (name: string) => isOwn.some((matches) => matches(name))
}

/** None where the folder is missing or may not be read. */
async function listFiles(mailbox: Mailbox, folder: string): Promise<readonly FileInfo[]> {
  const list = () => mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
  const isFolder = await mailbox.hasFolder(folder).catch(() => false)
  return isFolder ? list().catch(() => []) : []
}

/** For files that the inbox would take, once they have stopped changing: a writer may move a file from there. */
function createAlerts(
  { key, from }: ScannedInbox,
  { files, mailbox, now }: { files: readonly FileInfo[]; mailbox: Mailbox; now: number },
): Alert[] {
  const isWanted = from.match === '*' ? isDataName : compileFilePattern(from.match)
  return files
    .filter(({ name, modifiedAt }) => isWanted(name) && now - modifiedAt >= from.stableForMs)
    .map(({ folder, name, modifiedAt: since }) => {
      const path = mailbox.describe(folder, name)
      const message = `${path} is in no inbox; ${formatIntakeKey(key)} takes such names from ${from.folder}`
      return createAlert({ code: 'file-misplaced', subject: path, since, message })
    })
}

/** Where every name is taken, those of data files: a note for people stays where it is. */
function isDataName(name: string): boolean {
  return /\.(?:csv|tsv|txt|dat|psv|xlsx?|gz|x12|edi|edifact)$/i.test(name) && !/^read.?me/i.test(name)
}
