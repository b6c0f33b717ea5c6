/** Builds the summary of a file: counts that add up, and how long each phase took. */
import type { Anchor } from '../../domain/audit.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { Notes } from '../../domain/format.ts'
import { problem, type Problem, type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { Outcome, RecordState, ReportedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { DateOrder, Draft, LineRange } from '../../domain/translator.ts'
import { isoTime } from '../../support/clock.ts'
import type { DocumentState } from '../../domain/shipping-document.ts'
import type { InboundContext } from '../context.ts'
import { findSimilarName } from '../../support/text.ts'
import type { RecordWithDocuments } from '../documents/delivery.ts'
import type { ColumnDifferences } from './steps.ts'

/** The contents of `NAME.summary.json`. Times are ISO 8601 in UTC, durations milliseconds. */
export interface Summary {
  readonly file: string
  readonly route: string
  readonly operation: string
  readonly account: string
  readonly outcome: string
  readonly bytes: number
  readonly sha256: string
  readonly duplicateOf?: { readonly file: string; readonly receivedAt: string }
  /** Why the file as a whole was not used, or that it holds no records. */
  readonly problems: readonly Problem[]
  /** `total` is the sum of the others. */
  readonly records: Readonly<Partial<Record<RecordState, number>>> & { readonly total: number }
  /** The same for each operation, where the route has several. */
  readonly operations?: Readonly<Record<string, Readonly<Partial<Record<RecordState, number>>>>>
  /** Source rows of the records, once for each step that uses them; how many of them were refused, and how many are held. */
  readonly rows: { readonly total: number; readonly refused: number; readonly held: number }
  /** How many physical lines the rejects file repeats, besides the header. */
  readonly refusedLines: number
  /** How many physical lines the exceptions file repeats, besides the header. */
  readonly heldLines: number
  readonly heldFor: Readonly<Record<string, number>>
  readonly codes: Readonly<Record<string, number>>
  /** How many records have each kind of warning; these stop no record. */
  readonly warnings: Readonly<Record<string, number>>
  /** What is odd in a file of interchanges and refuses nothing: how often, and the first ones. Left out where there is nothing. */
  readonly notes?: Notes
  /** Columns of the mapping that the file lacks, columns of the file that the mapping does not use, and likely matches. */
  readonly columns?: ColumnDifferences & { readonly didYouMean: Readonly<Record<string, string>> }
  /** Packing slips and labels, if the route wants them and the file has any. */
  readonly documents?: Readonly<Partial<Record<(typeof DOCUMENT_WORDS)[DocumentState], number>>>
  /** The journal's event that finished the file, as an anchor to verify the journal: `audit verify --anchor EVENT:HASH`. */
  readonly journal?: Anchor
  readonly receivedAt?: string
  readonly finishedAt?: string
  readonly milliseconds: { readonly planning: number; readonly sending: number }
}

interface SummaryTotals {
  readonly refused: readonly LineRange[]
  readonly held: readonly LineRange[]
  readonly columns?: ColumnDifferences | undefined
  readonly journal?: Anchor | undefined
  readonly notes?: Notes | undefined
  readonly warnings: readonly Problem[]
}

const DOCUMENT_WORDS = {
  delivered: 'delivered',
  refused: 'refused',
  wanted: 'missing',
} as const satisfies Record<DocumentState, string>

const WITHOUT_RECORDS: Problem = {
  ...problem('file-without-records', {}, 'The file has no rows of data.'),
  severity: 'warning',
}

/** Builds a summary record by record; with `steps`, also for each operation. */
export function createSummary(route: InboundContext['route'], file: FileEntry, steps?: readonly string[]) {
  const counts = new Map<Outcome | RecordState, number>()
  const codes = new Map<string, number>()
  const countsByOperation = new Map<string, Map<string, number>>()
  const rows = { total: 0, refused: 0, held: 0 }
  const reasons = new Map<string, number>()
  const documents = new Map<string, number>()
  const warnings = new Map<string, number>()
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  const listFileProblems = (): readonly Problem[] =>
    file.outcome === 'processed' && counts.size === 0 ? [WITHOUT_RECORDS] : file.problems

  return {
    /** The problems of the file as a whole, once all its records were added. */
    listFileProblems,
    hasAccepted: () => counts.has('accepted'),
    add(record: RecordWithDocuments): void {
      count(counts, record.state)
      const own = countsByOperation.get(record.operation) ?? new Map<string, number>()
      count(own, record.state)
      countsByOperation.set(record.operation, own)
      for (const state of record.documents?.states ?? []) count(documents, DOCUMENT_WORDS[state])
      // A row that holds several lines of a record occurs once for each line, and is counted once.
      const size =
        record.lines.length < 2 ? record.lines.length : new Set(record.lines.map(([line]) => line)).size
      rows.total += size
      if (record.state === 'rejected') rows.refused += size
      if (record.state === 'held') {
        rows.held += size
        for (const reason of listHoldReasons(record)) count(reasons, reason)
      }
      for (const each of record.problems) count(codes, each.code)
      // Most records have none, and need no set.
      if (record.warnings.length > 0) {
        for (const code of new Set(record.warnings.map((each) => each.code))) count(warnings, code)
      }
    },
    finish({ columns, journal, notes, warnings: ofFile, ...ranges }: SummaryTotals): Summary {
      const problems = [...listFileProblems(), ...ofFile]
      for (const { code } of problems) count(codes, code)
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
        problems,
        records: { total, ...Object.fromEntries(counts) },
        ...(steps && { operations: orderCounts(steps, countsByOperation) }),
        rows,
        refusedLines: countLines(ranges.refused),
        heldLines: countLines(ranges.held),
        heldFor: Object.fromEntries(reasons),
        codes: Object.fromEntries(codes),
        warnings: Object.fromEntries(warnings),
        ...(notes === undefined || notes.total === 0 ? {} : { notes }),
        ...(columns === undefined ? {} : { columns: { ...columns, didYouMean: suggestColumns(columns) } }),
        ...(documents.size === 0 ? {} : { documents: Object.fromEntries(documents) }),
        ...(journal === undefined ? {} : { journal }),
        ...measureTimes(file),
      }
    },
  }
}

/** Counts, for each column, the records whose dates read both ways, and keeps the first date that reads in the other order alone. */
export function collectDateDoubts() {
  const columns = new Map<string, { count: number; other?: DateOrder }>()
  const addDraft = ({ dateOrders = [], problems }: Draft) => {
    for (const order of dateOrders) {
      const { column = '' } = order.place
      const known = columns.get(column) ?? { count: 0 }
      columns.set(column, known)
      if (order.isOther) known.other ??= order
      else if (problems.length === 0) known.count += 1
    }
  }
  return {
    add: (drafts: readonly Draft[]) => drafts.forEach(addDraft),
    list: () =>
      [...columns.values()].flatMap(({ count, other }) =>
        other === undefined || count === 0 ? [] : [warnOfOtherOrder(other, count)],
      ),
  }
}

function warnOfOtherOrder({ text, place, own, other }: DateOrder, count: number): Problem {
  const first = `"${text}" is a date as ${other} alone`
  const message = `${first}, and ${count === 1 ? '1 date of its column reads' : `${count} dates of its column read`} both ways, and ${count === 1 ? 'was' : 'were'} taken as ${own}.`
  return { ...problem('date-order-doubtful', place, message), severity: 'warning' }
}

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

/** Groups by the title of the problem, or by the message where a person wrote it or the breaker chose it. */
function listHoldReasons({ problems }: ReportedRecord): ReadonlySet<string> {
  const isShared = (code: ProblemCode) => code === 'held-by-mapping' || code === 'circuit-breaker-open'
  return new Set(problems.map(({ code, message }) => (isShared(code) ? message : PROBLEMS[code].title)))
}

/** Held because an earlier step of its order failed. */
export function isHeldDependent({ state, problems }: Pick<ReportedRecord, 'state' | 'problems'>): boolean {
  return state === 'held' && problems[0]?.code === 'earlier-step-failed'
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
