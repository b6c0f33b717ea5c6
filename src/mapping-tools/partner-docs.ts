/** Writes the page that shows a partner what to send: each column with its names, values and an example. */
import { describeReference, REFERENCES } from '../contract/fields.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { findGrammar } from '../edi/documents.ts'
import type { CellPlace, EdiGrammarChanges, EdiGrammarEntry, ReadOptions } from '../domain/format.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { describeRule } from '../mapping/shape.ts'
import { toPlain } from '../mapping/source/source.ts'
import {
  listConditionColumns,
  listTotalColumns,
  listGroupColumns,
  listMappedFields,
  type MappedField,
  type Options,
} from './mapped-fields.ts'
import { isObject } from '../support/object-paths.ts'

export interface PartnerColumn {
  /** The first name in the mapping. */
  readonly name: string
  readonly otherNames: readonly string[]
  readonly required: boolean
  readonly perRow: boolean
  readonly takes: readonly string[]
  readonly example: string
}

interface ColumnFacts {
  /** Returns a cell of the examples under one of these names. */
  readonly exampleOf: (names: readonly string[]) => string
  readonly words: ReadonlyMap<string, readonly string[]>
}

/** Lists the columns in the order of the mapping's body, key columns first. */
export function listPartnerColumns(mapping: InboundMapping, known: ColumnFacts): PartnerColumn[] {
  const columns = new Map<string, PartnerColumn>()
  const isEdi = mapping.translator.read.edi !== undefined
  const keys = new Set(listGroupColumns(mapping).map(([name = '']) => name))
  const add = (names: readonly string[], column: Pick<PartnerColumn, 'required' | 'perRow' | 'takes'>) => {
    const [name = '', ...synonyms] = names
    const before = columns.get(name)
    const otherNames = [...new Set([...(before?.otherNames ?? []), ...synonyms])]
    const takes = [...new Set([...(before?.takes ?? []), ...column.takes])]
    const required = column.required || before?.required === true
    const perRow = column.perRow && before?.perRow !== false
    columns.set(name, { name, otherNames, required, perRow, takes, example: known.exampleOf(names) })
  }
  for (const name of keys)
    add([name], { required: true, perRow: false, takes: ['the same on every row of a record'] })
  for (const leaf of listMappedFields(mapping)) {
    const isOne = leaf.branches.length === 1
    for (const { when, options, sources } of leaf.branches) {
      // Any of several sources may be blank, so none is required by itself.
      const isOnly = isOne && when === undefined && options['default'] === undefined && sources.length === 1
      const takes = describeAcceptedValues(leaf, options, { ...known, isEdi })
      for (const names of sources)
        add(names, { required: leaf.required && isOnly, perRow: leaf.perRow, takes })
    }
  }
  for (const { name, perRow, needed } of listConditionColumns(mapping)) {
    add([name], { required: needed, perRow, takes: columns.has(name) ? [] : ['decides what is taken'] })
  }
  for (const { name, perRow } of listTotalColumns(mapping)) {
    if (!columns.has(name)) add([name], { required: false, perRow, takes: ['is compared with the lines'] })
  }
  return [...columns.values()].map((column) => addGrammar(column, mapping.translator.read.edi?.grammar))
}

/** The grammar of a partner may require a value, or say which codes it may have. */
function addGrammar(column: PartnerColumn, grammar: EdiGrammarChanges | undefined): PartnerColumn {
  const { required = [], codes = {} } = grammar ?? {}
  const allowed = codes[column.name]
  return {
    ...column,
    required: column.required || required.includes(column.name),
    takes: allowed === undefined ? column.takes : [...column.takes, `only ${joinAlternatives(allowed)}`],
  }
}

