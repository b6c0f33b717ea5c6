/** Compiles the trailer of an export: a last row that says how many records are in the file and what they add up to. */
import type { Trailer } from '../../domain/translator.ts'
import { addDecimals, type Decimal } from '../../support/decimal.ts'
import { BridgeError } from '../../support/errors.ts'
import { checkNumberForm, numberText } from './cell-number.ts'
import { totalOf } from './cell-source.ts'
import { finishFor } from './cell-text.ts'
import { checkTexts } from './characters.ts'
import { checkPart } from '../source/check.ts'
import { TotalLeaf } from './column-options.ts'
import type { Shape } from '../shape.ts'
import { type MapNode, type Mistakes, nodeAt, type SourceNode } from '../source/source.ts'
import type { Paper, RefuseCell } from './paper.ts'

interface TotalCell {
  /** What a record, or its rows, add to the total; undefined for a constant. */
  readonly amount: ((record: unknown, rows: number, refuse: RefuseCell) => Decimal | undefined) | undefined
  readonly text: (total: Decimal, refuse: RefuseCell) => string
}

export interface TrailerPlan {
  /** Refuses the record when something in it cannot be added up. */
  check(record: unknown, refuse: RefuseCell): void
  start(): Trailer
}

interface TrailerContext {
  readonly mistakes: Mistakes
  readonly record: Shape
  readonly paper: Paper
}

/** The plan of the trailer; what is wrong is noted. */
export function compileTrailer(
  columns: MapNode,
  type: string | undefined,
  context: TrailerContext,
): TrailerPlan {
  const cells = [...columns.entries.values()].flatMap(({ node }) => compileTotal(node, context) ?? [])
  const first = type === undefined ? [] : [type]
  return {
    check(record, refuse) {
      for (const { amount } of cells) amount?.(record, 1, refuse)
    },
    start() {
      const totals = cells.map(() => ZERO)
      return {
        add(record, rows) {
          for (const [index, { amount }] of cells.entries()) {
            const more = amount?.(record, rows, unexpected)
            if (more !== undefined) totals[index] = addDecimals(totals[index] ?? ZERO, more)
          }
        },
        row: () => [...first, ...cells.map(({ text }, at) => text(totals[at] ?? ZERO, unexpected))],
      }
    },
  }
}

const ZERO: Decimal = { units: 0n, scale: 0 }

/** No record is to blame when the trailer itself cannot be written. */
function unexpected(_code: unknown, message: string): never {
  throw new BridgeError('mapping-invalid', `The trailer of the file cannot be written: ${message}`)
}

function compileTotal(node: SourceNode, { mistakes, record, paper }: TrailerContext): TotalCell | undefined {
  const leaf = checkPart(TotalLeaf, node, mistakes)
  if (leaf === undefined) return undefined
  const { sum, count } = leaf
  if ([leaf.const, sum, count].filter((given) => given !== undefined).length !== 1) {
    mistakes.add(node, 'say what stands here with exactly one of `const`, `sum` and `count`')
    return undefined
  }
  if (paper.isFixed && leaf.width === undefined) {
    mistakes.add(node, 'a column of a fixed-width file needs a `width`')
  }
  checkTexts(node, leaf, paper, mistakes)
  checkNumberForm(leaf, (option, message) => mistakes.add(nodeAt(node, [option]), message))
  const { shape, layout } = finishFor({ ...leaf, isNumber: leaf.const === undefined }, paper)
  const finish = (text: string, refuse: RefuseCell) => {
    const shaped = shape?.(text, refuse) ?? text
    return layout?.(shaped, refuse) ?? shaped
  }
  if (leaf.const !== undefined) {
    const written = nodeAt(node, ['const'])
    const text = finish(written.kind === 'text' ? written.text : '', (_code, message) => {
      mistakes.add(written, message)
      return ''
    })
    return { amount: undefined, text: () => text }
  }
  const text = (total: Decimal, refuse: RefuseCell) => finish(numberText(total, leaf, refuse), refuse)
  if (count === 'records') return { amount: () => ({ units: 1n, scale: 0 }), text }
  if (count === 'rows') return { amount: (_record, rows) => ({ units: BigInt(rows), scale: 0 }), text }
  const total = totalOf(leaf, record, (option, message) => mistakes.add(nodeAt(node, [option]), message))
  return total && { amount: (value, _rows, refuse) => total(value, refuse), text }
}
