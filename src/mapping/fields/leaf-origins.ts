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
  const origins = written.map((one, index) => {
    const names = typeof one === 'string' ? [one] : one
    const isLast = firstOf === undefined || index === written.length - 1
    return originOf(names, { nth, perRow, isLast, note })
  })
  return {
    alternatives: origins.flatMap((origin) => (origin.kind === 'column' ? [origin.names] : [])),
    origins,
  }
}

/** What is known without a column is always there, so nothing behind it is ever asked. */
function originOf(
  names: readonly string[],
  {
    nth,
    perRow,
    isLast,
    note,
  }: {
    readonly nth: number | undefined
    readonly perRow: boolean
    readonly isLast: boolean
    readonly note: NoteOrigin
  },
): Origin {
  const at = names.findIndex(looksKnown)
  const known = names[at]
  const numbered = nth === undefined ? {} : { nth }
  if (known === undefined) return { kind: 'column', names, ...numbered }
  const isAlone = at === 0
  const mistake = knownMistake(known, perRow)
  if (mistake !== undefined) note(mistake)
  else if (at < names.length - 1 || (isAlone && !isLast)) {
    note(`${known} is always there: nothing behind it is ever taken`)
  } else if (isAlone && nth !== undefined) note(`${known} is no column, and takes no \`nth\``)
  if (!isKnown(known)) return { kind: 'column', names }
  return isAlone
    ? { kind: 'known', name: known }
    : { kind: 'column', names: names.slice(0, at), otherwise: known, ...numbered }
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
