/** What the examples of a mapping leave untried: columns nobody uses, fields never filled, options never taken. */
import { dirname, resolve } from 'node:path'
import type { Layout, Row } from '../../domain/document.ts'
import type { Format } from '../../domain/format.ts'
import { exampleBody } from '../../mapping/examples.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { compileDateFormat } from '../../mapping/values/date-format.ts'
import { leavesOfMapping, type MappingLeaf } from './leaves.ts'
import { cellOf, readRecords } from './records.ts'

export interface Coverage {
  /** Columns of the examples that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  /** Columns that the mapping names and no example has. */
  readonly absentColumns: readonly string[]
  /** Fields of the mapping that no example fills. */
  readonly unfilledFields: readonly string[]
  /** Options that make no difference to any example, each as `field: option`. */
  readonly untakenOptions: readonly string[]
}

export async function coverageOf(mapping: InboundMapping, path: string, format: Format): Promise<Coverage> {
  const leaves = leavesOfMapping(mapping)
  const unfilled = new Set(leaves.map(({ field }) => field))
  const untaken = new Map(leaves.flatMap(optionsToTake).map((option) => [option.name, option]))
  const unused = new Map<string, number>()
  const absent = new Map<string, number>()
  for (const { input } of mapping.examples) {
    const read = await readRecords(resolve(dirname(path), input), format, mapping)
    if ('problems' in read) continue
    for (const name of read.bound.unusedColumns) unused.set(name, (unused.get(name) ?? 0) + 1)
    for (const name of read.bound.absentColumns) absent.set(name, (absent.get(name) ?? 0) + 1)
    for await (const { draft, rows } of read.records) {
      if (draft.body === undefined) continue
      for (const field of filledFields(exampleBody(draft), '')) unfilled.delete(field)
      const taken = [...untaken.values()].filter((option) => option.isTaken(rows, read.layouts))
      for (const { name } of taken) untaken.delete(name)
    }
  }
  const inEvery = (counts: ReadonlyMap<string, number>) =>
    [...counts].filter(([, count]) => count === mapping.examples.length).map(([name]) => name)
  return {
    unusedColumns: [...unused.keys()],
    absentColumns: inEvery(absent),
    unfilledFields: [...unfilled],
    untakenOptions: [...untaken.keys()],
  }
}

/** The paths of the values in a body, with `[]` for each item of a list. */
function filledFields(value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const below = value.flatMap((item) => filledFields(item, `${path}[]`))
    return [path, ...below]
  }
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, item]) =>
    filledFields(item, path === '' ? name : `${path}.${name}`),
  )
  return [path, ...below]
}

interface OptionToTake {
  readonly name: string
  isTaken(rows: readonly Row[], layouts: readonly Layout[]): boolean
}

type Cells = readonly { readonly text: string }[]

/** The options of a leaf that only some cells call for. */
function optionsToTake({ field, options, columns, perRow }: MappingLeaf): OptionToTake[] {
  const cellsOf = (row: Row, layouts: readonly Layout[]) =>
    columns.flatMap((names) => cellOf(row, layouts, names) ?? [])
  const some = (name: string, test: (cells: Cells) => boolean): OptionToTake => ({
    name: `${field}: ${name}`,
    isTaken: (rows, layouts) => rows.some((row) => test(cellsOf(row, layouts))),
  })
  const taken: OptionToTake[] = []
  if (options['default'] !== undefined) {
    const isBlank = (row: Row, layouts: readonly Layout[]) =>
      cellsOf(row, layouts).every(({ text }) => text === '')
    const quantifier = perRow ? 'some' : 'every'
    taken.push({
      name: `${field}: default`,
      isTaken: (rows, layouts) => rows[quantifier]((row) => isBlank(row, layouts)),
    })
  }
  for (const blank of listOf(options['blanks'])) {
    taken.push(
      some(`blanks ${blank}`, (cells) =>
        cells.some(({ text }) => text.toLowerCase() === blank.toLowerCase()),
      ),
    )
  }
  if (options['firstOf'] !== undefined) {
    for (const [index, names] of columns.entries()) {
      taken.push(
        some(`firstOf ${names[0] ?? ''}`, (cells) => cells.findIndex(({ text }) => text !== '') === index),
      )
    }
  }
  const formats = listOf(options['format'])
  for (const name of formats.length > 1 ? formats : []) {
    const format = compileDateFormat(name)
    if (typeof format === 'string') continue
    taken.push(some(`format ${name}`, (cells) => cells.some(({ text }) => format.read(text) !== undefined)))
  }
  const { wrap, split } = options
  if (typeof wrap === 'number')
    taken.push(some('wrap', (cells) => cells.some(({ text }) => text.length > wrap)))
  if (typeof split === 'string')
    taken.push(some('split', (cells) => cells.some(({ text }) => text.includes(split))))
  return taken
}

function listOf(option: unknown): string[] {
  return Array.isArray(option) ? option.map(String) : []
}
