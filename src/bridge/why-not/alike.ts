/** Names that may be meant where nobody knows the one that was asked for. */
import { temporaryMark } from '../../mailboxes/names.ts'
import { nearestNames } from '../../support/nearest.ts'

/** Those of the names that lie there, in words: the file itself by its working name first, then what is spelt much alike. */
export function alikeHere(name: string, names: readonly string[], limit: number): string[] {
  const working = names.filter((each) => isWorkingNameOf(name, each))
  const others = names.filter((each) => !working.includes(each))
  return [
    ...working.map((each) => `${each} (still being written, or its sending broke off)`),
    ...nearestNames(name, others, limit),
  ].slice(0, limit)
}

function isWorkingNameOf(name: string, other: string): boolean {
  const ends = temporaryMark(other)?.ends
  return ends !== undefined && other.slice(0, -ends.length) === name
}
