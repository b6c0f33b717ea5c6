/** Finds the loops of a set that make its records and their lines. */
import type { LoopTest } from '../../edi/paths.ts'
import { isLoop, type Loop } from './loops.ts'
import { fits } from './path-reader.ts'

/** Of loops that make records and stand inside each other, the innermost; in the order of the file. */
export function listRecords(root: Loop, tests: readonly LoopTest[]): Loop[] {
  const found: Loop[] = []
  const visit = (loop: Loop): boolean => {
    let hasInner = false
    for (const item of loop.items) if (isLoop(item) && visit(item)) hasInner = true
    if (hasInner) return true
    if (!tests.some((test) => fits(loop.first, test))) return false
    found.push(loop)
    return true
  }
  visit(root)
  return found.toSorted((a, b) => a.first.number - b.first.number)
}

/** The lines inside of a record; where it stands inside of a line, that one. */
export function listLines(record: Loop, test: LoopTest): Loop[] {
  if (fits(record.first, test)) return [record]
  const found: Loop[] = []
  const visit = (loop: Loop): void => {
    for (const item of loop.items) {
      if (!isLoop(item)) continue
      if (fits(item.first, test)) found.push(item)
      visit(item)
    }
  }
  visit(record)
  if (found.length > 0) return found.toSorted((a, b) => a.first.number - b.first.number)
  for (let around = record.parent; around !== undefined; around = around.parent) {
    if (fits(around.first, test)) return [around]
  }
  return []
}

/** Whether the line stands above the record, so that it may be of several records. */
export function isAbove(line: Loop, record: Loop): boolean {
  for (let around = record.parent; around !== undefined; around = around.parent)
    if (around === line) return true
  return false
}
