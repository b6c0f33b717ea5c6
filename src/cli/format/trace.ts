/** Formats a trace as one screen that answers "where is my order?". */
import type { DeliveredRecord, RecordHistory, Trace, TracedDelivery, TracedFile } from '../../app/trace.ts'
import type { OutboundOperationName } from '../../contract/operations.ts'
import type { DecisionEntry } from '../../domain/decision.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { Problem } from '../../domain/problem.ts'
import { DOCUMENT_KINDS } from '../../domain/shipping-document.ts'
import type { TracedAttempt, TracedLookup, TracedRecord } from '../../domain/trace.ts'
import type { NotedVersion } from '../../domain/lease.ts'
import { formatRecordName } from '../../pipeline/outbound/file-rows.ts'
import { isoTime } from '../../support/clock.ts'
import {
  type Fact,
  formatAnsweredFile,
  formatRedeliveryFact,
  listBroughtFacts,
  listChainRows,
  listInterchangeFacts,
  listSendingFacts,
} from './interchanges.ts'
import { formatCodedProblem, formatCount, formatCounts, formatProblem, formatTable } from './text.ts'

/** `documents`: those of X12 or EDIFACT that routes read and write, such as 850. */
export function formatTrace(trace: Trace, documents: ReadonlyMap<string, string> = new Map()): string[] {
  const nameUnit = ({ route, partOf }: FileEntry): Unit =>
    partOf !== undefined || documents.has(route) ? 'segment' : 'line'
  const { files, deliveries, records, versions = [], earlier } = trace
  const parts = [
    ...files.map((each) => formatFile(each, nameUnit(each.file))),
    ...deliveries.map(formatDelivery),
    ...(records.length === 0 ? [] : [formatRecordsHead(trace)]),
    ...formatChain(records, documents),
    ...records.map((story, index) =>
      formatStory(story, index + 1, { showsBody: isBodyShown(trace, story), nameUnit }),
    ),
    ...(versions.length === 0 ? [] : [versions.map(formatVersion)]),
    ...(earlier === 0 ? [] : [[`${earlier} earlier records are not shown; name one of them, or a --route.`]]),
  ]
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]))
}

/** What the numbers of a record's lines count: the segments of a document. */
type Unit = 'line' | 'segment'

type NameUnit = (file: FileEntry) => Unit

/** `version 1a2b3c4d5e6f since 2026-03-08T…: dropbridge.yaml 9f86d081, mappings/orders.yaml 2c26b46b` */
function formatVersion({ id, files, firstUsedAt }: NotedVersion): string {
  const each = Object.entries(files).map(([path, hash]) => `${path} ${hash.slice(0, SHOWN_DIGITS)}`)
  return `version ${id} since ${isoTime(firstUsedAt)}: ${each.join(', ')}`
}

const SHOWN_DIGITS = 8

function formatMaker({ version }: { readonly version?: string }): string {
  return version === undefined ? '' : `, by version ${version}`
}

function formatRecordsHead({ key, records }: Trace): string[] {
  const relatedCount = records.filter(({ record }) => !record.isMeant).length
  const related = relatedCount === 0 ? '' : `; ${relatedCount} of the same order only`
  return [`${key}: ${formatCount(records.length, 'record')}, oldest first${related}`]
}

/** The documents of an order that partners sent and were sent, one to a line: `order → 850 → 997 → 856 → 810`. */
function formatChain(records: readonly RecordHistory[], documents: ReadonlyMap<string, string>): string[][] {
  const rows = records.flatMap((story) => {
    const { route, operation } = story.record
    const document = `${documents.get(route) ?? operation} ${storyLabel(story)}`
    return listChainRows(story, { document, state: formatState(story.record) })
  })
  if (rows.length === 0) return []
  // A record that went out twice has a row for each time.
  const byTime = rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : one > other ? 1 : 0))
  return [formatTable(['when', 'document', 'file', 'interchange', 'outcome', 'answer'], byTime)]
}

/** How many bodies fit on the screen; --json has the whole resource that an export took. */
const BODIES_SHOWN = 2

function isBodyShown({ records }: Trace, { record }: RecordHistory): boolean {
  const shown = records.filter((each) => each.record.isMeant && each.record.direction === 'incoming')
  return shown.slice(0, BODIES_SHOWN).some((each) => each.record.id === record.id)
}

