/** A look at an inbox: which files may be taken now and in which order, and what keeps the others. */
import type { Ready } from '../../domain/readiness.ts'
import type { FileEntry, Journal } from '../../domain/journal.ts'
import type { Sighting } from '../../domain/mailbox.ts'
import { elapsed } from '../../support/clock.ts'
import type { InboundParts } from '../parts.ts'
import { assertNeverTakenFrom } from './inbox-gone.ts'
import type { Sightings } from './sightings.ts'
import { inOrder, inSequence, type LeftAlone } from './taking-order.ts'

export interface Survey {
  /** The next to be taken first. */
  readonly ready: readonly Sighting[]
  readonly leftAlone: readonly LeftAlone[]
  /** When the next of them may have settled; undefined when time alone brings nothing on. */
  readonly settlesInMs?: number
  /** How many files of the route lie there. */
  readonly found: number
  /** Whether any file is new, or another one than at the last look. */
  readonly hasNews: boolean
}

export type SurveyParts = Pick<InboundParts, 'route' | 'source' | 'journal' | 'clock'>

/** Looks at the folder and remembers what it shows. Changes nothing. */
export async function surveyInbox(parts: SurveyParts, sightings: Sightings): Promise<Survey> {
  const { clock, source, route } = parts
  const began = elapsed(clock)
  const mayMake = () => assertNeverTakenFrom(parts.journal, route)
  const listed = await notYetTaken(parts, await source.list(route.folder, namesAskedFor(route), mayMake))
  const news = sightings.note(listed, { began, ended: elapsed(clock) })
  const { files, missing } = candidates(listed, parts)
  const settled: Sighting[] = []
  const unsettled: LeftAlone[] = []
  let settlesInMs = Infinity
  for (const sighting of files) {
    const left = leftToSettle(sighting, parts, sightings)
    if (left <= 0) {
      settled.push(sighting)
      continue
    }
    settlesInMs = Math.min(settlesInMs, left)
    unsettled.push({
      sighting,
      why: whyUnsettled(sighting, sightings),
      isUsual: true,
    })
  }
  const coming = [...unsettled, ...missing].map(({ sighting }) => sighting)
  const { ready, behind } = await nextOf(parts, settled, coming)
  return {
    ready,
    leftAlone: [...unsettled, ...missing, ...behind],
    ...(settlesInMs === Infinity ? {} : { settlesInMs }),
    found: files.length + missing.length,
    hasNews: news.length > 0,
  }
}

/** All that may be of interest to the route, where that is a few names: its one file, and what speaks for it. */
export function namesAskedFor({
  onlyName,
  ready = SETTLED,
}: Pick<SurveyParts['route'], 'onlyName' | 'ready'>): readonly string[] | undefined {
  if (onlyName === undefined) return undefined
  return 'companionOf' in ready ? [onlyName, ready.companionOf(onlyName)] : [onlyName]
}

/** Where claimed files stay where they are, those that were taken are not taken again. */
async function notYetTaken(
  { journal, source, route }: SurveyParts,
  listed: readonly Sighting[],
): Promise<readonly Sighting[]> {
  if (!source.leaves) return listed
  const fresh: Sighting[] = []
  for (const sighting of listed) {
    const isTaken = route.matches(sighting.name) && (await journal.isTaken(route.name, sighting))
    if (!isTaken) fresh.push(sighting)
  }
  return fresh
}

/** The files of the route, without those that only speak for others. */
function candidates(listed: readonly Sighting[], { route, source }: SurveyParts) {
  const { ready = SETTLED } = route
  const matching = listed.filter(({ name }) => route.matches(name))
  if (!('companionOf' in ready)) return { files: matching, missing: [] }
  const names = new Set(listed.map(({ name }) => name))
  const companions = new Set(matching.map(({ name }) => ready.companionOf(name)))
  const files = matching.filter(({ name }) => !companions.has(name))
  return {
    files: files.filter(({ name }) => names.has(ready.companionOf(name))),
    missing: files
      .filter(({ name }) => !names.has(ready.companionOf(name)))
      .map((sighting): LeftAlone => {
        const companion = source.describe(route.folder, ready.companionOf(sighting.name))
        return { sighting, why: `its ${ready.when} ${companion} has not come`, isUsual: false }
      }),
  }
}

const SETTLED: Ready = { when: 'settled' }

/** Timers are early by a part of a millisecond at times. */
const TIMER_SLACK_MS = 1

function whyUnsettled({ name, size }: Sighting, sightings: Sightings): string {
  const seen = sightings.of(name)
  if (seen?.takenMsAgo !== undefined) return 'it could not be taken; another program may keep it open'
  if (size === 0) return 'it is empty, and may still be filled'
  return seen?.hasChanged === true ? 'it is still being written' : 'it has just arrived'
}

/** A file that could not be taken is tried again after this time. */
const AGAIN_MS = 30_000

/** How long until the file is whole for certain; a manifest is read, so it must be whole itself. */
function leftToSettle({ name, size }: Sighting, { route }: SurveyParts, sightings: Sightings): number {
  const { ready = SETTLED, settleMs } = route
  const { takenMsAgo = Infinity } = sightings.of(name) ?? {}
  if (takenMsAgo < AGAIN_MS) return AGAIN_MS - takenMsAgo
  if (ready.when === 'renamed' || ready.when === 'marker') return 0
  const waitsFor = ready.when === 'manifest' ? [name, ready.companionOf(name)] : [name]
  const needed = size === 0 && ready.when === 'settled' ? Math.max(settleMs, sightings.emptyMs) : settleMs
  const left = waitsFor.map((each) => needed - (sightings.of(each)?.unchangedMs ?? 0))
  return Math.max(...left) - TIMER_SLACK_MS
}

/** How many of the latest files of a route are asked for the last number of its sequence. */
const LATEST_FILES = 1000

/** The latest files of the route that were there to be taken. */
export async function takenFiles(
  journal: Pick<Journal, 'recentFiles'>,
  route: string,
): Promise<readonly FileEntry[]> {
  const latest = await journal.recentFiles(LATEST_FILES, route)
  return latest.filter(({ outcome }) => outcome !== 'vanished')
}

async function nextOf(
  { route, journal }: SurveyParts,
  settled: readonly Sighting[],
  coming: readonly Sighting[],
) {
  const { order = 'oldest', sequence } = route
  const ordered = inOrder(settled, order)
  if (sequence === undefined || ordered.length === 0) return { ready: ordered, behind: [] }
  return inSequence(ordered, sequence, { taken: await takenFiles(journal, route.name), coming })
}
