/** A selection that was not written into the configuration: from the options of a command. */
import type { OutboundOperationName } from '../contract/operations.ts'
import { type Mistake, toMistakes, valueAt } from './mistakes.ts'
import { checkSelect } from './report-checks.ts'
import { type Select, SelectFile, toSelect } from './select.ts'

/** The selection, or everything that is wrong with it. Relative paths are relative to `folder`. */
export function readSelect(
  operation: OutboundOperationName,
  raw: Readonly<Record<string, unknown>>,
  folder: string,
): { readonly select: Select } | { readonly mistakes: readonly Mistake[] } {
  const checked = SelectFile.safeParse(raw)
  const issues = checked.error?.issues ?? []
  const mistakes = [
    ...issues.flatMap((issue) => toMistakes(issue, valueAt(raw, issue.path))),
    ...checkSelect(operation, raw),
  ]
  if (!checked.success || mistakes.length > 0) return { mistakes }
  return { select: toSelect(operation, checked.data, folder) }
}
