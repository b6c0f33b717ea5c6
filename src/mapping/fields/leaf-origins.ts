/** What the text of a leaf is made of: columns, or what is known without them. */
import type { CalcPlan } from '../calc/calc.ts'
import { columnsIn } from '../calc/calc.ts'
import { isKnown, knownMistake, looksKnown } from '../rows/known.ts'
import type { BodyLeaf } from '../options.ts'
import type { Alternatives, Origin } from './plan.ts'

export interface Origins {
  readonly alternatives: Alternatives
  readonly origins: readonly Origin[]
}

export type NoteOrigin = (message: string) => void

/** The columns a leaf names and what its text is made of; mistakes in the names are noted. */
export function originsOf(
  options: BodyLeaf,
  calc: CalcPlan | undefined,
  { perRow, note }: { readonly perRow: boolean; readonly note: NoteOrigin },
): Origins {
  if (calc !== undefined) return { alternatives: calcColumns(calc, perRow, note), origins: [] }
  const { from, firstOf, all, nth } = options
  const written = from === undefined ? (firstOf ?? all ?? []) : [from]
  const origins = written.map((one): Origin => {
    const names = typeof one === 'string' ? [one] : one
    const known = names.find(looksKnown)
    if (known === undefined) return { kind: 'column', names, ...(nth === undefined ? {} : { nth }) }
    const mistake = knownMistake(known, perRow)
    if (mistake !== undefined) note(mistake)
    else if (names.length > 1 || firstOf !== undefined) note(`${known} is always there: write it alone`)
    else if (nth !== undefined) note(`${known} is no column, and takes no \`nth\``)
    return isKnown(known) ? { kind: 'known', name: known } : { kind: 'column', names }
  })
  return {
    alternatives: origins.flatMap((origin) => (origin.kind === 'column' ? [origin.names] : [])),
    origins,
  }
}

function calcColumns({ calc }: CalcPlan, perRow: boolean, note: NoteOrigin): Alternatives {
  return columnsIn(calc).flatMap(({ name, inSum }) => {
    if (!looksKnown(name)) return [[name]]
    const mistake = knownMistake(name, perRow)
    if (mistake !== undefined) note(mistake)
    else if (inSum) note(`${name} cannot be summed up`)
    return []
  })
}
