/** Formats the verdicts on an EDI file: a table of its interchanges, groups and sets, then the faults with their places. */
import type { CheckedPart, EdiCheck } from '../../app/edi/check.ts'
import type { GroupVerdict } from '../../formats/edi/judgment.ts'
import { toOneLine } from '../../support/text.ts'
import { formatCodedProblem, formatCount, formatTable } from './text.ts'

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
    ...problems.map((each) => toOneLine(formatCodedProblem(each))),
    ...(moreProblems === 0 ? [] : [`${formatCount(moreProblems, 'more problem')} not listed`]),
    ...notes.map((each) => `note: ${toOneLine(formatCodedProblem({ ...each, fix: '' }))}`),
    ...(moreNotes === 0 ? [] : [`${formatCount(moreNotes, 'more note')} not listed`]),
  ]
}

export function ediCheckToJson(file: string, check: EdiCheck, exit: number): unknown {
  const { unusable, ...rest } = check
  return { file, exit, ...(unusable === undefined ? {} : { unusable }), ...rest }
}

function formatPart(part: CheckedPart, hasRecords: boolean): string[] {
  const { kind, number, what, version, count, counted, records, verdict } = part
  const went = records === undefined ? '' : `${records.all - records.refused} of ${records.all}`
  const cells = [`${INDENTS[kind]}${kind}`, number, what, version, formatCount(count, counted)]
  return [...cells, ...(hasRecords ? [went] : []), VERDICTS[verdict]].map(toOneLine)
}
