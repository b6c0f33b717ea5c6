/** The rules that keep a file which stands in an inbox from being taken, each asked without changing anything. */
import type { Configuration } from '../../config/configuration.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Journal } from '../../domain/journal.ts'
import { holderInWords } from '../../domain/lease.ts'
import { type Look, lookAt } from '../../mailboxes/look.ts'
import { temporaryMark } from '../../mailboxes/names.ts'
import type { Mapping } from '../../mapping/load.ts'
import { type Clock, isoTime } from '../../support/clock.ts'
import { nearestName } from '../../support/nearest.ts'
import { filePattern } from '../file-pattern.ts'
import { isHolderAlive } from '../holder.ts'
import type { Inbox } from './inboxes.ts'
import type { RemoteInbox } from './remote-inbox.ts'
import { type Reason, reason } from './reasons.ts'
import { fileBytes, sha256Of } from '../../support/file-bytes.ts'

export interface Eyes {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What all rules may look at. */
export interface Asking extends Eyes {
  /** Undefined while there is none yet. */
  readonly journal: Journal | undefined
  readonly configuration: Configuration
  readonly mappings: Mappings
  readonly name: string
  readonly inboxes: readonly Inbox[]
  /** Inboxes on other machines that the file may stand in. */
  readonly remote: readonly RemoteInbox[]
}

export type Mappings = { readonly loaded: ReadonlyMap<string, Mapping> } | { readonly wrong: Reason }

export function nameReasons({ name, inboxes }: Asking, { route, place }: Inbox): Reason[] {
  if (filePattern(route.from.match)(name)) return []
  const patterns = inboxes.filter((each) => each.place === place).map((each) => each.route.from.match)
  const nearest = nearestName(name, patterns) ?? route.from.match
  return [
    reason(
      'name-differs',
      `its name does not match "${route.from.match}" of route ${route.name}${nearest === route.from.match ? '' : `; the nearest pattern is "${nearest}"`}`,
    ),
  ]
}

/** Of a file that is still called as files are while they are written, and that the route would take when it is whole. */
export function unfinishedReason(name: string, match: string): Reason | undefined {
  const { ends = '' } = temporaryMark(name) ?? {}
  if (ends === '' || !filePattern(match)(name.slice(0, -ends.length))) return undefined
  return reason(
    'passed-over',
    `its name ends with "${ends}", as names do while files are written`,
    UNFINISHED,
  )
}

const UNFINISHED =
  'Wait until it is renamed. Where that does not come, its sending broke off: let it be sent again, or rename it if it is whole.'

type StandingFile = Extract<Look, { what: 'file' }>

export function rightsReasons(
  { mayBeRead, mayBeMoved }: Pick<StandingFile, 'mayBeRead' | 'mayBeMoved'>,
  path: string,
): Reason[] {
  return [
    ...(mayBeRead ? [] : [reason('no-rights', `${path} may not be read by this user`)]),
    ...(mayBeMoved ? [] : [reason('no-rights', `${path} may not be moved out of its folder by this user`)]),
  ]
}

/** As a run does: it must be the same at two looks. */
export async function settleReasons(
  { clock, signal, name }: Asking,
  { route, root }: Inbox,
  first: StandingFile,
): Promise<Reason[]> {
  const { settleMs, folder } = route.from
  await clock.sleep(settleMs, signal)
  const second = await lookAt(root, folder, name)
  if (second.what !== 'file')
    return [reason('still-changing', 'it has just gone from its place; a run may have taken it')]
  const [before, after] = [first.sighting, second.sighting]
  if (before.size === after.size && before.modifiedAt === after.modifiedAt) return []
  const sizes =
    before.size === after.size ? 'its time changed' : `it grew from ${before.size} to ${after.size} bytes`
  return [reason('still-changing', `it is still being written: within ${settleMs} ms ${sizes}`)]
}

export async function sameBytes({ journal }: Asking, { route }: Inbox, path: string): Promise<Reason[]> {
  if (journal === undefined || OPERATIONS[route.operation].repeatable) return []
  const first = await journal.firstWithBytes(route.name, await sha256Of(fileBytes(path)))
  if (first === undefined) return []
  const message = `the same bytes came before as ${first.name} on ${isoTime(first.receivedAt)} (id ${first.id}): the next run takes the file, tells it as a duplicate and sends nothing of it`
  return [reason('same-bytes', message)]
}

export async function leaseReasons(journal: Journal, route: string): Promise<Reason[]> {
  const held = await journal.holderOf(route)
  if (held === undefined || !isHolderAlive(held.holder)) return []
  return [
    reason(
      'lease-held',
      `${holderInWords(held.holder)} is working on route ${route}; its last sign of life was at ${isoTime(held.renewedAt)}`,
    ),
  ]
}

export async function queueNotes(
  journal: Journal,
  { name }: Asking,
  { route }: Pick<Inbox, 'route'>,
): Promise<string[]> {
  // A run that was stopped right before its claim has noted the very file that still stands there.
  const open = (await journal.unfinishedFiles(route.name)).filter(
    (file) => file.name !== name || file.state !== 'claiming',
  )
  const [first] = open
  const [before] = (await journal.filesCalled(name, 1)).filter(
    (file) => file.route === route.name && file.state === 'closed',
  )
  const who =
    open.length === 1 ? 'an earlier file of the route goes' : `${open.length} earlier files of the route go`
  return [
    ...(first === undefined
      ? []
      : [
          `${who} first, such as ${first.name} (${first.state}); while the API cannot be reached, this one waits`,
        ]),
    ...(before === undefined
      ? []
      : [
          `another file of this name was taken on ${isoTime(before.receivedAt ?? before.claimedAt)}; this one is a file of its own`,
        ]),
  ]
}
