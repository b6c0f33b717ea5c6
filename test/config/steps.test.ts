/** `steps`, `when` and `waitFor` of a route: what it does after the first step, and how long records wait for their orders. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

/** The configuration of one route with this operation and these lines. */
async function pathTo(operation: string, lines: readonly string[]): Promise<string> {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  await writeFile(
    path,
    `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  fulfil:
    ${operation === 'create-order' ? 'retailer: 1000' : 'brand: 2000'}
    operation: ${operation}
    from: { mailbox: erp, folder: inbox }
    mapping: ship.yaml
    results: { mailbox: erp }
${lines.map((line) => `    ${line}\n`).join('')}`,
  )
  return path
}

test('the steps of a route keep their order, their mappings and their waiting times', async () => {
  const path = await pathTo('create-shipment', [
    'steps:',
    '  - { operation: close-order, when: shipped }',
    '  - { operation: create-invoice, mapping: invoice.yaml, waitFor: 30m }',
  ])

  const [route] = (await loadConfiguration(path, {})).routes

  expect(route).toMatchObject({
    operation: 'create-shipment',
    next: [
      { operation: 'close-order', when: 'shipped' },
      { operation: 'create-invoice', mappingPath: join(dirname(path), 'invoice.yaml'), waitMs: 1_800_000 },
    ],
  })
})

test.each([
  ['45m', 2_700_000],
  ['2h', 7_200_000],
  ['5d', 432_000_000],
])('a route that waits %s waits %i milliseconds', async (wait, waitMs) => {
  const path = await pathTo('create-invoice', [`waitFor: ${wait}`])

  expect((await loadConfiguration(path, {})).routes[0]).toMatchObject({ waitMs })
})

test.each([
  ['create-invoice', ['waitFor: 31d'], 'routes.fulfil.waitFor: must be a time in minutes, hours or days'],
  ['create-invoice', ['waitFor: 0m'], 'routes.fulfil.waitFor: must be a time in minutes, hours or days'],
  [
    'create-shipment',
    ['waitFor: 2h'],
    'routes.fulfil.waitFor: is for close-order and create-invoice, and not for create-shipment.',
  ],
  [
    'create-invoice',
    ['when: shipped'],
    'routes.fulfil.when: is for close-order, and not for create-invoice.',
  ],
  ['create-shipment', ['steps: []'], 'routes.fulfil.steps: has no steps: leave it out.'],
  [
    'create-shipment',
    ['steps: [{ operation: create-invoice }]'],
    'routes.fulfil.steps.0: needs a mapping: only acknowledge-order, close-order, reopen-order go without one.',
  ],
  [
    'create-shipment',
    ['steps: [{ operation: create-shipment, mapping: other.yaml }]'],
    'routes.fulfil.steps.0.operation: create-shipment is done by an earlier step already.',
  ],
  [
    'create-order',
    ['steps: [{ operation: close-order }]'],
    'routes.fulfil.steps: create-order is not done to orders that exist, so nothing can follow it on the same file.',
  ],
])('%s with %j is an error', async (operation, lines, message) => {
  const error: unknown = await loadConfiguration(await pathTo(operation, lines), {}).catch(
    (thrown: unknown) => thrown,
  )

  expect(error).toBeInstanceOf(BridgeError)
  expect((error as BridgeError).details.join('\n')).toContain(message)
})
