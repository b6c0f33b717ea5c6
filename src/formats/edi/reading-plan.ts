/** Compiles how documents become rows: the grammar, the loops of records and lines, and the paths of the columns. */
import type { EdiColumn, EdiReadOptions } from '../../domain/format.ts'
import { DICTIONARIES, findGrammar } from '../../edi/documents.ts'
import type { LoopRule } from '../../edi/grammar.ts'
import { compileLoopTest, compilePath, type EdiPath, type LoopTest } from '../../edi/paths.ts'
import type { Syntax } from '../../edi/segment.ts'
import { BridgeError } from '../../support/errors.ts'

/** The columns, loops and grammar of one reading, compiled once. */
export interface ReadingPlan {
  readonly syntax: Syntax
  readonly document: string
  readonly rule: LoopRule
  readonly records: readonly LoopTest[]
  /** Records are smaller than a set and stand behind each other, so they need not be kept together. */
  readonly isFlat: boolean
  readonly lines: LoopTest
  readonly same: readonly (readonly EdiPath[])[]
  readonly recordColumns: readonly CompiledColumn[]
  readonly lineColumns: readonly CompiledColumn[]
  readonly usage: NonNullable<EdiReadOptions['usage']>
  /** The ids of the segments that paths lead to. */
  readonly ids: ReadonlySet<string>
}

export interface CompiledColumn extends Pick<EdiColumn, 'name' | 'every'> {
  readonly path: EdiPath
}

/** Throws `configuration-invalid` for a document without a grammar, and for paths that lead nowhere in it. */
export function compileReading(syntax: Syntax, options: EdiReadOptions): ReadingPlan {
  const grammar = findGrammar(syntax, options.document)
  if (grammar === undefined) {
    throw new BridgeError('configuration-invalid', `There is no grammar for ${syntax} ${options.document}.`)
  }
  const context = { grammar, dictionary: DICTIONARIES[syntax] }
  const sure = <Of>(compiled: Of | string): Of => {
    if (typeof compiled === 'string') throw new BridgeError('configuration-invalid', compiled)
    return compiled
  }
  const path = (text: string) => sure(compilePath(text, context))
  const loop = (text: string) => sure(compileLoopTest(text, context))
  const columns = (written: readonly EdiColumn[]) =>
    written.map((column) => ({ ...column, path: path(column.path) }))
  const { definition, root } = grammar
  const recordColumns = columns(options.recordColumns)
  const lineColumns = columns(options.lineColumns)
  const same = (options.same ?? []).map((paths) => paths.map(path))
  const paths = [...[...recordColumns, ...lineColumns].map((column) => column.path), ...same.flat()]
  const records = (options.records ?? definition.records ?? [root.id]).map(loop)
  return {
    syntax,
    document: options.document,
    rule: root,
    records,
    isFlat: records.every(({ id }) => id !== root.id && root.loops.get(id)?.tree === undefined),
    lines: loop(options.lines ?? definition.lines),
    same,
    recordColumns,
    lineColumns,
    usage: options.usage ?? 'production',
    ids: new Set(paths.flatMap(listIds)),
  }
}

function listIds({ segment, value }: EdiPath): string[] {
  const more = value.kind === 'pair' && 'more' in value.pairs ? value.pairs.more : undefined
  return more === undefined ? [segment.id] : [segment.id, more.id]
}
