/** The names of a mapping for documents of X12 and EDIFACT: paths, which become the columns of the rows. */
import { z } from 'zod'
import type { EdiColumn, EdiReadOptions } from '../../domain/format.ts'
import { findGrammar, listDocuments } from '../../edi/documents.ts'
import type { Grammar } from '../../edi/grammar.ts'
import { compileLoopTest, compilePath, leadsInto, type LoopTest, type PathContext } from '../../edi/paths.ts'
import type { Syntax } from '../../edi/segment.ts'
import { didYouMean } from '../../support/text.ts'
import { Text } from '../source/schema.ts'
import type { PartnerGrammar } from './partner-grammar.ts'

const Loops = z.union([Text, z.array(Text).min(1)], {
  error: 'expected a loop such as HL*P, or a list of them',
})

/** The loops of a document that make records and lines, where they are not those of its grammar. */
export const LoopsFrame = z.strictObject({
  record: Loops.optional(),
  line: Text.optional(),
  same: z
    .array(z.union([Text, z.array(Text).min(1)]))
    .min(1)
    .optional(),
})

type LoopsFrame = z.infer<typeof LoopsFrame>

export const UsageFrame = z.enum(['production', 'test', 'any'], {
  error: 'expected `production`, `test` or `any`',
})

/** The keys of `read` that say which documents are read and how. */
export interface DocumentFrame {
  readonly document?: string | undefined
  readonly loops?: LoopsFrame | undefined
  readonly usage?: z.infer<typeof UsageFrame> | undefined
  /** The grammar of a partner, which takes the place of the built-in one. */
  readonly partner?: PartnerGrammar | undefined
}

/** How several values of a path become one. */
export type Gathering = NonNullable<EdiColumn['every']>

/** Checks the paths that a mapping names, and collects them for the reader. */
export interface PathNames {
  /** Says why the path cannot be used in a record, or in a line of it; undefined when it can. */
  check(path: string, perRow: boolean, gathering?: Gathering): string | undefined
  /** The name of the column with all values of a path. */
  nameGathered(path: string, gathering: Gathering): string
  toOptions(): EdiReadOptions
}

type Report = (keys: readonly string[], message: string) => undefined

/** Undefined where the document or its loops are wrong; each error is noted. */
export function createPathNames(
  syntax: Syntax,
  { document, loops = {}, usage, partner }: DocumentFrame,
  report: Report,
): PathNames | undefined {
  const example = syntax === 'x12' ? '850' : 'ORDERS'
  if (document === undefined)
    return report(['format'], `document is missing: say which is read, such as \`document: ${example}\``)
  const builtIn = findGrammar(syntax, document)
  if (builtIn === undefined) {
    const known = listDocuments()
      .map((each) => each.document.split('/'))
      .flatMap(([of, name = '']) => (of === syntax ? [name] : []))
    return report(
      ['document'],
      `there is no grammar for ${document}.${didYouMean(document, known)} There are ${known.join(', ')}.`,
    )
  }
  if (partner !== undefined && builtIn.definition.document !== partner.grammar.definition.document) {
    const is = `${partner.grammar.syntax}/${partner.grammar.document}`
    return report(['grammar'], `it is the grammar of ${is}, and the mapping reads ${syntax}/${document}`)
  }
  const grammar = partner?.grammar ?? builtIn
  const context: PathContext = { grammar, dictionary: grammar.dictionary }
  const records = compileLoops(toList(loops.record), ['loops', 'record'], context, report)
  const [line] =
    compileLoops([loops.line ?? grammar.definition.lines], ['loops', 'line'], context, report) ?? []
  if (records === undefined || line === undefined) return undefined
  const same = loops.same?.map(toList)
  for (const path of same?.flat() ?? []) {
    const compiled = compilePath(path, context)
    if (typeof compiled === 'string') report(['loops', 'same'], compiled)
  }
  const columns = { record: new Map<string, EdiColumn>(), line: new Map<string, EdiColumn>() }
  const nameGathered = (path: string, gathering: Gathering) =>
    typeof gathering === 'string'
      ? `${gathering} ${path}`
      : `every ${path}${gathering.with === '\n' ? '' : ` with ${JSON.stringify(gathering.with)}`}`
  return {
    check(path, perRow, gathering) {
      const compiled = compilePath(path, context)
      if (typeof compiled === 'string') return compiled
      const inLine =
        !perRow &&
        gathering === undefined &&
        isOfLine(grammar, records, line) &&
        leadsInto(compiled, line, grammar.root)
      if (inLine) {
        return `${path} has a value for each ${line.id}: name it in the list of lines, or take all of them with \`every\` or \`sum\``
      }
      const name = gathering === undefined ? path : nameGathered(path, gathering)
      const every = gathering === undefined ? {} : { every: gathering }
      const column = { name, path, ...every }
      ;(perRow ? columns.line : columns.record).set(name, column)
      return undefined
    },
    nameGathered,
    toOptions: () => ({
      document: grammar.document,
      ...(partner === undefined ? {} : { grammar: partner.changes }),
      ...(loops.record === undefined ? {} : { records: toList(loops.record) }),
      ...(same === undefined ? {} : { same }),
      ...(loops.line === undefined ? {} : { lines: loops.line }),
      ...(usage === undefined ? {} : { usage }),
      recordColumns: [...columns.record.values()],
      lineColumns: [...columns.line.values()],
    }),
  }
}

/** Whether lines are parts of records, and not the records themselves. */
function isOfLine(grammar: Grammar, records: readonly LoopTest[], line: LoopTest): boolean {
  const ids =
    records.length > 0
      ? records.map(({ id }) => id)
      : (grammar.definition.records ?? []).map((loop) => loop.split(/[*+]/)[0])
  return !ids.includes(line.id)
}

function compileLoops(
  written: readonly string[],
  keys: readonly string[],
  context: PathContext,
  report: Report,
): readonly LoopTest[] | undefined {
  const compiled = written.map((loop) => compileLoopTest(loop, context))
  for (const each of compiled) if (typeof each === 'string') report(keys, each)
  const loops = compiled.filter((each) => typeof each !== 'string')
  return loops.length < compiled.length ? undefined : loops
}

function toList(written: string | readonly string[] | undefined): string[] {
  if (written === undefined) return []
  return typeof written === 'string' ? [written] : [...written]
}
