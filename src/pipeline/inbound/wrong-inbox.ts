/** Finds the route of a file that its own route cannot read, because it was dropped into a wrong inbox. */
import type { FileEntry } from '../../domain/file.ts'
import { isUnreadable, type Layout, type ReadOptions, type Row } from '../../domain/format.ts'
import { type Problem, problem, type ProblemCode } from '../../domain/problem.ts'
import type { Translator } from '../../domain/translator.ts'
import { foldColumnName } from '../../mapping/rows/columns.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { quoteNames } from '../../support/text.ts'
import type { InboundContext, OtherRoute } from '../context.ts'
import { getSpoolName } from './intake.ts'

/** Problems of a file that the route cannot read and another one perhaps can. */
const MISREAD: readonly ProblemCode[] = [
  'column-missing',
  'column-unexpected',
  'delimiter-wrong',
  'edi-not-found',
  'file-foreign',
  'header-missing',
  'row-too-large',
]

/** One problem in place of these, where the file fits other routes; else these. Called for unusable files only. */
export async function explainWrongInbox(
  context: InboundContext,
  file: FileEntry,
  { problems, layouts = [] }: { readonly problems: readonly Problem[]; readonly layouts?: readonly Layout[] },
): Promise<readonly Problem[]> {
  if (!problems.some(({ code }) => MISREAD.includes(code))) return problems
  const { format, spool } = context
  const source = { name: file.name, read: () => spool.read(getSpoolName(file.id)) }
  const own = countKnownColumns(context, layouts)
  const found = await findReaders(format, source, { routes: context.listOtherRoutes?.() ?? [], own })
  if (found === undefined) return problems
  const { what, matching, routes, inboxes, isOne } = found
  const names = matching === undefined ? '' : `: ${quoteNames(matching, 12)}`
  const fix = isOne
    ? `Drop it into ${inboxes}, the inbox of ${routes}.`
    : `Drop it into the inbox of one of these routes: ${inboxes}.`
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)}${names}.`
  return [problem('file-foreign', {}, message, fix)]
}

/** A file that is read without a journal or a claim. */
interface ForeignFile {
  readonly name: string
  readonly read: () => AsyncIterable<Uint8Array>
}

/** The routes whose mappings read a file best. */
export interface FileReaders {
  /** `all 6 columns of the file are those of route orders` */
  readonly what: string
  /** `route orders`, or `routes orders, stock`. */
  readonly routes: string
  readonly inboxes: string
  readonly isOne: boolean
  /** The columns of the file that the routes use; left out for interchanges. */
  readonly matching?: readonly string[]
}

/** Undefined where no route reads it. `own`: how many of its columns the route knows that could not read it. */
export async function findReaders(
  format: InboundContext['format'],
  file: ForeignFile,
  { routes, own = 0 }: { readonly routes: readonly OtherRoute[]; readonly own?: number },
): Promise<FileReaders | undefined> {
  const matches: Match[] = []
  for (const route of routes) {
    const match = await matchRoute(format, file, route)
    if (match !== undefined && isLikely(match, own)) matches.push(match)
  }
  const best = Math.max(...matches.map(({ used }) => used.length))
  const [first, ...more] = matches.filter(({ used }) => used.length === best)
  return first === undefined ? undefined : describeMatches(first, more)
}

interface Match {
  readonly route: OtherRoute
  /** The columns of the file, and those of them that the route uses; none of an interchange that it reads. */
  readonly columns: readonly string[]
  readonly used: readonly string[]
}

/** A table needs so many columns before they say anything. */
const MIN_COLUMNS = 2

/** Whether the file is one of the other route: it has nearly no other columns, or far more than its own route knows. */
function isLikely({ used, columns, route }: Match, own: number): boolean {
  if (route.translator.read.edi !== undefined) return true
  if (used.length < MIN_COLUMNS || used.length <= own) return false
  return used.length >= columns.length * 0.8 || used.length > 2 * own
}

/** Undefined where the route cannot read the file either. */
async function matchRoute(
  format: InboundContext['format'],
  file: ForeignFile,
  route: OtherRoute,
): Promise<Match | undefined> {
  const { translator } = route
  if (!saysWhatItReads(translator.read)) return undefined
  const reading = await format.read(file.read(), translator.read)
  if (isUnreadable(reading)) return undefined
  try {
    if (translator.read.edi !== undefined) {
      const first = await reading.batches[Symbol.asyncIterator]().next()
      const rows: readonly Row[] = first.done === true ? [] : first.value
      return rows.some(({ verdict, problems }) => verdict === undefined && problems === undefined)
        ? { route, columns: [], used: [] }
        : undefined
    }
    const bound = translator.bind(reading.layouts, { file: file.name, folder: '' })
    if (!('keyColumns' in bound)) return undefined
    const columns = listNamedColumns(reading.layouts)
    const unused = new Set(bound.unusedColumns)
    return { route, columns, used: columns.filter((name) => !unused.has(name)) }
  } finally {
    await reading.close()
  }
}

/** Any text fits a table without a header line. */
function saysWhatItReads({ edi, expectColumns, records }: ReadOptions): boolean {
  return edi !== undefined || (expectColumns !== undefined && records === undefined)
}

/** Columns that begin with `_` are results of the bridge. */
function listNamedColumns(layouts: readonly Layout[]): readonly string[] {
  const names = layouts.flatMap(({ columns }) => columns.map((name) => name.trim()))
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('_'))
}

function countKnownColumns({ translator, next = [] }: InboundContext, layouts: readonly Layout[]): number {
  const translators = [translator, ...next.map((step) => step.translator)]
  const known = new Set(translators.flatMap((each) => each?.read.expectColumns ?? []).map(foldColumnName))
  return listNamedColumns(layouts).filter((name) => known.has(foldColumnName(name))).length
}

function describeMatches(first: Match, more: readonly Match[]): FileReaders {
  const all = [first, ...more].map(({ route }) => route)
  const names = all.map(({ name }) => name).join(', ')
  const isOne = more.length === 0
  const routes = isOne ? `route ${names}` : `routes ${names}`
  const found = { routes, inboxes: all.map(({ inbox }) => inbox).join(', '), isOne }
  const { columns, used, route } = first
  const { edi } = route.translator.read
  if (edi !== undefined) {
    const what = `the file has documents that ${routes} ${isOne ? 'reads' : 'read'} (${edi.document})`
    return { ...found, what }
  }
  const count =
    used.length === columns.length ? `all ${used.length}` : `${used.length} of the ${columns.length}`
  return { ...found, what: `${count} columns of the file are those of ${routes}`, matching: used }
}

// Interchanges may hold documents of several kinds, each for a route of its own.

/** The options of a reading, with the routes of other documents for the messages. */
export function nameOtherDocuments(context: InboundContext, translator: Translator): ReadOptions {
  const { read } = translator
  if (read.edi === undefined) return read
  const { format, edi } = read
  const others = (context.listOtherRoutes?.() ?? []).filter(
    ({ translator }) => translator.read.format === format,
  )
  const elsewhere = new Map(
    others.flatMap(({ name, inbox, translator }) =>
      translator.read.edi === undefined ? [] : [[translator.read.edi.document, { route: name, inbox }]],
    ),
  )
  const own =
    translator === context.translator ? omitUndefined({ mappingName: context.route.mappingName }) : {}
  return { ...read, edi: { ...edi, elsewhere, ...own } }
}
