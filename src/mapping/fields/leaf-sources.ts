/** Compiles the sources of a leaf: the columns it names, or values that are known without a column. */
import { didYouMean } from '../../support/text.ts'
import { type CalcPlan, listColumns, listSums } from '../calc/calculation.ts'
import { foldColumnName } from '../rows/columns.ts'
import { checkKnownName, isKnownName, looksLikeKnownName } from '../rows/columns.ts'
import { getEntry, type MappingErrors, nodeAt, type SourceNode } from '../source/source.ts'
import type { PathNames } from '../reading/edi-paths.ts'
import type { BodyLeaf } from './options.ts'
import type { ColumnAlternatives, LeafPlan, ValueSource } from './plan.ts'

export type LeafSources = Pick<LeafPlan, 'alternatives' | 'sources'>

type ReportSourceError = (message: string) => void

/** The columns a leaf names and what its text is made of; errors in the names are noted. */
export function compileSources(
  options: BodyLeaf,
  calc: CalcPlan | undefined,
  { perRow, note, paths }: SourceTarget & { readonly paths: PathNames | undefined },
): LeafSources {
  if (calc !== undefined) return { alternatives: compileCalcColumns(calc, perRow, note), sources: [] }
  const { from, firstOf, all, nth } = options
  if (paths !== undefined) return compilePathSources(options, paths, { perRow, note })
  const written = from === undefined ? (firstOf ?? all ?? []) : [from]
  const sources = written.map((one, index) => {
    const names = typeof one === 'string' ? [one] : one
    const isLast = firstOf === undefined || index === written.length - 1
    return compileSource(names, { nth, perRow, isLast, note })
  })
  const alternatives = sources.flatMap((source) => (source.kind === 'column' ? [source.names] : []))
  return { alternatives, sources }
}

interface SourceTarget {
  readonly perRow: boolean
  readonly note: ReportSourceError
}

/** Every path has its column, so of a list the first that is filled is taken, and not the first that the file has. */
function compilePathSources(
  options: BodyLeaf,
  paths: PathNames,
  { perRow, note }: SourceTarget,
): LeafSources {
  const { from, firstOf, all, nth, every, sum, with: separator = '\n' } = options
  if (nth !== undefined)
    note('`nth` is for columns: write # and the number behind the segment, as in REF*ZZ#2.02')
  const gathered = every ?? sum
  if (gathered !== undefined) {
    const gathering = sum === undefined ? { with: separator } : 'sum'
    const error = paths.check(gathered, perRow, gathering)
    if (error !== undefined) note(error)
    return toSources([paths.nameGathered(gathered, gathering)])
  }
  const written = from ?? firstOf ?? all ?? []
  const names = typeof written === 'string' ? [written] : written
  if (all?.some((name) => typeof name !== 'string'))
    note('`all` takes one path for each part here, and no lists')
  return toSources(names.flat())
}

function toSources(names: readonly string[]): LeafSources {
  const sources = names.map((name): ValueSource =>
    isKnownName(name) ? { kind: 'known', name } : { kind: 'column', names: [name] },
  )
  return {
    sources,
    alternatives: sources.flatMap((source) => (source.kind === 'column' ? [source.names] : [])),
  }
}

/** Compiles one source. A known value is never absent, so no source may follow it. */
function compileSource(
  names: readonly string[],
  where: { nth: number | undefined; perRow: boolean; isLast: boolean; note: ReportSourceError },
): ValueSource {
  const { nth, perRow, isLast, note } = where
  const at = names.findIndex(looksLikeKnownName)
  const known = names[at]
  const numbered = nth === undefined ? {} : { nth }
  if (known === undefined) return { kind: 'column', names, ...numbered }
  const isAlone = at === 0
  const error = checkKnownName(known, perRow)
  if (error !== undefined) note(error)
  else if (at < names.length - 1 || (isAlone && !isLast)) {
    note(`${known} is always there: nothing behind it is ever taken`)
  } else if (isAlone && nth !== undefined) note(`${known} is no column, and takes no \`nth\``)
  if (!isKnownName(known)) return { kind: 'column', names }
  return isAlone
    ? { kind: 'known', name: known }
    : { kind: 'column', names: names.slice(0, at), otherwise: known, ...numbered }
}

