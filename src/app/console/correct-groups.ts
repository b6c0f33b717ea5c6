/** Groups of refused records with the same problem: what one gesture corrects, and how their rows differ. */
import type { Problem } from '../../domain/problem.ts'
import { foldColumnName } from '../../mapping/rows/columns.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { listMappedFields } from '../../mapping-tools/mapped-fields.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { CellChange } from './correct-cells.ts'
import type { EditableRow } from './correct-rows.ts'
import type { CorrectionUnit, OpenCorrection } from './correct-source.ts'
import { formatKey } from './lists.ts'
import { type ShownProblem, showProblem } from './masks.ts'

export interface Replacement {
  readonly group: number
  readonly text: string
}

export interface TypedReplacements {
  /** Type this text into all cells of a problem group. */
  readonly apply?: Replacement
  /** What was typed beside the groups: a check types it into those of their cells that nothing else was typed into. */
  readonly replacements?: readonly Replacement[]
}

/** Refused records with the same problem of the same text in the same column. */
export interface CorrectionGroup {
  readonly number: number
  readonly problem: ShownProblem
  readonly column?: string
  readonly text?: string
  readonly records: number
  /** The first of the records, with the row that each begins with. Those that differ come first. */
  readonly units: readonly GroupedUnit[]
  /** Records have other texts beside the cell, such as other cities: one text may be wrong for some of them. */
  readonly isMixed: boolean
  /** The cells to type another text into; empty where the problem is of no column. */
  readonly cells: readonly Omit<CellChange, 'text'>[]
}

export interface GroupedUnit {
  readonly line: number
  readonly key: string
  /** What stands beside the cell, of the same address or line: `Boston 02108`. Empty where nothing does. */
  readonly beside: string
}

/** Only people who see personal data correct rows. */
export const AUDIENCE = { isMasked: false }

export function groupProblems({ units, mapping }: OpenCorrection): CorrectionGroup[] {
  const fields = listColumnFields(mapping)
  const byLine = new Map(units.map((unit) => [unit.line, unit]))
  const groups = new Map<
    string,
    Omit<CorrectionGroup, 'number' | 'records' | 'units' | 'isMixed'> & {
      readonly units: Map<number, string>
    }
  >()
  for (const unit of units.filter(({ correction }) => correction === undefined)) {
    for (const found of unit.records.flatMap(({ problems }) => problems)) {
      const cells = findCells(unit, found)
      const text = cells[0]?.text
      const column = cells[0]?.column ?? found.place.column
      const key = JSON.stringify([found.code, column, text])
      const before = groups.get(key)
      const places = cells.map(({ line, cell }) => ({ line, cell }))
      const shown = showProblem(found, AUDIENCE)
      // What a message says of one record is not true of the others.
      const isShared = before === undefined || before.problem.message === shown.message
      const problem = isShared ? shown : { ...shown, message: shown.title }
      groups.set(key, {
        ...omitUndefined({ problem, column, text }),
        cells: mergeCells(before?.cells ?? [], places),
        units: (before?.units ?? new Map<number, string>()).set(unit.line, nameUnit(unit)),
      })
    }
  }
  return [...groups.values()]
    .map(({ units: own, ...group }) => {
      const grouped = [...own.keys()].flatMap((line) => byLine.get(line) ?? [])
      const beside = describeBeside(group, grouped, listNeighbours(fields, group))
      const shown = [...own].map(([line, key]) => ({ line, key, beside: beside.get(line) ?? '' }))
      const seen = new Set<string>()
      const isFirst = shown.map(({ beside: text }) => !seen.has(text) && seen.add(text) !== undefined)
      const inOrder = [...shown.filter((_, at) => isFirst[at]), ...shown.filter((_, at) => !isFirst[at])]
      return { ...group, records: own.size, isMixed: seen.size > 1, units: inOrder.slice(0, NAMED_MAX) }
    })
    .toSorted((one, other) => other.records - one.records)
    .map((group, index) => ({ number: index + 1, ...group }))
}

/** A person sees which ones they are; of many, the first. */
const NAMED_MAX = 10

export function nameUnit({ records: [first] }: CorrectionUnit): string {
  return first === undefined ? '' : formatKey({ keyValues: first.keyValues })
}

type Place = Omit<CellChange, 'text'>

function mergeCells(before: readonly Place[], more: readonly Place[]): readonly Place[] {
  const known = new Set(before.map(({ line, cell }) => `${line} ${cell}`))
  return [...before, ...more.filter(({ line, cell }) => !known.has(`${line} ${cell}`))]
}

