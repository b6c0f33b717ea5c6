/** Compiles how documents become rows: the grammar, the loops of records and lines, and the paths of the columns. */
import type { EdiColumn, EdiReadOptions } from '../../domain/format.ts'
import { type FindGrammar, findGrammar } from '../../edi/documents.ts'
import type { Grammar, LoopRule } from '../../edi/grammar.ts'
import { compilePartnerGrammar } from '../../edi/partner-grammar.ts'
import { compileLoopTest, compilePath, type EdiPath, type LoopTest } from '../../edi/paths.ts'
import type { Syntax } from '../../edi/segment.ts'
import { BridgeError } from '../../support/errors.ts'
import { keepIds, type KeptSegments } from './loops.ts'

/** The columns, loops and grammar of one reading, compiled once. */
export interface ReadingPlan {
  readonly syntax: Syntax
  readonly document: string
  readonly rule: LoopRule
  /** The grammars for all documents of the file: for those that are read, the partner's. */
  readonly findGrammar: FindGrammar
  readonly records: readonly LoopTest[]
  /** Records are smaller than a set and stand behind each other, so they need not be kept together. */
  readonly isFlat: boolean
  readonly lines: LoopTest
  readonly same: readonly (readonly EdiPath[])[]
  readonly recordColumns: readonly CompiledColumn[]
  readonly lineColumns: readonly CompiledColumn[]
  readonly usage: NonNullable<EdiReadOptions['usage']>
  readonly elsewhere: EdiReadOptions['elsewhere']
  readonly mappingName: EdiReadOptions['mappingName']
  /** The segments that paths lead to. */
  readonly keeps: KeptSegments
}

export interface CompiledColumn extends Pick<EdiColumn, 'name' | 'every'> {
  readonly path: EdiPath
}

/** The plans of mappings that are in use: a mapping reads file after file. */
const PLANS: Readonly<Record<Syntax, WeakMap<EdiReadOptions, ReadingPlan>>> = {
  x12: new WeakMap(),
  edifact: new WeakMap(),
}

/**
 * The same options give the same plan, compiled once. Throws `configuration-invalid` for a document without a grammar, and for
 * paths that lead nowhere in it.
 */
export function compileReading(syntax: Syntax, options: EdiReadOptions): ReadingPlan {
  const plan = PLANS[syntax].get(options) ?? createPlan(syntax, options)
  PLANS[syntax].set(options, plan)
  return plan
}

function createPlan(syntax: Syntax, options: EdiReadOptions): ReadingPlan {
  const grammar = compileOwnGrammar(syntax, options)
  const context = { grammar, dictionary: grammar.dictionary }
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
    findGrammar: (of, document) =>
      of === syntax && document === options.document ? grammar : findGrammar(of, document),
    records,
    isFlat: records.every(({ id }) => id !== root.id && root.loops.get(id)?.tree === undefined),
    lines: loop(options.lines ?? definition.lines),
    same,
    recordColumns,
    lineColumns,
    usage: options.usage ?? 'production',
    elsewhere: options.elsewhere,
    mappingName: options.mappingName,
    keeps: keepIds(paths.flatMap(listIds)),
  }
}

function listIds({ segment, value }: EdiPath): string[] {
  const more = value.kind === 'pair' && 'more' in value.pairs ? value.pairs.more : undefined
  return more === undefined ? [segment.id] : [segment.id, more.id]
}

function compileOwnGrammar(syntax: Syntax, { document, grammar: changes }: EdiReadOptions): Grammar {
  const errors: string[] = []
  const grammar =
    changes === undefined
      ? findGrammar(syntax, document)
      : compilePartnerGrammar(changes, (_, message) => errors.push(message))
  if (grammar?.document === document) return grammar
  const message = errors[0] ?? `There is no grammar for ${syntax} ${document}.`
  throw new BridgeError('configuration-invalid', message)
}
