/** Diagnoses files in inboxes on SFTP servers, as far as possible without moving or fetching them. */
import { randomUUID } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { isSafeName } from '../../mailboxes/names.ts'
import { refuseToCreateFolder } from '../../pipeline/inbound/inbox.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { openMailbox } from '../context.ts'
import { createReason, type RouteDiagnosis, toReason } from './reasons.ts'
import {
  type DiagnosisContext,
  findLeaseReasons,
  findNameReasons,
  findUnfinishedNameReason,
  noteQueuedFiles,
  type RemoteInbox,
} from './rules.ts'

/** Only a bare name can mean a file on a server: a path is one of this machine. */
export function listRemoteInboxes(
  { routes, mailboxes }: Configuration,
  clock: Clock,
  file: string,
  only: string | undefined,
): RemoteInbox[] {
  if (/[/\\]/.test(file)) return []
  return routes.flatMap((route) => {
    if (route.direction !== 'inbound' || (only !== undefined && route.name !== only)) return []
    const { mailbox } = route.from
    const settings = mailboxes[mailbox]
    if (settings === undefined || settings.type === 'directory') return []
    const options = { clock, random: Math.random, newId: randomUUID, isImpatient: true }
    return [{ route, open: () => openMailbox(mailbox, settings, options) }]
  })
}

export function describeRemoteInboxes({ remote }: Pick<DiagnosisContext, 'remote'>): string[] {
  return remote.map(({ route }) => `${route.from.mailbox}:${route.from.folder}`)
}

/** One diagnosis for each inbox that has the file, or that cannot be read; none when no inbox has it. */
export async function diagnoseRemoteInboxes(context: DiagnosisContext): Promise<RouteDiagnosis[]> {
  const verdicts: RouteDiagnosis[] = []
  for (const { route, open } of context.remote) {
    const mailbox = await open()
    const { folder } = route.from
    const path = formatRemotePath({ route, mailbox }, context.name)
    try {
      // Comes before the listing, which creates missing folders.
      const names = await mailbox.listNames(folder)
      if (names === undefined || !names.has(context.name)) continue
      await context.checkRoute(route, mailbox)
      verdicts.push({ route: route.name, path, ...(await diagnoseRemoteFile(context, { route, mailbox })) })
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      verdicts.push({ route: route.name, path, reasons: [toReason(error)], notes: [] })
    } finally {
      await mailbox.close()
    }
  }
  return verdicts
}

/** A mailbox gives no address for a name that it never takes. */
function formatRemotePath({ route, mailbox }: RemoteFile, name: string): string {
  const { folder } = route.from
  return isSafeName(name) ? mailbox.describe(folder, name) : `${route.from.mailbox}:${folder}/${name}`
}

type RemoteFile = Pick<RemoteInbox, 'route'> & { readonly mailbox: Mailbox }

async function diagnoseRemoteFile(context: DiagnosisContext, remoteFile: RemoteFile) {
  const { mappings, name } = context
  const { route } = remoteFile
  const unfinished = findUnfinishedNameReason(name, route.from.match)
  const changing = await findRemoteStabilityReasons(context, remoteFile)
  const reasons = [
    ...(unfinished === undefined ? [...findNameReasons(context, remoteFile), ...changing] : [unfinished]),
    ...('wrong' in mappings ? [mappings.wrong] : []),
    ...(await findLeaseReasons(context, route.name)),
  ]
  const queued = await noteQueuedFiles(context, remoteFile)
  return { reasons, notes: [...queued, 'the contents are checked when the file is taken'] }
}

/** As in a run, two scans must list the same file. */
async function findRemoteStabilityReasons(context: DiagnosisContext, { route, mailbox }: RemoteFile) {
  const { clock, signal, name } = context
  const { folder, stableForMs } = route.from
  const findListed = async () => {
    const files = await mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
    return files.find((file) => file.name === name)
  }
  const before = await findListed()
  if (before === undefined) {
    const message = 'it is no plain file, or has such a name as files have while they are written'
    return [createReason('entry-ignored', message)]
  }
  await clock.sleep(stableForMs, signal)
  const after = await findListed()
  if (before.size === after?.size && before.modifiedAt === after.modifiedAt) return []
  return [createReason('still-changing', `it is still being written: within ${stableForMs} ms it changed`)]
}
