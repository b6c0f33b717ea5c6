/** Learns a mapping for the documents of a sample from the ready mapping of that document. */
import { basename } from 'node:path'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Format } from '../../domain/format.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { toPlain } from '../../mapping/source/source.ts'
import { normalizeKey } from '../../mapping/tables.ts'
import { isObject } from '../../support/object-paths.ts'
import type { Confidence } from '../learn/column-matching.ts'
import { listMappedFields, type Options } from '../mapped-fields.ts'
import { readTableTexts } from '../tables.ts'
import { getStepInput } from '../trials.ts'
import { countPaths, type FoundInterchanges } from './interchanges.ts'
import { type Learned, prune } from './prune.ts'
import { chooseReadyMapping, type ChosenMapping, nameDocument } from './ready-mappings.ts'
import { CONFIDENCE_NOTE, formatYamlText } from '../learn/mapping-page.ts'

export interface LearnedDocument {
  /** The mapping file, with a reason on each line. */
  readonly text: string
  readonly placed: readonly {
    readonly field: string
    readonly confidence: Confidence
    readonly why: string
  }[]
  readonly ready: {
    /** The ready mapping it was learned from: `x12/850-orders.yaml`. */
    readonly name: string
    /** Its paths, and how many of them the sample fills. */
    readonly paths: number
    readonly filled: number
  }
  /** Codes of the sample that no table knows yet. */
  readonly openCodes: readonly { readonly table: string; readonly code: string }[]
}

/** Throws `usage-wrong` when the operation has no ready mapping for the documents of the file. */
export async function learnDocuments(
  path: string,
  found: FoundInterchanges,
  operation: InboundOperationName,
  format: Format,
): Promise<LearnedDocument> {
  const chosen = await chooseReadyMapping(path, found, operation, format)
  const { mapping, name } = chosen
  const counts = await countPaths(path, format, mapping)
  const fields = new Map(listMappedFields(mapping).map((field) => [field.field, field]))
  const tables = await findTables(chosen)
  const openTables = new Set(
    [...fields.values()].flatMap(({ field, branches }) =>
      branches.some(({ options }) =>
        tables.some((table) => table.name === options['table'] && hasOpenRow(table)),
      )
        ? [field]
        : [],
    ),
  )
  const written = toObject(toPlain(mapping.source))
  const body = prune(written['body'], '', { counts, fields, openTables })
  const used = new Set(body === undefined ? [] : listTables(body))
  const listed = counts.list()
  const filled = listed.filter((each) => each.filled > 0).length
  const text = writeLearnedPage({
    file: basename(path),
    found,
    ready: name,
    written,
    body,
    tables: tables.filter((table) => used.has(table.name)),
  })
  return {
    text,
    placed: body === undefined ? [] : listPlaced(body),
    ready: { name, paths: listed.length, filled },
    openCodes: tables.flatMap((table) =>
      table.rows.flatMap(({ code, cells }) =>
        used.has(table.name) && Object.values(cells).includes('') ? [{ table: table.name, code }] : [],
      ),
    ),
  }
}

/** The tables of the ready mapping, each with the codes that the sample looks up. */
async function findTables({ mapping, path, records }: ChosenMapping): Promise<LearnedTable[]> {
  const texts = await readTableTexts(mapping, path)
  const asked = listAskedTexts(mapping, records)
  const picks = listPicks(mapping)
  return [...texts.keys].map(([name, keys]) => {
    const codes = asked.get(name) ?? new Map<string, string>()
    // Without a code in the sample the ready rows are the best guess.
    const wanted = codes.size > 0 ? [...codes.values()] : keys
    const blank = Object.fromEntries((picks.get(name) ?? ['value']).map((pick) => [pick, '']))
    return { name, rows: wanted.map((code) => ({ code, cells: pickCells(texts.find(name, code), blank) })) }
  })
}

