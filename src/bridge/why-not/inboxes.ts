/** Which inboxes a file may be meant for. */
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import type { InboundRoute } from '../../config/routes.ts'
import { lookAt, namesIn, placeOf, realPlace } from '../../mailboxes/look.ts'
import { nearestNames } from '../../support/nearest.ts'
import { filePattern } from '../file-pattern.ts'
import { type Reason, reason } from './reasons.ts'

export interface Inbox {
  readonly route: InboundRoute
  readonly root: string
  /** The folder on the disk. */
  readonly place: string
}

export interface Meant {
  readonly name: string
  /** Where the file stands, or should. */
  readonly inboxes: readonly Inbox[]
  /** It stands in no inbox. */
  readonly astray?: Reason
}

export function inboxesOf({ routes, mailboxes }: Configuration, only?: string): Inbox[] {
  return routes.flatMap((route) => {
    if (route.direction !== 'inbound' || (only !== undefined && route.name !== only)) return []
    const mailbox = mailboxes[route.from.mailbox]
    if (mailbox?.type !== 'directory') return []
    return [{ route, root: mailbox.path, place: placeOf(mailbox.path, route.from.folder) }]
  })
}

/** A path says which inbox; a bare name is looked for in all of them. */
export async function inboxesMeant(file: string, from: string, inboxes: readonly Inbox[]): Promise<Meant> {
  const name = basename(file)
  const isPath = file !== name || (await namesIn(from)).includes(name)
  if (!isPath) return named(name, inboxes)
  const folder = await realPlace(dirname(resolve(from, file)))
  const here = await inboxesAt(folder, inboxes)
  if (here.length > 0) return { name, inboxes: rightful(name, here) }
  const wholeName = await named(name, inboxes)
  // A file in the folder of the command may be named as it is called in its inbox.
  if (file === name && wholeName.inboxes.length > 0) return wholeName
  return { name, inboxes: [], astray: await astray(join(folder, name), inboxes) }
}

/** The inboxes that the path is, and no file in one. */
export async function inboxesAt(path: string, inboxes: readonly Inbox[]): Promise<Inbox[]> {
  const folder = await realPlace(path)
  const at: Inbox[] = []
  for (const inbox of inboxes) if ((await realPlace(inbox.place)) === folder) at.push(inbox)
  return at
}

/** Says so, with what lies in it. */
export async function asInbox({ root, place, route }: Inbox): Promise<Reason> {
  const { folder, match } = route.from
  const names: string[] = []
  for (const name of await namesIn(place)) {
    if ((await lookAt(root, folder, name)).what === 'file') names.push(name)
  }
  const matching = names.filter(filePattern(match)).length
  const files = names.length === 1 ? '1 file' : `${names.length} files`
  const how = names.length === matching ? '' : `, of which ${matching} match "${match}"`
  return reason('is-inbox', `${place} is itself an inbox, that of route ${route.name}, with ${files}${how}`)
}

async function named(name: string, inboxes: readonly Inbox[]): Promise<Meant> {
  const standing: Inbox[] = []
  for (const inbox of inboxes) {
    const look = await lookAt(inbox.root, inbox.route.from.folder, name)
    if (look.what === 'file' || look.what === 'passed-over') standing.push(inbox)
  }
  return { name, inboxes: rightful(name, standing) }
}

/** Where one of the routes of a folder takes the name, it is no concern of the others. */
function rightful(name: string, inboxes: readonly Inbox[]): Inbox[] {
  const takers = inboxes.filter(({ route }) => filePattern(route.from.match)(name))
  return inboxes.filter(
    (inbox) => takers.includes(inbox) || takers.every(({ place }) => place !== inbox.place),
  )
}

async function astray(path: string, inboxes: readonly Inbox[]): Promise<Reason> {
  const name = basename(path)
  for (const { route, place, root } of inboxes) {
    if (path.startsWith((await realPlace(place)) + sep)) {
      const inner = `${path} lies in a folder within the inbox ${place} of route ${route.name}; folders in an inbox are not looked into`
      return reason('not-in-inbox', inner)
    }
    if (path.startsWith((await realPlace(placeOf(root, route.from.archive))) + sep)) {
      const inner = `${path} lies in the archive of route ${route.name}: it was taken in and is done`
      return reason('done', inner)
    }
  }
  const takers = inboxes.filter(({ route }) => filePattern(route.from.match)(name))
  if (inboxes.length === 0)
    return reason('not-in-inbox', `${path} lies in no inbox; the configuration has none`)
  const [nearest] = nearestInboxes(path, takers)
  // Told to put a receipt or a report into an inbox, somebody might.
  if (nearest === undefined)
    return reason('not-in-inbox', `${path} lies in no inbox, and no route takes a file of this name`)
  return reason(
    'not-in-inbox',
    `${path} lies in no inbox; the nearest is ${nearest.place} of route ${nearest.route.name}`,
  )
}

/** By how much of the path they share, then by the spelling of the folder. */
function nearestInboxes(path: string, inboxes: readonly Inbox[]): Inbox[] {
  const folder = dirname(path)
  const shared = ({ place }: Inbox) => {
    const [one, other] = [folder.split(sep), place.split(sep)]
    const differs = one.findIndex((step, index) => step !== other[index])
    return differs === -1 ? one.length : differs
  }
  const byName = nearestNames(
    basename(folder),
    inboxes.map(({ place }) => basename(place)),
    1,
  )
  return inboxes.toSorted((one, other) => {
    const [isOne, isOther] = [one, other].map(({ place }) => Number(byName.includes(basename(place))))
    return shared(other) - shared(one) || (isOther ?? 0) - (isOne ?? 0)
  })
}
