/** `dropbridge translate` with the mapping of an export: records in, the file that would be delivered out, nothing sent. */
import { type ApiRecord, recordsIn } from '../bridge/maps/exported.ts'
import type { OutboundOperationName } from '../contract/operations.ts'
import { createFormats } from '../formats/formats.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { recordName } from '../pipelines/outbound/record-name.ts'
import { emptyTally, reportLines, type ReportTally } from '../pipelines/outbound/report-lines.ts'
import { EXIT, type ExitCode } from '../support/errors.ts'
import { writeNewFile } from '../support/new-file.ts'
import { pathFrom } from './context.ts'
import { heldInWords } from './outbound-in-words.ts'
import type { Terminal } from './terminal.ts'

export interface TranslateRecordsOptions {
  readonly file: string
  /** The file to write; on stdout without it. */
  readonly out: string | undefined
  /** One object for each record, with its rows or problems, instead of the file. */
  readonly json: boolean
}

export async function translateRecords(
  terminal: Terminal,
  { composer, operation }: OutboundMapping & { readonly operation: OutboundOperationName },
  { file, out, json }: TranslateRecordsOptions,
): Promise<ExitCode> {
  const records = await recordsIn(pathFrom(terminal, file))
  if (json) {
    const made = records.map((record, index) => ({
      number: index + 1,
      name: recordName(operation, record),
      ...composer.rows(record),
    }))
    for (const each of made) terminal.out(JSON.stringify(each))
    return made.some((each) => 'problems' in each) ? EXIT.rejects : EXIT.ok
  }
  const tally = emptyTally()
  const lines = reportLines({ composer, operation, format: createFormats() }, pagesOf(records), tally)
  if (out === undefined) for await (const bytes of lines) await terminal.outBytes(bytes)
  else await writeNewFile(pathFrom(terminal, out), lines)
  return tell(terminal, tally, out)
}

/** So many records are turned into rows at once. */
const PAGE = 250

// oxlint-disable-next-line require-await -- the pages of an API come one after another, and so do these
async function* pagesOf(records: readonly ApiRecord[]): AsyncGenerator<readonly ApiRecord[]> {
  for (let from = 0; from < records.length; from += PAGE) yield records.slice(from, from + PAGE)
}

function tell(terminal: Terminal, tally: ReportTally, out: string | undefined): ExitCode {
  const { records, rows, unwritten, firstUnwritten } = tally
  const counted = [countOf(records, 'record'), countOf(rows, 'row')].join(', ')
  terminal.say(
    `${out === undefined ? '' : `${out}: `}${counted}${unwritten === 0 ? '' : `; ${unwritten} held`}`,
  )
  for (const each of firstUnwritten) for (const line of heldInWords(each)) terminal.say(line)
  return unwritten === 0 ? EXIT.ok : EXIT.rejects
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
