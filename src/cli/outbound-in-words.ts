/** What became of an export or a report, for people. */
import type { ReportedRecord } from '../domain/record.ts'
import type { AwaitedFiles, OverdueFile } from '../pipelines/outbound/awaited.ts'
import type { DeliveryResult } from '../pipelines/outbound/finish-delivery.ts'
import type { HeldDeliveries } from '../pipelines/outbound/held-deliveries.ts'
import type { OutboundPass } from '../pipelines/outbound/outbound.ts'
import type { UnwrittenRecord } from '../pipelines/outbound/report-lines.ts'
import { isoTime } from '../support/clock.ts'
import { countsInWords } from './counts-in-words.ts'
import { problemInWords } from './problem-in-words.ts'

/**
 * A line for each file, and for what is in none; nothing when nothing was to do. `terse`: nothing of files that wait for
 * others, since those that are overdue are told once, as findings.
 */
export function outboundInWords(route: string, pass: OutboundPass, terse = false): string[] {
  const { deliveries, awaited, heldDeliveries, held, heldRecords, missing } = pass
  const lines = deliveries.flatMap((delivery) => deliveryInWords(route, delivery))
  if (held > 0) lines.push(...unwrittenInWords(route, { count: held, first: heldRecords }))
  if (missing > 0) lines.push(missingInWords(route, { count: missing, first: pass.firstMissing }))
  if (heldDeliveries !== undefined && !terse) lines.push(...heldDeliveriesInWords(route, heldDeliveries))
  if (awaited !== undefined && !terse) lines.push(...awaitedInWords(route, awaited))
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

function deliveryInWords(
  route: string,
  { delivery, isAwaited, path, records, troubled }: DeliveryResult,
): string[] {
  // The list of held files names this one.
  if (delivery.held !== undefined) return []
  if (isAwaited === true)
    return [`${route}: ${path}: ${delivery.records} records, waits for whoever reads it`]
  const counts = Object.keys(records).length === 0 ? 'a report' : countsInWords(records, 'acknowledged')
  return [`${route}: ${path}: ${delivery.records} records, ${counts}`, ...troubled.flatMap(troubleInWords)]
}

/** At most so many held files are named. */
const HELD_SHOWN = 20

function heldDeliveriesInWords(route: string, { count, first }: HeldDeliveries): string[] {
  const shown = first.slice(0, HELD_SHOWN)
  return [
    `${route}: ${count === 1 ? '1 file waits' : `${count} files wait`} for a person to say whether ${count === 1 ? 'it was' : 'they were'} delivered: dropbridge settle FILE --delivered, or --again`,
    ...shown.map(({ path, delivery }) => `    ${path} (${delivery.id}): ${delivery.held ?? ''}`),
    ...(count > shown.length ? [`    and ${count - shown.length} more`] : []),
  ]
}

/** How many overdue files are told. */
const OVERDUE_SHOWN = 20

function awaitedInWords(route: string, { count, overdue, firstOverdue }: AwaitedFiles): string[] {
  const files = count === 1 ? '1 file waits' : `${count} files wait`
  const shown = firstOverdue.slice(0, OVERDUE_SHOWN)
  const more = overdue > shown.length ? [`    and ${overdue - shown.length} more`] : []
  return [
    `${route}: ${files} to be taken or confirmed before anything is acknowledged${overdue === 0 ? '' : `; ${overdue} overdue`}`,
    ...shown.map((file) => `    ${overdueInWords(file)}`),
    ...more,
  ]
}

function overdueInWords({ path, delivery, isNear }: OverdueFile): string {
  const { deliveredAt, composedAt, acknowledgeBy } = delivery
  const left = `${path}: left at ${isoTime(deliveredAt ?? composedAt)}`
  return isNear && acknowledgeBy !== undefined
    ? `${left}, to be acknowledged by ${isoTime(acknowledgeBy)}`
    : left
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
