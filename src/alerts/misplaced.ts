/** Alerts about files beside the inboxes, where no run looks: above one, beside one, or in a folder of exports. */
import { posix } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
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
  for (const route of configuration.routes) {
    if (route.direction !== 'inbound') continue
    const mailbox = mailboxes.get(route.from.mailbox)
    if (mailbox === undefined || configuration.mailboxes[route.from.mailbox]?.type !== 'directory') continue
    const folders = await listFoldersBeside(route, mailbox, configured)
    const outboxes = listOutboxes(configuration, route)
    for (const folder of [...folders, ...outboxes.keys()]) {
      const place = formatFolder({ mailbox: route.from.mailbox, folder })
      const listing = listings.get(place) ?? listFiles(mailbox, folder)
      listings.set(place, listing)
      const isOwn = createOwnFilter(context, outboxes.get(folder))
      const files = (await listing).filter(({ name }) => !isOwn(name))
      alerts.push(...createAlerts(route, { files, mailbox, now: context.now }))
    }
  }
  // Several routes may take such names: the first one counts.
  const once = new Map(alerts.toReversed().map((alert) => [alert.subject, alert]))
  return limitAlerts(context, [...once.values()].toReversed(), 'beside the inboxes')
}

/** Their files belong there, whatever their names. */
function listConfiguredFolders({ routes }: Configuration): ReadonlySet<string> {
  return new Set(routes.flatMap(listOwnFolders))
}

function listOwnFolders(route: Route): string[] {
  const folders =
    route.direction === 'inbound'
      ? [route.from.folder, route.from.archive, route.results.folder, route.documents?.folder]
      : [route.to.folder, route.receipt?.folder]
  return folders.flatMap((folder) => (folder === undefined ? [] : posix.normalize(folder)))
}

async function listFoldersBeside({ from }: InboundRoute, mailbox: Mailbox, configured: ReadonlySet<string>) {
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

/** The folders that the bridge delivers to in the mailbox of the route, and in which it takes no files. */
function listOutboxes({ routes }: Configuration, { from }: InboundRoute): Map<string, OutboundRoute[]> {
  const inboxes = new Set(
    routes.flatMap((route) => (route.direction === 'inbound' ? listOwnFolders(route) : [])),
  )
  const outbound = routes.filter((route) => route.direction === 'outbound')
  const here = outbound.filter(
    ({ to }) => to.mailbox === from.mailbox && !inboxes.has(posix.normalize(to.folder)),
  )
  return groupBy(here, ({ to }) => posix.normalize(to.folder))
}

/** Recognizes the files of the bridge, and the receipts for them, by their names. */
function createOwnFilter({ configuration }: EvaluationContext, outbound: readonly OutboundRoute[] = []) {
  const receipts = configuration.routes.flatMap((route) =>
    route.direction === 'outbound' && route.receipt ? [toNamePattern(route.receipt.match)] : [],
  )
  const templates = outbound.flatMap(({ to }) => {
    const pattern = to.name.replace(/\{[^{}]*\}/g, '*')
    // A name that was taken got a number before its extension.
    return [pattern, pattern.replace(/(\.[^.]*)?$/, '~*$1')]
  })
  const isOwn = outbound.length === 0 ? [] : [...templates, ...receipts].map(compileFilePattern)
  return (name: string) => isOwn.some((matches) => matches(name))
}

/** None where the folder is missing or may not be read. */
async function listFiles(mailbox: Mailbox, folder: string): Promise<readonly FileInfo[]> {
  const list = () => mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
  const isFolder = await mailbox.hasFolder(folder).catch(() => false)
  return isFolder ? list().catch(() => []) : []
}

/** For files that the route would take, once they have stopped changing: a writer may move a file from there. */
function createAlerts(
  { name: route, from }: InboundRoute,
  { files, mailbox, now }: { files: readonly FileInfo[]; mailbox: Mailbox; now: number },
): Alert[] {
  const isWanted = from.match === '*' ? isDataName : compileFilePattern(from.match)
  return files
    .filter(({ name, modifiedAt }) => isWanted(name) && now - modifiedAt >= from.stableForMs)
    .map(({ folder, name, modifiedAt: since }) => {
      const path = mailbox.describe(folder, name)
      const message = `${path} is in no inbox; route ${route} takes such names from ${from.folder}`
      return createAlert({ code: 'file-misplaced', subject: path, since, message })
    })
}

/** Where a route takes every name, those of data files: a note for people stays where it is. */
function isDataName(name: string): boolean {
  return /\.(?:csv|tsv|txt|dat|psv|xlsx?|gz)$/i.test(name) && !/^read.?me/i.test(name)
}
