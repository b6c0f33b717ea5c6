/** Watching a translator make its records, for the tools that show how each came about. */
import type { Layout, Row } from '../domain/document.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, FileSource, Translator } from '../domain/translator.ts'
import type { ExplainedField } from './binding/explained.ts'

/** A record that was just made, for the tools that show how. */
export interface MadeRecord {
  readonly draft: Draft
  /** Its rows, one for each line where several are packed into one. */
  readonly rows: readonly Row[]
  /** Each field with the steps from its cells to its value; to be asked before the next record is made. */
  readonly fields: () => readonly ExplainedField[]
}

export type Watch = (record: MadeRecord) => void

/** A translator whose records can be watched as they are made. */
export interface WatchedTranslator extends Translator {
  bind(layouts: readonly Layout[], source?: FileSource, watch?: Watch): BoundTranslator | readonly Problem[]
}
