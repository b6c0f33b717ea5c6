/** Formats the results of exports and reports. */
import type { AwaitedFiles, HeldDeliveries, OutboundOutcome } from '../../pipeline/outbound/outbound.ts'
import type { DeliveryResult } from '../../pipeline/outbound/deliver.ts'
import type { FileContents, UnwrittenRecord } from '../../pipeline/outbound/file-rows.ts'
import type { RedeliveryResult } from '../../pipeline/outbound/redeliver.ts'
import { isoTime } from '../../support/clock.ts'
import { quoteForShell } from '../../support/text.ts'
import { formatCodedProblem, formatCount, formatCounts, formatProblem } from './text.ts'

/** At most this many names and files of a kind are listed. */
const SHOWN_MAX = 20

/**
 * A line for each file, and for records that are in none; none when there was nothing to do. `terse`: leaves out files that
 * wait for their consumer, since overdue ones are reported once, as alerts.
 */
export function formatOutbound(route: string, pass: OutboundOutcome, terse = false): string[] {
  const { deliveries, awaited, heldDeliveries, held, heldRecords, missing } = pass
  const lines = deliveries.flatMap((delivery) => formatDelivery(route, delivery))
  lines.push(...(pass.redeliveries ?? []).map((each) => `${route}: ${formatRedelivery(each)}`))
  if (held > 0) lines.push(...formatUnwritten(route, held, heldRecords))
  if (missing > 0) lines.push(formatMissingNames(route, missing, pass.firstMissing))
  if (heldDeliveries !== undefined && !terse) lines.push(...formatHeldDeliveries(route, heldDeliveries))
  if (awaited !== undefined && !terse) lines.push(...formatAwaitedFiles(route, awaited))
  return lines
}

export function formatUnwritten(route: string, count: number, first: readonly UnwrittenRecord[]): string[] {
  return [
    `${route}: ${formatCount(count, 'record')} could not be written to a file and ${count === 1 ? 'waits' : 'wait'} for a correction`,
    ...first.flatMap(formatHeldRecord).map((line) => `    ${line}`),
  ]
}

export function formatMissingNames(route: string, count: number, first: readonly string[]): string {
  const shown = first.slice(0, SHOWN_MAX)
  const more = count > shown.length ? ` and ${count - shown.length} more` : ''
  return `${route}: not found: ${shown.join(', ')}${more}${shown.some((name) => name.includes(',')) ? '. A comma belongs to the number: give each with a --po or --id of its own' : ''}`
}

function formatDelivery(route: string, result: DeliveryResult) {
  const { delivery, isAwaited, answerSyntax, path, records, troubled } = result
  // The list of held files names this one already.
  if (delivery.held !== undefined) return []
  if (isAwaited === true)
    return [
      `${route}: ${path}: ${formatCount(delivery.records, 'record')}, waits for ${AWAITED_TEXTS[answerSyntax ?? 'none']}`,
    ]
  const counts = Object.keys(records).length === 0 ? 'a report' : formatCounts(records, 'acknowledged')
  const problems = troubled.flatMap((record) =>
    record.problems.map((each) => `    ${record.apiId ?? ''} ${record.state}: ${formatProblem(each)}`),
  )
  return [`${route}: ${path}: ${formatCount(delivery.records, 'record')}, ${counts}`, ...problems]
}

const AWAITED_TEXTS = {
  x12: 'the answer of the partner (997 or 999)',
  edifact: 'the answer of the partner (CONTRL)',
  none: 'its reader',
} as const

/** `/out/orders~2.csv: the bytes of orders.csv once more, 3 records; nothing was acknowledged` */
export function formatRedelivery({ redelivery, delivery, path }: RedeliveryResult): string {
  const { name, records } = delivery
  const isAnswer = delivery.route.startsWith('inbox:')
  if (redelivery.state === 'delivered' && isAnswer)
    return `${path}: the bytes of the answer ${name} once more`
  if (redelivery.state === 'delivered')
    return `${path}: the bytes of ${name} once more, ${formatCount(records, 'record')}; nothing was acknowledged`
  const again = `dropbridge redeliver ${quoteForShell(delivery.id)}`
  return redelivery.state === 'unclear'
    ? `${path}: another program removed its working file, so it may be there or not; if it is not: ${again}`
    : `${path}: the bytes of ${name} cannot be made again: its mapping has changed meanwhile`
}

function formatHeldDeliveries(route: string, { count, first }: HeldDeliveries): string[] {
  const lines = first.map(({ path, delivery }) => `${path} (${delivery.id}): ${delivery.held ?? ''}`)
  const what = `for a person to say whether ${count === 1 ? 'it was' : 'they were'} delivered: dropbridge resolve FILE --delivered, or --again`
  return [`${route}: ${formatWaits(count)} ${what}`, ...formatFirst(lines, count)]
}

function formatAwaitedFiles(route: string, { count, overdue, firstOverdue }: AwaitedFiles): string[] {
  const lines = firstOverdue.map(({ path, delivery, isNear }) => {
    const { deliveredAt, composedAt, acknowledgeBy } = delivery
    const by =
      isNear && acknowledgeBy !== undefined ? `, to be acknowledged by ${isoTime(acknowledgeBy)}` : ''
    return `${path}: left at ${isoTime(deliveredAt ?? composedAt)}${by}`
  })
  const late = overdue === 0 ? '' : `; ${overdue} overdue`
  const what = `to be taken or confirmed before anything is acknowledged${late}`
  return [`${route}: ${formatWaits(count)} ${what}`, ...formatFirst(lines, overdue)]
}

function formatWaits(files: number): string {
  return `${formatCount(files, 'file')} ${files === 1 ? 'waits' : 'wait'}`
}

function formatFirst(lines: readonly string[], all: number): string[] {
  const shown = lines.slice(0, SHOWN_MAX)
  const more = all > shown.length ? [`and ${all - shown.length} more`] : []
  return [...shown, ...more].map((line) => `    ${line}`)
}

/** The cells with a warning, with the first of them. */
export function formatWarned({ warned }: FileContents): string[] {
  if (warned === undefined) return []
  const { cells, code, first, apiId } = warned
  const what = code === 'cell-is-formula' ? 'formula' : 'value'
  return [`warning: ${formatCount(cells, what)}, first in id ${apiId}: ${formatCodedProblem(first)}`]
}

/** `order HV-30015 (id 16) is held: column "Carrier" is blank.` */
export function formatHeldRecord({ apiId, name, problems }: UnwrittenRecord): string[] {
  const id = apiId === '' ? '' : `id ${apiId}`
  const who = name === '' ? id || 'a record' : id === '' ? name : `${name} (${id})`
  return problems.map((each) => `${who} is held: ${formatProblem(each)}`)
}
