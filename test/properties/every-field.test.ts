/** Every field that a body can have: a column for it alone puts its cell into the body. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { isUnreadable } from '../../src/domain/format.ts'
import type { Draft, Translator } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { inChunks } from '../suites/format.suite.ts'
import { translatorOf } from '../mapping/sheet.ts'
import { type BodyField, fieldsOf, isImage, type Plain, put, smallestWith } from './body-fields.ts'
import { writtenValue, type Written } from './field-values.ts'

const operations = Object.entries(OPERATIONS).flatMap(([name, operation]) =>
  operation.direction === 'inbound' ? [{ name, schema: operation.body }] : [],
)
const cases = operations.flatMap(({ name, schema }) =>
  fieldsOf(schema).map((field) => ({ name, schema, field, path: field.path })),
)

test('the bodies of orders, shipments and invoices are among them, with all their fields', () => {
  const paths = cases.map(({ name, path }) => `${name} ${path}`)

  expect(paths).toContain('create-order sold_to.street2')
  expect(paths).toContain('create-shipment shipment_lines[].variant.brand_identifier')
  expect(paths).toContain('create-invoice invoice_lines[].net_price')
  expect(paths.length).toBeGreaterThan(60)
})

test.each(cases)('$name: a column for $path fills it, and nothing else', async ({ name, schema, field }) => {
  const values = smallestWith(field, schema)
  const others = [...values].filter(([path]) => path !== field.path)
  const template = others.reduce<Plain>(
    (all, [path, value]) => put(all, path, { const: constant(value) }),
    {},
  )
  const body = put(template, field.path, { from: 'Cell' })
  const translator = await translatorOf(stringify({ operation: name, group: 'Key', body }))
  const rest = others.reduce<Plain>((all, [path, value]) => put(all, path, value), {})

  await fc.assert(
    fc.asyncProperty(fc.array(writtenIn(field), { minLength: 1, maxLength: 5 }), async (all) => {
      const drafts = await draftsOf(
        all.map(({ cell }) => cell),
        translator,
      )

      expect(drafts.flatMap(({ problems }) => problems)).toEqual([])
      expect(drafts.map((draft) => draft.body)).toEqual(all.map(({ value }) => put(rest, field.path, value)))
    }),
    { numRuns: 15 },
  )
})

/** A list as a constant is its only item. */
function constant(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] as unknown) : value
}

function writtenIn({ rule, list, path }: BodyField): fc.Arbitrary<Written> {
  if (isImage(path)) return fc.webUrl({ validSchemes: ['https'] }).map((url) => ({ cell: url, value: url }))
  if (!list) return writtenValue(rule)
  const items = fc.array(writtenValue(rule), { minLength: 1, maxLength: 4 })
  return items
    .filter((all) => all.every(({ cell }) => !cell.includes('\n')))
    .map((all) => ({ cell: all.map(({ cell }) => cell).join('\n'), value: all.map(({ value }) => value) }))
}

/** The records of a file with these cells, each in a record of its own. */
async function draftsOf(cells: readonly string[], translator: Translator): Promise<Draft[]> {
  const formats = createFormats()
  const writer = formats.createWriter(['Key', 'Cell'], { format: 'csv' })
  const bytes = Buffer.concat([
    writer.formatHeader(),
    writer.formatRows(cells.map((cell, index) => [`k${index}`, cell])),
  ])
  const reading = await formats.read(inChunks(bytes), translator.read)
  if (isUnreadable(reading)) throw new Error(reading.problems.map(({ message }) => message).join('\n'))
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) throw new Error(bound.map(({ message }) => message).join('\n'))
  const drafts: Draft[] = []
  for await (const rows of reading.batches) drafts.push(...bound.translateRows(rows))
  return [...drafts, ...bound.finish()]
}