function pickCells(
  row: Readonly<Record<string, string>> | undefined,
  blank: Readonly<Record<string, string>>,
) {
  return Object.fromEntries(Object.keys(blank).map((pick) => [pick, row?.[pick] ?? '']))
}

/** The texts that the sample looks up in each table, as it spells them first. */
function listAskedTexts(mapping: InboundMapping, records: ChosenMapping['records']) {
  const fields = new Map(listMappedFields(mapping).map((field) => [field.field, field]))
  const asked = new Map<string, Map<string, string>>()
  for (const made of records.flatMap((record) => record.fields)) {
    const branch = fields.get(made.field.replace(/\[\d+\]/g, '[]'))?.branches[made.branch ?? 0]
    const table = branch?.options['table']
    const text = getStepInput(made, 'table')?.trim() ?? ''
    if (typeof table !== 'string' || text === '') continue
    const known = asked.get(table) ?? new Map<string, string>()
    asked.set(table, known)
    if (!known.has(normalizeKey(text))) known.set(normalizeKey(text), text)
  }
  return asked
}

/** The columns that the mapping takes from each table. */
function listPicks(mapping: InboundMapping): ReadonlyMap<string, readonly string[]> {
  const picks = new Map<string, string[]>()
  for (const { options } of listMappedFields(mapping).flatMap(({ branches }) => branches)) {
    const { table, pick } = options
    if (typeof table !== 'string') continue
    const column = typeof pick === 'string' ? pick : 'value'
    const known = picks.get(table) ?? []
    picks.set(table, known.includes(column) ? known : [...known, column])
  }
  return picks
}

function hasOpenRow({ rows }: LearnedTable): boolean {
  return rows.some(({ cells }) => Object.values(cells).includes(''))
}

function listPlaced(learned: Learned): LearnedDocument['placed'] {
  if (learned.kind === 'list') return listPlaced(learned.item)
  if (learned.kind === 'object') return learned.entries.flatMap(([, each]) => listPlaced(each))
  const { field, confidence, why } = learned
  return [{ field, confidence, why }]
}

function listTables(learned: Learned): string[] {
  if (learned.kind === 'list') return listTables(learned.item)
  if (learned.kind === 'object') return learned.entries.flatMap(([, each]) => listTables(each))
  const { written } = learned
  const table = isObject(written) ? written['table'] : undefined
  return typeof table === 'string' ? [table] : []
}

function toObject(value: unknown): Options {
  return isObject(value) ? value : {}
}

// Writes a mapping that was learned from documents as YAML: every field with the sample's value and how often it is
// filled.

/** A table with the codes of the sample; blank cells are for a person to fill in. */
export interface LearnedTable {
  readonly name: string
  readonly rows: readonly { readonly code: string; readonly cells: Readonly<Record<string, string>> }[]
}

interface LearnedPage {
  readonly file: string
  readonly found: FoundInterchanges
  /** The name of the ready mapping. */
  readonly ready: string
  /** The ready mapping as it is written, with its bases merged. */
  readonly written: Options
  readonly body: Learned | undefined
  readonly tables: readonly LearnedTable[]
}

export function writeLearnedPage(page: LearnedPage): string {
  const { written, body, tables, found, ready } = page
  const { read } = written
  const usage = found.isTest && isObject(read) ? { ...read, usage: 'any' } : read
  const rules = ['only', 'hold', 'check', 'lines'].flatMap((key) => writeRule(key, written[key]))
  return `${[
    ...writeHead(page),
    `operation: ${String(written['operation'])}`,
    `read: ${formatFlow(usage)}${found.isTest ? ' # the sample is a test; without usage, tests are skipped' : ''}`,
    ...(rules.length === 0
      ? []
      : [`# Which records are taken, as in ${ready}; change what your partner does otherwise.`]),
    ...rules,
    'body:',
    ...(body?.kind === 'object' ? writeEntries(body.entries, 1) : []),
    ...writeTables(tables),
  ].join('\n')}\n`
}

function writeHead({ file, found, ready }: LearnedPage): string[] {
  const { syntax, documents, interchanges } = found
  const held = documents.map(({ document, versions, sets }) => {
    const version = versions.length === 0 ? '' : `, ${versions.join(' and ')}`
    return `${sets} × ${nameDocument(syntax, document)}${version}`
  })
  const name = syntax === 'x12' ? 'X12' : 'EDIFACT'
  return [
    `# Learned from ${file}: ${name}, ${interchanges === 1 ? 'one interchange' : `${interchanges} interchanges`}, ${held.join('; ')}.`,
    `# From the ready mapping ${ready}, without the paths that the sample never fills.`,
    CONFIDENCE_NOTE,
  ]
}

