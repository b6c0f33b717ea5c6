/** `circuitBreaker` of a route: its rules with their defaults and errors. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

/** The configuration of one route with this `circuitBreaker`, if any. */
async function load(stop?: string) {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  await writeFile(
    path,
    `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox }
    mapping: orders.yaml
    results: { mailbox: erp }
${stop === undefined ? '' : `    circuitBreaker: ${stop}\n`}`,
  )
  return loadConfiguration(path, {})
}

async function stopOf(stop?: string): Promise<unknown> {
  const [route] = (await load(stop)).routes
  return route?.direction === 'inbound' ? route.circuitBreaker : undefined
}

test.each([
  [undefined, { sameRefusal: 20 }],
  ['{}', { sameRefusal: 20 }],
  ['{ sameRefusal: 5, refusedShare: 30%, canary: 3 }', { sameRefusal: 5, refusedShare: 0.3, canary: 3 }],
  ['{ sameRefusal: off, refusedShare: 12.5%, canary: off }', { refusedShare: 0.125 }],
  ['{ sameRefusal: off }', {}],
])('%s stops a file by %j', async (written, stop) => {
  expect(await stopOf(written)).toEqual(stop)
})

test.each([
  ['{ sameRefusal: 0 }', 'routes.orders-in.circuitBreaker.sameRefusal: must be at least 1.'],
  [
    '{ canary: some }',
    'routes.orders-in.circuitBreaker.canary: must be a number of records from 1 to 1000, or off',
  ],
  [
    '{ refusedShare: 30 }',
    'routes.orders-in.circuitBreaker.refusedShare: must be a share such as 30%, or off',
  ],
  [
    '{ refusedShare: 0% }',
    'routes.orders-in.circuitBreaker.refusedShare: must be a share such as 30%, or off',
  ],
  ['{ canari: 3 }', 'routes.orders-in.circuitBreaker.canari: unknown key. Did you mean "canary"?'],
])('%s is an error', async (written, message) => {
  const error: unknown = await load(written).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(BridgeError)
  expect((error as BridgeError).details.join()).toContain(message)
})
