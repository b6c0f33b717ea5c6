/** Whether a record was there before, and what that makes of the one that comes again. */
import { type Problem, problem } from '../domain/problem.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'

/** The record that holds a key: the first with it that is accepted or under way. */
export interface Holder {
  readonly bodyHash: string
  readonly apiId: string | null
  readonly accepted: boolean
  /** It was sent, and only a person can tell what came of it. */
  readonly held: boolean
  readonly keyValues: readonly string[]
  readonly line: number | undefined
  /** The file it came from; undefined for the file that is being planned. */
  readonly file: { readonly name: string; readonly receivedAt: number } | undefined
}

export interface Verdict {
  readonly state: 'planned' | 'duplicate' | 'rejected' | 'skipped' | 'held'
  readonly apiId: string | null
  readonly problems: readonly Problem[]
}

/** One verdict per record. Adds the records that come to hold their key to the holders. */
export function judge(records: readonly PlannedRecord[], holders: Map<string, Holder>): Verdict[] {
  return records.map((record) => {
    if (record.problems.length > 0) {
      return { state: fateOfUnsent(record), apiId: null, problems: record.problems }
    }
    const key = holderKey(record.operation, record.account, record.naturalKey ?? '')
    const holder = holders.get(key)
    if (holder) return judgeAgainst(record, holder)
    holders.set(key, holderFrom(record))
    return { state: 'planned', apiId: null, problems: [] }
  })
}

/** A record with problems has no body to send, whatever they are. */
function fateOfUnsent({ skipped, held }: PlannedRecord): Verdict['state'] {
  if (skipped) return 'skipped'
  return held ? 'held' : 'rejected'
}

export function holderKey(operation: string, account: string, naturalKey: string): string {
  return JSON.stringify([operation, account, naturalKey])
}

function judgeAgainst(record: PlannedRecord, holder: Holder): Verdict {
  const name = nameOf(record.keyValues, record.naturalKey ?? '')
  const line = record.lines[0]?.[0]
  const place = line === undefined ? {} : { line }
  if (record.bodyHash === holder.bodyHash) {
    const message = `${name} is already known from ${origin(holder)}, with the same contents${fateOf(holder)}.`
    return { state: 'duplicate', apiId: holder.apiId, problems: [problem('record-repeated', place, message)] }
  }
  const { operation, naturalKey = '', keyValues } = record
  const problems = [conflictOf({ operation, naturalKey, keyValues, line }, holder)]
  return { state: 'rejected', apiId: null, problems }
}

/** One of two versions of a record. */
export interface Version {
  readonly operation: string
  readonly naturalKey: string
  readonly keyValues: readonly string[]
  readonly line: number | undefined
}

/** What is said of a version of a record because of the other one. */
export function conflictOf(version: Version, other: Pick<Holder, 'keyValues' | 'line' | 'file'>): Problem {
  const { operation, naturalKey, keyValues, line } = version
  const place = line === undefined ? {} : { line }
  const name = nameOf(keyValues, naturalKey)
  const otherName = nameOf(other.keyValues, naturalKey)
  const isInOneFile = other.file === undefined
  if (operation === 'create-invoice' && name !== otherName) {
    const message = `An invoice for PO ${naturalKey} is known already (${otherName} in ${originOf(other)}); the API takes one per order.`
    return problem('key-conflict', place, message, isInOneFile ? ONE_INVOICE : undefined)
  }
  if (!isInOneFile) {
    const message = `${name} is already known from ${originOf(other)}, with other contents.`
    return problem('key-conflict', place, message)
  }
  const lines = [line, other.line].filter((known) => known !== undefined).toSorted((a, b) => a - b)
  const message = `${name} begins twice in this file (lines ${lines.join(' and ')}), with other contents; neither is sent.`
  return problem('key-conflict', place, message, IN_ONE_FILE)
}

/** What to do about two versions of a record in one file. */
const IN_ONE_FILE =
  'Keep the right one and remove the other; if they are rows of one record, put them next to each other.'

const ONE_INVOICE =
  'Send one invoice for the order: put the lines of both into one, or leave one of them out.'

/** How people know the record: by what the file says in its key columns. */
export function nameOf(keyValues: readonly string[], naturalKey: string): string {
  return keyValues.filter((value) => value !== '').join(', ') || naturalKey
}

/** `orders.csv, line 12 (received 2026-11-21T02:15:00.000Z)`: when tells which of the files of that name. */
function origin(holder: Holder): string {
  return holder.file ? `${originOf(holder)} (received ${isoTime(holder.file.receivedAt)})` : originOf(holder)
}

function originOf({ file, line }: Pick<Holder, 'file' | 'line'>): string {
  return `${file ? file.name : 'this file'}${line === undefined ? '' : `, line ${line}`}`
}

/** What becomes of a record of the same file is told in the same report, and is not known yet. */
function fateOf({ accepted, held, apiId, file }: Holder): string {
  if (apiId !== null) return `, and the API has it as ${apiId}`
  if (accepted) return ', and the API has it'
  if (held) return ', and is held'
  return file === undefined ? '; it is not sent twice' : ', and was not finished when this file came'
}

function holderFrom(record: PlannedRecord): Holder {
  return {
    bodyHash: record.bodyHash ?? '',
    apiId: null,
    accepted: false,
    held: false,
    keyValues: record.keyValues,
    line: record.lines[0]?.[0],
    file: undefined,
  }
}
