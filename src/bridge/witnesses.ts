/** Files in the mailboxes of which only a newer journal, or a copy that is at work elsewhere, can know. */
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
import { sequenceIn } from '../config/file-name.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox, Sighting } from '../domain/mailbox.ts'
import type { Head } from '../domain/restoring.ts'
import { idOfArchived } from '../mailboxes/names.ts'
import { assert, BridgeError } from '../support/errors.ts'

export interface Witnessed {
  readonly journal: Journal
  readonly mailboxes: ReadonlyMap<string, Mailbox>
}

const DAY_MS = 24 * 3_600_000

/** So many days of an archive are looked into, the newest first. */
const DAYS_MAX = 31

/** In words; undefined where nothing tells, or the mailbox is away. */
export async function findWitness(
  witnessed: Witnessed & { readonly clock: { now(): number } },
  route: Route,
): Promise<string | undefined> {
  const { journal, clock } = witnessed
  const head = await journal.head()
  try {
    return route.direction === 'inbound'
      ? await unknownFile(witnessed, route, { head, now: clock.now() })
      : await unknownDelivery(witnessed, route, head)
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
}

/** A file that was taken under an id of this journal, which the journal does not know. */
async function unknownFile(
  witnessed: Witnessed,
  { from }: InboundRoute,
  { head, now }: { readonly head: Head; readonly now: number },
): Promise<string | undefined> {
  const { journal } = witnessed
  const mailbox = mailboxOf(witnessed, from.mailbox)
  const tag = await journal.tag()
  const unknownOf = async (ids: readonly string[]) => {
    const own = ids.filter((id) => id.startsWith(tag))
    return own.length === 0 ? undefined : (await journal.unknownFiles(own))[0]
  }
  const claimed = await unknownOf(await mailbox.claims(from.folder))
  if (claimed !== undefined)
    return `the file ${claimed} was taken from ${mailbox.describe(from.folder, claimed)}, and the journal does not know it`
  if (mailbox.leaves) return undefined
  for (const day of daysBack(now, head.at)) {
    const folder = `${from.archive}/${day}`
    const names = [...((await mailbox.names(folder)) ?? [])]
    const unknown = await unknownOf(names.map(idOfArchived).filter((id) => id !== undefined))
    const name = names.find((each) => unknown !== undefined && idOfArchived(each) === unknown)
    if (name !== undefined)
      return `${mailbox.describe(folder, name)} was taken by it, and the journal does not know it`
  }
  return undefined
}

/** As the archive calls them, from today back to the day of the last event; a clock may be a day off. */
function daysBack(now: number, last: number): string[] {
  const count = Math.min(DAYS_MAX, Math.max(1, Math.floor(now / DAY_MS) - Math.floor(last / DAY_MS) + 1))
  return Array.from({ length: count }, (_, back) =>
    new Date(now - back * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '/'),
  )
}

/** A file with a later number than the journal gave, written after its last event, under a name that it never gave. */
async function unknownDelivery(
  witnessed: Witnessed,
  route: OutboundRoute,
  head: Head,
): Promise<string | undefined> {
  const { journal } = witnessed
  const last = await journal.lastSequence(route.name)
  if (last === 0) return undefined
  const mailbox = mailboxOf(witnessed, route.to.mailbox)
  for (const { name, sequence, modifiedAt } of await numbered(mailbox, route)) {
    if (sequence <= last || modifiedAt <= head.at) continue
    if ((await journal.deliveriesCalled(name, 1)).length > 0) continue
    return `${mailbox.describe(route.to.folder, name)} has the number ${sequence}, and the last one that the journal gave is ${last}`
  }
  return undefined
}

/** The highest sequence number among the files at the target; undefined where names hold none, or the mailbox is away. */
export async function highestAtTarget(
  witnessed: Witnessed,
  route: OutboundRoute,
): Promise<number | undefined> {
  try {
    const files = await numbered(mailboxOf(witnessed, route.to.mailbox), route)
    return files.length === 0 ? undefined : Math.max(...files.map(({ sequence }) => sequence))
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
}

async function numbered(
  mailbox: Mailbox,
  { name, to }: OutboundRoute,
): Promise<readonly (Sighting & { readonly sequence: number })[]> {
  const numberOf = sequenceIn(to.name, name)
  if (numberOf === undefined || !(await mailbox.has(to.folder))) return []
  const files = await mailbox.list(to.folder)
  return files.flatMap((file) => {
    const sequence = numberOf(file.name)
    return sequence === undefined ? [] : [{ ...file, sequence }]
  })
}

function mailboxOf({ mailboxes }: Witnessed, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}
