/** `dropbridge translate`: file in, JSON out; for an export, records in and the file out. Sends nothing. */
import { createExampleEnvelope, SET_BEGINNING, type WriteOptions } from '../../domain/format.ts'
import { addBodyWarnings, previewFile } from '../../app/outcome-preview.ts'
import type { OutboundOperationName } from '../../contract/operations.ts'
import type { ComposedRows, Draft } from '../../domain/translator.ts'
import { formatSegment } from '../../formats/edi/writer.ts'
import { createFormats } from '../../formats/formats.ts'
import { type ApiRecord, readApiRecords } from '../../mapping-tools/exported-rows.ts'
import { translateFile } from '../../mapping-tools/translate-file.ts'
import { composeExample, toExampleBody } from '../../mapping/examples.ts'
import { type InboundMapping, loadMapping, type OutboundMapping } from '../../mapping/load.ts'
import {
  createTally,
  formatRecordName,
  type ReportTally,
  writeReportLines,
} from '../../pipeline/outbound/file-rows.ts'
import { EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import { writeNewFile } from '../../support/files.ts'
import { defineCommand, FILE_ARGUMENT, text, translationFlags, type TranslationOptions } from '../command.ts'
import { resolvePath } from '../context.ts'
import { formatWarned, formatHeldRecord } from '../format/outbound.ts'
import { formatColumnMismatch } from '../format/run.ts'
import { formatCodedProblem, formatCount, reportFileVerdict, sayProblems } from '../format/text.ts'
import type { Terminal } from '../terminal.ts'

type TranslateOptions = TranslationOptions & { readonly out: string | undefined }

/** Bodies go to stdout, one JSON line each; problems are reported on stderr. */
export const translateCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: translationFlags({ out: text('For an export: the file to write; on stdout without it') }),
  async run(terminal, options) {
    const mapping = await loadMapping(resolvePath(terminal, options.mapping))
    return mapping.direction === 'outbound'
      ? translateRecords(terminal, mapping, options)
      : translateRows(terminal, mapping, options)
  },
})

/** `json`: one object for each record, with its lines and problems, instead of the bare bodies. */
async function translateRows(
  terminal: Terminal,
  mapping: InboundMapping,
  { file, out, json }: TranslateOptions,
): Promise<ExitCode> {
  if (out !== undefined)
    throw usageError(
      '--out is for exports; the bodies of a file go to stdout',
      'Leave --out out, and write `> FILE` at the end of the command.',
    )
  const translation = await translateFile(resolvePath(terminal, file), createFormats(), mapping.translator)
  if ('unusable' in translation) {
    sayProblems(terminal, file, translation.unusable)
    return EXIT.unusableFile
  }
  if (translation.columns.absent.length > 0)
    terminal.say(`${file} ${formatColumnMismatch(translation.columns)}`)
  const whole = previewFile({ operation: mapping.operation, bound: translation, reading: translation })
  const { operation, translator } = mapping
  const detailRows = translator.read.records !== undefined || translator.read.edi !== undefined
  const about = { operation, bound: translation.bound, now: terminal.clock.now(), detailRows }
  const count = { good: 0, bad: 0, skipped: 0, held: 0 }
  for await (const drafts of translation.drafts) {
    await whole.add(drafts)
    for (const translated of drafts) {
      const draft = addBodyWarnings(translated, about)
      count[classifyDraft(draft)]++
      if (json) terminal.out(JSON.stringify(draft))
      else reportDraft(terminal, draft)
    }
  }
  const others = [
    [count.skipped, `${count.skipped} skipped`],
    [count.held, `${count.held} held`],
    [translation.ignored(), `${formatCount(translation.ignored(), 'line')} ignored`],
  ] as const
  const also = others.map(([number, text]) => (number > 0 ? `, ${text}` : '')).join('')
  terminal.say(`${formatCount(count.good, 'record')} translated, ${count.bad} refused${also}`)
  terminal.say(NOT_CHECKED)
  const exit = reportFileVerdict(terminal, file, whole.end())
  return exit === EXIT.ok && count.bad + count.held > 0 ? EXIT.rejects : exit
}