function describeAcceptedValues(
  { rule, list }: MappedField,
  options: Options,
  { words: tableKeys, isEdi }: Pick<ColumnFacts, 'words'> & { readonly isEdi: boolean },
) {
  const { format, zone, table, find, wrap, split, decimal, all, blanks, default: fallback } = options
  const takes: string[] = []
  if (typeof table === 'string') {
    takes.push(describeWords(tableKeys.get(table) ?? []))
  } else if (rule.kind === 'integer' && rule.reference !== undefined && find !== undefined)
    takes.push(`${describeReference(rule.reference)} by ${REFERENCES[rule.reference].called}`)
  else if (format !== undefined) takes.push(`a date written as ${[format].flat().map(String).join(' or ')}`)
  else if (rule.kind === 'dateTime' || rule.kind === 'date')
    takes.push(isEdi ? 'a date, as the document writes it' : 'a date written as yyyy-MM-dd HH:mm')
  else takes.push(describeRule(rule))
  if (Array.isArray(all)) takes.push(`together: ${all.map(String).join(', ')}`)
  if (typeof zone === 'string') takes.push(`in the time of ${zone}`)
  if (decimal === ',') takes.push('with a comma before the decimals')
  if (list && typeof split === 'string') takes.push(`several, with "${split}" between them`)
  if (list && typeof wrap === 'number') takes.push('longer texts are broken into lines')
  if (Array.isArray(blanks)) takes.push(`${blanks.map(String).join(' or ')} means blank`)
  if (fallback !== undefined) takes.push(`blank means ${JSON.stringify(fallback)}`)
  return takes
}

