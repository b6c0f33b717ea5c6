/** What lies in inbox folders and will not be read by itself: files of no route, and those that wait for others. */
import type { InboundRoute } from '../../config/routes.ts'
import { companionName } from '../../config/inbox.ts'
import { whereIs } from '../../config/whereabouts.ts'
import type { Concern } from '../../domain/attention.ts'
import type { Mailbox, Sighting } from '../../domain/mailbox.ts'
import type { Stranger } from '../../domain/snapshot.ts'
import { assertNeverTakenFrom } from '../../pipelines/inbound/inbox-gone.ts'
import type { Sightings } from '../../pipelines/inbound/sightings.ts'
import { namesAskedFor, surveyInbox } from '../../pipelines/inbound/survey.ts'
import { nearestName } from '../../support/nearest.ts'
import { filePattern } from '../file-pattern.ts'
import { inboundRoute } from '../inbound-route.ts'
import { atMost } from './at-most.ts'
import { anyName, byPlace, GRACE_MS } from './places.ts'
import type { Looking } from './looking.ts'
import { placeOf } from './listings.ts'
import { passedOverConcerns } from './passed-over.ts'

interface Found {
  readonly concerns: readonly Concern[]
  readonly strangers: readonly Stranger[]
}

export async function inboxConcerns(looking: Looking): Promise<Found> {
  const inbound = looking.configuration.routes.filter((route) => route.direction === 'inbound')
  const concerns: Concern[] = []
  const strangers: Stranger[] = []
  for (const routes of byPlace(looking, inbound, ({ from }) => from)) {
    const mailbox = looking.mailboxes.get(routes[0].from.mailbox)
    if (mailbox === undefined) continue
    const whenMissing = () => assertNeverUsed(looking, routes)
    const only = namesOfAll(looking, routes)
    const files = await looking.listings.of(routes[0].from, { only, whenMissing })
    if (files === undefined) continue
    const inbox: Inbox = { mailbox, files, routes }
    const unknown = strangersOf(looking, inbox)
    strangers.push(...unknown.strangers)
    concerns.push(...unknown.concerns)
    const patterns = routes.map(({ from }) => filePattern(from.match))
    const isWanted = (name: string) => patterns.some((matches) => matches(name))
    concerns.push(
      ...(await passedOverConcerns(looking, {
        ...routes[0].from,
        isWanted,
        mayBeClosed: only !== undefined,
      })),
    )
    for (const route of routes) concerns.push(...(await waitingConcerns(looking, inbox, route)))
  }
  return { concerns, strangers }
}

/** An inbox from which any of its routes took files, and which is gone, is away. */
async function assertNeverUsed({ journal }: Looking, routes: readonly InboundRoute[]): Promise<void> {
  for (const { name, from } of routes) await assertNeverTakenFrom(journal, { name, folder: from.folder })
}

/** Undefined when any of the routes takes files by a pattern: then the folder must be listed. */
function namesOfAll(
  { configuration }: Looking,
  routes: readonly InboundRoute[],
): readonly string[] | undefined {
  const asked = routes.map((route) => namesAskedFor(inboundRoute(configuration, route)))
  return asked.some((names) => names === undefined) ? undefined : asked.flatMap((names) => names ?? [])
}

interface Inbox {
  readonly mailbox: Mailbox
  readonly files: readonly Sighting[]
  readonly routes: readonly [InboundRoute, ...InboundRoute[]]
}

