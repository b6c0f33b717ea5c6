/** A digest as a person reads it in a mail: the subject says whether it must be opened at all. */
import type { Digest, Message, ToldConcern, ToldDelivery, ToldFile } from '../domain/notice.ts'
import type { StateCounts } from '../domain/record.ts'
import { onOneLine } from '../support/visible.ts'
import { counted, inCounts } from './wording.ts'

export function messageOf(digest: Digest): Message {
  return { id: digest.id, subject: subjectOf(digest), text: `${textOf(digest).join('\n')}\n`, data: digest }
}

function subjectOf({ trouble, totals, attention, failures, recovered, files, more }: Digest): string {
  const { incoming, outgoing } = totals
  const unusable = files.filter(({ outcome }) => outcome === 'unusable').length
  const parts = [
    ...failures.map(({ route, code }) => `${route} failed (${code})`).slice(0, 2),
    ...(unusable === 0 ? [] : [`${counted(unusable, 'file')}${more === 0 ? '' : ' or more'} unusable`]),
    ...some((incoming.rejected ?? 0) + (outgoing.rejected ?? 0), 'refused'),
    ...some((incoming.held ?? 0) + (outgoing.held ?? 0), 'held'),
    ...some(incoming.uncertain ?? 0, 'not known'),
    ...attention.raised.map(({ code }) => code).slice(0, 2),
    ...recovered.map((route) => `${route} works again`).slice(0, 1),
  ]
  if (parts.length > 0) return parts.join(', ')
  if (trouble)
    return `over: ${attention.ended
      .map(({ code }) => code)
      .slice(0, 2)
      .join(', ')}`
  if (totals.files + totals.deliveries === 0) return 'all is well: what was to be told is settled'
  return `all is well: ${counted(totals.files, 'file')} in, ${counted(totals.deliveries, 'file')} out`
}

function some(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`]
}

function textOf(digest: Digest): string[] {
  const { attention, failures, recovered, files, deliveries, totals, more } = digest
  return [
    ...section('What needs a person', [
      ...failures.map(({ route, code, message }) => `${route}: ${message} (${code})`),
      ...attention.raised.flatMap(concernLines),
    ]),
    ...section('What is over', [
      ...recovered.map((route) => `${route} works again`),
      ...attention.ended.map(({ message }) => message),
    ]),
    ...section('Files in', files.flatMap(fileLines)),
    ...section('Files out', deliveries.flatMap(deliveryLines)),
    ...(more === 0 ? [] : [`and ${more} more: see dropbridge status`, '']),
    ...section('In all', [
      ...totalLine(totals.files, 'in', totals.incoming),
      ...totalLine(totals.deliveries, 'out', totals.outgoing),
    ]),
    `Notice ${digest.id}, ${digest.at}`,
  ]
}

/** A notice of a finding alone tells of no files. */
function totalLine(files: number, where: 'in' | 'out', records: StateCounts): string[] {
  return files === 0 ? [] : [`${counted(files, 'file')} ${where}: ${inCounts(records)}`]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${onOneLine(line)}`), '']
}

function concernLines({ message, cure, code }: ToldConcern): string[] {
  return [`${message} (${code})`, `  what to do: ${cure}`]
}

function fileLines({ route, file, outcome, records, codes, results }: ToldFile): string[] {
  const how = outcome === 'processed' ? inCounts(records) : outcome
  return [
    `${route}: ${file}: ${how}`,
    ...codeLine(codes),
    ...(results === '' ? [] : [`  results: ${results}`]),
  ]
}

function deliveryLines({ route, file, state, records, codes }: ToldDelivery): string[] {
  const how = Object.keys(records).length === 0 ? state : `${state}, ${inCounts(records)}`
  return [`${route}: ${file}: ${how}`, ...codeLine(codes)]
}

function codeLine(codes: Readonly<Record<string, number>>): string[] {
  const most = Object.entries(codes).toSorted(([, one], [, other]) => other - one)
  return most.length === 0 ? [] : [`  ${most.map(([code, count]) => `${code} × ${count}`).join(', ')}`]
}
