import { expect, test } from 'vitest'
import { configurationJsonSchema, findKeys } from '../../src/config/schema.ts'

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