function strangersOf(looking: Looking, { mailbox, files, routes }: Inbox): Found {
  const { folder } = routes[0].from
  const place = placeOf(routes[0].from)
  const patterns = routes.map(({ from }) => from.match)
  const spoken = [...companionsAt(routes), ...receiptsAt(looking, routes[0])]
  const isKnown = [...patterns, ...spoken].map(filePattern)
  const here = new Set(files.map(({ name }) => name))
  const speaksFor = companionTests(routes, here)
  const strangers: Stranger[] = []
  const concerns: Concern[] = []
  const orphans: Concern[] = []
  for (const { name, modifiedAt } of files) {
    const subject = `${place}/${name}`
    const path = mailbox.describe(folder, name)
    if (!isKnown.some((matches) => matches(name))) {
      const nearest = nearestName(name, patterns)
      const stranger = { path, ...(nearest === undefined ? {} : { nearest }) }
      strangers.push(stranger)
      concerns.push(strangerConcern(stranger, subject, looking.now))
    } else if (speaksFor.some((test) => test(name)) && looking.now - modifiedAt > GRACE_MS) {
      orphans.push(orphanConcern(path, subject, modifiedAt))
    }
  }
  return { strangers, concerns: [...atMost(looking, concerns, place), ...atMost(looking, orphans, place)] }
}

/** The patterns of markers and manifests. */
function companionsAt(routes: readonly InboundRoute[]): string[] {
  return routes.flatMap(({ from: { ready } }) =>
    ready !== undefined && 'companion' in ready ? [anyName(ready.companion)] : [],
  )
}

/** The patterns of receipts that come to the folder of an inbox. */
function receiptsAt({ configuration }: Looking, { from }: InboundRoute): string[] {
  const { routes, mailboxes } = configuration
  return routes.flatMap((route) => {
    const receipt = route.direction === 'outbound' ? route.receipt : undefined
    const isHere = receipt !== undefined && whereIs(mailboxes, receipt) === whereIs(mailboxes, from)
    return isHere ? [anyName(receipt.match)] : []
  })
}

/** Tests for a marker or manifest of a route that speaks for no file that is here. */
function companionTests(
  routes: readonly InboundRoute[],
  here: ReadonlySet<string>,
): ((name: string) => boolean)[] {
  return routes.flatMap(({ from: { ready, match } }) => {
    if (ready === undefined || !('companion' in ready)) return []
    const { companion } = ready
    const isFile = filePattern(match)
    const isCompanion = filePattern(anyName(companion))
    const spokenFor = new Set([...here].filter(isFile).map((name) => companionName(companion, name)))
    return [(name: string) => isCompanion(name) && !spokenFor.has(name)]
  })
}

function strangerConcern({ path, nearest }: Stranger, subject: string, since: number): Concern {
  const hint = nearest === undefined ? '' : ` (the nearest pattern is ${nearest})`
  const cure = 'rename it, or change `match` of the route'
  return { code: 'file-of-no-route', subject, since, message: `no route takes ${path}${hint}`, cure }
}

function orphanConcern(path: string, subject: string, since: number): Concern {
  return {
    code: 'marker-orphaned',
    subject,
    since,
    message: `${path} lies alone: the file that it speaks for is not there`,
    cure: 'ask whoever sends it for the file, or take the marker away',
  }
}

/** Files that are whole by themselves and wait for their marker, their manifest, or the number before them. */
async function waitingConcerns(
  looking: Looking,
  { mailbox, files }: Inbox,
  route: InboundRoute,
): Promise<readonly Concern[]> {
  const { configuration, journal, clock, now } = looking
  const source: Mailbox = { ...mailbox, list: () => Promise.resolve([...files]) }
  const parts = { route: inboundRoute(configuration, route), source, journal, clock }
  const { leftAlone } = await surveyInbox(parts, LONG_THERE)
  const place = placeOf(route.from)
  const waiting = leftAlone
    .filter(({ isUsual, sighting }) => !isUsual && now - sighting.modifiedAt > GRACE_MS)
    .map(({ sighting: { folder, name, modifiedAt }, why }) => ({
      code: 'file-waits' as const,
      route: route.name,
      subject: `${place}/${name}`,
      since: modifiedAt,
      message: `${mailbox.describe(folder, name)} is not taken: ${why}`,
      cure: `see \`dropbridge why-not ${name}\``,
    }))
  return atMost(looking, waiting, place)
}

/** Every file counts as one that settled long ago. */
const LONG_THERE: Sightings = {
  emptyMs: 0,
  note: () => [],
  of: () => ({ unchangedMs: Infinity, thereMs: Infinity, hasChanged: false }),
  taking: () => undefined,
  isNews: () => false,
}
