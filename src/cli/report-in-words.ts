/** What became of an incoming file, for people. */
import { isPartOf } from '../domain/file-parts.ts'
import type { WaitingFile } from '../domain/steps.ts'
import type { ArchivedFile } from '../pipelines/inbound/progress.ts'
import type { ReportedFile } from '../pipelines/inbound/report.ts'
import type { Summary } from '../pipelines/inbound/summary.ts'
import { countsInWords } from './counts-in-words.ts'
import { nextStepsInWords } from './held-in-words.ts'
import { problemInWords } from './problem-in-words.ts'

/** What happened, and where the sender reads more when there is more to read. */
export function reportInWords({ summary, paths }: ReportedFile): string[] {
  const [results, ...others] = paths
  const rejects = others.find((path) => isPartOf(path, 'rejects'))
  const exceptions = others.find((path) => isPartOf(path, 'exceptions'))
  const held = Object.entries(summary.heldFor).map(([why, count]) => `    ${count} held: ${why}`)
  const isHeld = (summary.records.held ?? 0) > 0
  const steps = isHeld ? nextStepsInWords(Object.keys(summary.codes), summary.file) : []
  const cures = steps.map((each) => `    ${each}`)
  const read = [
    `    results: ${results}`,
    ...(rejects === undefined ? [] : [`    to correct and drop in again: ${rejects}`]),
    ...(exceptions === undefined ? [] : [`    held, for a person to decide: ${exceptions}`]),
    ...held,
    ...cures,
  ]
  const isAllThere = (summary.documents?.missing ?? 0) + (summary.documents?.refused ?? 0) === 0
  const isPlain = isAllThere && (summary.records.total ?? 0) === (summary.records.accepted ?? 0)
  return [...summaryInWords(summary), ...(isPlain && summary.outcome === 'processed' ? [] : read)]
}

/** A file whose sender an earlier run told, before it failed. */
export function archivedInWords(route: string, { file, records }: ArchivedFile): string {
  const { name, outcome = 'processed' } = file
  const came = outcome === 'processed' ? countsInWords(records) : outcome
  return `${route}: ${name} is done: ${came}; its results were delivered by an earlier run`
}

/** A file that is done but for what waits for its orders. */
export function waitingInWords({ route, name, records, message }: WaitingFile): string {
  const how = records === 1 ? '1 record waits for its order' : `${records} records wait for their orders`
  return `${route}: ${name}: ${how}; the next runs look again. ${records === 1 ? '' : 'The first: '}${message}`
}

function summaryInWords(summary: Summary): string[] {
  const { route, file, outcome, duplicateOf } = summary
  if (outcome === 'duplicate' && duplicateOf) {
    const first = `${duplicateOf.file}, received ${duplicateOf.receivedAt}`
    return [`${route}: ${file} has the same bytes as ${first}; nothing was sent`]
  }
  if (outcome === 'unusable') {
    return [
      `${route}: ${file} cannot be used`,
      ...summary.problems.map((each) => `    ${problemInWords(each)}`),
    ]
  }
  const { delivered = 0, missing = 0, refused = 0 } = summary.documents ?? {}
  const lacking = missing + refused
  const documents = [
    ...(delivered > 0 ? [`    ${delivered} packing slips and labels delivered`] : []),
    ...(lacking > 0 ? [`    ${lackingInWords(lacking)}: dropbridge labels`] : []),
  ]
  const operations = Object.entries(summary.operations ?? {}).map(
    ([operation, counts]) => `    ${operation}: ${countsInWords(counts)}`,
  )
  return [`${route}: ${file}: ${countsInWords(summary.records)}`, ...operations, ...documents]
}

function lackingInWords(count: number): string {
  return count === 1 ? '1 packing slip or label is missing' : `${count} packing slips or labels are missing`
}