export function writePartnerPage(
  mapping: InboundMapping,
  columns: readonly PartnerColumn[],
  { title, form }: { readonly title: string; readonly form: DetectedForm | undefined },
): string {
  const { read } = mapping.translator
  const keys = listGroupColumns(mapping).map(([name = '']) => `**${name}**`)
  const rows = columns.map((column) => [
    column.name,
    column.otherNames.join(', '),
    column.required ? 'yes' : '',
    column.perRow ? 'row' : 'record',
    column.takes.join('; '),
    column.example,
  ])
  const isEdi = read.edi !== undefined
  const head = [
    isEdi ? 'Path' : 'Column',
    isEdi ? 'Or' : 'Other names',
    'Required',
    'Per',
    'What may stand in it',
    'Example',
  ]
  return `${[
    `# ${title}: what to send`,
    '',
    `${OPERATIONS[mapping.operation].summary} ${describeForm(read, form)}`,
    '',
    isEdi
      ? 'A path names a segment by its qualifier, the loop before `/` and the element behind the point. "row" means each line of a record. Other segments may be there and are not read.'
      : keys.length === 0
        ? 'A header row opens a record, the detail rows after it are its lines.'
        : `Rows with the same ${keys.join(' and ')} that stand next to each other are one record. Columns "per record" say the same on each of its rows, or stand on the first one only.`,
    '',
    ...(hasNamedColumns(read) ? [COLUMN_NAMES_NOTE, ''] : []),
    ...writeRowSection(read),
    ...formatMarkdownTable([head, ...rows]),
    '',
    ...writeGrammarSection(read),
    ...writeRuleSection(mapping),
  ].join('\n')}\n`
}

const COLUMN_NAMES_NOTE =
  'Upper and lower case, blanks and punctuation in the names of columns do not matter, nor does their order. Other columns may be there and are not read.'

// The form of the files.

/** The parts of the files' form that were detected, because the mapping does not state them. */
interface DetectedForm {
  readonly encoding: string
  readonly delimiter: string
}

/** `One file, UTF-8, with semicolons between the cells and the names of the columns in its first line.` */
function describeForm(read: ReadOptions, found: DetectedForm | undefined): string {
  const { edi } = read
  if (edi !== undefined) {
    const syntax = read.format === 'x12' ? 'X12' : 'EDIFACT'
    const title = findGrammar(read.format === 'x12' ? 'x12' : 'edifact', edi.document)?.definition.title ?? ''
    const usage = edi.usage === 'any' ? 'production or test' : (edi.usage ?? 'production')
    return `Interchanges of ${syntax} with documents ${edi.document} (${title}), marked as ${usage}. Any delimiters that the envelope states are read; counts and control numbers of the trailers must be right.`
  }
  const encoding = (read.encoding ?? found?.encoding ?? 'utf-8').toUpperCase()
  if (read.format === 'fixed') {
    return `One text file, ${encoding}, with lines of fixed width: each cell stands at its place below, filled up with blanks.`
  }
  const between = nameDelimiter(read.delimiter ?? found?.delimiter ?? ',')
  const quote = read.quote === null ? ', never in quotes' : ''
  return `One text file, ${encoding}, with ${between} between the cells${quote}, and ${describeHeader(read)}.`
}

function describeHeader({ records, columns, typeIn, skip, header }: ReadOptions): string {
  if (records !== undefined) {
    const where = typeof typeIn === 'number' ? `cell number ${typeIn}` : 'its first cell'
    return typeof typeIn === 'string'
      ? `the names of the columns in its first line; the column "${typeIn}" says of which type a row is`
      : `the type of each row in ${where}`
  }
  if (columns !== undefined) return 'no names above them: the cells stand in the order below'
  return skip === undefined && header === undefined
    ? 'the names of the columns in its first line'
    : 'the names of the columns in the line above the data, as in the example'
}

/** Whether columns are found by their names, so that neither their order nor others beside them matter. */
function hasNamedColumns({ format, records, columns, typeIn }: ReadOptions): boolean {
  return format === 'csv' && columns === undefined && (records === undefined || typeof typeIn === 'string')
}

/** Lists the cells of each row in their order, where the file has no header line. */
function writeRowSection({ records, columns, places, typeIn }: ReadOptions): string[] {
  const own = columns === undefined ? [] : [['', formatCells(columns, places)]]
  const typed = (records ?? []).flatMap(({ type, columns: names, places: cells, of, ignored }) => {
    if (ignored === true || names === undefined) return []
    return [[of === undefined ? type : `${type}, right behind its ${of}`, formatCells(names, cells)]]
  })
  const rows = [...own, ...typed]
  if (rows.length === 0) return []
  const first = typed.length > 0 && typeIn === undefined ? 'Cells behind the type' : 'Cells'
  return ['## Rows', '', ...formatMarkdownTable([['Type', first], ...rows]), '']
}

function formatCells(names: readonly string[], places: readonly CellPlace[] | undefined): string {
  return names
    .map((name, index) => {
      const place = places?.[index]
      return place === undefined ? name : `${name} (${place.start}–${place.start + place.length - 1})`
    })
    .join(', ')
}

// The grammar of the partner: what its documents must have besides.

/** What the grammar file of the partner says; nothing for a mapping that reads by the built-in grammar. */
function writeGrammarSection({ edi, format }: ReadOptions): string[] {
  const { grammar } = edi ?? {}
  if (edi === undefined || grammar === undefined) return []
  const { required = [], codes = {}, segments = {}, versions = [], closed = false } = grammar
  const root = format === 'x12' ? 'ST' : 'UNH'
  const loops = Object.entries(segments).map(([loop, entries]) => {
    const where = loop === root ? 'The document' : `Each ${loop}`
    return `${where} has ${entries.map(describeEntry).join(', ')}.`
  })
  const says = [
    ...required.map((path) => `${path} must be there.`),
    ...Object.entries(codes).map(([path, allowed]) => `${path} is ${joinAlternatives(allowed)}.`),
    ...loops,
    ...(versions.length === 0 ? [] : [`The version begins with ${joinAlternatives(versions)}.`]),
    ...(closed ? ['Other segments, or more of one than said, are refused.'] : []),
  ]
  if (says.length === 0) return []
  const intro = `A document ${edi.document} that does not hold to this is refused as a whole, with its place.`
  return ['## What a document must have', '', intro, '', ...says.map((say) => `- ${say}`), '']
}

/** `CTT 1` is `CTT once`; a loop is named with what it holds. */
function describeEntry(entry: EdiGrammarEntry): string {
  if (typeof entry === 'string') return describeCount(entry)
  return Object.entries(entry)
    .map(([loop, inner]) => `${describeCount(loop)} with ${inner.map(describeEntry).join(' and ')}`)
    .join(', ')
}

function describeCount(entry: string): string {
  const [, id = entry, min = '', max = min] = /^(\S+)(?: (\d+)(?:\.\.(\d+|n))?)?$/.exec(entry) ?? []
  if (min === '') return id
  if (max === '0') return `no ${id}`
  const least = min === '0' ? '' : min === max ? '' : `at least ${formatTimes(min)}`
  const most = max === 'n' ? '' : min === max ? formatTimes(max) : `at most ${formatTimes(max)}`
  const both = [least, most].filter((each) => each !== '').join(' and ')
  return `${id} ${both === '' ? 'any number of times' : both}`
}

function formatTimes(count: string): string {
  return count === '1' ? 'once' : `${count} times`
}

function joinAlternatives(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

// Rules: which records are refused or held, and the contents of the last row.

/** Markdown, with a blank line at its end; nothing for a mapping without rules. */
function writeRuleSection(mapping: InboundMapping): string[] {
  const written = toObject(toPlain(mapping.source))
  const lines = toObject(written['lines'])
  const rules = [
    ...listRuleTexts(written['check']),
    ...listRuleTexts(lines['check']),
    ...listRuleTexts(written['hold']).map((say) => `${say} (a person checks it)`),
    ...listRuleTexts(lines['hold']).map((say) => `${say} (a person checks it)`),
    ...describeTotals(toObject(written['totals'])),
  ]
  return rules.length === 0 ? [] : ['## Rules', '', ...rules.map((say) => `- ${say}`), '']
}

function listRuleTexts(rules: unknown): string[] {
  if (!Array.isArray(rules)) return []
  return (rules as unknown[]).flatMap((rule) => {
    const { say, warn, total, is } = toObject(rule)
    if (typeof total === 'string')
      return [`${total} is ${[is].flat().map(String).join(' or ')} (else a warning)`]
    return typeof say === 'string' ? [`${say}${warn === true ? ' (a warning)' : ''}`] : []
  })
}

function describeTotals(totals: Options): string[] {
  if (Object.keys(totals).length === 0) return []
  const { when, rows, records, sum } = totals
  const cells = [
    ...Object.entries(toObject(when)).map(([column, is]) => `"${String(is)}" in ${column}`),
    ...(typeof rows === 'string' ? [`the number of rows in ${rows}`] : []),
    ...(typeof records === 'string' ? [`the number of records in ${records}`] : []),
    ...Object.entries(toObject(sum)).map(([of, column]) => `the sum of ${of} in ${String(column)}`),
  ]
  const refused = 'A file with another count, or without that row, is refused whole.'
  return [`The last row has ${cells.join(', ')}. ${refused}`]
}

function toObject(value: unknown): Options {
  return isObject(value) ? value : {}
}

export function formatMarkdownTable(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...others] = rows
  return [head, head.map(() => '---'), ...others].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`)
}

function escapeCell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
}

/** Texts of a mapping or of data as Markdown shows them: none of their characters is taken for markup. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*[\]<~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&')
}

/** A code span; empty for a blank text. */
export function formatCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line === '') return ''
  const fence = '`'.repeat(1 + longestRun(line))
  const blank = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return fence + blank + line + blank + fence
}

/** The lines of a block that shows a file as it is. */
export function formatCodeBlock(text: string): string[] {
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(text)))
  return [fence, ...text.trimEnd().split('\n'), fence]
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
}

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
}

/** `semicolons`, for the delimiter. */
export function nameDelimiter(delimiter: string): string {
  return DELIMITER_NAMES[delimiter] ?? `"${delimiter}"`
}

/** A longer list of words is not shown. */
const MAX_WORDS = 30

/** Describes the texts that a looked-up cell may have. */
export function describeWords(words: readonly string[]): string {
  const isListed = words.length > 0 && words.length <= MAX_WORDS
  return isListed ? `one of: ${words.join(', ')}` : 'one of the agreed words'
}
