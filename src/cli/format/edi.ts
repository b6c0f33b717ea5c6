/** Formats files of X12 and EDIFACT: their segments in words, their verdicts and their faults. */
import type { CheckedPart, EdiCheck } from '../../app/edi/check.ts'
import type { GroupVerdict } from '../../formats/edi/judgment.ts'
import { escapeTerminalControls, quoteForShell, toOneLine } from '../../support/text.ts'
import { formatCodedProblem, formatCount, formatTable } from './text.ts'
import type { ShownItem, ShownSegment } from '../../app/edi/show.ts'
import type { DescribedElement } from '../../formats/edi/describe.ts'
import type { Problem } from '../../domain/problem.ts'
const VERDICTS: Readonly<Record<GroupVerdict, string>> = {
  A: 'accepted',
  E: 'accepted with errors',
  P: 'partly refused',
  R: 'refused',
}

const INDENTS = { interchange: '', group: '  ', set: '    ' } as const

export function formatEdiCheck(file: string, check: EdiCheck): string[] {
  const { unusable, parts, unlisted, counts, problems, moreProblems, notes, moreNotes } = check
  if (unusable !== undefined) return [`${file}: nothing of it can be used: ${toOneLine(unusable)}`]
  const hasRecords = parts.some(({ records }) => records !== undefined)
  const head = ['part', 'number', 'of', 'version', 'holds', ...(hasRecords ? ['records'] : []), 'verdict']
  const refused = counts.refused === 0 ? '' : `, ${counts.refused} refused`
  return [
    `${file}: ${formatCount(counts.interchanges, 'interchange')}, ${formatCount(counts.sets, 'set')}${refused}`,
    ...formatTable(
      head,
      parts.map((part) => formatPart(part, hasRecords)),
    ),
    ...(unlisted.sound === 0 ? [] : [`${formatCount(unlisted.sound, 'more sound set')} not listed`]),
    ...(unlisted.other === 0 ? [] : [`${formatCount(unlisted.other, 'more part')} not listed`]),
    ...problems.map((each) => toOneLine(formatCodedProblem(nameCheckedFile(each, file)))),
    ...(moreProblems === 0 ? [] : [`${formatCount(moreProblems, 'more problem')} not listed`]),
    ...notes.map((each) => `note: ${toOneLine(formatCodedProblem({ ...each, fix: '' }))}`),
    ...(moreNotes === 0 ? [] : [`${formatCount(moreNotes, 'more note')} not listed`]),
  ]
}

function nameCheckedFile(problem: Problem, file: string): Problem {
  return { ...problem, fix: problem.fix.replace('edi fix FILE', `edi fix ${quoteForShell(file)}`) }
}

export function ediCheckToJson(file: string, check: EdiCheck, exit: number): unknown {
  const { unusable, problems, ...rest } = check
  const named = problems.map((each) => nameCheckedFile(each, file))
  return { file, exit, ...(unusable === undefined ? {} : { unusable }), ...rest, problems: named }
}

function formatPart(part: CheckedPart, hasRecords: boolean): string[] {
  const { kind, number, what, version, count, counted, records, verdict } = part
  const went = records === undefined ? '' : `${records.all - records.refused} of ${records.all}`
  const cells = [`${INDENTS[kind]}${kind}`, number, what, version, formatCount(count, counted)]
  return [...cells, ...(hasRecords ? [went] : []), VERDICTS[verdict]].map(toOneLine)
}

// Formats the segments of an EDI file: a gutter with number and byte, then the segment and its elements by their depth.

/** Most texts are plain, so the slower search for control characters is left out. */
const PLAIN = /^[\x20-\x7E]*$/

function showText(text: string): string {
  return PLAIN.test(text) ? text : toOneLine(text)
}

const NUMBER_WIDTH = 6
const BYTE_WIDTH = 9
const GUTTER = ' '.repeat(NUMBER_WIDTH + BYTE_WIDTH + 3)

/** The segment, an indented line for each of its elements, and what is wrong there. */
export function formatShownItem(item: ShownItem): readonly string[] {
  const lines = 'number' in item ? formatSegment(item) : []
  return [...lines, ...item.faults.map(formatFault)]
}

/** The segment as it stands in the file. */
export function formatRawItem(item: ShownItem): readonly string[] {
  if (!('number' in item)) return item.faults.map(formatFault)
  const { service, text, terminator } = item
  const segment = `${text}${/[\r\n]/.test(terminator) ? '' : terminator}`
  return [...(service === '' ? [] : [service]), segment]
}

export function shownItemToJson(item: ShownItem): unknown {
  const faults = item.faults.map(({ code, message, fix, place }) => ({ code, message, fix, place }))
  if (!('number' in item)) return { faults }
  const { number, at, id, depth, set, title, summary, text, elements } = item
  return { segment: number, at, id, set, depth, title, summary, text, elements, faults }
}

function formatSegment({ number, at, depth, title, summary, elements }: ShownSegment): string[] {
  const indent = '  '.repeat(depth)
  const gutter = `${String(number).padStart(NUMBER_WIDTH)} ${String(at).padStart(BYTE_WIDTH)}  `
  const head = `${gutter}${indent}${showText(title)}  ${showText(summary)}`
  return [head, ...elements.map((each) => `${GUTTER}${indent}    ${formatElement(each)}`)]
}

/** `BEG01 00 original (purpose)` */
function formatElement({ label, text, name, meaning }: DescribedElement): string {
  const value = showText(text)
  return [label, value, meaning, name === '' ? '' : `(${name})`].filter((part) => part !== '').join(' ')
}

/** Faults of loops and sets are found at their end, so each says of which segment it is. */
function formatFault({ code, message, place }: Problem): string {
  const where = place.spot === undefined ? '' : `segment ${place.spot.segment}: `
  return `${GUTTER}!! ${where}${showText(message)}  [${code}]`
}

/** The lines as a terminal may show them. */
export function toShownBytes(lines: readonly string[]): Uint8Array {
  const text = `${lines.join('\n')}\n`
  return Buffer.from(PLAIN_LINES.test(text) ? text : escapeTerminalControls(text))
}

const PLAIN_LINES = /^[\n\x20-\x7E]*$/
