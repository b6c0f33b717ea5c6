import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configurationJsonSchema, findKeys, partnerJsonSchema } from '../../src/config/schema.ts'

test('the schema for editors is the one that is published', async () => {
  await expect(`${JSON.stringify(configurationJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../docs/dropbridge.schema.json',
  )
})

test('the schema lists the settings of a route of either direction', () => {
  const schema = configurationJsonSchema()
  expect(findKeys(schema, ['routes', 'any-name'])).toEqual([
    'retailer',
    'brand',
    'api',
    'mapping',
    'alertIfLate',
    'every',
    'cron',
    'daily',
    'operation',
    'from',
    'results',
    'documents',
    'rules',
    'when',
    'waitFor',
    'steps',
    'circuitBreaker',
    'to',
    'partner',
    'usage',
    'acknowledge',
    'receipt',
    'overdue',
    'select',
    'empty',
    'verifyBeforeAck',
  ])
  expect(findKeys(schema, ['routes', 'any-name', 'to'])).toEqual([
    'mailbox',
    'folder',
    'name',
    'alertIfNotEmptied',
  ])
  expect(findKeys(schema, ['nowhere'])).toEqual([])
})

test('the schema of partner files for editors is the one that is published', async () => {
  await expect(`${JSON.stringify(partnerJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../docs/partner.schema.json',
  )
})

test('the schema of partner files has every setting of the sample, and requires none, because files extend one another', async () => {
  const schema = partnerJsonSchema()
  const folder = new URL('../../samples/edi-bridge/partners', import.meta.url).pathname
  const names = await readdir(folder)

  expect(names.length).toBeGreaterThan(1)
  for (const name of names) {
    const settings = parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>
    expect(findKeys(schema, []), name).toEqual(expect.arrayContaining(Object.keys(settings)))
  }
  expect(schema.required ?? []).toEqual([])
  expect(schema.additionalProperties).toBe(false)
})

test('each setting of a partner is in the schema of dropbridge.yaml too, but for `extends`', () => {
  const inFile = findKeys(partnerJsonSchema(), [])
  const inConfiguration = findKeys(configurationJsonSchema(), ['edi', 'partners', 'any-name'])

  expect(inFile.filter((key) => key !== 'extends').toSorted()).toEqual(inConfiguration.toSorted())
})
