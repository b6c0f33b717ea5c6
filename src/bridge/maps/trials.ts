/** What of a leaf an example may try: the options and conditions that only some cells call for. */
import type { FieldRule } from '../../contract/fields.ts'
import type { ExplainedField } from '../../mapping/binding/explained.ts'
import { foldedName } from '../../mapping/rows/columns.ts'
import { tableKey } from '../../mapping/tables.ts'
import { compileDateFormat } from '../../mapping/values/date-format.ts'
import { cleaned } from '../../mapping/values/text.ts'
import { conditionText, type LeafBranch, type MappingLeaf } from './leaves.ts'

/** Something that an example has tried when the test holds for one of the fields it makes. */
export interface Trial {
  /** `ship_to.country: default`. */
  readonly name: string
  readonly isTried: (field: ExplainedField) => boolean
}

/** The words of the lookup tables, by their names. */
export type TableWords = ReadonlyMap<string, readonly string[]>

export function trialsOf(leaf: MappingLeaf, words: TableWords): Trial[] {
  const { field, branches } = leaf
  const named = (what: string, isTried: Trial['isTried']): Trial => ({ name: `${field}: ${what}`, isTried })
  const isConditional = branches.some(({ when }) => when !== undefined)
  return branches.flatMap((branch, index) => {
    const isTaken = (made: ExplainedField) => (made.branch ?? 0) === index && made.absent === undefined
    const own = optionTrials(leaf, branch, words).map(({ name, isTried }) =>
      named(name, (made) => isTaken(made) && isTried(made)),
    )
    if (!isConditional) return own
    const name = branch.when === undefined ? 'no other condition holds' : `when ${conditionText(branch.when)}`
    const notTaken = branches.length > 1 ? [] : [named(`not ${name}`, ({ branch: taken }) => taken === -1)]
    return [named(name, (made) => made.branch === index), ...notTaken, ...own]
  })
}

/** The text that goes into a step; undefined where the field has no such step. */
export function textInto({ cells, steps }: ExplainedField, option: string): string | undefined {
  const index = steps.findIndex((step) => step.option === option)
  if (index === -1) return undefined
  return index === 0 ? cleaned(cells[0]?.text ?? '') : steps[index - 1]?.text
}

function optionTrials({ rule }: MappingLeaf, { options, columns }: LeafBranch, words: TableWords): Trial[] {
  const { table, miss, format, match, blanks, firstOf, default: fallback } = options
  const trials: Trial[] = []
  const add = (name: string, isTried: Trial['isTried']) => trials.push({ name, isTried })
  const has = (option: string) => (field: ExplainedField) =>
    field.steps.some((step) => step.option === option)
  if (fallback !== undefined) add('default', has('default'))
  for (const blank of textsOf(blanks)) {
    const folded = blank.trim().toLowerCase()
    add(`blanks ${blank}`, ({ cells }) => cells.some(({ text }) => cleaned(text).toLowerCase() === folded))
  }
  if (firstOf !== undefined) {
    for (const names of columns) add(`firstOf ${names[0] ?? ''}`, (field) => isFrom(field, names))
  }
  // A text that is refused fails its example, so only what is taken as blank can be tried.
  if (match !== undefined && fallback !== undefined) {
    add('match that finds nothing', ({ steps }) =>
      steps.some((step) => step.option === 'match' && step.text === ''),
    )
  }
  if (typeof table === 'string' && (miss === 'keep' || miss === 'blank')) {
    const keys = new Set((words.get(table) ?? []).map(tableKey))
    add(`miss ${miss}`, (field) => {
      const text = textInto(field, 'table')
      return text !== undefined && !keys.has(tableKey(text))
    })
  }
  for (const name of Array.isArray(format) && format.length > 1 ? textsOf(format) : []) {
    const compiled = compileDateFormat(name)
    if (typeof compiled === 'string') continue
    add(`format ${name}`, (field) => compiled.read(textInto(field, 'value') ?? '') !== undefined)
  }
  return [...trials, ...textTrials(options, rule)]
}

/** Options that change some texts and leave others as they are. */
function textTrials(options: LeafBranch['options'], rule: FieldRule): Trial[] {
  const { split, wrap, at, decimal } = options
  const trials: Trial[] = []
  const add = (name: string, isTried: Trial['isTried']) => trials.push({ name, isTried })
  // Without `at` they belong to lists, which are made when the text becomes the value.
  const into = (option: string) => (field: ExplainedField) =>
    textInto(field, at === undefined ? 'value' : option) ?? ''
  if (typeof split === 'string') add('split', (field) => into('split')(field).includes(split))
  if (typeof wrap === 'number') {
    add('wrap', (field) =>
      into('wrap')(field)
        .split(/[\r\n]+/)
        .some((line) => line.length > wrap),
    )
  }
  for (const option of ['case', 'pad', 'digits']) {
    if (options[option] === undefined) continue
    add(option, (field) => {
      const text = textInto(field, option)
      return field.steps.some((step) => step.option === option && step.text !== text)
    })
  }
  if (options['long'] !== undefined && rule.kind === 'text') {
    const { max = Number.POSITIVE_INFINITY } = rule
    add('long', (field) => (textInto(field, 'value') ?? '').length > max)
  }
  if (options['round'] !== undefined) {
    const decimals = rule.kind === 'decimal' ? rule.decimals : rule.kind === 'money' ? 2 : 0
    add('round', (field) => hasMore(textInto(field, 'value') ?? '', decimals))
  }
  if (decimal === ',') add('decimal', ({ cells }) => cells.some(({ text }) => text.includes(',')))
  return trials
}

/** Whether a number has more decimals than so many. */
function hasMore(text: string, decimals: number): boolean {
  const [, written = ''] = /[.,](\d*)\D*$/.exec(text) ?? []
  return written.length > decimals
}

/** Whether the first filled cell is that of one of these names. */
function isFrom({ cells, steps }: ExplainedField, names: readonly string[]): boolean {
  const chosen = steps.find(({ option }) => option === 'firstOf')?.does.replace(/^firstOf /, '')
  const column = chosen ?? (cells.length === 1 && cells[0]?.text.trim() !== '' ? cells[0]?.column : undefined)
  return column !== undefined && names.some((name) => foldedName(name) === foldedName(column))
}

function textsOf(option: unknown): string[] {
  return Array.isArray(option) ? option.map(String) : []
}
