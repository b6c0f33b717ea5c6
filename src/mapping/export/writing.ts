/** How a mapping says what its export looks like: the frames of `records`, `trailer` and `file`, and what the writer is told. */
import { z } from 'zod'
import type { WriteOptions } from '../../domain/format.ts'
import { keyPlace, type MapNode, type Mistakes, type SourceNode } from '../source/source.ts'
import { fitter, type Holds, holderOf, holdsAll, isUnicode } from './characters.ts'
import type { Fit, Paper, RefuseCell } from './paper.ts'
import type { WriteFrame } from './write-frame.ts'

const Text = z.string().min(1)

/** One kind of row in a file whose rows say in their first cell what they are. */
export const RecordFrame = z.strictObject({
  type: Text,
  each: Text.optional(),
  columns: z.unknown().optional(),
})

export const TrailerFrame = z.strictObject({ type: Text.optional(), columns: z.unknown().optional() })

export const FileFrame = z.strictObject({ records: z.int().min(1) })

/** What the writer is told and what cells are held to; what is wrong is noted. */
export function compileWrite(
  write: WriteFrame,
  root: MapNode,
  { isTable, mistakes }: { readonly isTable: boolean; readonly mistakes: Mistakes },
): { readonly options: WriteOptions; readonly paper: Paper } {
  const { fold: _, replace: __, formulas, above: ___, ...options } = write
  const { format, encoding = 'utf-8', delimiter = ',' } = write
  const node = root.entries.get('write')?.node
  const note = (key: keyof WriteFrame, message: string) =>
    mistakes.add(node?.kind === 'map' ? keyPlace(node, key) : root, message)
  const holds = holderOf(encoding) ?? holdsAll
  checkWrite(write, isTable, note)
  const isUnquoted = write.quote === null && format === 'csv'
  const bare = format === 'fixed' ? {} : isUnquoted ? { delimiter } : undefined
  const fit = fitter(write, holds, bare)
  const above = linesAbove(node, { write, holds, fit, mistakes })
  return {
    options: {
      ...options,
      ...(isTable ? {} : { header: false }),
      ...(above.length === 0 ? {} : { above }),
    },
    paper: {
      isFixed: format === 'fixed',
      hasHeader: isTable && (write.header ?? format === 'csv'),
      guardsFormulas: formulas === 'guard',
      isUnquoted,
      ...(fit === undefined ? {} : { fit }),
    },
  }
}

/** What under `write` does not go together. */
function checkWrite(
  write: WriteFrame,
  isTable: boolean,
  note: (key: keyof WriteFrame, message: string) => void,
): void {
  const { format, encoding = 'utf-8', delimiter = ',', fold, replace, quote } = write
  for (const key of ['delimiter', 'quote', 'quoteAll'] as const) {
    if (format === 'fixed' && write[key] !== undefined) note(key, `a fixed-width file has no \`${key}\``)
  }
  if (write.header === true && !isTable) note('header', 'a file of `records` has no header line')
  if (holderOf(encoding) === undefined) {
    note('encoding', `files cannot be written as "${encoding}": try utf-8, windows-1252 or utf-16le`)
  }
  if (write.byteOrderMark === true && !isUnicode(encoding)) {
    note('byteOrderMark', `a byte order mark is for utf-8 and utf-16, not for ${encoding}`)
  }
  if (quote === null && write.quoteAll === true) note('quoteAll', 'the file has no quotes: `quote` is null')
  if (replace === undefined) return
  if (quote === null && replace === delimiter) note('replace', 'this stands between the cells itself')
  if (format !== 'fixed' && quote !== null && fold === undefined && isUnicode(encoding)) {
    note('replace', `${encoding} holds every character, so there is nothing to replace`)
  }
}

/** The lines above the header, in characters the file can hold. */
function linesAbove(
  write: SourceNode | undefined,
  paper: {
    readonly write: WriteFrame
    readonly holds: Holds
    readonly fit: Fit | undefined
    readonly mistakes: Mistakes
  },
): (string | readonly string[])[] {
  const written = write?.kind === 'map' ? write.entries.get('above')?.node : undefined
  if (written?.kind !== 'list') return []
  const fitLine = fitter(paper.write, paper.holds)
  const textOf = (node: SourceNode, fit: Fit | undefined) => {
    const text = node.kind === 'text' ? node.text : ''
    if (/[\r\n]/.test(text)) paper.mistakes.add(node, 'this is one line, and holds no line break')
    const note: RefuseCell = (_code, message) => {
      paper.mistakes.add(node, message)
      return ''
    }
    return fit?.(text, note) ?? text
  }
  return written.items.map((line) => {
    if (line.kind !== 'list') return textOf(line, fitLine)
    if (paper.write.format === 'fixed') {
      paper.mistakes.add(line, 'a fixed-width file has no cells here: write the line as one text')
    }
    return line.items.map((cell) => textOf(cell, paper.fit))
  })
}
