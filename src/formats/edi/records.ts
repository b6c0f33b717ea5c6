/** Finds the loops of a set that make its records and their lines. */
import type { LoopTest } from '../../edi/paths.ts'
import { isLoop, type Loop } from './loops.ts'
import { fits } from './path-reader.ts'

/** Of loops that make records and stand inside each other, the innermost; in the order of the file. */
export function listRecords(root: Loop, tests: readonly LoopTest[]): Loop[] {
  const found: Loop[] = []
  addRecords(root, tests, found)
  return found.toSorted((a, b) => a.first.number - b.first.number)
}

/** True when the loop or one in it makes a record. */
function addRecords(loop: Loop, tests: readonly LoopTest[], found: Loop[]): boolean {
  let hasInner = false
  for (const item of loop.items) if (isLoop(item) && addRecords(item, tests, found)) hasInner = true
  if (hasInner) return true
  if (!tests.some((test) => fits(loop.first, test))) return false
  found.push(loop)
  return true
}

/** The lines inside of a record; where it stands inside of a line, that one. */
export function listLines(record: Loop, test: LoopTest): Loop[] {
  if (fits(record.first, test)) return [record]
  const found: Loop[] = []
  addInner(record, test, found)
  if (found.length > 0) return found.toSorted((a, b) => a.first.number - b.first.number)
  for (let around = record.parent; around !== undefined; around = around.parent) {
    if (fits(around.first, test)) return [around]
  }
  return []
}

function addInner(loop: Loop, test: LoopTest, found: Loop[]): void {
  for (const item of loop.items) {
    if (!isLoop(item)) continue
    if (fits(item.first, test)) found.push(item)
    addInner(item, test, found)
  }
}

/**
 * The loops with lines that are of none of these records: neither in one of them nor above one. Records that were read and
 * are no items of their loop any more need not be named.
 */
export function listLoopsWithLinesBeside(
  loop: Loop,
  line: LoopTest,
  records: ReadonlySet<Loop>,
  found = new Set<Loop>(),
): ReadonlySet<Loop> {
  for (const item of loop.items) {
    if (!isLoop(item) || records.has(item)) continue
    if (fits(item.first, line) && !holdsRecord(item, records)) found.add(loop)
    else listLoopsWithLinesBeside(item, line, records, found)
  }
  return found
}

function holdsRecord(loop: Loop, records: ReadonlySet<Loop>): boolean {
  return loop.items.some((item) => isLoop(item) && (records.has(item) || holdsRecord(item, records)))
}

/** Whether the line stands above the record, so that it may be of several records. */
export function isAbove(line: Loop, record: Loop): boolean {
  for (let around = record.parent; around !== undefined; around = around.parent)
    if (around === line) return true
  return false
}
