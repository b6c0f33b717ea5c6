/** The tables of docs/mapping.md, printed from those of the compiler. */
import { CALC_FORMS } from '../../src/mapping/calc/calculation.ts'
import { COLUMN_OPTIONS, SHARED_OPTIONS } from '../../src/mapping/export/column-options.ts'
import { WRITE_KEYS } from '../../src/mapping/export/write-options.ts'
import { ORIGIN_OPTIONS, TEXT_OPTIONS, VALUE_OPTIONS } from '../../src/mapping/fields/options.ts'
import { COMMON_KEYS, INBOUND_KEYS, OUTBOUND_KEYS } from '../../src/mapping/file.ts'
import type { KeyRow } from '../../src/mapping/source/schema.ts'
import { READ_KEYS } from '../../src/mapping/reading/read-keys.ts'
import { CONDITION_FORMS } from '../../src/mapping/rows/conditions.ts'
import { GROUP_FORMS } from '../../src/mapping/rows/grouping.ts'
import { DATE_TOKENS } from '../../src/mapping/values/date-format.ts'

type Rows = Readonly<Record<string, KeyRow>>

/** The lines behind each `<!-- printed: … -->` of the page, up to the next blank line. */
export const PRINTED: Readonly<Record<string, string>> = {
  keys: table(
    ['Key', 'In', 'Meaning', 'Example'],
    [
      ...keyRows(COMMON_KEYS, 'both'),
      ...keyRows(INBOUND_KEYS, 'inbound'),
      ...keyRows(OUTBOUND_KEYS, 'export'),
    ],
  ),
  read: table(['Key', 'Meaning', 'Example'], keyRows(READ_KEYS)),
  origins: options(ORIGIN_OPTIONS),
  texts: options(TEXT_OPTIONS),
  values: options(VALUE_OPTIONS),
  'date tokens': table(['Part', 'Tokens'], tokenRows()),
  calculations: table(
    ['Written', 'Meaning', 'Gives'],
    CALC_FORMS.map((form) => [code(form.example), form.summary, tried(form)]),
  ),
  group: table(
    ['Written', 'Meaning'],
    GROUP_FORMS.map(({ example, summary }) => [code(example), summary]),
  ),
  conditions: table(
    ['Written', 'Holds when the cell', 'For', 'Not for'],
    CONDITION_FORMS.map(({ example, summary, holds, fails, beside = {} }) => [
      code(example),
      [summary, ...Object.entries(beside).map(([name, text]) => `(here ${name} is ${code(text)})`)].join(' '),
      holds.map(shown).join(', '),
      fails.map(shown).join(', '),
    ]),
  ),
  'shared options': `These mean here what they mean in a \`body\`: ${Object.keys(SHARED_OPTIONS).map(code).join(', ')}.`,
  columns: options(COLUMN_OPTIONS),
  write: table(['Key', 'Meaning', 'Example'], keyRows(WRITE_KEYS)),
}

function keyRows(rows: Rows, where?: string): string[][] {
  return Object.entries(rows).map(([name, { summary, example }]) => [
    code(name),
    ...(where === undefined ? [] : [where]),
    summary,
    code(example),
  ])
}

function options(rows: Rows): string {
  return table(
    ['Option', 'Meaning', 'Example', 'Gives'],
    Object.entries(rows).map(([name, row]) => [code(name), row.summary, code(row.example), tried(row)]),
  )
}

/** Tokens for the same part of a date come together. */
function tokenRows(): string[][] {
  const parts = new Map<string, string[]>()
  for (const [token, { summary, example }] of Object.entries(DATE_TOKENS)) {
    parts.set(summary, [...(parts.get(summary) ?? []), `${code(token)} ${example}`])
  }
  return [...parts].map(([summary, tokens]) => [summary, tokens.join(', ')])
}

/** The input of an example and its result: `#1001` → `1001`. */
function tried({ of = [], gives }: Pick<KeyRow, 'of' | 'gives'>): string {
  const on = of.map(([name, value]) => {
    const texts = (Array.isArray(value) ? value : [value]).map(shown).join(', ')
    return of.length > 1 ? `${name} ${texts}` : texts
  })
  const result = gives === undefined ? 'nothing' : shown(gives)
  return on.length === 0 ? result : `${on.join('; ')} → ${result}`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.trim() === '' ? 'blank' : code(value)
  return code(JSON.stringify(value))
}

function code(text: string): string {
  return `\`${text}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
