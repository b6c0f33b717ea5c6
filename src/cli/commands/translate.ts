/** `dropbridge translate`: file in, JSON out, or for an export records in and its file out; nothing sent. */
import { createFormats } from '../../formats/formats.ts'
import { translateFile } from '../../bridge/translate.ts'
import { wholeFile } from '../../bridge/whole-file.ts'
import type { Draft } from '../../domain/translator.ts'
import { exampleBody } from '../../mapping/example-records.ts'
import { loadMapping } from '../../mapping/load.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { pathFrom } from '../context.ts'
import { sayVerdict } from '../file-verdict.ts'
import { problemInWords } from '../problem-in-words.ts'
import type { Terminal } from '../terminal.ts'
import { columnsInWords } from '../run-in-words.ts'
import { translateRecords } from '../translated-records.ts'

export interface TranslateOptions {
  readonly file: string
  readonly mapping: string
  /** One object for each record, with its lines and problems, instead of the bare bodies. */
  readonly json: boolean
  /** For an export: the file to write. */
  readonly out: string | undefined
}

/** Bodies go to stdout, one JSON line each; problems are told on stderr. */
export async function translate(terminal: Terminal, options: TranslateOptions): Promise<ExitCode> {
  const mapping = await loadMapping(pathFrom(terminal, options.mapping))
  if (mapping.direction === 'outbound') return translateRecords(terminal, mapping, options)
  if (options.out !== undefined) {
    throw new BridgeError('usage-wrong', '--out is for exports; the bodies of a file go to stdout')
  }
  const translation = await translateFile(
    pathFrom(terminal, options.file),
    createFormats(),
    mapping.translator,
  )
  if ('unusable' in translation) {
    for (const each of translation.unusable)
      terminal.say(`${options.file}: ${problemInWords(each)}  [${each.code}]`)
    return EXIT.unusableFile
  }
  if (translation.columns.absent.length > 0)
    terminal.say(`${options.file} ${columnsInWords(translation.columns)}`)
  const whole = wholeFile(mapping.operation, translation)
  let good = 0
  let bad = 0
  let skipped = 0
  let held = 0
  for await (const drafts of translation.drafts) {
    for (const draft of drafts) {
      whole.add(draft)
      if (draft.skipped !== undefined) skipped++
      else if (draft.held !== undefined) held++
      else if (draft.problems.length > 0) bad++
      else good++
      if (options.json) terminal.out(JSON.stringify(draft))
      else tell(terminal, draft)
    }
  }
  const ignored = translation.ignored()
  const also = [
    ...(skipped === 0 ? [] : [`, ${skipped} skipped`]),
    ...(held === 0 ? [] : [`, ${held} held`]),
    ...(ignored === 0 ? [] : [`, ${ignored} lines ignored`]),
  ].join('')
  terminal.say(`${good} records translated, ${bad} refused${also}`)
  const exit = sayVerdict(terminal, options.file, whole.end())
  return exit === EXIT.ok && bad + held > 0 ? EXIT.rejects : exit
}

function tell(terminal: Terminal, draft: Draft): void {
  const name = `record ${draft.number} (${draft.keyValues.join(' ')})`
  const put = draft.skipped ? 'skipped' : draft.held ? 'held for a person' : undefined
  if (put !== undefined) {
    return terminal.say(`${name} is ${put}: ${draft.problems.map(({ message }) => message).join(' ')}`)
  }
  if (draft.problems.length === 0) return terminal.out(JSON.stringify(exampleBody(draft)))
  terminal.say(`${name} is refused:`)
  for (const each of draft.problems) terminal.say(`  ${problemInWords(each)}  [${each.code}]`)
}
