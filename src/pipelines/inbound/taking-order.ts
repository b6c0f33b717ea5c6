/** Which of the files that are whole is taken first, and which must wait for the number before it. */
import type { FileEntry } from '../../domain/journal.ts'
import type { Sighting } from '../../domain/mailbox.ts'
import type { Sequence, TakingOrder } from '../../domain/readiness.ts'

/** A file that is not taken now. */
export interface LeftAlone {
  readonly sighting: Sighting
  readonly why: string
  /** It is being written, or has just come: usual, and over by itself. */
  readonly isUsual: boolean
}

/** A listing is in the order of time already. */
export function inOrder(sightings: readonly Sighting[], order: TakingOrder): readonly Sighting[] {
  if (order === 'oldest') return sightings
  const compare = order === 'name' ? byText : byNumber
  return sightings.toSorted((one, other) => compare(one.name, other.name))
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** `orders-9.csv` before `orders-10.csv`: each run of digits is one number, however long. */
function byNumber(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => name.match(/\d+|\D+/g) ?? [])
  for (const [index, part] of (left ?? []).entries()) {
    const against = right?.[index]
    if (against === undefined) return 1
    const difference = isDigits(part) && isDigits(against) ? byDigits(part, against) : byText(part, against)
    if (difference !== 0) return difference
  }
  return (left?.length ?? 0) - (right?.length ?? 0) || byText(one, other)
}

function isDigits(part: string): boolean {
  return /^\d/.test(part)
}

function byDigits(one: string, other: string): number {
  const [left, right] = [one, other].map((digits) => digits.replace(/^0+(?=\d)/, ''))
  return (left?.length ?? 0) - (right?.length ?? 0) || byText(left ?? '', right ?? '')
}

export interface Sequenced {
  readonly ready: readonly Sighting[]
  readonly behind: readonly LeftAlone[]
}

/**
 * `coming` lies there and is not whole. The next number, and after it those that follow without a gap. A number that was there before is a correction or comes
 * once more, and need not wait; while a file of the sequence is not done, none that comes after it is taken.
 */
export function inSequence(
  ordered: readonly Sighting[],
  { numberIn, start }: Sequence,
  { taken, coming }: { readonly taken: readonly FileEntry[]; readonly coming: readonly Sighting[] },
): Sequenced {
  const numbers = taken.flatMap(({ name }) => numberIn(name) ?? [])
  const last = Math.max(start - 1, ...numbers)
  const open = taken.find(({ state, name }) => state !== 'closed' && numberIn(name) !== undefined)
  const onTheWay = new Set(coming.map(({ name }) => numberIn(name)))
  const ready: Sighting[] = []
  const behind: LeftAlone[] = []
  const waiting = ordered
    .map((sighting) => ({ sighting, number: numberIn(sighting.name) }))
    .toSorted((one, other) => (one.number ?? 0) - (other.number ?? 0))
  let expected = last + 1
  for (const { sighting, number } of waiting) {
    const why = reasonToWait(number, { last, expected, open, isOnTheWay: onTheWay.has(expected) })
    if (why !== undefined) {
      behind.push({ sighting, why, isUsual: onTheWay.has(expected) })
      continue
    }
    ready.push(sighting)
    if (number === expected) expected++
  }
  return { ready, behind }
}

interface Standing {
  readonly last: number
  readonly expected: number
  readonly open: FileEntry | undefined
  /** The expected one lies there and is not whole yet. */
  readonly isOnTheWay: boolean
}

function reasonToWait(
  number: number | undefined,
  { last, expected, open, isOnTheWay }: Standing,
): string | undefined {
  if (number === undefined)
    return 'its name has no number where `sequence` says, and the route takes files by their number'
  if (number <= last) return undefined
  if (open !== undefined) return `${open.name} comes before it in the sequence and is not done`
  // Two files of one number: the second one is a correction of the first.
  if (number <= expected) return undefined
  if (isOnTheWay) return `number ${expected} comes before it in the sequence and is not whole yet`
  return `number ${expected} of the sequence has not come; if it never will, write start: ${number} under \`sequence\``
}
