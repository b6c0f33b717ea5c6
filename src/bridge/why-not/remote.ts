/** Why a file in an inbox on an SFTP server is not picked up: what can be told without moving or fetching it. */
import { randomUUID } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'
import type { Mailbox, Sighting } from '../../domain/mailbox.ts'
import { isSafeName } from '../../mailboxes/names.ts'
import { refuseToMakeAnew } from '../../pipelines/inbound/inbox-gone.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { filePattern } from '../file-pattern.ts'
import { openMailbox } from '../mailboxes.ts'
import { type Reason, reason, type RouteVerdict } from './reasons.ts'
import type { RemoteInbox } from './remote-inbox.ts'
import { type Asking, leaseReasons, queueNotes, unfinishedReason } from './rules.ts'

/** Only a bare name can be meant for one of them: a path is one of this machine. */
export function remoteInboxes(
  { routes, mailboxes }: Configuration,
  {
    file,
    route: only,
    clock,
  }: {
    readonly file: string
    readonly route: string | undefined
    readonly clock: Clock
  },
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
export function lookedAt({ remote }: Pick<Asking, 'remote'>): string[] {
  return remote.map(({ route }) => `${route.from.mailbox}:${route.from.folder}`)
}

/** Of each inbox that the file stands in, or that cannot be looked into; none when it stands nowhere. */
export async function remoteVerdicts(asking: Asking): Promise<RouteVerdict[]> {
  const verdicts: RouteVerdict[] = []
  for (const { route, open } of asking.remote) {
    const mailbox = await open()
    const { folder } = route.from
    const path = placeIn({ route, mailbox }, asking.name)
    try {
      // Asked first, because a listing makes folders that are missing.
      const names = await mailbox.names(folder)
      if (names === undefined || !names.has(asking.name)) continue
      verdicts.push({ route: route.name, path, ...(await judge(asking, { route, mailbox })) })
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const away = reason('mailbox-away', error.message, error.cure)
      verdicts.push({ route: route.name, path, reasons: [away], notes: [] })
    } finally {
      await mailbox.close()
    }
  }
  return verdicts
}

/** A mailbox gives no address for a name that it never takes. */
function placeIn({ route, mailbox }: Standing, name: string): string {
  const { folder } = route.from
  return isSafeName(name) ? mailbox.describe(folder, name) : `${route.from.mailbox}:${folder}/${name}`
}

interface Standing {
  readonly route: RemoteInbox['route']
  readonly mailbox: Mailbox
}

async function judge(asking: Asking, standing: Standing): Promise<Pick<RouteVerdict, 'reasons' | 'notes'>> {
  const { journal, mappings, name } = asking
  const { route } = standing
  const { match } = route.from
  const unfinished = unfinishedReason(name, match)
  const differs = reason('name-differs', `its name does not match "${match}" of route ${route.name}`)
  const itself = [...(filePattern(match)(name) ? [] : [differs]), ...(await wholeReasons(asking, standing))]
  const reasons = [
    ...(unfinished === undefined ? itself : [unfinished]),
    ...('wrong' in mappings ? [mappings.wrong] : []),
    ...(journal === undefined ? [] : await leaseReasons(journal, route.name)),
  ]
  const queued = journal === undefined ? [] : await queueNotes(journal, asking, standing)
  return { reasons, notes: [...queued, 'what is in it is looked at when it is taken'] }
}

/** As a run does: it must be listed, and the same at two looks. */
async function wholeReasons(asking: Asking, { route, mailbox }: Standing): Promise<Reason[]> {
  const { clock, signal, name } = asking
  const { folder, settleMs } = route.from
  const look = async () => {
    const files = await mailbox.list(folder, undefined, () => refuseToMakeAnew(folder))
    return files.find((sighting) => sighting.name === name)
  }
  const before = await look()
  if (before === undefined) {
    const message = 'it is no plain file, or has such a name as files have while they are written'
    return [reason('passed-over', message)]
  }
  await clock.sleep(settleMs, signal)
  const after = await look()
  if (after !== undefined && isSame(before, after)) return []
  return [reason('still-changing', `it is still being written: within ${settleMs} ms it changed`)]
}

function isSame(one: Sighting, other: Sighting): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt
}
