/** A trace as one screen for whoever was asked "where is my order?". */
import type { DeliveredRecord, Trace, TracedDelivery, TracedFile, TracedStory } from '../bridge/trace.ts'
import type { DeliveryEntry, FileEntry } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import { DOCUMENT_KINDS } from '../domain/shipping-document.ts'
import type { OutboundOperationName } from '../contract/operations.ts'
import { recordName } from '../pipelines/outbound/record-name.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { isoTime } from '../support/clock.ts'
import { countsInWords } from './counts-in-words.ts'
import { problemInWords } from './problem-in-words.ts'
import { sentInWords } from './sent-in-words.ts'
import { table } from './table.ts'

export function traceInWords(trace: Trace): string[] {
  const { files, deliveries, records, earlier } = trace
  const parts = [
    ...files.map(fileInWords),
    ...deliveries.map(deliveryInWords),
    ...(records.length === 0 ? [] : [recordsHead(trace)]),
    ...records.map((story, index) => storyInWords(story, index + 1, mayShowBody(trace, story))),
    ...(earlier === 0 ? [] : [[`${earlier} earlier records are not shown; name one of them, or a --route.`]]),
  ]
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]))
}

function recordsHead({ key, records }: Trace): string[] {
  const others = records.filter(({ record }) => !record.isMeant).length
  const one = records.length === 1 ? '1 record' : `${records.length} records`
  const related = others === 0 ? '' : `; ${others} of the same order only`
  return [`${key}: ${one}, oldest first${related}`]
}

/** So many bodies fill the screen; of what an export took, the whole resource is with --json. */
const BODIES_MAX = 2

function mayShowBody({ records }: Trace, { record }: TracedStory): boolean {
  const shown = records.filter((each) => each.record.isMeant && each.record.direction === 'incoming')
  return shown.slice(0, BODIES_MAX).some((each) => each.record.id === record.id)
}

function fileInWords({ file, counts, records }: TracedFile): string[] {
  const head = `${file.name}: ${file.state}${file.outcome === undefined ? '' : `, ${file.outcome}`}; ${countsInWords(counts)}`
  return [head, ...facts(fileFacts(file)), ...briefly(records, total(counts))]
}

function deliveryInWords({ delivery, counts, records }: TracedDelivery): string[] {
  const held = delivery.held === undefined ? '' : `, held: ${delivery.held.replace(/\.$/, '')}`
  const head = `${delivery.name}: ${delivery.state}${held}; ${countsInWords(counts, 'acknowledged')}`
  return [head, ...facts([['delivery', deliveredIn(delivery)]]), ...leftIn(records, total(counts))]
}

