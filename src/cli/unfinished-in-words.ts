/** Files and deliveries that are not finished, for people: why, and what to do. */
import { holderInWords } from '../domain/lease.ts'
import type { Unfinished } from '../domain/snapshot.ts'
import type { WatchEntry } from '../domain/watches.ts'

/** What the next run does with records of the state. */
const NEXT = {
  deferred: 'sent again by the next run',
  uncertain: 'looked up by the next run',
  sending: 'begun and without an answer, looked up by the next run',
  planned: 'sent by the next run',
  collected: 'acknowledged by the next run',
} as const

/** A line for each of them, and what to do about it where the one before does not say the same. */
export function unfinishedInWords(
  works: readonly Unfinished[],
  watches: readonly WatchEntry[] = [],
): string[] {
  if (works.length === 0) return []
  const lines = works.flatMap((work, index) => {
    const cure = cureOf(work, watches)
    const next = works[index + 1]
    const isSaidNext = next !== undefined && cureOf(next, watches) === cure
    return [`${work.route}: ${work.name}: ${whyOf(work)}`, ...(isSaidNext ? [] : [`    what to do: ${cure}`])]
  })
  return ['not finished:', ...lines]
}

function whyOf({ state, next, records }: Unfinished): string {
  if (records.length === 0) return `${state}. ${next}`
  return records
    .map(({ state: of, count, why }) => {
      const said = why === undefined || of === 'planned' ? '' : `: ${why.replace(/\.$/, '')}`
      return `${count} ${of}, ${NEXT[of]}${said}`
    })
    .join('; ')
}

/** Why a step failed is in no journal: where no record says it, the run that fails again does. */
function cureOf(
  { route, worker, isRouteKnown, records }: Unfinished,
  watches: readonly WatchEntry[],
): string {
  if (!isRouteKnown) return `the configuration has no route ${route} any more: give it back its name`
  if (worker !== undefined) return `nothing yet: ${worker} is working on route ${route}`
  const watch = watches.find(({ routes }) => routes.includes(route))
  if (watch !== undefined)
    return `nothing yet: the watch (${holderInWords(watch.holder)}) tries again within minutes; dropbridge run ${route} does at once`
  const isSaidWhy = records.some(({ why }) => why !== undefined)
  return isSaidWhy ? `dropbridge run ${route}` : `dropbridge run ${route}; where it cannot go on, it says why`
}
