/** Which sets of an outgoing interchange an answer of its partner is about, and what it says of them. */
import type { AnsweredSet, ReceivedAnswer } from './interchange.ts'
import type { ReceivedAnswerEntry } from './interchange-journal.ts'

/** Sets that follow each other, counted from 1, with one verdict. */
export interface SetRun {
  readonly first: number
  readonly last: number
  readonly verdict: AnsweredSet['verdict']
  readonly reasons: readonly string[]
}

/**
 * What an answer says of the sets of the interchange that it names, ascending. `sets`: how many it has; `group`: the
 * number of its group. `isStray`: it names a set that is not there.
 */
export function toSetRuns(
  { verdict, sets, accepted, reasons: whole }: ReceivedAnswer,
  { sets: count, group }: { readonly sets: number; readonly group: number },
): { readonly runs: readonly SetRun[]; readonly isStray: boolean } {
  const named = new Map<number, Omit<SetRun, 'first' | 'last'>>()
  let isStray = false
  if (verdict === 'unreadable') return { runs: [], isStray }
  for (const set of sets) {
    const number = readSetNumber(set.number, group, count)
    if (number === undefined) isStray = true
    // Of a group that is refused nothing is accepted.
    else if (verdict === 'refused') named.set(number, { verdict: 'R', reasons: [...set.reasons, ...whole] })
    else named.set(number, set)
  }
  const refused = [...named.values()].filter((each) => each.verdict === 'R').length
  const isRestAccepted = verdict === 'accepted' || (verdict === 'some' && accepted === count - refused)
  const rest = verdict === 'refused' ? 'R' : isRestAccepted ? 'A' : undefined
  const runs: SetRun[] = []
  const push = (first: number, last: number, of: Omit<SetRun, 'first' | 'last'>) => {
    const before = runs.at(-1)
    const isSame = before?.last === first - 1 && before.verdict === of.verdict
    if (isSame && JSON.stringify(before.reasons) === JSON.stringify(of.reasons))
      runs[runs.length - 1] = { ...before, last }
    else runs.push({ first, last, verdict: of.verdict, reasons: of.reasons })
  }
  let next = 1
  for (const number of [...named.keys()].toSorted((one, other) => one - other)) {
    if (rest !== undefined && next < number) push(next, number - 1, { verdict: rest, reasons: whole })
    const own = named.get(number)
    if (own !== undefined) push(number, number, own)
    next = number + 1
  }
  if (rest !== undefined && next <= count) push(next, count, { verdict: rest, reasons: whole })
  return { runs, isStray }
}

/** ST02 and UNH 0062, as the writer of interchanges counts them: `0001`, or behind the number of the group. */
function readSetNumber(text: string, group: number, count: number): number | undefined {
  const digits = text.trim()
  if (!/^\d{1,9}$/.test(digits)) return undefined
  const prefix = String(group % GROUP_NUMBERS)
  // A group with numbers of this kind has at most 9999 sets.
  const isGrouped = count <= GROUPED_SETS_MAX && digits.length > 4 && digits === prefix + digits.slice(-4)
  const number = Number(isGrouped ? digits.slice(-4) : digits)
  return number >= 1 && number <= count ? number : undefined
}

const GROUP_NUMBERS = 100_000
const GROUPED_SETS_MAX = 9999

/** Which sets an answer names that are not there, and of which sets an earlier answer said otherwise. */
export function describeMismatches(
  { sets }: Pick<ReceivedAnswer, 'sets'>,
  { count, group, runs, known }: SentSets & Readonly<Record<'runs' | 'known', readonly SetRun[]>>,
): string[] {
  const stray = sets.filter(({ number }) => readSetNumber(number, group, count) === undefined)
  const others = runs.flatMap((run) =>
    known.filter((each) => each.last >= run.first && each.first <= run.last && isOtherwise(each, run)),
  )
  return [
    ...stray.slice(0, MISMATCHES_MAX).map(({ number }) => `set ${number.slice(0, 9)} was not sent`),
    ...others.slice(0, MISMATCHES_MAX).map(({ first, last, verdict }) => {
      const which = first === last ? `set ${first} was` : `sets ${first} to ${last} were`
      return `${which} ${verdict === 'R' ? 'refused' : 'accepted'} before`
    }),
  ]
}

interface SentSets {
  /** How many sets the interchange has. */
  readonly count: number
  readonly group: number
}

const MISMATCHES_MAX = 5

function isOtherwise(one: SetRun, other: SetRun): boolean {
  return (one.verdict === 'R') !== (other.verdict === 'R')
}

/** Compares verdicts with those that are known, ascending. `fresh`: what is said of sets of which nothing is known. A verdict that is known stays. */
export function compareRuns(
  runs: readonly SetRun[],
  known: readonly SetRun[],
): { readonly fresh: readonly SetRun[]; readonly isContradiction: boolean } {
  const fresh: SetRun[] = []
  let isContradiction = false
  for (const run of runs) {
    let next = run.first
    for (const each of known) {
      if (each.last < next || each.first > run.last) continue
      if (isOtherwise(each, run)) isContradiction = true
      if (each.first > next) fresh.push({ ...run, first: next, last: each.first - 1 })
      next = each.last + 1
    }
    if (next <= run.last) fresh.push({ ...run, first: next })
  }
  return { fresh, isContradiction }
}

export function countSets(runs: readonly SetRun[]): number {
  return runs.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}

/** What came of an answer, by what is known of the interchange that it names. */
export function chooseOutcome({
  answer,
  isKnown,
  isOfAnswer,
  isStray,
  runs,
  fresh,
  isContradiction,
}: {
  readonly answer: ReceivedAnswer
  readonly isKnown: boolean
  readonly isOfAnswer: boolean
  readonly isStray: boolean
  readonly runs: readonly SetRun[]
  readonly fresh: readonly SetRun[]
  readonly isContradiction: boolean
}): ReceivedAnswerEntry['outcome'] {
  if (answer.verdict === 'unreadable') return 'unreadable'
  if (isOfAnswer) return answer.verdict === 'refused' ? 'answer-refused' : 'of-answer'
  if (!isKnown || isStray) return 'unmatched'
  if (isContradiction) return 'contradicts'
  return fresh.length === 0 && runs.length > 0 ? 'repeated' : 'matched'
}
