/** Builds the summary of a file: counts that add up, and how long each phase took. */
import type { Anchor } from '../../domain/audit.ts'
import type { FileEntry } from '../../domain/file.ts'
import { type Problem, type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { Outcome, RecordState, ReportedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { LineRange } from '../../domain/translator.ts'
import { isoTime } from '../../support/clock.ts'
import type { DocumentState } from '../../domain/shipping-document.ts'
import type { InboundContext } from '../context.ts'
import { findSimilarName } from '../../support/text.ts'
import type { RecordWithDocuments } from '../documents/delivery.ts'
import type { ColumnDifferences } from './steps.ts'

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
  /** The same for each operation, where the route has several. */
  readonly operations?: Readonly<Record<string, Readonly<Partial<Record<RecordState, number>>>>>
  /** Source rows of the records, once for each step that uses them, and those of them that were refused, or held for a person. */
  readonly rows: { readonly total: number; readonly refused: number; readonly held: number }
  /** How many physical lines the rejects file repeats, besides the header. */
  readonly refusedLines: number
  /** How many physical lines the exceptions file repeats, besides the header. */
  readonly heldLines: number
  /** Why they are held, with the number of records. */
  readonly heldFor: Readonly<Record<string, number>>
  /** How often each problem code occurred. */
  readonly codes: Readonly<Record<string, number>>
  /** How many records have each kind of warning; these stop no record. */
  readonly warnings: Readonly<Record<string, number>>
  /** Columns that the mapping names and the file does not have, those the mapping does not use, and which may be which. */
  readonly columns?: ColumnDifferences & { readonly didYouMean: Readonly<Record<string, string>> }
  /** Packing slips and labels, where the route wants them and there are any. */
  readonly documents?: Readonly<Partial<Record<(typeof DOCUMENT_WORDS)[DocumentState], number>>>
  /** The event of the journal by which it was finished, to check the journal with: `audit verify --anchor EVENT:HASH`. */
  readonly journal?: Anchor
  readonly receivedAt?: string
  readonly finishedAt?: string
  readonly milliseconds: { readonly planning: number; readonly sending: number }
}

/** What is known once all records went by. */
interface SummaryTotals {
  readonly refused: readonly LineRange[]
  readonly held: readonly LineRange[]
  readonly columns?: ColumnDifferences | undefined
  readonly journal?: Anchor | undefined
}

const DOCUMENT_WORDS = {
  delivered: 'delivered',
  refused: 'refused',
  wanted: 'missing',
} as const satisfies Record<DocumentState, string>

/** Gathers a summary while the records go by; for each of the operations too, where they are reported. */
export function createSummary(route: InboundContext['route'], file: FileEntry, steps?: readonly string[]) {
  const counts = new Map<Outcome | RecordState, number>()
  const codes = new Map<string, number>()
  const ofOperations = new Map<string, Map<string, number>>()
  const rows = { total: 0, refused: 0, held: 0 }
  const reasons = new Map<string, number>()
  const documents = new Map<string, number>()
  const warnings = new Map<string, number>()
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const each of file.problems) count(codes, each.code)

  return {
    add(record: RecordWithDocuments): void {
      count(counts, record.state)
      const own = ofOperations.get(record.operation) ?? new Map<string, number>()
      count(own, record.state)
      ofOperations.set(record.operation, own)
      for (const state of record.documents?.states ?? []) count(documents, DOCUMENT_WORDS[state])
      const size = countSourceRows(record)
      rows.total += size
      if (record.state === 'rejected') rows.refused += size
      if (record.state === 'held') {
        rows.held += size
        for (const reason of listHoldReasons(record)) count(reasons, reason)
      }
      for (const each of record.problems) count(codes, each.code)
      for (const code of new Set(record.warnings.map((each) => each.code))) count(warnings, code)
    },
    finish({ columns, journal, ...ranges }: SummaryTotals): Summary {
      const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
      return {
        file: file.name,
        route: route.name,
        operation: route.operation,
        account: formatAccount(route.party),
        outcome: file.outcome ?? 'processed',
        bytes: file.size,
        sha256: file.sha256 ?? '',
        ...describeFirstFile(file),
        problems: file.problems,
        records: { total, ...Object.fromEntries(counts) },
        ...(steps && { operations: orderCounts(steps, ofOperations) }),
        rows,
        refusedLines: countLines(ranges.refused),
        heldLines: countLines(ranges.held),
        heldFor: Object.fromEntries(reasons),
        codes: Object.fromEntries(codes),
        warnings: Object.fromEntries(warnings),
        ...(columns === undefined ? {} : { columns: { ...columns, didYouMean: suggestColumns(columns) } }),
        ...(documents.size === 0 ? {} : { documents: Object.fromEntries(documents) }),
        ...(journal === undefined ? {} : { journal }),
        ...measureTimes(file),
      }
    },
  }
}

/** Columns of the file that may be those the mapping names. */
function suggestColumns({ absent, unused }: ColumnDifferences): Record<string, string> {
  const nearest = absent.map((name) => [name, findSimilarName(name, unused)] as const)
  return Object.fromEntries(nearest.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

function orderCounts(steps: readonly string[], counts: ReadonlyMap<string, ReadonlyMap<string, number>>) {
  return Object.fromEntries(steps.map((name) => [name, Object.fromEntries(counts.get(name) ?? [])]))
}

function countLines(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** What many records have in common: the message, or where each has one of its own, the kind of the problem. */
function listHoldReasons({ problems }: ReportedRecord): ReadonlySet<string> {
  const hasOwnWords = (code: ProblemCode) => code === 'held-by-mapping' || code === 'circuit-breaker-open'
  return new Set(problems.map(({ code, message }) => (hasOwnWords(code) ? message : PROBLEMS[code].title)))
}

/** Held for a reason of its own. Of what was sent and never answered too: dropped in again, its key keeps it from going out twice. */
export function isHeldForOwnReason(record: ReportedRecord): boolean {
  return record.state === 'held' && !isHeldDependent(record)
}

/** Not sent, because an earlier step went wrong for its order. */
export function isHeldDependent({ state, problems }: ReportedRecord): boolean {
  return state === 'held' && problems[0]?.code === 'earlier-step-failed'
}

/** One row may hold several lines of a record, and stands there once for each. */
function countSourceRows({ lines }: ReportedRecord): number {
  return lines.length < 2 ? lines.length : new Set(lines.map(([line]) => line)).size
}

function describeFirstFile({ duplicateOf }: FileEntry): Pick<Summary, 'duplicateOf'> {
  if (duplicateOf === undefined) return {}
  return { duplicateOf: { file: duplicateOf.name, receivedAt: isoTime(duplicateOf.receivedAt) } }
}

function measureTimes(file: FileEntry): Pick<Summary, 'receivedAt' | 'finishedAt' | 'milliseconds'> {
  const { receivedAt, plannedAt, submittedAt, takenUpAt } = file
  const between = (from: number | undefined, to: number | undefined) => (from && to ? to - from : 0)
  return {
    ...(receivedAt === undefined ? {} : { receivedAt: isoTime(receivedAt) }),
    ...(submittedAt === undefined ? {} : { finishedAt: isoTime(submittedAt) }),
    milliseconds: {
      planning: between(receivedAt, plannedAt),
      sending: between(takenUpAt ?? plannedAt, submittedAt),
    },
  }
}
