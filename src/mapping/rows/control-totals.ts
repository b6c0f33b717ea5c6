/** Control totals: how a mapping says which row of a file counts and adds up the others. */
import { z } from 'zod'
import { checkPart } from '../source/check.ts'
import {
  checkColumn,
  type Condition,
  type ConditionContext,
  ConditionFrame,
  compileCondition,
} from './conditions.ts'
import { keyPlace, type MapNode, type Mistakes } from '../source/source.ts'

const Text = z.string().min(1)

export const TotalsFrame = z
  .strictObject({
    when: ConditionFrame.optional(),
    rows: Text.optional(),
    records: Text.optional(),
    sum: z
      .record(Text, Text)
      .refine((sums) => Object.keys(sums).length > 0, 'name a column and the column of its total')
      .optional(),
  })
  .refine(
    ({ rows, records, sum }) => rows !== undefined || records !== undefined || sum !== undefined,
    'name the column that holds the number of `rows` or of `records`, or the `sum` of a column',
  )

export interface TotalsPlan {
  /** Which row is that of the totals; left out where a record type of its own says it. */
  readonly when?: Condition
  /** The columns in which that row says how many there are. */
  readonly rows?: string
  readonly records?: string
  /** Columns to be added up, and where that row says what they come to. */
  readonly sums: readonly (readonly [column: string, total: string])[]
  /** What stands before the decimals of the numbers in the file. */
  readonly decimal?: '.' | ','
}

export interface TotalsContext {
  readonly mistakes: Mistakes
  /** Whether rows have types, and the type of the row of totals. */
  readonly typed: boolean
  readonly type: string | undefined
  /** The columns of the row of totals and of the others, where the mapping itself says which there are. */
  readonly columns: readonly string[] | undefined
  readonly added: readonly string[] | undefined
  readonly decimal: '.' | ',' | undefined
}

export function compileTotals(root: MapNode, context: TotalsContext): TotalsPlan | undefined {
  const { mistakes, typed, type, decimal } = context
  const node = root.entries.get('totals')?.node
  if (node === undefined) {
    if (type !== undefined) {
      mistakes.add(root, `say under \`totals\` what the rows of type ${type} count and add up`)
    }
    return undefined
  }
  const frame = checkPart(TotalsFrame, node, mistakes)
  if (frame === undefined || node.kind !== 'map') return undefined
  const written = node.entries.get('when')?.node
  const when = typed || written === undefined ? undefined : compileCondition(written, context)
  if (typed && written !== undefined) {
    mistakes.add(keyPlace(node, 'when'), 'the record type says which row it is: leave `when` out')
  } else if (typed && type === undefined) {
    mistakes.add(node, 'give the row of totals a record type `as: totals` under `read`')
  } else if (!typed && written === undefined) {
    mistakes.add(node, 'when is missing: it says which row is that of the totals')
  }
  checkColumns(node, context)
  const { rows, records, sum = {} } = frame
  return {
    ...(when === undefined ? {} : { when }),
    ...(rows === undefined ? {} : { rows }),
    ...(records === undefined ? {} : { records }),
    sums: Object.entries(sum),
    ...(decimal === undefined ? {} : { decimal }),
  }
}

function checkColumns(node: MapNode, { mistakes, columns, added }: TotalsContext): void {
  const context: ConditionContext = { mistakes, columns }
  for (const name of ['rows', 'records']) {
    const column = node.entries.get(name)?.node
    if (column?.kind === 'text') checkColumn(column.text, column, context)
  }
  const sums = node.entries.get('sum')?.node
  if (sums?.kind !== 'map') return
  for (const [column, { node: total }] of sums.entries) {
    checkColumn(column, keyPlace(sums, column), { mistakes, columns: added })
    if (total.kind === 'text') checkColumn(total.text, total, context)
  }
}
