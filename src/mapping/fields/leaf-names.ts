/** Checks of the columns a leaf names, where the mapping itself says which there are. */
import { didYouMean } from '../../support/nearest.ts'
import { type CalcPlan, columnsIn, sumsIn } from '../calc/calc.ts'
import { foldedName } from '../rows/columns.ts'
import { looksKnown } from '../rows/known.ts'
import type { Mistakes, SourceNode } from '../source/source.ts'
import type { Origins } from './leaf-origins.ts'
import type { Alternatives } from './plan.ts'

export interface NameContext {
  readonly mistakes: Mistakes
  /** The columns a leaf may name, where the mapping itself says which there are. */
  readonly columnsFor: (perRow: boolean) => readonly string[] | undefined
  /** The columns whose cells hold several lines of a record, where a row holds several. */
  readonly packed: readonly string[] | undefined
}

/** The columns inside of a sum are those of the rows. */
export function checkNames(
  node: SourceNode,
  calc: CalcPlan | undefined,
  { origins, perRow }: { readonly origins: Origins; readonly perRow: boolean },
  context: NameContext,
): void {
  if (calc === undefined) return checkColumns(node, origins.alternatives, perRow, context)
  const place = placeOf(node, 'calc')
  for (const names of sumsIn(calc.calc)) checkSum(names, place, context)
  for (const { name, inSum } of columnsIn(calc.calc)) {
    if (!looksKnown(name)) checkColumns(place, [[name]], perRow || inSum, context)
  }
}

/** Where a row holds several lines, what stands in it once would be added once for each of them. */
function checkSum(names: readonly string[], place: SourceNode, { mistakes, packed }: NameContext): void {
  const [first] = names
  const isPacked = (name: string) => packed?.some((column) => foldedName(column) === foldedName(name))
  if (packed === undefined || first === undefined || names.some(isPacked)) return
  mistakes.add(place, `this adds ${first} once per line of the row; write [${first}]`)
}

/** Where the mapping names the columns of a file without a header line, it may use no others. */
export function checkColumns(
  node: SourceNode,
  alternatives: Alternatives,
  perRow: boolean,
  { mistakes, columnsFor }: Pick<NameContext, 'mistakes' | 'columnsFor'>,
): void {
  const columns = columnsFor(perRow)
  if (columns === undefined) return
  const known = new Set(columns.map(foldedName))
  for (const names of alternatives) {
    if (names.some((name) => known.has(foldedName(name)))) continue
    const [first = ''] = names
    mistakes.add(
      node,
      `\`read\` names no column "${first}" that can be used here.${didYouMean(first, columns)}`,
    )
  }
}

/** Where the mapping says what the text is made of. */
export function sourcePlace(node: SourceNode): SourceNode {
  const place = ['from', 'firstOf', 'all', 'calc'].find(
    (name) => node.kind === 'map' && node.entries.has(name),
  )
  return place === undefined ? node : placeOf(node, place)
}

export function placeOf(node: SourceNode, option: string): SourceNode {
  return node.kind === 'map' ? (node.entries.get(option)?.node ?? node) : node
}
