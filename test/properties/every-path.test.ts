/** Every path that an export can name: its value in the record is in the cell of the file. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { isUnreadable } from '../../src/domain/format.ts'
import type { Composer } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { followPath, listPaths } from '../../src/mapping/export/paths.ts'
import { type Shape, toShape } from '../../src/mapping/shape.ts'
import { mappingOf } from '../mapping/sheet.ts'
import { inChunks, rowsOf } from '../suites/format.suite.ts'
import { type Plain, put } from './body-fields.ts'
import { type Written, writtenValue } from './field-values.ts'

interface Case {
  readonly name: string
  readonly record: Shape
  /** The list that makes a row per item. */
  readonly each: string | undefined
  readonly paths: readonly string[]
}

const cases = Object.entries(OPERATIONS).flatMap(([name, operation]): Case[] => {
  if (operation.direction === 'inbound') return []
  const record = toShape(operation.record)
  const lists =
    record.kind === 'object' ? [...record.fields].filter(([, field]) => isListOfObjects(field)) : []
  return [undefined, ...lists.map(([each]) => each)].map((each) => {
    // An open object may have any keys of the API.
    const paths = listPaths(record, each).map((path) => path.replace(/\*$/, 'anything'))
    return { name, record, each, paths }
  })
})

function isListOfObjects(shape: Shape): boolean {
  return shape.kind === 'list' && shape.item.kind === 'object'
}

test('the records of orders, shipments and invoices are among them, with their lines', () => {
  const paths = cases.flatMap(({ name, each, paths: all }) =>
    all.map((path) => `${name} ${each ?? ''} ${path}`),
  )

  expect(paths).toContain('export-orders  ship_to.street2')
  expect(paths).toContain('export-orders order_lines order_lines.variant.brand_identifier')
  expect(paths).toContain('export-shipments shipment_lines shipment_lines.quantity')
  expect(paths).toContain('export-invoices  due_amount')
})

test.each(cases)(
  '$name, a row for each of $each: every path has its own value',
  async ({ name, record, each, paths }) => {
    const columns = Object.fromEntries([['Kind', { const: 'row' }], ...paths.map((path) => [path, path])])
    const rows = each === undefined ? {} : { each }
    const parts = paths.includes(`${each}.part`) ? { parts: 'all' } : {}
    const mapping = await mappingOf(stringify({ operation: name, ...rows, ...parts, columns }))
    if (mapping.direction !== 'outbound') throw new Error('not an export')
    const { composer } = mapping
    const values = fc.tuple(...paths.map((path) => valueAt(record, path)))

    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        async (all, inLists) => {
          fc.pre(!all.some((of) => looksSwallowed(['row', ...of.map(({ cell }) => cell)])))
          const records = all.map((of) =>
            recordWith(
              paths.map((path, index) => [path, of[index]?.value]),
              { each, inLists },
            ),
          )

          const written = await rowsIn(records, composer)

          const expected = all.map((of) => paths.map((path, index) => `${path}: ${of[index]?.cell ?? ''}`))
          expect(
            written.map((cells) => paths.map((path, index) => `${path}: ${cells[index + 1] ?? ''}`)),
          ).toEqual(expected)
        },
      ),
      { numRuns: 12 },
    )
  },
)

/**
 * On purpose the reader treats lines within quotes that are each as wide as the table as rows that an open quote has swallowed
 * (csv-damage.test.ts), so such cells do not come back.
 */
function looksSwallowed(cells: readonly string[]): boolean {
  const widths: number[] = []
  for (const [, ...lines] of cells.map((cell) => cell.split('\n'))) {
    const last = widths.pop()
    if (last !== undefined) widths.push(last + 1)
    widths.push(...lines.map((line) => line.split(',').length))
  }
  return widths.length > 0 && widths.every((width) => width === cells.length)
}

/** The record with these values, all others left out; of the list that makes rows it has one item. */
function recordWith(
  values: readonly (readonly [path: string, value: unknown])[],
  { each, inLists }: { readonly each: string | undefined; readonly inLists: boolean },
): Plain {
  let record: Plain = {}
  for (const [path, value] of values) {
    const [, code] = /(?:^|\.)attributes\.(\w+)$/.exec(path) ?? []
    const place = each === undefined ? path : path.replace(`${each}.`, `${each}[].`)
    record = put(record, place, code === undefined ? value : { code, values: [{ value }] })
  }
  return inLists ? (withLists(record) as Plain) : record
}

/** Attributes as the retailer view has them: a list, where the brand view has them by their codes. */
function withLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLists)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    name === 'attributes' ? Object.values(field as Plain) : withLists(field),
  ])
  return Object.fromEntries(fields)
}

/** The values that the path may have, and the cell of each. */
function valueAt(record: Shape, path: string): fc.Arbitrary<Written> {
  const followed = followPath(record, path, true)
  const found = 'found' in followed ? followed.found : undefined
  const field = found?.kind === 'list' ? found.item : found
  const rule = field?.kind === 'field' ? field.rule : undefined
  // Names and codes are printed as they are, whatever other texts a file could have for them.
  const shown = writtenValue(rule ?? { kind: 'text', max: 60 }).map(({ value }) => ({
    cell: String(value),
    value,
  }))
  const nothing = fc.constant({ cell: '', value: null })
  if (found?.kind !== 'list') return fc.oneof({ weight: 9, arbitrary: shown }, nothing)
  return fc.array(shown, { maxLength: 4 }).map((items) => ({
    cell: items.map(({ cell }) => cell).join('\n'),
    value: items.map(({ value }) => value),
  }))
}

/** The cells of the rows of the file with these records. */
async function rowsIn(records: readonly Plain[], composer: Composer): Promise<(readonly string[])[]> {
  const formats = createFormats()
  const writer = formats.createWriter(composer.columns, composer.write)
  const rows = records.flatMap((record) => {
    const composed = composer.composeRows(record)
    if ('problems' in composed) throw new Error(composed.problems.map(({ message }) => message).join('\n'))
    return composed.rows
  })
  const reading = await formats.read(
    inChunks(Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])),
    {
      format: 'csv',
      delimiter: ',',
    },
  )
  if (isUnreadable(reading)) throw new Error(reading.problems.map(({ message }) => message).join('\n'))
  return (await rowsOf(reading)).map(({ values }) => values)
}
