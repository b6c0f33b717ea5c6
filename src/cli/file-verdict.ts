/** What `run` would make of a file as a whole, said by those who only look at it. */
import type { FileVerdict } from '../bridge/whole-file.ts'
import { EXIT, type ExitCode } from '../support/errors.ts'
import { problemInWords } from './problem-in-words.ts'
import type { Terminal } from './terminal.ts'

/** Says it, and gives the exit code that it asks for. */
export function sayVerdict(terminal: Terminal, file: string, verdict: FileVerdict): ExitCode {
  const { unusable, conflicts, isEmpty } = verdict
  for (const each of [...unusable, ...conflicts]) {
    terminal.say(`${file}: ${problemInWords(each)}  [${each.code}]`)
  }
  if (unusable.length > 0) {
    terminal.say(`run refuses ${file} as a whole: nothing of it would be sent.`)
    return EXIT.unusableFile
  }
  if (conflicts.length > 0) terminal.say('run refuses every version of a record of which a file has two.')
  else if (isEmpty) terminal.say(`${file} has no rows that make a record: run would send nothing.`)
  return conflicts.length > 0 ? EXIT.rejects : EXIT.ok
}
