/** Trials: the parts of a mapping that an example may exercise, and whether it did. */
import type { FieldRule } from '../contract/fields.ts'
import type { ExplainedField } from '../mapping/binding/explained.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { foldColumnName } from '../mapping/rows/columns.ts'
import { toPlain } from '../mapping/source/source.ts'
import { normalizeKey } from '../mapping/tables.ts'
import { compileDateFormat } from '../mapping/values/date-format.ts'
import { cleanText } from '../mapping/values/text.ts'
import {
  type FieldBranch,
  formatCondition,
  listConditionalObjects,
  type MappedField,
  type Options,
  toLongForm,
} from './mapped-fields.ts'
import { type ExplainedRecord, findCell, type TranslatedFile } from './translate-file.ts'

// Options and conditions of one field that apply to some cells only.

/** A part of the mapping; an example has tried it when the test holds for one of the values that it makes. */
export interface Trial<Made> {
  /** `ship_to.country: default`. */
  readonly name: string
  readonly isTried: (made: Made) => boolean
}

/** Tracks the trials of fields, columns or records that are left. */
export function trackTrials<Key, Made>(trials: readonly (readonly [Key, readonly Trial<Made>[]])[]) {
  const open = new Map(trials)
  return {
    take(key: Key, made: Made) {
      const left = open.get(key)?.filter(({ isTried }) => !isTried(made))
      if (left !== undefined) open.set(key, left)
    },
    untaken: () => [...open.values()].flatMap((left) => left.map(({ name }) => name)),
  }
}

/** The keys of the lookup tables, by table name. */
export type TableKeys = ReadonlyMap<string, readonly string[]>

export function createFieldTrials(leaf: MappedField, tableKeys: TableKeys): Trial<ExplainedField>[] {
  return createTrials(leaf, (branch) => createOptionTrials(leaf, branch, tableKeys))
}

/** The trials of the conditions of a field or column, and of the options of each branch. */
export function createTrials<Made extends Pick<ExplainedField, 'branch' | 'absent'>>(
  { field, branches }: Pick<MappedField, 'field' | 'branches'>,
  createOwnTrials: (branch: FieldBranch) => readonly Trial<Made>[],
): Trial<Made>[] {
  const named = (what: string, isTried: Trial<Made>['isTried']) => ({ name: `${field}: ${what}`, isTried })
  const isConditional = branches.some(({ when }) => when !== undefined)
  return branches.flatMap((branch, index) => {
    const isTaken = (made: Made) => (made.branch ?? 0) === index && made.absent === undefined
    const own = createOwnTrials(branch).map(({ name, isTried }) =>
      named(name, (made) => isTaken(made) && isTried(made)),
    )
    if (!isConditional) return own
    const name =
      branch.when === undefined ? 'no other condition holds' : `when ${formatCondition(branch.when)}`
    const notTaken = branches.length > 1 ? [] : [named(`not ${name}`, ({ branch: taken }) => taken === -1)]
    return [named(name, (made) => made.branch === index), ...notTaken, ...own]
  })
}

/** Returns the input text of a step; undefined where the field has no such step. */
export function getStepInput({ cells, steps }: ExplainedField, option: string): string | undefined {
  const index = steps.findIndex((step) => step.option === option)
  if (index === -1) return undefined
  return index === 0 ? cleanText(cells[0]?.text ?? '') : steps[index - 1]?.text
}

function createOptionTrials({ rule }: MappedField, { options, sources }: FieldBranch, tableKeys: TableKeys) {
  const { table, miss, format, match, blanks, firstOf, default: fallback } = options
  const trials: Trial<ExplainedField>[] = []
  const add = (name: string, isTried: Trial<ExplainedField>['isTried']) => trials.push({ name, isTried })
  const has = (option: string) => (field: ExplainedField) =>
    field.steps.some((step) => step.option === option)
  if (fallback !== undefined) add('default', has('default'))
  for (const blank of listTexts(blanks)) {
    const folded = blank.trim().toLowerCase()
    add(`blanks ${blank}`, ({ cells }) => cells.some(({ text }) => cleanText(text).toLowerCase() === folded))
  }
  if (firstOf !== undefined) {
    for (const names of sources) add(`firstOf ${names[0] ?? ''}`, (field) => isFromColumn(field, names))
  }
  // A refused text fails its example, so only texts that count as blank can be tried.
  if (match !== undefined && fallback !== undefined) {
    add('match that finds nothing', ({ steps }) =>
      steps.some((step) => step.option === 'match' && step.text === ''),
    )
  }
  if (typeof table === 'string' && (miss === 'keep' || miss === 'blank')) {
    const keys = new Set((tableKeys.get(table) ?? []).map(normalizeKey))
    add(`miss ${miss}`, (field) => {
      const text = getStepInput(field, 'table')
      return text !== undefined && !keys.has(normalizeKey(text))
    })
  }
  for (const name of Array.isArray(format) && format.length > 1 ? listTexts(format) : []) {
    const compiled = compileDateFormat(name)
    if (typeof compiled === 'string') continue
    add(`format ${name}`, (field) => compiled.read(getStepInput(field, 'value') ?? '') !== undefined)
  }
  return [...trials, ...createTextTrials(options, rule)]
}

