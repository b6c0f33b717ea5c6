/** Files that lie in an inbox folder and belong to no route: nobody would ever read them, so they are named. */
import type { Configuration, InboundRoute } from '../config/configuration.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { nearestName } from '../support/nearest.ts'
import { filePattern } from './file-pattern.ts'

export interface Stranger {
  readonly path: string
  /** The pattern of the folder's route that is nearest, for a guess at what was meant. */
  readonly nearest?: string
}

export async function findStrangers(
  { routes }: Configuration,
  mailboxes: ReadonlyMap<string, Mailbox>,
): Promise<Stranger[]> {
  const strangers: Stranger[] = []
  const inbound = routes.filter((route) => route.direction === 'inbound')
  for (const [first, ...others] of byFolder(inbound)) {
    const mailbox = mailboxes.get(first.from.mailbox)
    if (!mailbox) continue
    const patterns = [first, ...others].map((route) => route.from.match)
    const tests = patterns.map(filePattern)
    for (const { folder, name } of await mailbox.list(first.from.folder)) {
      if (tests.some((matches) => matches(name))) continue
      const nearest = nearestName(name, patterns)
      strangers.push({ path: mailbox.describe(folder, name), ...(nearest === undefined ? {} : { nearest }) })
    }
  }
  return strangers
}

/** The routes of each inbox folder, together. */
function byFolder(routes: readonly InboundRoute[]): [InboundRoute, ...InboundRoute[]][] {
  const groups = new Map<string, [InboundRoute, ...InboundRoute[]]>()
  for (const route of routes) {
    const key = `${route.from.mailbox}:${route.from.folder}`
    const group = groups.get(key)
    if (group) group.push(route)
    else groups.set(key, [route])
  }
  return [...groups.values()]
}
