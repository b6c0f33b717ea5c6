/** "Did you mean": the nearest right name for a wrong one. */
import { closest, distance } from 'fastest-levenshtein'

/** The candidate that is near enough to be a likely slip of the pen, compared without case; else undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const lowered = candidates.map((candidate) => candidate.toLowerCase())
  const best = closest(name.toLowerCase(), lowered)
  return distance(name.toLowerCase(), best) <= allowedFor(name)
    ? candidates[lowered.indexOf(best)]
    : undefined
}

/** ` Did you mean "x"?`, or nothing when no candidate is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}

/** A name without what people leave out or add when they read it aloud: case, dashes, blanks and leading zeros. */
export function spokenName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '')
}

/** Those of the candidates that may be meant, the nearest first. */
export function nearestNames(name: string, candidates: readonly string[], limit: number): string[] {
  const allowed = allowedFor(name)
  const spoken = spokenName(name)
  return candidates
    .map((candidate) => ({ candidate, far: distance(spoken, spokenName(candidate)) }))
    .filter(({ far }) => far <= allowed)
    .toSorted((one, other) => one.far - other.far)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

/** How many letters of a name may be a slip of the pen. */
function allowedFor(name: string): number {
  return Math.max(2, Math.floor(name.length / 3))
}
