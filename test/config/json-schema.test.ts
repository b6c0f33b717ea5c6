import { expect, test } from 'vitest'
import { configurationJsonSchema, keysAt } from '../../src/config/json-schema.ts'

test('the schema for editors is the one that is published', async () => {
  await expect(`${JSON.stringify(configurationJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../docs/dropbridge.schema.json',
  )
})

test('the schema says what may stand in a route of either direction', () => {
  const schema = configurationJsonSchema()
  expect(keysAt(schema, ['routes', 'any-name'])).toEqual([
    'retailer',
    'brand',
    'api',
    'mapping',
    'every',
    'cron',
    'daily',
    'operation',
    'from',
    'results',
    'documents',
    'rules',
    'when',
    'wait',
    'then',
    'stop',
    'to',
    'acknowledge',
    'receipt',
    'overdue',
    'select',
    'empty',
    'reread',
  ])
  expect(keysAt(schema, ['routes', 'any-name', 'to'])).toEqual(['mailbox', 'folder', 'name', 'emptied'])
  expect(keysAt(schema, ['nowhere'])).toEqual([])
})