const NOT_CHECKED =
  'Not checked here: what only the API and the journal know, such as orders, items, stock and earlier records.'

function classifyDraft({ skipped, held, problems }: Draft): 'skipped' | 'held' | 'bad' | 'good' {
  if (skipped !== undefined) return 'skipped'
  if (held !== undefined) return 'held'
  return problems.length > 0 ? 'bad' : 'good'
}

function reportDraft(terminal: Terminal, draft: Draft): void {
  const name = `record ${draft.number} (${draft.keyValues.join(' ')})`
  const put = draft.skipped ? 'skipped' : draft.held ? 'held for a person' : undefined
  if (put !== undefined) {
    return terminal.say(`${name} is ${put}: ${draft.problems.map(({ message }) => message).join(' ')}`)
  }
  if (draft.problems.length === 0) {
    terminal.out(JSON.stringify(toExampleBody(draft)))
    for (const each of draft.warnings ?? []) terminal.say(`${name}, warning: ${formatCodedProblem(each)}`)
    return
  }
  terminal.say(`${name} is refused:`)
  for (const each of draft.problems) terminal.say(`  ${formatCodedProblem(each)}`)
}

// Exports

/** `json`: one object for each record, with its rows, segments or problems, instead of the file. */
async function translateRecords(
  terminal: Terminal,
  { composer, operation }: OutboundMapping & { readonly operation: OutboundOperationName },
  { file, out, json }: TranslateOptions,
): Promise<ExitCode> {
  const records = await readApiRecords(resolvePath(terminal, file))
  const { edi } = composer.write
  if (json) {
    const made = records.map((record, index) => ({
      number: index + 1,
      name: formatRecordName(operation, record),
      ...formatSegments(composeExample(composer, record), edi),
    }))
    for (const each of made) terminal.out(JSON.stringify(each))
    return made.some((each) => 'problems' in each) ? EXIT.rejects : EXIT.ok
  }
  const tally = createTally()
  const envelope = createExampleEnvelope(composer.write.format)
  const context = { composer, operation, format: createFormats(), ...(envelope && { envelope }) }
  const lines = writeReportLines(context, splitIntoPages(records), tally)
  if (out === undefined) for await (const bytes of lines) await terminal.outBytes(bytes)
  else await writeNewFile(resolvePath(terminal, out), lines)
  return reportTally(terminal, tally, { out, hasRows: edi === undefined })
}

/** Turns the rows of a document into its segments, as they stand in the file. The row that only marks the begin of a set is left out. */
function formatSegments(composed: ComposedRows, edi: WriteOptions['edi']) {
  const envelope = edi && createExampleEnvelope(edi.syntax)
  if (edi === undefined || envelope === undefined || 'problems' in composed) return composed
  const { rows, ...rest } = composed
  const segments = rows.filter(([id]) => id !== SET_BEGINNING[edi.syntax])
  return { segments: segments.map((row) => formatSegment(row, edi.syntax, envelope)), ...rest }
}

/** How many records become rows at once. */
const PAGE_SIZE = 250

// oxlint-disable-next-line require-await -- the pages of an API come one after another, and so do these
async function* splitIntoPages(records: readonly ApiRecord[]): AsyncGenerator<readonly ApiRecord[]> {
  for (let from = 0; from < records.length; from += PAGE_SIZE) yield records.slice(from, from + PAGE_SIZE)
}

function reportTally(
  terminal: Terminal,
  tally: ReportTally,
  { out, hasRows }: { readonly out: string | undefined; readonly hasRows: boolean },
): ExitCode {
  const { records, rows, unwritten, firstUnwritten } = tally
  const counted = formatCount(records, 'record') + (hasRows ? `, ${formatCount(rows, 'row')}` : '')
  const held = unwritten === 0 ? '' : `; ${unwritten} held`
  terminal.say(`${out === undefined ? '' : `${out}: `}${counted}${held}`)
  for (const line of formatWarned(tally)) terminal.say(line)
  for (const each of firstUnwritten) for (const line of formatHeldRecord(each)) terminal.say(line)
  return unwritten === 0 ? EXIT.ok : EXIT.rejects
}
