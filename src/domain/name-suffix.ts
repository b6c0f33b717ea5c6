/** Suffixes of file names that are taken. */
import { BridgeError } from '../support/errors.ts'

/** How many names are tried when others are taken; a folder with more has another problem. */
export const NAMES_MAX = 1000

/** How many names the journal tries for one file; if all are used, the template does not depend on the file. */
export const USED_NAMES_MAX = 10_000

/** `orders.csv`; with suffix 2 `orders~2.csv`, and so on. */
export function addNameSuffix(name: string, suffix: number): string {
  if (suffix === 1) return name
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? `${name}~${suffix}` : `${name.slice(0, dot)}~${suffix}${name.slice(dot)}`
}

/** `first`: the name, or path, that was tried first. */
export function namesTakenError(first: string, tried = NAMES_MAX): BridgeError {
  return new BridgeError('cannot-write', `${first} and ${tried} names like it are taken`)
}
