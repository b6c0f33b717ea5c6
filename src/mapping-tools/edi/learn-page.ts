/** Writes a mapping that was learned from documents as YAML: every field with the sample's value and how often it is filled. */
import { isObject } from '../../support/object-paths.ts'
import type { Options } from '../mapped-fields.ts'
import { formatYamlText } from '../learn/yaml-text.ts'
import { CONFIDENCE_NOTE } from '../learn/mapping-page.ts'
import type { FoundInterchanges } from './interchanges.ts'
import type { Learned } from './prune.ts'
import { nameDocument } from './ready-mappings.ts'

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

function formatFlow(value: unknown): string {
  if (typeof value === 'string') return formatText(value)
  if (Array.isArray(value)) return `[${value.map(formatFlow).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${formatText(key)}: ${formatFlow(each)}`)
  return `{ ${entries.join(', ')} }`
}
