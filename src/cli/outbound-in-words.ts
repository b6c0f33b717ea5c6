/** What became of an export or a report, for people. */
import type { ReportedRecord } from '../domain/record.ts'
import type { DeliveryResult, OutboundPass } from '../pipelines/outbound/outbound.ts'
import type { UnwrittenRecord } from '../pipelines/outbound/report-lines.ts'
import { countsInWords } from './counts-in-words.ts'
import { problemInWords } from './problem-in-words.ts'

/** A line for each file, and for what is in none; nothing when nothing was to do. */
export function outboundInWords(route: string, pass: OutboundPass): string[] {
  const { deliveries, held, heldRecords, missing } = pass
  const lines = deliveries.flatMap((delivery) => deliveryInWords(route, delivery))
  if (held > 0) lines.push(...unwrittenInWords(route, { count: held, first: heldRecords }))
  if (missing > 0) lines.push(missingInWords(route, { count: missing, first: pass.firstMissing }))
  return lines
}

export function unwrittenInWords(
  route: string,
  { count, first }: { readonly count: number; readonly first: readonly UnwrittenRecord[] },
): string[] {
  return [
    `${route}: ${count} records could not be written to a file and wait for a correction`,
    ...first.flatMap(heldInWords).map((line) => `    ${line}`),
  ]
}

/** How many of the names that are not there are told. */
const NAMES_SHOWN = 20

export function missingInWords(
  route: string,
  { count, first }: { readonly count: number; readonly first: readonly string[] },
): string {
  const shown = first.slice(0, NAMES_SHOWN)
  const more = count > shown.length ? ` and ${count - shown.length} more` : ''
  return `${route}: not found: ${shown.join(', ')}${more}`
}

function deliveryInWords(route: string, { delivery, path, records, troubled }: DeliveryResult): string[] {
  const counts = Object.keys(records).length === 0 ? 'a report' : countsInWords(records, 'acknowledged')
  return [`${route}: ${path}: ${delivery.records} records, ${counts}`, ...troubled.flatMap(troubleInWords)]
}

function troubleInWords({ apiId, state, problems }: ReportedRecord): string[] {
  return problems.map((each) => `    ${apiId ?? ''} ${state}: ${problemInWords(each)}`)
}

/** `order HV-30015 (id 16) is held: column "Carrier" is blank.` */
export function heldInWords({ apiId, name, problems }: UnwrittenRecord): string[] {
  const id = apiId === '' ? '' : `id ${apiId}`
  const who = name === '' ? id || 'a record' : id === '' ? name : `${name} (${id})`
  return problems.map((each) => `${who} is held: ${problemInWords(each)}`)
}
