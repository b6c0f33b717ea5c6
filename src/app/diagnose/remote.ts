/** Diagnoses files in inboxes on SFTP servers, as far as possible without moving or fetching them. */
import { randomUUID } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { isSafeName } from '../../mailboxes/names.ts'
import { refuseToCreateFolder } from '../../pipeline/inbound/inbox.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { openMailbox } from '../context.ts'
import { createReason, type RouteDiagnosis } from './reasons.ts'
import {
  type DiagnosisContext,
  findLeaseReasons,
  findNameReasons,
  findUnfinishedNameReason,
  noteQueuedFiles,
  type RemoteInbox,
} from './rules.ts'

/** Only a bare name can be meant for one of them: a path is one of this machine. */
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

/** The places of such inboxes, for people. */
export function describeRemoteInboxes({ remote }: Pick<DiagnosisContext, 'remote'>): string[] {
  return remote.map(({ route }) => `${route.from.mailbox}:${route.from.folder}`)
}

/** Of each inbox that the file stands in, or that cannot be read; none when it stands nowhere. */
export async function diagnoseRemoteInboxes(asking: DiagnosisContext): Promise<RouteDiagnosis[]> {
  const verdicts: RouteDiagnosis[] = []
  for (const { route, open } of asking.remote) {
    const mailbox = await open()
    const { folder } = route.from
    const path = formatRemotePath({ route, mailbox }, asking.name)
    try {
      // Asked first, because a listing makes folders that are missing.
      const names = await mailbox.listNames(folder)
      if (names === undefined || !names.has(asking.name)) continue
      verdicts.push({ route: route.name, path, ...(await diagnoseRemoteFile(asking, { route, mailbox })) })
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const away = createReason('mailbox-away', error.message, error.fix)
      verdicts.push({ route: route.name, path, reasons: [away], notes: [] })
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

async function diagnoseRemoteFile(asking: DiagnosisContext, standing: RemoteFile) {
  const { journal, mappings, name } = asking
  const { route } = standing
  const unfinished = findUnfinishedNameReason(name, route.from.match)
  const changing = await findRemoteStabilityReasons(asking, standing)
  const reasons = [
    ...(unfinished === undefined ? [...findNameReasons(asking, standing), ...changing] : [unfinished]),
    ...('wrong' in mappings ? [mappings.wrong] : []),
    ...(journal === undefined ? [] : await findLeaseReasons(journal, route.name)),
  ]
  const queued = journal === undefined ? [] : await noteQueuedFiles(journal, asking, standing)
  return { reasons, notes: [...queued, 'what is in it is looked at when it is taken'] }
}

/** As a run does: it must be listed, and the same at two looks. */
async function findRemoteStabilityReasons(asking: DiagnosisContext, { route, mailbox }: RemoteFile) {
  const { clock, signal, name } = asking
  const { folder, stableForMs } = route.from
  const look = async () => {
    const files = await mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
    return files.find((file) => file.name === name)
  }
  const before = await look()
  if (before === undefined) {
    const message = 'it is no plain file, or has such a name as files have while they are written'
    return [createReason('entry-ignored', message)]
  }
  await clock.sleep(stableForMs, signal)
  const after = await look()
  if (before.size === after?.size && before.modifiedAt === after.modifiedAt) return []
  return [createReason('still-changing', `it is still being written: within ${stableForMs} ms it changed`)]
}
