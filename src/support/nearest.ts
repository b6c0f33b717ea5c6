/** "Did you mean": the nearest right name for a wrong one. */
import { closest, distance } from 'fastest-levenshtein'

/** The candidate that is near enough to be a likely slip of the pen, compared without case; else undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const lowered = candidates.map((candidate) => candidate.toLowerCase())
  const best = closest(name.toLowerCase(), lowered)
  const allowed = Math.max(2, Math.floor(name.length / 3))
  return distance(name.toLowerCase(), best) <= allowed ? candidates[lowered.indexOf(best)] : undefined
}

/** ` Did you mean "x"?`, or nothing when no candidate is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}