/** Options that change some texts and leave others as they are. */
function createTextTrials(options: FieldBranch['options'], rule: FieldRule): Trial<ExplainedField>[] {
  const { split, wrap, at, long, round, decimal } = options
  const input = (test: (text: string) => boolean, option = 'value') => {
    return (field: ExplainedField) => test(getStepInput(field, option) ?? '')
  }
  // Without `at` they belong to lists, which are made when the text becomes the value.
  const into = (option: string) => (at === undefined ? 'value' : option)
  const isWrapped = (text: string) => text.split(/[\r\n]+/).some((line) => line.length > Number(wrap))
  const changes = (option: string) => (field: ExplainedField) => {
    const text = getStepInput(field, option)
    return field.steps.some((step) => step.option === option && step.text !== text)
  }
  const { max = Infinity } = rule.kind === 'text' ? rule : {}
  const decimals = rule.kind === 'decimal' ? rule.decimals : rule.kind === 'money' ? 2 : 0
  return selectTrials([
    [typeof split === 'string', 'split', input((text) => text.includes(String(split)), into('split'))],
    [typeof wrap === 'number', 'wrap', input(isWrapped, into('wrap'))],
    ...['case', 'pad', 'digits'].map((name) => [options[name] !== undefined, name, changes(name)] as const),
    [long !== undefined && rule.kind === 'text', 'long', input((text) => text.length > max)],
    [round !== undefined, 'round', input((text) => hasMoreDecimals(text, decimals))],
    [decimal === ',', 'decimal', ({ cells }) => cells.some(({ text }) => text.includes(','))],
  ])
}

/** The trials of those parts that the mapping has. */
export function selectTrials<Made>(
  parts: readonly (readonly [isGiven: boolean, name: string, isTried: Trial<Made>['isTried']])[],
): Trial<Made>[] {
  return parts.flatMap(([isGiven, name, isTried]) => (isGiven ? [{ name, isTried }] : []))
}

function hasMoreDecimals(text: string, decimals: number): boolean {
  const [, written = ''] = /[.,](\d*)\D*$/.exec(text) ?? []
  return written.length > decimals
}

/** Whether the first filled cell is under one of these names. */
function isFromColumn({ cells, steps }: ExplainedField, names: readonly string[]): boolean {
  const chosen = steps.find(({ option }) => option === 'firstOf')?.does.replace(/^firstOf /, '')
  const column = chosen ?? (cells.length === 1 && cells[0]?.text.trim() !== '' ? cells[0]?.column : undefined)
  return column !== undefined && names.some((name) => foldColumnName(name) === foldColumnName(column))
}

function listTexts(option: unknown): string[] {
  return Array.isArray(option) ? option.map(String) : []
}

// Conditions of objects, lines and records.

type RecordTrial = Trial<ExplainedRecord & { readonly file: TranslatedFile }>

export function createRecordTrials(mapping: InboundMapping): RecordTrial[] {
  return [...createObjectTrials(mapping), ...createRuleTrials(toPlain(mapping.source) as Options)]
}

/** Creates trials for objects that are left out; their fields show the other case. */
function createObjectTrials(mapping: InboundMapping): RecordTrial[] {
  return listConditionalObjects(mapping.plan.body).map(({ field, when }): RecordTrial => {
    const isOfIt = (path: string) => path === field || path.replace(/\[\d+\]/g, '[]').startsWith(`${field}.`)
    return {
      name: `${field}: not when ${formatCondition(when.written)}`,
      isTried: ({ fields }) => fields.some((made) => made.absent === 'condition' && isOfIt(made.field)),
    }
  })
}

function createRuleTrials({ only, hold, lines, group }: Options): RecordTrial[] {
  const { same, columns, hold: lineHold } = toLongForm(lines)
  const isSame: RecordTrial['isTried'] = ({ fields }) =>
    fields.some(({ steps }) => steps.some(({ option }) => option === 'same'))
  const isPacked: RecordTrial['isTried'] = ({ rows }) =>
    new Set(rows.map(({ line }) => line)).size < rows.length
  return selectTrials([
    [only !== undefined, 'only: a record that is left out', ({ draft }) => draft.skipped === true],
    [(hold ?? lineHold) !== undefined, 'hold: a record that is held', ({ draft }) => draft.held === true],
    [same === 'add', 'lines: same add', isSame],
    [columns !== undefined, 'lines: several in one row', isPacked],
    [toLongForm(group)['blank'] === 'continues', 'group: blank continues', hasBlankKeyRows],
  ])
}

/** Whether a row belongs to the record because its keys are blank. */
const hasBlankKeyRows: RecordTrial['isTried'] = ({ rows, file: { layouts, bound } }) =>
  rows.slice(1).some((row) => bound.keyColumns.every((name) => findCell(row, layouts, [name])?.text === ''))
