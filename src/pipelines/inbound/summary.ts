/** The summary of a file: counts that add up, and where the time went. */
import type { FileEntry } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Outcome, RecordState, ReportedRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import { isoTime } from '../../support/clock.ts'
import type { InboundParts } from '../parts.ts'

/** What `NAME.summary.json` holds. Times are ISO 8601 in UTC, durations milliseconds. */
export interface Summary {
  readonly file: string
  readonly route: string
  readonly operation: string
  readonly account: string
  readonly outcome: string
  readonly bytes: number
  readonly sha256: string
  readonly duplicateOf?: { readonly file: string; readonly receivedAt: string }
  /** Why the file as a whole could not be used, or was not. */
  readonly problems: readonly Problem[]
  /** `total` is the sum of the others. */
  readonly records: Readonly<Partial<Record<RecordState, number>>> & { readonly total: number }
  /** Source rows of the records, and those of them that were refused. */
  readonly rows: { readonly total: number; readonly refused: number }
  /** How many physical lines the rejects file repeats, besides the header. */
  readonly refusedLines: number
  /** How often each problem code occurred. */
  readonly codes: Readonly<Record<string, number>>
  readonly receivedAt?: string
  readonly finishedAt?: string
  readonly milliseconds: { readonly planning: number; readonly sending: number }
}

/** Gathers a summary while the records go by. */
export function summarize(route: InboundParts['route'], file: FileEntry) {
  const counts = new Map<Outcome | RecordState, number>()
  const codes = new Map<string, number>()
  const rows = { total: 0, refused: 0 }
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const each of file.problems) count(codes, each.code)

  return {
    add(record: ReportedRecord): void {
      count(counts, record.state)
      const size = sourceRows(record)
      rows.total += size
      if (record.state === 'rejected') rows.refused += size
      for (const each of record.problems) count(codes, each.code)
    },
    finish(refused: readonly (readonly [number, number])[]): Summary {
      const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
      const refusedLines = refused.reduce((sum, [first, last]) => sum + last - first + 1, 0)
      return {
        file: file.name,
        route: route.name,
        operation: route.operation,
        account: accountOf(route.party),
        outcome: file.outcome ?? 'processed',
        bytes: file.size,
        sha256: file.sha256 ?? '',
        ...firstOf(file),
        problems: file.problems,
        records: { total, ...Object.fromEntries(counts) },
        rows,
        refusedLines,
        codes: Object.fromEntries(codes),
        ...timesOf(file),
      }
    },
  }
}

/** One row may hold several lines of a record, and stands there once for each. */
function sourceRows({ lines }: ReportedRecord): number {
  return lines.length < 2 ? lines.length : new Set(lines.map(([line]) => line)).size
}

function firstOf({ duplicateOf }: FileEntry): Pick<Summary, 'duplicateOf'> {
  if (duplicateOf === undefined) return {}
  return { duplicateOf: { file: duplicateOf.name, receivedAt: isoTime(duplicateOf.receivedAt) } }
}

function timesOf(file: FileEntry): Pick<Summary, 'receivedAt' | 'finishedAt' | 'milliseconds'> {
  const { receivedAt, plannedAt, submittedAt } = file
  const between = (from: number | undefined, to: number | undefined) => (from && to ? to - from : 0)
  return {
    ...(receivedAt === undefined ? {} : { receivedAt: isoTime(receivedAt) }),
    ...(submittedAt === undefined ? {} : { finishedAt: isoTime(submittedAt) }),
    milliseconds: { planning: between(receivedAt, plannedAt), sending: between(plannedAt, submittedAt) },
  }
}
