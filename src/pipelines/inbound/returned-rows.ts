/** The rows that go back to the sender: those of refused records, and those of held ones, each once. */
import type { ReportedRecord } from '../../domain/record.ts'
import type { LineRange } from '../../domain/translator.ts'
import { joinRanges } from './physical-lines.ts'
import { isException, isFollower } from './summary.ts'

/**
 * Gathers them while the records go by, earlier steps first. What follows on a refusal comes back with the refused rows:
 * who corrects them sends the order again whole. What follows on something held stands with what is held.
 */
export function returnedRows() {
  const refused: [number, number][] = []
  const held: [number, number][] = []
  return {
    add(page: readonly ReportedRecord[]): void {
      for (const { state, lines } of page) if (state === 'rejected') addAll(refused, lines)
      for (const record of page) if (isException(record)) addAll(held, record.lines)
      const followers = page.filter(isFollower)
      if (followers.length === 0) return
      const so = joinRanges(refused)
      for (const { lines } of followers) {
        addAll(lines.some((range) => isAmong(so, range)) ? refused : held, lines)
      }
    },
    ranges() {
      const [all, rows] = [joinRanges(held), joinRanges(refused)]
      return { refused: rows, held: rows.length === 0 ? all : without(all, rows) }
    },
  }
}

/** Neighbours are joined at once, so that a file of which everything was refused needs no memory for it. */
function addAll(ranges: [number, number][], lines: readonly LineRange[]): void {
  for (const [first, last] of lines) {
    const before = ranges.at(-1)
    if (before && first >= before[0] && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else ranges.push([first, last])
  }
}

function isAmong(ranges: readonly LineRange[], [first, last]: LineRange): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.[1] ?? 0) < first) low = middle + 1
    else high = middle
  }
  const found = ranges[low]
  return found !== undefined && found[0] <= last
}

/** What of the ranges is in none of the others; both are in order. */
function without(ranges: readonly LineRange[], others: readonly LineRange[]): [number, number][] {
  const left: [number, number][] = []
  let at = 0
  for (const [first, last] of ranges) {
    let from = first
    while (at < others.length && (others[at]?.[1] ?? 0) < first) at++
    for (let next = at; next < others.length; next++) {
      const [start, end] = others[next] ?? [Infinity, Infinity]
      if (start > last) break
      if (start > from) left.push([from, start - 1])
      from = Math.max(from, end + 1)
    }
    if (from <= last) left.push([from, last])
  }
  return left
}
