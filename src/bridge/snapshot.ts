/** Gathers where the bridge stands: once, for the command line, the status page, the metrics and the notices. */
import type { Configuration } from '../config/configuration.ts'
import type { Tried } from '../domain/attention.ts'
import type { Observer } from '../domain/event.ts'
import type { RouteOverview } from '../domain/journal.ts'
import type { Snapshot, SnapshotRoute } from '../domain/snapshot.ts'
import { type Attention, gatherAttention } from './attention/attention.ts'
import type { Attending } from './attention/looking.ts'
import { isHolderAlive } from './holder.ts'
import { scheduledRoutes } from './schedule/scheduled-routes.ts'
import { unfinishedWork } from './unfinished.ts'
import { presence } from './watch/presence.ts'

/** How many held files and records are shown; release and discard take them all. */
const HELD_MAX = 20

/** How many of the latest files and deliveries are shown. */
const LATEST = 10

/** Tells what is new of what a person must hear of, and what is over, each once. */
export async function attend(attending: Attending, tried: Tried, notify: Observer): Promise<Snapshot> {
  return snapshotOf(attending, await heed(attending, tried, notify))
}

/** The same, for who wants to see nothing else: how much of what is where takes long to count. */
export async function heed(attending: Attending, tried: Tried, notify: Observer): Promise<Attention> {
  const attention = await gatherAttention(attending, tried)
  const changes = await attending.journal.noteConcerns(attention.found, attention.unseen)
  for (const { change, concern } of changes) {
    const { code, subject, message, cure, route } = concern
    const what = { code, subject, ...(route === undefined ? {} : { route }) }
    if (change === 'raised') notify({ kind: 'attention-raised', ...what, message, cure })
    else notify({ kind: 'attention-ended', ...what })
  }
  return attention
}

export const NOTHING_TRIED: Tried = { routes: [], failures: [] }

/** Reads only. A mailbox that cannot be looked into is a finding of the snapshot and no failure. */
export async function takeSnapshot(attending: Attending): Promise<Snapshot> {
  return snapshotOf(attending, await gatherAttention(attending, NOTHING_TRIED))
}

async function snapshotOf(
  { journal, configuration, clock }: Attending,
  { concerns, strangers }: Attention,
): Promise<Snapshot> {
  return {
    at: clock.now(),
    attention: concerns,
    routes: withThoseThatNeverRan(configuration, (await journal.overview()).map(onlyTheLiving)),
    turns: await scheduledRoutes(journal, configuration, clock.now()),
    files: await journal.recentFiles(LATEST),
    deliveries: await journal.recentDeliveries(LATEST),
    held: await journal.heldFiles(HELD_MAX),
    heldRecords: await journal.heldRecords(HELD_MAX),
    waiting: await journal.waitingFiles(HELD_MAX),
    unfinished: await unfinishedWork(journal, configuration, HELD_MAX),
    strangers,
    watches: presence(await journal.watches(), clock.now()).there,
  }
}

function withThoseThatNeverRan({ routes }: Configuration, known: readonly RouteOverview[]): SnapshotRoute[] {
  const names = new Set(known.map(({ route }) => route))
  const never = routes.flatMap(({ name }): SnapshotRoute[] =>
    names.has(name)
      ? []
      : [{ route: name, files: {}, incoming: {}, outgoing: {}, deliveries: {}, neverRan: true }],
  )
  const configured = new Set(routes.map(({ name }) => name))
  const marked = known.map((each) => (configured.has(each.route) ? each : { ...each, isGone: true as const }))
  return [...marked, ...never].toSorted((one, other) => (one.route < other.route ? -1 : 1))
}

/** A process that is gone holds nothing: its lease is taken over at once. */
function onlyTheLiving({ heldBy, ...route }: RouteOverview): RouteOverview {
  return heldBy !== undefined && isHolderAlive(heldBy) ? { ...route, heldBy } : route
}