function formatFile({ file, counts, decisions, records, brought }: TracedFile, unit: Unit): string[] {
  const head = `${file.name}: ${file.state}${file.outcome === undefined ? '' : `, ${file.outcome}`}; ${formatCounts(counts)}`
  const contents = brought === undefined ? [] : listBroughtFacts(brought)
  const facts = [...listFileFacts(file), ...contents, ...decisions.toReversed().map(formatDecision)]
  return [head, ...formatFacts(facts), ...formatFileRecords(records, sumCounts(counts), unit)]
}

function formatDelivery({
  delivery,
  redeliveries = [],
  answered,
  sent,
  counts,
  records,
}: TracedDelivery): string[] {
  const held = delivery.held === undefined ? '' : `, held: ${delivery.held.replace(/\.$/, '')}`
  return [
    `${delivery.name}: ${delivery.state}${held}; ${formatCounts(counts, 'acknowledged')}`,
    ...formatFacts([
      ['delivery', formatDeliveryFact(delivery)],
      ...(answered === undefined ? [] : [['answers', formatAnsweredFile(answered)] as const]),
      ...(sent === undefined ? [] : listSendingFacts(sent)),
      ...redeliveries.map(formatRedeliveryFact),
    ]),
    ...formatDeliveryRecords(records, sumCounts(counts)),
  ]
}

