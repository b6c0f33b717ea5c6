/** Decides whether a record is new, a duplicate, or a conflict with the record that owns its key. Needs no database. */
import { type Problem, problem } from '../domain/problem.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { quoteForShell } from '../support/text.ts'

/** The record that owns a key: the first record with the key that is accepted or under way. */
export interface KeyOwner {
  readonly bodyHash: string
  readonly apiId: string | null
  readonly accepted: boolean
  /** It was sent, and only a person can find out its outcome. */
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

/** Returns one verdict per record. Adds new records to the owners of their keys. */
export function judgeRecords(records: readonly PlannedRecord[], owners: Map<string, KeyOwner>): Verdict[] {
  return records.map((record) => {
    const isWrong = record.problems.length > 0
    if (isWrong && record.body === undefined) return leaveUnsent(record)
    const key = formatOwnerKey(record.operation, record.account, record.naturalKey ?? '')
    const owner = owners.get(key)
    if (owner) return judgeAgainstOwner(record, owner)
    // Held with its body: until a person releases it, the key is free for a corrected file.
    if (isWrong) return leaveUnsent(record)
    owners.set(key, {
      bodyHash: record.bodyHash ?? '',
      apiId: null,
      accepted: false,
      held: false,
      keyValues: record.keyValues,
      line: record.lines[0]?.[0],
      file: undefined,
    })
    return PLANNED
  })
}

const PLANNED: Verdict = { state: 'planned', apiId: null, problems: [] }

/** The verdict on a record with problems, which is not sent. */
function leaveUnsent(record: PlannedRecord): Verdict {
  return { state: getUnsentState(record), apiId: null, problems: record.problems }
}

function getUnsentState({ skipped, held }: PlannedRecord): Verdict['state'] {
  if (skipped) return 'skipped'
  return held ? 'held' : 'rejected'
}

export function formatOwnerKey(operation: string, account: string, naturalKey: string): string {
  return JSON.stringify([operation, account, naturalKey])
}

function judgeAgainstOwner(record: PlannedRecord, owner: KeyOwner): Verdict {
  const name = formatRecordName(record.keyValues, record.naturalKey ?? '')
  const line = record.lines[0]?.[0]
  const place = line === undefined ? {} : { line }
  if (record.bodyHash === owner.bodyHash) {
    const message = `${name} is already known from ${formatOrigin(owner)}${formatReceipt(owner)}, with the same contents${describeOwnerState(owner)}.`
    return { state: 'duplicate', apiId: owner.apiId, problems: [problem('record-repeated', place, message)] }
  }
  const { operation, naturalKey = '', keyValues } = record
  const problems = [createConflictProblem({ operation, naturalKey, keyValues, line }, owner)]
  return { state: 'rejected', apiId: null, problems }
}

export interface RecordVersion {
  readonly operation: string
  readonly naturalKey: string
  readonly keyValues: readonly string[]
  readonly line: number | undefined
}

export function createConflictProblem(
  version: RecordVersion,
  other: Pick<KeyOwner, 'keyValues' | 'line' | 'file'> & {
    readonly accepted?: boolean
    readonly isBroken?: boolean
  },
): Problem {
  const { operation, naturalKey, keyValues, line } = version
  const place = line === undefined ? {} : { line }
  const name = formatRecordName(keyValues, naturalKey)
  const otherName = formatRecordName(other.keyValues, naturalKey)
  const isInOneFile = other.file === undefined
  if (operation === 'create-invoice' && name !== otherName) {
    const message = `An invoice for PO ${naturalKey} is known already (${otherName} in ${formatOrigin(other)}); the API takes one per order.`
    return problem('key-conflict', place, message, isInOneFile ? FIX_ONE_INVOICE : FIX_INVOICED)
  }
  if (!isInOneFile) {
    const [key = naturalKey] = keyValues.filter((value) => value !== '')
    const isCanceled = operation === 'create-cancel' && other.accepted === true
    const message = isCanceled
      ? `${name} is canceled already, by ${formatOrigin(other)}${formatReceipt(other)}; this row says it otherwise.`
      : `${name} is already known from ${formatOrigin(other)}, with other contents.`
    return problem('key-conflict', place, message, suggestConflictFix(operation, key))
  }
  const lines = [line, other.line].filter((known) => known !== undefined).toSorted((a, b) => a - b)
  const how = other.isBroken === true ? `and line ${other.line ?? '?'} is refused` : 'with other contents'
  const message = `${name} begins twice in this file (lines ${lines.join(' and ')}), ${how}; neither is sent.`
  return problem('key-conflict', place, message, FIX_ONE_FILE)
}

/** The fix for two versions of a record in one file. */
const FIX_ONE_FILE =
  'Two records: give them two numbers. One: remove the wrong version, or put its rows side by side.'

const FIX_ONE_INVOICE =
  'Send one invoice for the order: put the lines of both into one, or leave one of them out.'

const FIX_INVOICED =
  'Remove the row: the order has its invoice, and the API can neither change it nor take another.'

const FIX_CANCELED = 'Remove the row: another number here would cancel another order.'

const FIX_SHIPPED =
  'Remove the row if the parcel is the same. If its order or tracking number is wrong, correct that.'

const FIX_ITEM = 'Remove the row. To change the item, send it to a route with `update-variant`.'

/** Only an order can be replaced: by another one, once it is canceled itself. */
function suggestConflictFix(operation: string, key: string): string {
  const command = `dropbridge undo ${quoteForShell(key)}`
  switch (operation) {
    case 'create-order':
      return `To correct it: ${command}, then a new number. Then, or if not: dropbridge dismiss FILE --by NAME --why TEXT.`
    case 'create-cancel':
      return FIX_CANCELED
    case 'create-shipment':
      return FIX_SHIPPED
    case 'create-invoice':
      return FIX_INVOICED
    case 'create-variant':
      return FIX_ITEM
    default:
      return `Remove the row. What can still be undone of the first record: ${command}`
  }
}

/** The name of a record for people: the cells of its key columns. */
export function formatRecordName(keyValues: readonly string[], naturalKey: string): string {
  return keyValues.filter((value) => value !== '').join(', ') || naturalKey
}

function formatOrigin({ file, line }: Pick<KeyOwner, 'file' | 'line'>): string {
  return `${file ? file.name : 'this file'}${line === undefined ? '' : `, line ${line}`}`
}

/** The time distinguishes files of the same name. */
function formatReceipt({ file }: Pick<KeyOwner, 'file'>): string {
  return file ? ` (received ${isoTime(file.receivedAt)})` : ''
}

/** The outcome of an owner in the same file is not known yet; the same report shows it. */
function describeOwnerState({ accepted, held, apiId, file }: KeyOwner): string {
  if (apiId !== null) return `, and the API has it as ${apiId}`
  if (accepted) return ', and the API has it'
  if (held) return ', and is held'
  return file === undefined ? '; it is not sent twice' : ', and was not finished when this file came'
}