/** The cell of the problem, and those of the record in its column with the same text: an order repeats them in each row. */
export function findCells({ rows }: CorrectionUnit, { place }: Problem) {
  const { column } = place
  if (column === undefined) return []
  const name = foldColumnName(column)
  const cells = rows.flatMap(({ line, lastLine, cells: own }) =>
    own
      .filter((cell) =>
        cell.column === '' ? column === String(cell.cell + 1) : foldColumnName(cell.column) === name,
      )
      .map(({ cell, column: written, text }) => ({ line, lastLine, cell, column: written, text })),
  )
  const blamed =
    cells.find(
      ({ line, lastLine }) => place.line !== undefined && line <= place.line && place.line <= lastLine,
    ) ?? cells[0]
  return cells.filter(({ text }) => text === blamed?.text)
}

export function applyToGroups(
  groups: readonly CorrectionGroup[],
  { apply, replacements = [] }: TypedReplacements,
  changes: readonly CellChange[],
): CellChange[] {
  const typed = new Set(changes.map(({ line, cell }) => `${line} ${cell}`))
  return groups.flatMap(({ number, text, cells }) => {
    if (apply?.group === number) return cells.map((each) => ({ ...each, text: apply.text }))
    const replacement = replacements.find(({ group }) => group === number)
    if (replacement === undefined || replacement.text === text) return []
    const left = cells.filter(({ line, cell }) => !typed.has(`${line} ${cell}`))
    return left.map((each) => ({ ...each, text: replacement.text }))
  })
}

// What stands beside a cell: of an address its place, of a line its goods.

interface ColumnField {
  readonly field: string
  /** In folded names. */
  readonly columns: readonly string[]
}

function listColumnFields(mapping: InboundMapping): readonly ColumnField[] {
  return listMappedFields(mapping).map(({ field, branches }) => ({
    field,
    columns: branches.flatMap(({ sources }) => sources.flat()).map(foldColumnName),
  }))
}

/** The parts of an address that depend on each other; the street decides only the postal code. */
const PLACE_FIELDS = ['city', 'province', 'postal_code', 'country'] as const

/**
 * The columns, in folded names, that feed the same address or line as this one. A column of the whole record has none, and
 * neither has a number of a line, such as a quantity that is a word: the same text means the same in each row.
 */
function listNeighbours(
  fields: readonly ColumnField[],
  { column = '', text = '' }: Pick<CorrectionGroup, 'column' | 'text'>,
): readonly string[] {
  const name = foldColumnName(column)
  const found = fields
    .filter(({ columns }) => columns.includes(name))
    .flatMap(({ field }) => {
      const [, place, kind] = /^(.*?)(city|province|postal_code|country)$/.exec(field) ?? []
      const parent = field.slice(0, field.lastIndexOf('.') + 1)
      if (place === undefined)
        return parent === '' || (parent.endsWith('[].') && text !== '')
          ? []
          : fields.filter((each) => each.field.startsWith(parent))
      const kinds = kind === 'postal_code' ? [...PLACE_FIELDS, 'street1'] : PLACE_FIELDS
      return kinds.flatMap((each) => fields.filter((other) => other.field === `${place}${each}`))
    })
  return [...new Set(found.flatMap(({ columns }) => columns))].filter((each) => each !== name)
}

/** So many columns are shown beside a cell. */
const BESIDE_MAX = 2

/** By the first line of each record: the texts in the first of these columns that differ, or where none does, that are filled. */
function describeBeside(
  { cells }: Pick<CorrectionGroup, 'cells'>,
  units: readonly CorrectionUnit[],
  neighbours: readonly string[],
): ReadonlyMap<number, string> {
  const lines = new Set(cells.map(({ line }) => line))
  const rows = units.flatMap((unit) =>
    unit.rows
      .filter(({ line }) => lines.has(line))
      .map((row) => ({ unit: unit.line, texts: indexCells(row) })),
  )
  const listTexts = (column: string) => new Set(rows.map(({ texts }) => texts.get(column) ?? ''))
  const filled = neighbours.filter((column) => [...listTexts(column)].some((text) => text !== ''))
  const differing = filled.filter((column) => listTexts(column).size > 1)
  const chosen = (differing.length > 0 ? differing : filled).slice(0, BESIDE_MAX)
  const beside = new Map<number, Set<string>>()
  for (const { unit, texts } of rows) {
    const text = chosen.flatMap((column) => texts.get(column) || []).join(' ')
    if (text !== '') beside.set(unit, (beside.get(unit) ?? new Set()).add(text))
  }
  return new Map([...beside].map(([unit, texts]) => [unit, [...texts].slice(0, ROWS_MAX).join('; ')]))
}

/** So many rows of one record are described. */
const ROWS_MAX = 3

function indexCells({ cells }: EditableRow): ReadonlyMap<string, string> {
  return new Map(cells.map(({ column, text }) => [foldColumnName(column), text.trim()]))
}