function sumCounts(counts: TracedFile['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** A few records of a file, one to a line. */
function formatFileRecords(records: readonly TracedRecord[], all: number, unit: Unit): string[] {
  const rows = records.map((record) => [
    String(record.number),
    formatLines(record),
    record.operation,
    recordLabel(record),
    formatState(record),
    record.problems.map(({ code }) => code).join(', '),
  ])
  const head = ['record', `${unit}s`, 'operation', 'key', 'state', 'why']
  const how = `trace one of them by its key, or its ${unit} as FILE:${unit.toUpperCase()}`
  return formatList(head, rows, all, how)
}

/** A few records of a delivery, by the numbers that they have on paper. */
function formatDeliveryRecords(records: readonly DeliveredRecord[], all: number): string[] {
  const rows = records.map((record) => [
    record.apiId ?? '',
    record.operation,
    record.called ?? '',
    record.purchaseOrder ?? '',
    formatState(record),
    record.problems.map(({ code }) => code).join(', '),
  ])
  const head = ['id', 'operation', 'key', 'purchase order', 'state', 'why']
  return formatList(head, rows, all, 'trace one of them by its key')
}

function formatList(head: readonly string[], rows: readonly string[][], all: number, how: string): string[] {
  if (rows.length === 0) return []
  const more = all - rows.length
  return ['', ...formatTable(head, rows), ...(more > 0 ? [`and ${more} more; ${how}`] : [])]
}

function formatStory(
  story: RecordHistory,
  number: number,
  { showsBody, nameUnit }: { readonly showsBody: boolean; readonly nameUnit: NameUnit },
): string[] {
  const { record, from, interchange, into, sent, sentBefore = [], decisions, documents, first } = story
  const id = record.apiId === undefined || record.direction === 'outgoing' ? '' : ` as ${record.apiId}`
  const other = record.isMeant ? '' : ' (of the same order)'
  const step = record.step === undefined ? '' : `, step ${record.step}`
  const facts: Fact[] = [
    ...(from === undefined
      ? []
      : [['from', formatRowPosition(record, from, nameUnit)] as const, ...listFileFacts(from)]),
    ...(interchange === undefined ? [] : listInterchangeFacts(interchange)),
    ['route', `${record.route}, ${record.account}${step}`],
    ...listProblems('problem', record.problems),
    ...listProblems('warning', record.warnings),
    ...(first === undefined ? [] : [['first', formatFirstRecord(first, nameUnit)] as const]),
    ...formatAttempts(story),
    ...decisions.map(formatDecision),
    ...documents.map((document): Fact => ['document', formatDocument(document)]),
    ...sentBefore.flatMap((each): Fact[] => [
      ['before', formatDeliveryFact(each.into)],
      ...listSendingFacts(each.sent),
    ]),
    ...(into === undefined ? listPendingDelivery(record) : [['delivery', formatDeliveryFact(into)] as const]),
    ...(sent === undefined ? [] : listSendingFacts(sent)),
    ...formatBody(story, showsBody),
  ]
  const head = `${number}  ${record.operation} ${storyLabel(story)}: ${formatState(record)}${id}${other}`
  return [head, ...formatFacts(facts)]
}

const NAME_WIDTH = 10

function formatDecision({ action, by, at, why }: DecisionEntry): Fact {
  return ['decided', `${isoTime(at)} ${action} by ${by}: ${why}`]
}

function formatDocument(document: RecordHistory['documents'][number]): string {
  const { kind, state, folder, name, problem } = document
  const where = name === undefined ? '' : `: ${folder}/${name}`
  return `${DOCUMENT_KINDS[kind]} ${state}${where}${problem === undefined ? '' : `: ${formatProblem(problem)}`}`
}

function formatFacts(all: readonly Fact[]): string[] {
  return all.flatMap(([name, value]) =>
    value.split('\n').map((line, index) => `   ${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`),
  )
}

function recordLabel({ keyValues, naturalKey, apiId }: TracedRecord): string {
  return keyValues.filter((value) => value !== '').join(', ') || naturalKey || (apiId ?? '')
}

/** An exported record is called by its number on paper. */
function storyLabel({ record, body }: RecordHistory): string {
  if (record.direction === 'incoming' || typeof body !== 'object' || body === null) return recordLabel(record)
  const name = formatRecordName(
    record.operation as OutboundOperationName,
    body as Readonly<Record<string, unknown>>,
  )
  return `${record.apiId ?? ''}${name === '' ? '' : ` (${name})`}`
}

/** A record that was exported and acknowledged is called so. */
function formatState({ direction, state }: TracedRecord): string {
  return direction === 'outgoing' && state === 'accepted' ? 'acknowledged' : state
}

function formatLines({ lines }: TracedRecord): string {
  const joined: [number, number][] = []
  for (const [start, end] of lines) {
    const before = joined.at(-1)
    // The lines of a document stand inside of its set.
    if (before !== undefined && start >= before[0] && start <= before[1] + 1)
      before[1] = Math.max(before[1], end)
    else joined.push([start, end])
  }
  return joined.map(([start, end]) => (start === end ? String(start) : `${start}-${end}`)).join(', ')
}

function formatRowPosition(record: TracedRecord, file: FileEntry, nameUnit: NameUnit): string {
  const several = record.lines.length > 1 || record.lines.some(([start, end]) => start !== end)
  return `${file.name}, ${nameUnit(file)}${several ? 's' : ''} ${formatLines(record)}, record ${record.number}`
}

/** An inbox of interchanges works under a name that no route has. */
const INBOX_PREFIX = 'inbox:'

function listFileFacts(file: FileEntry): Fact[] {
  const {
    id,
    receivedAt,
    claimedAt,
    state,
    archivedAs,
    duplicateOf,
    problems,
    reportName,
    folder,
    retakeOf,
    partOf,
  } = file
  const removed = file.isSourceRemoved ? ', was removed before it was archived' : ''
  const archived = archivedAs === undefined ? removed : `, archived as ${archivedAs}`
  const reports = file.route.startsWith(INBOX_PREFIX) ? 'sets' : 'results'
  const results = reportName === undefined ? '' : `, results ${reportName}.${reports}.csv`
  const received = isoTime(receivedAt ?? claimedAt)
  const facts: Fact[] = [
    ...(retakeOf === undefined ? [] : [['retake', `of the archived file ${retakeOf}`] as const]),
    [
      'file',
      `id ${id}, from ${folder}, received ${received}, ${state}${results}${archived}${formatMaker(file)}`,
    ],
  ]
  if (partOf !== undefined) facts.push(['part of', `file ${partOf}, with its sets for ${file.route}`])
  if (duplicateOf !== undefined) {
    const { name, id: earlier, receivedAt: at } = duplicateOf
    facts.push(['first', `the same bytes came before as ${name}, id ${earlier}, on ${isoTime(at)}`])
  }
  return [...facts, ...listProblems('problem', file.outcome === 'duplicate' ? [] : problems, file.name)]
}

function listProblems(name: string, problems: readonly Problem[], file?: string): Fact[] {
  return problems.map((each) => [name, formatCodedProblem(each, file)])
}

function formatFirstRecord(
  { record, from }: NonNullable<RecordHistory['first']>,
  nameUnit: NameUnit,
): string {
  const state = `${record.state}${record.apiId === undefined ? '' : ` as ${record.apiId}`}`
  if (from === undefined) return state
  const received = isoTime(from.receivedAt ?? from.claimedAt)
  return `${state} in ${formatRowPosition(record, from, nameUnit)}, received ${received}`
}

function listPendingDelivery({ direction, state }: TracedRecord): Fact[] {
  if (direction === 'incoming') return []
  return [['delivery', state === 'held' ? 'none, because it is held' : 'none yet; the next run makes one']]
}

function formatDeliveryFact(delivery: DeliveryEntry): string {
  const { name, folder, route, sequence, rows, records, deliveredAt, acknowledgedAt, state } = delivery
  const delivered = deliveredAt === undefined ? 'not in place yet' : `delivered ${isoTime(deliveredAt)}`
  const acknowledged = acknowledgedAt === undefined ? '' : `, acknowledged ${isoTime(acknowledgedAt)}`
  return `${folder}/${name}, number ${sequence} of ${route}, ${records} records in ${rows} rows, ${state}: ${delivered}${formatConfirmation(delivery)}${acknowledged}${formatMaker(delivery)}`
}

function formatConfirmation({ confirmedAt, confirmedBy }: DeliveryEntry): string {
  if (confirmedAt === undefined) return ''
  return confirmedBy === 'picked-up'
    ? `, seen to be picked up ${isoTime(confirmedAt)}`
    : `, confirmed by ${confirmedBy ?? 'a receipt'} ${isoTime(confirmedAt)}`
}

/** A record that was refused before it had a body never had one. */
function formatBody({ body, prunedAt }: RecordHistory, shows: boolean): Fact[] {
  if (prunedAt !== undefined) return [['body', `pruned on ${isoTime(prunedAt)}, with the cells of its rows`]]
  return body === undefined || !shows ? [] : [['body', JSON.stringify(body, null, 2)]]
}

// Attempts to send a record, and lookups of lost answers

/** In the order of time. Within a millisecond a lookup comes first: the attempt that it allows follows it. */
function formatAttempts({ call = '', record, attempts, lookUps }: RecordHistory): Fact[] {
  const entries = [
    ...lookUps.map((lookUp) => ({ at: lookUp.at, fact: formatLookup(lookUp) })),
    ...attempts.map((attempt) => ({ at: attempt.beganAt, fact: formatAttempt(call, attempt) })),
  ].toSorted((one, other) => one.at - other.at)
  const more = record.attempts - attempts.length
  const before: Fact[] = more > 0 && attempts.length > 0 ? [['sent', `${more} times before`]] : []
  return [...before, ...entries.map(({ fact }) => fact)]
}

function formatAttempt(call: string, attempt: TracedAttempt): Fact {
  const { beganAt, endedAt, http, result } = attempt
  if (attempt.isPresumed === true) {
    const loss = beganAt === 0 ? 'an earlier journal was lost' : `${isoTime(beganAt)} from a backup of then`
    return ['restored', `${loss}: it may have been sent since`]
  }
  const answer = http === undefined ? '' : `HTTP ${http}, `
  const end =
    endedAt === undefined ? 'no answer was noted' : `${answer}${result ?? ''} at ${isoTime(endedAt)}`
  // Without an answer of the API, what is deferred was never sent; what is planned again was taken back before its request.
  const isUnsent = result === 'planned' || (result === 'deferred' && http === undefined)
  const was = isUnsent ? 'tried' : 'sent'
  return [was, `${isoTime(beganAt)} ${call} → ${end}${formatMaker(attempt)}`]
}

function formatLookup({ at, state, apiId }: TracedLookup): Fact {
  const found = LOOKUP_TEXTS[state] ?? `result: ${state}`
  return ['looked up', `${isoTime(at)} ${found}${apiId === undefined ? '' : ` as ${apiId}`}`]
}

const LOOKUP_TEXTS: Readonly<Partial<Record<TracedLookup['state'], string>>> = {
  accepted: 'found at the API',
  planned: 'proven absent at the API, to be sent again',
  held: 'the API proves neither that it is there nor that it is not, so a person must find out',
  uncertain: 'not known yet, to be looked up again',
}
