/** Collects the lines of the rows that go back to the sender, refused or held. */
import type { ReportedRecord } from '../../domain/record.ts'
import type { LineRange } from '../../domain/translator.ts'
import { isHeldDependent } from './summary.ts'

/** Dependents of a refused record return with the refused rows, dependents of a held record with the held rows. */
export function collectReturnedRows() {
  const refused: [number, number][] = []
  const held: [number, number][] = []
  return {
    add(page: readonly ReportedRecord[]): void {
      for (const { state, lines } of page) if (state === 'rejected') addRanges(refused, lines)
      // Lost answers included: if the row is delivered again, its key prevents a second request.
      const heldForOwnReason = page.filter((record) => record.state === 'held' && !isHeldDependent(record))
      for (const { lines } of heldForOwnReason) addRanges(held, lines)
      const dependents = page.filter(isHeldDependent)
      if (dependents.length === 0) return
      const refusedSoFar = mergeRanges(refused)
      for (const { lines } of dependents) {
        addRanges(lines.some((range) => isInRanges(refusedSoFar, range)) ? refused : held, lines)
      }
    },
    ranges() {
      const [all, rows] = [mergeRanges(held), mergeRanges(refused)]
      return { refused: rows, held: rows.length === 0 ? all : subtractRanges(all, rows) }
    },
  }
}

/** Joins neighbours at once, so that a file with only refused rows needs no memory for each of them. */
function addRanges(ranges: [number, number][], lines: readonly LineRange[]): void {
  for (const [first, last] of lines) {
    const before = ranges.at(-1)
    if (before && first >= before[0] && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else ranges.push([first, last])
  }
}

function isInRanges(ranges: readonly LineRange[], [first, last]: LineRange): boolean {
  const found = ranges[findFirstEnding(ranges, first, (range) => range[1])]
  return found !== undefined && found[0] <= last
}

/** The index of the first of these sorted ranges that ends at the line or later. */
export function findFirstEnding<R>(ranges: readonly R[], line: number, getEnd: (range: R) => number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range !== undefined && getEnd(range) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** The parts of the ranges that are in none of the excluded ones; both are sorted. */
function subtractRanges(ranges: readonly LineRange[], excluded: readonly LineRange[]): [number, number][] {
  const left: [number, number][] = []
  let at = 0
  for (const [first, last] of ranges) {
    let from = first
    while (at < excluded.length && (excluded[at]?.[1] ?? 0) < first) at++
    for (let next = at; next < excluded.length; next++) {
      const [start, end] = excluded[next] ?? [Infinity, Infinity]
      if (start > last) break
      if (start > from) left.push([from, start - 1])
      from = Math.max(from, end + 1)
    }
    if (from <= last) left.push([from, last])
  }
  return left
}

/** Sorts line ranges and joins those that touch or overlap. */
export function mergeRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const joined: [number, number][] = []
  addRanges(
    joined,
    ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
  )
  return joined
}
