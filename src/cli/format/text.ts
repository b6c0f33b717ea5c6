/** Formats the small parts of every message: tables, counts of records, problems, the verdict on a file. */
import type { FilePreview } from '../../app/outcome-preview.ts'
import { type Problem } from '../../domain/problem.ts'
import { formatPlace } from '../../domain/place.ts'
import { formatCount } from '../../observability/format.ts'
import type { Notes } from '../../domain/format.ts'
import type { Pause } from '../../domain/scheduled-run.ts'
import type { StateCounts } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { leaveOutTakenFile, nameFileInFix, toOneLine } from '../../support/text.ts'
import type { Terminal } from '../terminal.ts'

export { formatCount }

/** Aligned columns, two blanks apart; a column of numbers is aligned to the right. Cells are cut at `widest`. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[], widest = 60) {
  const cut = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text)
  const lines = [head, ...rows].map((row) => head.map((_, index) => cut(row[index] ?? '')))
  const widths = columnWidths(lines)
  const isNumeric = (at: number) => rows.length > 0 && rows.every((row) => /^[\d.,]*$/.test(row[at] ?? ''))
  const numeric = head.map((_, index) => isNumeric(index))
  const [first = '', ...rest] = lines.map((line) => alignCells(line, widths, numeric))
  return [first, widths.map((width) => '─'.repeat(width)).join('  '), ...rest]
}

export function columnWidths(lines: readonly (readonly string[])[]): number[] {
  const [head = []] = lines
  return head.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
}

export function alignCells(
  cells: readonly string[],
  widths: readonly number[],
  isRight: readonly boolean[] = [],
): string {
  const aligned = cells.map((cell, index) =>
    isRight[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
  )
  return aligned.join('  ').trimEnd()
}

/**
 * `line 12, column "Qty": "two" is not a whole number. Write a whole number with digits only, such as 2.`
 * The commands of the fix name the file; without one, no file was taken, and commands about taken files are left out.
 */
export function formatProblem({ place, message, fix: general }: Problem, file?: string): string {
  const fix = file === undefined ? leaveOutTakenFile(general) : nameFileInFix(general, file)
  const where = formatPlace(place)
  // A message may begin with its place, as in `column "Qty" is blank`.
  const what = where === '' || message.startsWith(where) ? message : `${where}: ${message}`
  return `${/[.!?]$/.test(what) ? what : `${what}.`} ${fix}`.trimEnd()
}

/** A problem with its code, for people who want to look it up. */
export function formatCodedProblem(problem: Problem, file?: string): string {
  return `${formatProblem(problem, file)}  [${problem.code}]`
}

/** How many notes of a file are printed. */
const SHOWN_NOTES = 3

/** How many notes a file of interchanges has, and the first ones. */
export function formatNotes({ total, first }: Notes = { total: 0, first: [] }): string[] {
  if (total === 0) return []
  const shown = first.slice(0, SHOWN_NOTES).map((each) => `      ${formatCodedProblem({ ...each, fix: '' })}`)
  const others = total > shown.length ? `, the first ${shown.length} of which are` : ''
  return [`    ${formatCount(total, 'note')}${others}:`, ...shown]
}

export function sayProblems(terminal: Terminal, file: string, problems: readonly Problem[]): void {
  for (const each of problems) terminal.say(`${file}: ${formatCodedProblem(each)}`)
}

export function formatExampleCount(count: number): string {
  return count === 1 ? 'one example' : `${count} examples`
}

/** `12 accepted, 3 rejected`, without the zeros. */
export function formatCounts(counts: StateCounts & { total?: number }, accepted = 'accepted'): string {
  const parts = Object.entries(counts)
    .filter(([state, count]) => state !== 'total' && count > 0)
    .map(([state, count]) => `${count} ${state === 'accepted' ? accepted : state}`)
  return parts.length > 0 ? parts.join(', ') : 'no records'
}

export function formatWarnings(count: number): string[] {
  return count === 0 ? [] : [formatCount(count, 'warning')]
}

/** `paused by Erik until 2026-11-27T14:00:00.000Z: the partner sends again`. */
export function formatPause({ by, until, why }: Pause): string {
  return toOneLine(`paused by ${by} until ${isoTime(until)}: ${why}`)
}

/** Says what a last line without a line end means for `run`. */
export function sayOpenEnd(terminal: Terminal, line: string): void {
  terminal.say(`${line} has no line end: run holds its record.  [file-perhaps-cut]`)
  terminal.say('If the files of the route always end so, set `lastLineEnd: optional` under `from`.')
}

/** Prints the verdict, and returns the exit code for it. */
export function reportFileVerdict(terminal: Terminal, file: string, preview: FilePreview): ExitCode {
  const { unusable, conflicts, openLine, isEmpty } = preview
  sayProblems(terminal, file, [...unusable, ...conflicts])
  if (unusable.length > 0) {
    terminal.say(`run refuses ${file} as a whole: nothing of it would be sent.`)
    return EXIT.unusableFile
  }
  if (openLine !== undefined) sayOpenEnd(terminal, `The last line of ${file} (${openLine})`)
  if (conflicts.length > 0) terminal.say('run refuses every version of a record of which a file has two.')
  else if (isEmpty)
    terminal.say(`${file} has no rows that make a record: run would send nothing.  [file-without-records]`)
  return conflicts.length > 0 ? EXIT.rejects : EXIT.ok
}
