/** What is published about mapping files is true: the JSON Schema and the documentation. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { mappingJsonSchema } from '../../src/mapping/json-schema.ts'
import { LEAF_OPTIONS } from '../../src/mapping/options.ts'
import { DATE_TOKENS } from '../../src/mapping/values/date-format.ts'
import { mappingOf } from './sheet.ts'

const DOCS = new URL('../../docs/', import.meta.url).pathname
/** Without the blanks that line a table up. */
const page = readFileSync(`${DOCS}mapping.md`, 'utf8').replace(/ +\|/g, ' |')

test('the published schema is the one the compiler has', async () => {
  const schema = `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`

  await expect(schema).toMatchFileSnapshot(`${DOCS}mapping.schema.json`)
})

test('the schema of one operation knows its own body', () => {
  expect(mappingJsonSchema('create-invoice')).toMatchObject({
    properties: { operation: { const: 'create-invoice' }, body: { properties: { due_amount: {} } } },
    required: ['operation', 'body'],
  })
})

test('every leaf option has its row in the documentation, with its example and what it does', () => {
  const rows = Object.entries(LEAF_OPTIONS).map(
    ([name, { summary, example }]) => `| \`${name}\` | ${summary} | \`${example.replaceAll('|', '\\|')}\` |`,
  )

  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('every operation and every date token is in the documentation', () => {
  const names = [...Object.keys(OPERATIONS), ...DATE_TOKENS]

  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the mappings in the documentation compile', async () => {
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => block)
  const whole = blocks.filter((block) => block.startsWith('operation:'))
  const tables = { 'tables/ship-via.csv': 'ship_via,method,carrier\nGround,FEDEX_GROUND,FDEG\n' }

  const compiled = await Promise.all(whole.map((block) => mappingOf(block, tables)))

  expect(compiled.map(({ operation }) => operation)).toEqual([
    'create-order',
    'create-invoice',
    'export-orders',
    'export-orders',
  ])
  expect(blocks.flatMap((block) => parseAllDocuments(block).flatMap(({ errors }) => errors))).toEqual([])
})
