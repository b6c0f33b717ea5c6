/** Holds the record of a last line without a line end: its last cell may be cut, and still be a valid value. */
import type { FileReading } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import type { InboundContext } from '../context.ts'

type Holdable = Pick<Draft, 'lines' | 'keyValues' | 'problems' | 'skipped' | 'held'> & {
  readonly warnings?: readonly Problem[]
}

/**
 * Holds records with their bodies, so that a person can release them: that of the last line, and the one before it where
 * the line may belong to that one by a key that is cut too. Takes records in the order of the file; the last two of a file
 * must come together. A record that the mapping skips only gets a warning, because nothing of it can be sent.
 */
export function holdCutRecords<Record extends Holdable>(
  records: readonly Record[],
  reading: Pick<FileReading, 'getOpenLine'>,
  { lastLineEnd }: Pick<InboundContext['route'], 'lastLineEnd'>,
): readonly Record[] {
  const openLine = lastLineEnd === 'optional' ? undefined : reading.getOpenLine()
  if (openLine === undefined) return records
  const hasOpenLine = ({ lines }: Record) =>
    lines.some(([first, last]) => first <= openLine && openLine <= last)
  const last = records.findLastIndex(hasOpenLine)
  const cut = records[last]
  const before = records[last - 1]
  if (cut === undefined) return records
  const held = [...records]
  held[last] = hold(cut, openLine)
  if (before !== undefined && mayContinue(cut, before)) held[last - 1] = hold(before, openLine)
  return held
}

function hold<Record extends Holdable>(record: Record, openLine: number): Record {
  const message = `Line ${openLine}, the last one, has no line end, and the other lines have one.`
  const found = problem('file-perhaps-cut', { line: openLine }, message)
  if (record.problems.length === 0) return { ...record, held: true, problems: [found] }
  if (record.skipped !== true) return record
  return { ...record, warnings: [...(record.warnings ?? []), { ...found, severity: 'warning' }] }
}

/** Whether the keys of the cut record could be those of the other one, one of them without its end. */
function mayContinue(cut: Holdable, before: Holdable): boolean {
  const pairs = cut.keyValues.map((value, index) => [value, before.keyValues[index] ?? ''] as const)
  return (
    pairs.every(([start, whole]) => whole.startsWith(start)) &&
    pairs.some(([start, whole]) => start !== whole)
  )
}
