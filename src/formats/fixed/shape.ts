/** What a line of fixed width becomes: its cells, each from its place. */
import type { Layout, Row } from '../../domain/document.ts'
import type { CellPlace, ReadOptions } from '../../domain/format.ts'
import { finder, type Kind, type Kinds, kindsOf, type TypedRow, unknownType } from '../text/records.ts'
import { excerpt } from '../text/words.ts'

export interface LineShape {
  readonly layouts: readonly Layout[]
  /** Whether cells of some rows belong to the row before. */
  readonly hasParts: boolean
  /** The row of a line that is not blank; undefined when it is left out. */
  fit(text: string, line: number): TypedRow | undefined
}

export function lineShape({ columns = [], places = [], records, typeIn }: ReadOptions): LineShape {
  if (records === undefined) {
    const layouts = [{ recordType: '', columns }]
    const fit = (text: string, line: number) => toRow(line, cellsOf(text, places))
    return { layouts, hasParts: false, fit }
  }
  const kinds = kindsOf(records.map((record) => ({ ...record, columns: record.columns ?? [] })))
  const find = typeFinder(kinds, typeof typeIn === 'object' ? typeIn : undefined)
  return {
    layouts: kinds.layouts,
    hasParts: kinds.hasParts,
    fit(text, line) {
      const { kind, shown } = find(text)
      if (kind === undefined) {
        return { ...toRow(line, []), problems: [unknownType(excerpt(shown), { line }, kinds.all)] }
      }
      return kind.ignored ? undefined : kinds.place(toRow(line, cellsOf(text, kind.places)), kind)
    },
  }
}

interface TypeFound {
  readonly kind: Kind | undefined
  /** What the line says in its place. */
  readonly shown: string
}

/** Without a place, the type is what a line begins with. */
function typeFinder(kinds: Kinds, place: CellPlace | undefined): (text: string) => TypeFound {
  if (place !== undefined) {
    return (text) => {
      const [shown = ''] = cellsOf(text, [place])
      return { kind: kinds.find(shown), shown }
    }
  }
  const widest = Math.max(1, ...kinds.all.map(({ type }) => type.length))
  const beginnings = kinds.all.map((kind) => ({ type: `${kind.type.trim().replace(/\*$/, '')}*`, kind }))
  const find = finder(beginnings)
  return (text) => ({ kind: find(text)?.kind, shown: text.slice(0, widest) })
}

function toRow(line: number, values: readonly string[]): Row {
  return { layout: 0, line, lastLine: line, values }
}

/** A line that ends early has blank cells. Characters beyond the sixteen-bit ones count as one like all others. */
function cellsOf(text: string, places: readonly CellPlace[]): string[] {
  if (!PAIR.test(text)) return places.map(({ start, length }) => text.slice(start - 1, start - 1 + length))
  const characters = Array.from(text)
  return places.map(({ start, length }) => characters.slice(start - 1, start - 1 + length).join(''))
}

const PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/
