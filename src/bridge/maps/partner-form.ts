/** What the files of a mapping look like, for the partner who makes them. */
import type { CellPlace, ReadOptions } from '../../domain/format.ts'
import { delimiterWords, markdownTable } from './markdown.ts'

/** What was found out about the files that the mapping does not tell. */
export interface FoundForm {
  readonly encoding: string
  readonly delimiter: string
}

/** `One file, UTF-8, with semicolons between the cells and the names of the columns in its first line.` */
export function formSentence(read: ReadOptions, found: FoundForm | undefined): string {
  const encoding = (read.encoding ?? found?.encoding ?? 'utf-8').toUpperCase()
  if (read.format === 'fixed') {
    return `One text file, ${encoding}, with lines of fixed width: each cell stands at its place below, filled up with blanks.`
  }
  const between = delimiterWords(read.delimiter ?? found?.delimiter ?? ',')
  const quote = read.quote === null ? ', never in quotes' : ''
  return `One text file, ${encoding}, with ${between} between the cells${quote}, and ${topWords(read)}.`
}

function topWords({ records, columns, typeIn, skip, header }: ReadOptions): string {
  if (records !== undefined) {
    const where = typeof typeIn === 'number' ? `cell number ${typeIn}` : 'its first cell'
    return typeof typeIn === 'string'
      ? `the names of the columns in its first line; the column "${typeIn}" says of which type a row is`
      : `the type of each row in ${where}`
  }
  if (columns !== undefined) return 'no names above them: the cells stand in the order below'
  return skip === undefined && header === undefined
    ? 'the names of the columns in its first line'
    : 'the names of the columns in the line above the data, as in the example'
}

/** Whether columns are found by their names, so that neither their order nor others beside them matter. */
export function isNamed({ format, records, columns, typeIn }: ReadOptions): boolean {
  return format === 'csv' && columns === undefined && (records === undefined || typeof typeIn === 'string')
}

/** The cells of each row in their order, where the file does not name them. */
export function rowLines({ records, columns, places, typeIn }: ReadOptions): string[] {
  const own = columns === undefined ? [] : [['', cellsInWords(columns, places)]]
  const typed = (records ?? []).flatMap(({ type, columns: names, places: cells, of, ignored }) => {
    if (ignored === true || names === undefined) return []
    const behind = of === undefined ? type : `${type}, right behind its ${of}`
    return [[behind, cellsInWords(names, cells)]]
  })
  const rows = [...own, ...typed]
  if (rows.length === 0) return []
  const first = typed.length > 0 && typeIn === undefined ? 'Cells behind the type' : 'Cells'
  return ['## Rows', '', ...markdownTable([['Type', first], ...rows]), '']
}

function cellsInWords(names: readonly string[], places: readonly CellPlace[] | undefined): string {
  return names
    .map((name, index) => {
      const place = places?.[index]
      return place === undefined ? name : `${name} (${place.start}–${place.start + place.length - 1})`
    })
    .join(', ')
}
