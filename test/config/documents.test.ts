/** `documents` of a route: defaults, and errors with their places. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findDocumentNameErrors, formatDocumentName } from '../../src/config/file-name.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function load(documents: string, operation = 'create-shipment', inbox = 'inbox') {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  const text = `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
mailboxes:
  erp: { type: directory, path: ./exchange }
routes:
  parcels:
    brand: 7
    operation: ${operation}
    mapping: parcels.yaml
    from: { mailbox: erp, folder: ${inbox} }
    results: { mailbox: erp }
    documents: ${documents}
`
  await writeFile(path, text)
  return loadConfiguration(path, {})
}

async function errorsOf(documents: string, operation?: string, inbox?: string): Promise<string[]> {
  const error: unknown = await load(documents, operation, inbox).catch((thrown: unknown) => thrown)
  if (!(error instanceof BridgeError)) throw new Error('the configuration was accepted', { cause: error })
  return error.details.map((detail) => detail.replace(/^.*dropbridge\.yaml:/, ''))
}

test('only the mailbox is needed: both kinds go to the folder documents under the order and tracking number', async () => {
  const { routes } = await load('{ mailbox: erp }')

  expect(routes[0]).toMatchObject({
    documents: {
      mailbox: 'erp',
      folder: 'documents',
      labels: true,
      packingSlips: true,
      name: '{purchase_order_number}-{tracking_number}-{kind}',
    },
  })
})

test('the default folder of documents may not be an inbox either', async () => {
  expect(await errorsOf('{ mailbox: erp }', 'create-shipment', 'documents')).toEqual([
    '11:5 routes.parcels.documents.folder: packing slips and labels would be left where the route parcels takes files from; use another folder.',
  ])
})

test('results are written with commas, and otherwise where the route says so', async () => {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  const write = (results: string) =>
    writeFile(
      path,
      `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders:
    retailer: 7
    operation: create-order
    mapping: orders.yaml
    from: { mailbox: erp, folder: inbox }
    results: ${results}
`,
    )
  await write('{ mailbox: erp }')
  const [usual] = (await loadConfiguration(path, {})).routes
  await write('{ mailbox: erp, delimiter: ";", byteOrderMark: true }')
  const [other] = (await loadConfiguration(path, {})).routes
  await write('{ mailbox: erp, delimiter: "-" }')
  const error: unknown = await loadConfiguration(path, {}).catch((thrown: unknown) => thrown)

  expect(usual).toHaveProperty('results.folder', 'results')
  expect(usual).not.toHaveProperty('results.write')
  expect(other).toHaveProperty('results.write', { delimiter: ';', byteOrderMark: true })
  expect(error).toHaveProperty('details', [
    expect.stringContaining('9:41 routes.orders.results.delimiter: must be a comma, or in quotes'),
  ])
})

test('a route without documents has none', async () => {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  await writeFile(
    path,
    `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  parcels: { brand: 7, operation: create-shipment, mapping: parcels.yaml, from: { mailbox: erp, folder: inbox }, results: { mailbox: erp } }
`,
  )

  expect((await loadConfiguration(path, {})).routes[0]).not.toHaveProperty('documents')
})

test.each([
  [
    '{ mailbox: erpp }',
    '11:27 routes.parcels.documents.mailbox: there is no such mailbox. Did you mean "erp"?',
  ],
  [
    '{ mailbox: erp, folder: inbox }',
    '11:40 routes.parcels.documents.folder: packing slips and labels would be left where the route parcels takes files from; use another folder.',
  ],
  [
    '{ mailbox: erp, labels: false, packingSlips: false }',
    '11:5 routes.parcels.documents: wants neither labels nor packing slips: leave it out.',
  ],
  [
    '{ mailbox: erp, name: "{tracking_number}" }',
    '11:38 routes.parcels.documents.name: needs {kind}, or a label and its packing slip would have the same name.',
  ],
  [
    '{ mailbox: erp, slips: true }',
    '11:32 routes.parcels.documents.slips: unknown key. Known here: mailbox, folder, labels, packingSlips, name.',
  ],
])('%s is an error', async (documents, error) => {
  expect(await errorsOf(documents)).toEqual([error])
})

test('another operation has no such documents', async () => {
  expect(await errorsOf('{ mailbox: erp }', 'create-invoice')).toEqual([
    '11:5 routes.parcels.documents: only create-shipment has packing slips and labels, and this route does create-invoice.',
  ])
})

test.each([
  [
    '{purchase_order_number}-{kind}',
    'needs {tracking_number} or {shipment_id}, or the files of two shipments would have one name',
  ],
  [
    '{kind}-{shipment_id}-{po}',
    'has {po}, which is not a placeholder: use {kind}, {shipment_id} or a field of a shipment, such as {tracking_number}',
  ],
  [
    '{kind}-{shipment_id}-{date:yyyy}',
    'has {date:yyyy}, which is not a placeholder: use {kind}, {shipment_id} or a field of a shipment, such as {tracking_number}',
  ],
  [
    '{kind}-{shipment_id}.pdf',
    'ends in a type of file: leave it out, because it follows from what the API makes',
  ],
  ['labels/{kind}-{shipment_id}', 'is the name of a file: it cannot hold / \\ < > : " | ? *'],
  ['{kind}-{shipment_id', 'has a brace without its partner'],
])('the name %s %s', (template, error) => {
  expect(findDocumentNameErrors(template)).toContain(error)
})

test.each([
  '{shipment_id}',
  '{tracking_number}-{carrier.code}',
  '{id} {kind}',
  '{order_id}_{tracking_number}_{shipped_at}',
])('the name %s is a good one', (template) => {
  expect(findDocumentNameErrors(template)).toEqual([])
})

test('values are made safe, and a missing one is left out', () => {
  const values = {
    purchase_order_number: '../PO 1:2',
    tracking_number: '1Z 999',
    carrier: { code: 'UPSN' },
    kind: 'label',
  }

  expect(
    formatDocumentName(
      '{purchase_order_number}_{tracking_number}_{carrier.code}_{customer_order_number}_{kind}',
      values,
    ),
  ).toBe('PO-1-2_1Z-999_UPSN_none_label')
})