function compileCalcColumns({ calc }: CalcPlan, perRow: boolean, note: ReportSourceError) {
  return listColumns(calc).flatMap(({ name, inSum }) => {
    if (!looksLikeKnownName(name)) return [[name]]
    const error = checkKnownName(name, perRow)
    if (error !== undefined) note(error)
    else if (inSum) note(`${name} cannot be summed up`)
    return []
  })
}

export interface ColumnContext {
  readonly errors: MappingErrors
  /** The columns a leaf may name, where the mapping itself says which there are. */
  readonly columnsFor: (perRow: boolean) => readonly string[] | undefined
  /** The columns whose cells hold several lines of a record, where a row holds several. */
  readonly packed: readonly string[] | undefined
  /** In documents of X12 and EDIFACT, whose columns are paths. */
  readonly paths: PathNames | undefined
}

/** Checks the columns that a leaf names; those inside of a sum are columns of the rows. */
export function checkColumnNames(
  node: SourceNode,
  calc: CalcPlan | undefined,
  { sources, perRow }: { readonly sources: LeafSources; readonly perRow: boolean },
  context: ColumnContext,
): void {
  if (calc === undefined) return checkColumns(node, sources.alternatives, perRow, context)
  const place = nodeAt(node, 'calc')
  for (const names of listSums(calc.calc)) checkSum(names, place, context)
  for (const { name, inSum } of listColumns(calc.calc)) {
    if (looksLikeKnownName(name)) continue
    const [, gathering, path = ''] = context.paths === undefined ? [] : (GATHERED.exec(name) ?? [])
    if (gathering === undefined) checkColumns(place, [[name]], perRow || inSum, context)
    else {
      const error = context.paths?.check(path, perRow || inSum, gathering as 'sum' | 'count')
      if (error !== undefined) context.errors.add(place, error)
    }
  }
}

/** In a calculation of a document: all values of a path added up, or how many there are. */
const GATHERED = /^(sum|count) (.+)$/

/** Notes unpacked columns in a sum: a row of several lines would add their cell once for each line. */
function checkSum(names: readonly string[], place: SourceNode, { errors, packed }: ColumnContext): void {
  const [first] = names
  const isPacked = (name: string) => packed?.some((column) => foldColumnName(column) === foldColumnName(name))
  if (packed === undefined || first === undefined || names.some(isPacked)) return
  errors.add(place, `this adds ${first} once per line of the row; write [${first}]`)
}

/** Where the mapping names the columns of a file without a header line, it may use no others. */
export function checkColumns(
  node: SourceNode,
  alternatives: ColumnAlternatives,
  perRow: boolean,
  { errors, columnsFor, paths }: Pick<ColumnContext, 'errors' | 'columnsFor' | 'paths'>,
): void {
  if (paths !== undefined) return checkPaths(node, alternatives.flat(), perRow, { errors, paths })
  const columns = columnsFor(perRow)
  if (columns === undefined) return
  const known = new Set(columns.map(foldColumnName))
  for (const names of alternatives) {
    if (names.some((name) => known.has(foldColumnName(name)))) continue
    const [first = ''] = names
    const meant = didYouMean(first, columns)
    errors.add(node, `\`read\` names no column "${first}" that can be used here.${meant}`)
  }
}

function checkPaths(
  node: SourceNode,
  names: readonly string[],
  perRow: boolean,
  { errors, paths }: { readonly errors: MappingErrors; readonly paths: PathNames },
): void {
  for (const name of names) {
    // Columns that gather values were checked with their sources.
    const error = /^(?:every|sum) /.test(name) ? undefined : paths.check(name, perRow)
    if (error !== undefined) errors.add(node, error)
  }
}

/** Where the mapping says what the text is made of. */
export function findSourceNode(node: SourceNode): SourceNode {
  const place = ['from', 'firstOf', 'all', 'every', 'sum', 'calc'].find(
    (name) => getEntry(node, name) !== undefined,
  )
  return place === undefined ? node : nodeAt(node, place)
}
