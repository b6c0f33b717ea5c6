/** `dropbridge map try`: a record of a file beside the body that comes of it, or of an export beside its rows; nothing is sent. */
import { readRecords } from '../../../bridge/maps/records.ts'
import { triedRecord, type TriedRecord } from '../../../bridge/maps/try.ts'
import { wholeFile } from '../../../bridge/whole-file.ts'
import { createFormats } from '../../../formats/formats.ts'
import { loadMapping } from '../../../mapping/load.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import { sayVerdict } from '../../file-verdict.ts'
import { problemInWords } from '../../problem-in-words.ts'
import type { Terminal } from '../../terminal.ts'
import { fieldLines } from './tried-fields.ts'
import { tryExport } from './try-export.ts'

export interface TryOptions {
  readonly file: string
  readonly mapping: string
  /** The one record to show; the first few without it. */
  readonly record: number | undefined
  readonly json: boolean
}

/** So many records are shown when none is named. */
const SHOWN = 3

export async function tryMapping(terminal: Terminal, options: TryOptions): Promise<ExitCode> {
  const { file, record, json } = options
  const mapping = await loadMapping(pathFrom(terminal, options.mapping))
  if (mapping.direction === 'outbound') return tryExport(terminal, mapping, options)
  const isShown = (number: number) => (record === undefined ? number <= SHOWN : number === record)
  const read = await readRecords(pathFrom(terminal, file), createFormats(), mapping, isShown)
  if ('problems' in read) {
    for (const each of read.problems) terminal.say(`${file}: ${problemInWords(each)}  [${each.code}]`)
    return EXIT.unusableFile
  }
  const { absentColumns, unusedColumns } = read.bound
  const whole = wholeFile(mapping.operation, read.bound)
  let last = 0
  let refused = 0
  for await (const each of read.records) {
    last = each.draft.number
    whole.add(each.draft)
    if (!isShown(last)) continue
    const tried = triedRecord(each)
    if (tried.outcome === 'refused') refused += 1
    if (json) terminal.out(JSON.stringify(tried))
    else for (const line of inWords(tried)) terminal.out(line)
    if (record !== undefined) break
  }
  if (record !== undefined && last !== record) {
    throw new BridgeError('usage-wrong', `${file} has ${last} records; there is no record ${record}`)
  }
  if (unusedColumns.length > 0) terminal.say(`columns that are not used: ${unusedColumns.join(', ')}`)
  if (absentColumns.length > 0)
    terminal.say(`columns that the file does not have: ${absentColumns.join(', ')}`)
  if (record === undefined && last > SHOWN) {
    terminal.say(`The first ${SHOWN} of ${last} records are shown; --record N shows another one.`)
  }
  const exit = record === undefined ? sayVerdict(terminal, file, whole.end()) : EXIT.ok
  return exit === EXIT.ok && refused > 0 ? EXIT.rejects : exit
}

function inWords(tried: TriedRecord): string[] {
  const { number, key, lines, outcome, fields, problems } = tried
  const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(', ')}`
  const wrong = { translated: 'wrong', refused: 'wrong', skipped: 'left out', held: 'held' }[outcome]
  return [
    `record ${number} (${key}), ${where}${outcome === 'translated' ? '' : `: ${outcome}`}`,
    ...fieldLines(tried),
    ...fields
      .flatMap((field) => field.problems)
      .map((each) => `  wrong: ${problemInWords(each)}  [${each.code}]`),
    ...problems.map((each) => `  ${wrong}: ${problemInWords(each)}  [${each.code}]`),
    '',
  ]
}
