/** The published JSON Schema and the documentation of mapping files are true. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandName } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { createGrammarSchema, createMappingSchema } from '../../src/mapping/json-schema.ts'
import { fieldsPage } from './field-tables.ts'
import { PRINTED } from './page-tables.ts'

const DOCS = new URL('../../docs/', import.meta.url).pathname
const page = readFileSync(`${DOCS}mapping.md`, 'utf8')

test('the published schema is the one the compiler has', async () => {
  const schema = `${JSON.stringify(createMappingSchema(), null, 2)}\n`

  await expect(schema).toMatchFileSnapshot(`${DOCS}mapping.schema.json`)
})

test('the published schema of grammars is the one the compiler has', async () => {
  const schema = `${JSON.stringify(createGrammarSchema(), null, 2)}\n`

  await expect(schema).toMatchFileSnapshot(`${DOCS}grammar.schema.json`)
})

test('the schema of one operation knows its own body', () => {
  expect(createMappingSchema('create-invoice')).toMatchObject({
    properties: { operation: { const: 'create-invoice' }, body: { properties: { due_amount: {} } } },
    required: ['operation', 'body'],
  })
})

test('an editor shows for every key the text of the documentation', () => {
  const { definitions, properties } = createMappingSchema('create-order')

  expect(definitions).toMatchObject({
    read: { properties: { skip: { description: expect.stringContaining('above the header') as string } } },
    write: { properties: { fold: { description: 'writes é as e and ß as ss' } } },
    columnLeaf: { properties: { zeros: { description: expect.stringContaining('12.50') as string } } },
  })
  expect(properties).toMatchObject({ lines: { description: expect.stringContaining('same item') as string } })
})

test('every list of keys, options and forms in docs/mapping.md is printed from the table of the compiler', async () => {
  const places = [...page.matchAll(/^<!-- printed: (.+) -->$/gm)].map(([, name = '']) => name)
  const printed = page.replace(
    /^(<!-- printed: (.+) -->\n)(?:.+\n)*/gm,
    (_, marker: string, name: string) => `${marker}${PRINTED[name] ?? ''}\n`,
  )

  expect(places.toSorted()).toEqual(Object.keys(PRINTED).toSorted())
  await expect(printed).toMatchFileSnapshot(`${DOCS}mapping.md`)
})

test('docs/fields.md lists the fields of every operation as the contract has them', async () => {
  await expect(fieldsPage()).toMatchFileSnapshot(`${DOCS}fields.md`)
})

test('every command about mappings is in the documentation', () => {
  const map = COMMANDS.find((each) => commandName(each) === 'map')
  const names = (map?.commands ?? []).map(commandName)

  expect(names).toContain('learn')
  expect(names.filter((name) => !page.includes(`| \`dropbridge map ${name} `))).toEqual([])
})
