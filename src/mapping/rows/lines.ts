/** The `lines` of a mapping: several lines of a record in one row, lines of the same item, rules for each line. */
import { z } from 'zod'
import { didYouMean } from '../../support/nearest.ts'
import { checkPart } from '../source/check.ts'
import { foldedName } from './columns.ts'
import { type Check, CheckFrame, compileChecks, type ConditionContext } from './conditions.ts'
import type { ObjectPlan, Plan } from '../fields/plan.ts'
import type { Shape } from '../shape.ts'
import type { MapNode } from '../source/source.ts'
import { escapeMistake } from '../values/separated.ts'

const Text = z.string().min(1)

export const LinesFrame = z.strictObject({
  columns: z.array(Text).min(1).optional(),
  split: Text.optional(),
  escape: z.string().length(1, 'expected one character').optional(),
  same: z.enum(['add', 'refuse'], { error: 'expected `add` or `refuse`' }).optional(),
  check: z.array(CheckFrame).min(1).optional(),
  hold: z.array(CheckFrame).min(1).optional(),
})

/** Columns that hold several lines: each a list, or one column per line with its number in the name. */
export interface PackedLines {
  readonly columns: readonly string[]
  /** What separates the lines in a cell; without it the columns are numbered. */
  readonly split?: string
  /** What stands before a separator that is text, and before itself. */
  readonly escape?: string
}

/** What stands for the number in the name of a numbered column. */
export const NUMBER_MARK = '{n}'

/** The packed columns, or undefined when there are none or they have mistakes, which were noted. */
export function compilePacked(
  root: MapNode,
  { mistakes, columns: known }: ConditionContext,
): PackedLines | undefined {
  const node = root.entries.get('lines')?.node
  const frame = node && checkPart(LinesFrame, node, mistakes)
  if (frame === undefined || node?.kind !== 'map') return undefined
  const { columns, split, escape } = frame
  const place = node.entries.get('split')?.node ?? node
  const mistake = escape === undefined ? undefined : mistakeOfEscape(escape, split)
  if (mistake !== undefined) mistakes.add(node.entries.get('escape')?.node ?? node, mistake)
  if (columns === undefined) {
    if (split !== undefined) mistakes.add(place, '`split` needs `columns`: those whose cells hold lists')
    return undefined
  }
  const list = node.entries.get('columns')?.node ?? node
  for (const [index, name] of columns.entries()) {
    const wrong = mistakeIn(name, split, known)
    if (wrong !== undefined) mistakes.add(list.kind === 'list' ? (list.items[index] ?? list) : list, wrong)
  }
  return {
    columns,
    ...(split === undefined ? {} : { split }),
    ...(escape === undefined ? {} : { escape }),
  }
}

function mistakeOfEscape(escape: string, split: string | undefined): string | undefined {
  return split === undefined ? '`escape` needs `split`' : escapeMistake(escape, split)
}

function mistakeIn(
  name: string,
  split: string | undefined,
  known: readonly string[] | undefined,
): string | undefined {
  const isNumbered = name.includes(NUMBER_MARK)
  if (split === undefined && !isNumbered) {
    return `"${name}" needs ${NUMBER_MARK} where its number stands, as in "SKU${NUMBER_MARK}", or name \`split\``
  }
  if (split !== undefined && isNumbered) {
    return `with \`split\` the column holds a list: leave ${NUMBER_MARK} out`
  }
  const fits = (column: string) =>
    isNumbered ? numberIn(column, name) !== undefined : foldedName(column) === foldedName(name)
  if (known === undefined || known.some(fits)) return undefined
  return `\`read\` names no column "${name}".${didYouMean(name, known)}`
}

/** What `lines` says of each line of the array. */
export interface LineRules {
  readonly checks: readonly Check[]
  /** One row of these holds the whole record: an order must not go out with a line missing. */
  readonly holds: readonly Check[]
  /** Whether lines of the same item become one. */
  readonly adds: boolean
}

export function lineRulesOf(root: MapNode, context: ConditionContext): LineRules {
  const node = root.entries.get('lines')?.node
  if (node?.kind !== 'map') return { checks: [], holds: [], adds: false }
  const same = node.entries.get('same')?.node
  return {
    checks: compileChecks(node.entries.get('check')?.node, context),
    holds: compileChecks(node.entries.get('hold')?.node, context),
    adds: same?.kind === 'text' && same.text === 'add',
  }
}

/** The body with the rules of its lines. */
export function withLineRules(
  body: ObjectPlan,
  shape: Shape,
  { checks, adds }: Omit<LineRules, 'holds'>,
): ObjectPlan {
  if (checks.length === 0 && !adds) return body
  const fields = body.fields.map(([name, plan]): readonly [string, Plan] => {
    if (plan.kind !== 'rows') return [name, plan]
    const rules = {
      ...(checks.length === 0 ? {} : { checks }),
      ...(adds ? { addUpTo: largestQuantity(shape, name) } : {}),
    }
    return [name, { ...plan, ...rules }]
  })
  return { ...body, fields }
}

/** The most the API takes as the quantity of a line. */
function largestQuantity(shape: Shape, array: string): number {
  const list = shape.kind === 'object' ? shape.fields.get(array) : undefined
  const item = list?.kind === 'list' ? list.item : undefined
  const quantity = item?.kind === 'object' ? item.fields.get('quantity') : undefined
  const rule = quantity?.kind === 'field' ? quantity.rule : undefined
  return rule?.kind === 'integer' ? rule.max : Number.MAX_SAFE_INTEGER
}

/** The 12 of `SKU 12` for `SKU {n}`. */
export function numberIn(name: string, pattern: string): number | undefined {
  const [before = '', after = ''] = pattern.split(NUMBER_MARK).map((part) => part.trim() && foldedName(part))
  const folded = foldedName(name)
  if (!folded.startsWith(before) || !folded.endsWith(after)) return undefined
  const digits = folded.slice(before.length, folded.length - after.length)
  return /^\d{1,4}$/.test(digits) ? Number(digits) : undefined
}
