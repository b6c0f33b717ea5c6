/** How the rows of a record come to their cells: the values of the API, the text after every step, what is wrong. */
import type { CellPlan } from './cell.ts'
import { itemReader, type RowPlan } from './composer.ts'
import type { RefuseCell } from './paper.ts'

export interface ExplainedCell {
  readonly column: string
  readonly values: readonly { readonly path: string; readonly value: unknown }[]
  /** Only those that change something, and the first. */
  readonly steps: readonly { readonly does: string; readonly text: string }[]
  /** What stands in the cell; blank where it is refused. */
  readonly text: string
  readonly refused: readonly string[]
}

export interface ExplainedRow {
  /** The first cell, in a file whose rows say what they are. */
  readonly type: string | undefined
  readonly cells: readonly ExplainedCell[]
}

/** In the order in which they stand in the file. The steps are those by which the file is made. */
export function explainRows(
  rows: readonly RowPlan[],
  record: Readonly<Record<string, unknown>>,
): ExplainedRow[] {
  return rows.flatMap((row) =>
    itemReader(row)(record).map((item) => ({
      type: row.type,
      cells: row.cells.map((cell) => explainCell(cell, record, item)),
    })),
  )
}

function explainCell({ name, values, steps, text }: CellPlan, record: unknown, item: unknown): ExplainedCell {
  const refused: string[] = []
  const note: RefuseCell = (_code, message) => {
    refused.push(message)
    return ''
  }
  const written = text(record, item, note)
  const shown: { does: string; text: string }[] = []
  for (const { does, read } of steps) {
    const now = read(record, item, silent)
    if (shown.at(-1)?.text !== now) shown.push({ does, text: now })
  }
  return {
    column: name,
    values: values.map(({ path, read }) => ({ path, value: read(record, item) ?? null })),
    steps: shown,
    text: written,
    refused,
  }
}

/** What a step refuses, the cell as a whole refuses too. */
function silent(): string {
  return ''
}