function total(counts: TracedFile['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** A few records of a file, one to a line. */
function briefly(records: readonly TracedRecord[], all: number): string[] {
  const rows = records.map((record) => [
    String(record.number),
    lineOf(record),
    record.operation,
    nameOf(record),
    stateInWords(record),
    record.problems.map(({ code }) => code).join(', '),
  ])
  const head = ['record', 'lines', 'operation', 'key', 'state', 'why']
  return listed(head, rows, all, 'trace one of them by its key, or its line as FILE:LINE')
}

/** A few records of a delivery, by the numbers that they have on paper. */
function leftIn(records: readonly DeliveredRecord[], all: number): string[] {
  const rows = records.map((record) => [
    record.apiId ?? '',
    record.operation,
    record.called ?? '',
    record.purchaseOrder ?? '',
    stateInWords(record),
    record.problems.map(({ code }) => code).join(', '),
  ])
  const head = ['id', 'operation', 'key', 'purchase order', 'state', 'why']
  return listed(head, rows, all, 'trace one of them by its key')
}

function listed(head: readonly string[], rows: readonly string[][], all: number, how: string): string[] {
  if (rows.length === 0) return []
  const more = all - rows.length
  return ['', ...table([...head], [...rows]), ...(more > 0 ? [`and ${more} more; ${how}`] : [])]
}

function storyInWords(story: TracedStory, number: number, showsBody: boolean): string[] {
  const { record, from, into, decisions, documents, first } = story
  const id = record.apiId === undefined || record.direction === 'outgoing' ? '' : ` as ${record.apiId}`
  const other = record.isMeant ? '' : ' (of the same order)'
  return [
    `${number}  ${record.operation} ${calledAs(story)}: ${stateInWords(record)}${id}${other}`,
    ...facts([
      ...(from === undefined ? [] : [['from', rowIn(record, from)] as const, ...fileFacts(from)]),
      [
        'route',
        `${record.route}, ${record.account}${record.step === undefined ? '' : `, step ${record.step}`}`,
      ],
      ...told('problem', record.problems),
      ...told('warning', record.warnings),
      ...(first === undefined ? [] : [['first', firstInWords(first)] as const]),
      ...sentInWords(story),
      ...decisions.map(
        ({ action, by, at, why }) => ['decided', `${isoTime(at)} ${action} by ${by}: ${why}`] as const,
      ),
      ...documents.map(
        ({ kind, state, folder, name, problem }) =>
          [
            'document',
            `${DOCUMENT_KINDS[kind]} ${state}${name === undefined ? '' : `: ${folder}/${name}`}${problem === undefined ? '' : `: ${problemInWords(problem)}`}`,
          ] as const,
      ),
      ...(into === undefined ? waitsForDelivery(record) : [['delivery', deliveredIn(into)] as const]),
      ...bodyInWords(story, showsBody),
    ]),
  ]
}

type Fact = readonly [name: string, value: string]

const NAME_WIDTH = 10

function facts(all: readonly Fact[]): string[] {
  return all.flatMap(([name, value]) =>
    value.split('\n').map((line, index) => `   ${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`),
  )
}

function nameOf({ keyValues, naturalKey, apiId }: TracedRecord): string {
  return keyValues.filter((value) => value !== '').join(', ') || naturalKey || (apiId ?? '')
}

/** What was exported is called by the number it has on paper. */
function calledAs({ record, body }: TracedStory): string {
  if (record.direction === 'incoming' || typeof body !== 'object' || body === null) return nameOf(record)
  const name = recordName(
    record.operation as OutboundOperationName,
    body as Readonly<Record<string, unknown>>,
  )
  return `${record.apiId ?? ''}${name === '' ? '' : ` (${name})`}`
}

/** What was exported and acknowledged is called so. */
function stateInWords({ direction, state }: TracedRecord): string {
  return direction === 'outgoing' && state === 'accepted' ? 'acknowledged' : state
}

function lineOf({ lines }: TracedRecord): string {
  const joined: [number, number][] = []
  for (const [start, end] of lines) {
    const before = joined.at(-1)
    if (before !== undefined && start === before[1] + 1) before[1] = end
    else joined.push([start, end])
  }
  return joined.map(([start, end]) => (start === end ? String(start) : `${start}-${end}`)).join(', ')
}

function rowIn(record: TracedRecord, { name }: FileEntry): string {
  const several = record.lines.length > 1 || record.lines.some(([start, end]) => start !== end)
  return `${name}, line${several ? 's' : ''} ${lineOf(record)}, record ${record.number}`
}

function fileFacts(file: FileEntry): Fact[] {
  const { id, receivedAt, claimedAt, state, archivedAs, duplicateOf, problems, reportName, folder } = file
  const archived = archivedAs === undefined ? '' : `, archived as ${archivedAs}`
  const results = reportName === undefined ? '' : `, results ${reportName}.results.csv`
  return [
    [
      'file',
      `id ${id}, from ${folder}, received ${isoTime(receivedAt ?? claimedAt)}, ${state}${results}${archived}`,
    ],
    ...(duplicateOf === undefined
      ? []
      : [
          [
            'first',
            `the same bytes came before as ${duplicateOf.name}, id ${duplicateOf.id}, on ${isoTime(duplicateOf.receivedAt)}`,
          ] as const,
        ]),
    ...told('problem', file.outcome === 'duplicate' ? [] : problems),
  ]
}

function told(name: string, problems: readonly Problem[]): Fact[] {
  return problems.map((each) => [name, `${problemInWords(each)}  [${each.code}]`])
}

function firstInWords({ record, from }: NonNullable<TracedStory['first']>): string {
  const where =
    from === undefined
      ? ''
      : ` in ${rowIn(record, from)}, received ${isoTime(from.receivedAt ?? from.claimedAt)}`
  return `${record.state}${record.apiId === undefined ? '' : ` as ${record.apiId}`}${where}`
}

function waitsForDelivery({ direction, state }: TracedRecord): Fact[] {
  if (direction === 'incoming') return []
  return [['delivery', state === 'held' ? 'none, because it is held' : 'none yet; the next run makes one']]
}

function deliveredIn(delivery: DeliveryEntry): string {
  const { name, folder, route, sequence, rows, records, deliveredAt, acknowledgedAt, state } = delivery
  const delivered = deliveredAt === undefined ? 'not in place yet' : `delivered ${isoTime(deliveredAt)}`
  const acknowledged = acknowledgedAt === undefined ? '' : `, acknowledged ${isoTime(acknowledgedAt)}`
  return `${folder}/${name}, number ${sequence} of ${route}, ${records} records in ${rows} rows, ${state}: ${delivered}${takenInWords(delivery)}${acknowledged}`
}

function takenInWords({ takenAt, takenBy }: DeliveryEntry): string {
  if (takenAt === undefined) return ''
  return takenBy === 'picked-up'
    ? `, seen to be picked up ${isoTime(takenAt)}`
    : `, confirmed by ${takenBy ?? 'a receipt'} ${isoTime(takenAt)}`
}

/** A record that was refused before it had a body never had one. */
function bodyInWords({ body, forgottenAt }: TracedStory, shows: boolean): Fact[] {
  if (forgottenAt !== undefined)
    return [['body', `forgotten on ${isoTime(forgottenAt)}, with the cells of its rows`]]
  return body === undefined || !shows ? [] : [['body', JSON.stringify(body, null, 2)]]
}
