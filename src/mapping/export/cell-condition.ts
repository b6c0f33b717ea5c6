/** The `when` of a column: conditions of the mapping on the fields of the record, or of the item that makes the row. */
import { compileCondition } from '../rows/conditions.ts'
import { keyPlace, type Mistakes, type SourceNode } from '../source/source.ts'
import { partOf, partText, type RowScope } from './cell-source.ts'
import { plainText } from './cell-value.ts'

/** Whether the column is filled in this row. */
export type CellCondition = (record: unknown, item: unknown) => boolean

/** Undefined where there is none, or after its mistakes were noted. */
export function compileCellCondition(
  node: SourceNode,
  scope: RowScope,
  mistakes: Mistakes,
): CellCondition | undefined {
  const written = node.kind === 'map' ? node.entries.get('when')?.node : undefined
  const condition = written && compileCondition(written, { mistakes })
  if (condition === undefined || written?.kind !== 'map') return undefined
  const tests = condition.tests.flatMap(({ column, holds }) => {
    const part = partOf(column, scope, false)
    if (typeof part !== 'string') {
      return [{ holds, read: partText(part, { print: plainText, lookup: undefined }, { separator: '\n' }) }]
    }
    mistakes.add(keyPlace(written, column), part)
    return []
  })
  return (record, item) => tests.every(({ holds, read }) => holds(read(record, item, nothing).trim()))
}

/** The values that are tested are plain texts, of which none is ever refused. */
function nothing(): string {
  return ''
}
