/** What the lists of the console have in common: how many there are, how a record is called, and what is still refused. */
import type { RefusedCounts } from '../../domain/decision.ts'
import type { RecordPlace } from '../../domain/journal.ts'
import type { RecordState, StateCounts } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import type { ConsoleContext } from './context.ts'

/** How many there are; `isMore`: at least so many, and not counted further. */
export interface Total {
  readonly count: number
  readonly isMore: boolean
}

/** More are not counted for a page. */
export const COUNTED_MAX = 10_000

export function toTotal(count: number): Total {
  return count > COUNTED_MAX ? { count: COUNTED_MAX, isMore: true } : { count, isMore: false }
}

type NamedRecord = Pick<TracedRecord, 'naturalKey' | 'apiId'> & { readonly keyValues?: readonly string[] }

/** As people call it: its cells, else its key, else its id at the API. */
export function formatKey({ keyValues, naturalKey, apiId }: NamedRecord): string {
  return keyValues?.filter((value) => value !== '').join(', ') || naturalKey || apiId || ''
}

/** The states of records that are listed first, while they are not corrected. */
export const TROUBLED: readonly RecordState[] = ['rejected', 'held', 'uncertain', 'deferred']

/**
 * What became of the refused records of a file; undefined where none was refused. Pages say by it what is still refused: the
 * state of a record stays, whatever a person did about it.
 */
export async function readRefused(
  journal: ConsoleContext['journal'],
  { id, records }: { readonly id: string; readonly records: StateCounts },
): Promise<RefusedCounts | undefined> {
  return (records.rejected ?? 0) === 0 ? undefined : journal.countRefused(id)
}

/** `trouble-17`: after the record 17 of those with trouble; `rest-17`: of the others. */
export function parsePlace(text = ''): RecordPlace | undefined {
  const [, kind, number] = /^(trouble|rest)-(\d{1,12})$/.exec(text) ?? []
  return kind === undefined ? undefined : { isTroubled: kind === 'trouble', number: Number(number) }
}

export function formatPlace(record: TracedRecord | undefined): string | undefined {
  if (record === undefined) return undefined
  const isTroubled = TROUBLED.includes(record.state) && record.isCorrected !== true
  return `${isTroubled ? 'trouble' : 'rest'}-${record.number}`
}
