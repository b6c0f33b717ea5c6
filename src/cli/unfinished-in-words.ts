/** Files that are not finished, for people: why, and what to do. */
import type { UnfinishedFile } from '../domain/snapshot.ts'

/** What the next run does with records of the state. */
const NEXT = {
  deferred: 'sent again by the next run',
  uncertain: 'looked up by the next run',
  sending: 'begun and without an answer, looked up by the next run',
  planned: 'sent by the next run',
} as const

/** A line for each file, and what to do about it where the one before does not say the same. */
export function unfinishedInWords(files: readonly UnfinishedFile[]): string[] {
  if (files.length === 0) return []
  const lines = files.flatMap((file, index) => {
    const cure = cureOf(file)
    const next = files[index + 1]
    const isSaidNext = next !== undefined && cureOf(next) === cure
    return [`${file.route}: ${file.name}: ${whyOf(file)}`, ...(isSaidNext ? [] : [`    what to do: ${cure}`])]
  })
  return ['not finished:', ...lines]
}

function whyOf({ state, next, records }: UnfinishedFile): string {
  if (records.length === 0) return `${state}. ${next}`
  return records
    .map(({ state: of, count, why }) => {
      const said = why === undefined || of === 'planned' ? '' : `: ${why.replace(/\.$/, '')}`
      return `${count} ${of}, ${NEXT[of]}${said}`
    })
    .join('; ')
}

function cureOf({ route, worker, isRouteKnown }: UnfinishedFile): string {
  if (!isRouteKnown) return `the configuration has no route ${route} any more: give it back its name`
  if (worker !== undefined) return `nothing yet: ${worker} is working on route ${route}`
  return `dropbridge run ${route}`
}
