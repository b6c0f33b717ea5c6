/** Alerts about files beside an inbox: in the folder above it, or in a folder with almost its name. No run looks there. */
import { posix } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { InboundRoute } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { findSimilarName } from '../support/text.ts'
import { type EvaluationContext, formatFolder, limitAlerts } from './context.ts'

/** Looks only into folders of this machine: on a server each listing costs a call, and may be forbidden. */
export async function findMisplacedFiles(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, mailboxes } = context
  const configured = listConfiguredFolders(configuration)
  const alerts: Alert[] = []
  const listings = new Map<string, Promise<readonly FileInfo[]>>()
  for (const route of configuration.routes) {
    if (route.direction !== 'inbound' || route.from.match === '*') continue
    const mailbox = mailboxes.get(route.from.mailbox)
    if (mailbox === undefined || configuration.mailboxes[route.from.mailbox]?.type !== 'directory') continue
    const folders = await listFoldersBeside(route, mailbox, configured)
    for (const folder of folders) {
      const place = formatFolder({ mailbox: route.from.mailbox, folder })
      const listing = listings.get(place) ?? listFiles(mailbox, folder)
      listings.set(place, listing)
      alerts.push(...createAlerts(route, { files: await listing, mailbox, now: context.now }))
    }
  }
  // Several routes may take such names: the first one counts.
  const once = new Map(alerts.toReversed().map((alert) => [alert.subject, alert]))
  return limitAlerts(context, [...once.values()].toReversed(), 'beside the inboxes')
}

/** Their files belong there, whatever their names. */
function listConfiguredFolders({ routes }: Configuration): ReadonlySet<string> {
  const folders = routes.flatMap((route) =>
    route.direction === 'inbound'
      ? [route.from.folder, route.from.archive, route.results.folder, route.documents?.folder]
      : [route.to.folder, route.receipt?.folder],
  )
  return new Set(folders.flatMap((folder) => (folder === undefined ? [] : posix.normalize(folder))))
}

async function listFoldersBeside({ from }: InboundRoute, mailbox: Mailbox, configured: ReadonlySet<string>) {
  const own = posix.normalize(from.folder)
  const parent = posix.dirname(own)
  const names = (await mailbox.listNames(parent).catch(() => undefined)) ?? []
  const isMistyped = (name: string) =>
    findSimilarName(name, [posix.basename(own)]) !== undefined && !configured.has(posix.join(parent, name))
  const mistyped = [...names].filter(isMistyped).map((name) => posix.join(parent, name))
  return configured.has(parent) ? mistyped : [parent, ...mistyped]
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
  const isWanted = compileFilePattern(from.match)
  return files
    .filter(({ name, modifiedAt }) => isWanted(name) && now - modifiedAt >= from.stableForMs)
    .map(({ folder, name, modifiedAt: since }) => {
      const path = mailbox.describe(folder, name)
      const message = `${path} is in no inbox; route ${route} takes such names from ${from.folder}`
      return createAlert({ code: 'file-misplaced', subject: path, since, message })
    })
}
