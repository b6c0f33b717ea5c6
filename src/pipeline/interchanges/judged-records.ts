/** Reads what became of the records of a file's parts, for the verdicts on their sets. */
import type { FileEntry } from '../../domain/file.ts'
import type { JudgedRecord, SetReading } from '../../domain/interchange.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { readPages } from '../../support/async.ts'
import type { InterchangeContext } from './context.ts'

/** How the routes read the sets of their parts. A route that is not configured any more reads by the built-in grammars. */
export async function listReadings(
  { journal, takers }: Pick<InterchangeContext, 'journal' | 'takers'>,
  parts: readonly FileEntry[],
): Promise<readonly SetReading[]> {
  const readings: SetReading[] = []
  for (const { id, route } of parts) {
    const taker = takers.find((each) => each.route === route)
    if (taker === undefined) continue
    const { syntax, read } = taker
    readings.push({ sets: (await journal.getPartSets(id)) ?? [], syntax, read })
  }
  return readings
}

const RECORDS_PAGE = 1000

/**
 * The records of all parts, in the order of the file. Only a record that planning refused has problems here: what the API
 * said of a record that was sent never concerns its partner.
 */
export async function* readJudgedRecords(
  { journal }: Pick<InterchangeContext, 'journal'>,
  parts: readonly FileEntry[],
): AsyncGenerator<readonly JudgedRecord[]> {
  const readers = parts.map((part) => createRecordReader(journal, part.id))
  for (const reader of readers) await reader.fill()
  for (;;) {
    const batch: JudgedRecord[] = []
    while (batch.length < RECORDS_PAGE) {
      for (const reader of readers) await reader.fill()
      const record = findFirst(readers)?.take()
      if (record === undefined) break
      batch.push(record)
    }
    if (batch.length === 0) return
    yield batch
  }
}

type RecordReader = ReturnType<typeof createRecordReader>

/** The reader whose next record stands first in the file. */
function findFirst(readers: readonly RecordReader[]): RecordReader | undefined {
  let first: RecordReader | undefined
  for (const reader of readers) {
    const line = reader.peek()?.line
    if (line !== undefined && line < (first?.peek()?.line ?? Infinity)) first = reader
  }
  return first
}

function createRecordReader(journal: InterchangeContext['journal'], fileId: string) {
  const read = (after: number) => journal.listReportedRecords(fileId, after, RECORDS_PAGE)
  const pages = readPages(read, 0, ({ number }) => number)[Symbol.asyncIterator]()
  let waiting: readonly JudgedRecord[] = []
  let next = 0
  let isDone = false
  /** That of the first step: later steps go through the same segments again, and come behind. */
  let operation: string | undefined
  return {
    peek: () => waiting[next],
    take: () => waiting[next++],
    /** Reads the next records when none wait. */
    async fill(): Promise<void> {
      if (next < waiting.length || isDone) return
      const { done, value } = await pages.next()
      if (done === true) {
        isDone = true
        return
      }
      operation ??= value[0]?.operation
      waiting = value.filter((record) => record.operation === operation).map(toJudgedRecord)
      next = 0
      if (waiting.length === 0) isDone = true
    },
  }
}

function toJudgedRecord({ lines, state, attempts, problems }: ReportedRecord): JudgedRecord {
  const isRefused = state === 'rejected' && attempts === 0
  return { line: lines[0]?.[0] ?? 0, problems: isRefused ? problems : [] }
}