function writeRule(key: string, written: unknown): string[] {
  if (written === undefined || written === null) return []
  if (Array.isArray(written)) return [`${key}:`, ...written.map((rule) => `  - ${formatFlow(rule)}`)]
  if (!isObject(written) || key === 'only') return [`${key}: ${formatFlow(written)}`]
  return [
    `${key}:`,
    ...Object.entries(written)
      .flatMap(([name, rule]) => writeRule(name, rule))
      .map((line) => `  ${line}`),
  ]
}

function writeEntries(entries: readonly (readonly [string, Learned])[], depth: number): string[] {
  const indent = '  '.repeat(depth)
  return entries.flatMap(([name, learned]) => {
    if (learned.kind === 'leaf') {
      const { written, confidence, why } = learned
      return [`${indent}${name}: ${formatFlow(written)} # ${confidence}: ${why}`]
    }
    if (learned.kind === 'object') return [`${indent}${name}:`, ...writeObject(learned, depth + 1)]
    const [first = '', ...others] = learned.item.kind === 'object' ? writeObject(learned.item, depth + 2) : []
    return [`${indent}${name}: # one item for each line`, `${indent}  - ${first.trimStart()}`, ...others]
  })
}

function writeObject({ when, entries }: Extract<Learned, { kind: 'object' }>, depth: number): string[] {
  const own = when === undefined ? [] : [`${'  '.repeat(depth)}when: ${formatFlow(when)}`]
  return [...own, ...writeEntries(entries, depth)]
}

function writeTables(tables: readonly LearnedTable[]): string[] {
  if (tables.length === 0) return []
  return [
    'tables:',
    ...tables.flatMap(({ name, rows }) => [
      `  ${name}: # compare with what your connection allows, and fill in what is empty`,
      '    rows:',
      ...rows.map(({ code, cells }) => {
        const values = Object.values(cells)
        const [only] = values
        const isPlain = Object.keys(cells).join() === 'value'
        const row = isPlain
          ? formatText(only ?? '')
          : `{ ${Object.entries(cells)
              .map(([pick, text]) => `${pick}: ${formatText(text)}`)
              .join(', ')} }`
        return `      ${formatText(code)}: ${row}${values.includes('') ? ' # fill in' : ''}`
      }),
    ]),
  ]
}

/** Paths and codes need no quotes as YAML. */
const PLAIN_PATH = /^[A-Z][A-Z0-9]*[A-Za-z0-9*+./|#=-]*$/

function formatText(text: string): string {
  return PLAIN_PATH.test(text) ? formatYamlWord(text) : formatYamlText(text)
}

/** Words such as `NO` and `N` mean something else in YAML. */
function formatYamlWord(text: string): string {
  return /[^A-Za-z]/.test(text) ? text : formatYamlText(text)
}

/** A value of a mapping on one line. */
export function formatFlow(value: unknown): string {
  if (typeof value === 'string') return formatText(value)
  if (Array.isArray(value)) return `[${value.map(formatFlow).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${formatText(key)}: ${formatFlow(each)}`)
  return `{ ${entries.join(', ')} }`
}
