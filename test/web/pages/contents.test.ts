/** Previews and downloads of what was delivered and of what came. */
import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliveryDownloadPage, deliveryPreviewPage } from '../../../src/web/pages/deliveries.ts'
import { aFinishedMonth, lookAt, MONTH, toText, visit } from '../../fixtures/console.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld, type World } from '../../fixtures/world.ts'
import { aConsole } from '../harness.ts'

/** One of the names in these orders. */
const NAME = 'Ada Whitfield'

async function aDeliveredFile() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 60))
  await world.run('orders', 'orders-out')
  const context = await lookAt(world)
  const [delivery] = await context.journal.listDeliveries({}, undefined, 1)
  return { world, context, id: delivery?.id ?? '', delivery, bytes: await world.read('outbox/orders-1.csv') }
}

async function openConsole({ configuration, clock }: World) {
  return aConsole({ configuration, clock })
}

const sha256Of = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

test('the preview shows the first 100 rows with the order of each', async () => {
  const { context, id, bytes } = await aDeliveredFile()
  const page = await visit(context, deliveryPreviewPage, { params: { id } })
  const [head = '', ...lines] = bytes.trimEnd().split('\n')
  expect(page?.data.columns.join(',')).toBe(head.replace('\r', ''))
  expect(lines.length).toBeGreaterThan(100)
  expect(page?.data.rows).toHaveLength(100)
  expect(page?.data.rows.map(({ cells }) => cells[0])).toEqual(
    lines.slice(0, 100).map((line) => line.split(',')[0]),
  )
  for (const { cells, record } of page?.data.rows ?? []) expect(cells).toContain(record?.purchaseOrder)
  expect(page?.html).toContain(`href="/orders/${page?.data.rows[99]?.record?.purchaseOrder}"`)
  expect(page?.text).toContain(`The first 100 rows of ${lines.length} rows`)
  expect(page?.text).toContain(NAME)
})

test('a viewer sees the same rows without personal data, also in the JSON form', async () => {
  const { context, id } = await aDeliveredFile()
  const page = await visit(context, deliveryPreviewPage, { params: { id }, role: 'viewer' })
  expect(page?.data.rows).toHaveLength(100)
  expect(page?.text).toContain(page?.data.rows[0]?.record?.purchaseOrder)
  expect(page?.text).toContain('A•• L••••••')
  expect(JSON.stringify(page?.data)).not.toContain(NAME)
  expect(page?.html).not.toContain(NAME)
})

test('the download has the very bytes, and no browser shows them', async () => {
  const { world, id, delivery } = await aDeliveredFile()
  const console = await openConsole(world)
  const { statusCode, headers, rawPayload } = await console.get(`/deliveries/${id}/download`, 'operator')
  expect(statusCode).toBe(200)
  expect(sha256Of(rawPayload)).toBe(delivery?.sha256)
  expect(headers).toMatchObject({
    'content-disposition': 'attachment; filename="orders-1.csv"',
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
  })
  const json = await console.get(`/deliveries/${id}/download`, 'operator', { accept: 'application/json' })
  expect(json.json()).toEqual({
    name: 'orders-1.csv',
    of: { id, name: 'orders-1.csv' },
    size: rawPayload.length,
  })
})

test('viewers may not download, and see no button for it', async () => {
  const { world, id } = await aDeliveredFile()
  const console = await openConsole(world)
  expect((await console.get(`/deliveries/${id}/download`, 'viewer')).statusCode).toBe(403)
  const own = toText((await console.get(`/deliveries/${id}`, 'viewer')).body)
  expect(own).toContain('Preview')
  expect(own).not.toContain('Download')
  expect(toText((await console.get(`/deliveries/${id}`, 'operator')).body)).toContain('Preview Download')
})

test('pruned contents are read where the file was delivered, and are said to be gone after it', async () => {
  const { world, context, id, delivery } = await aDeliveredFile()
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()
  const console = await openConsole(world)
  const whole = await console.get(`/deliveries/${id}/download`, 'operator')
  expect(sha256Of(whole.rawPayload)).toBe(delivery?.sha256)
  const lines = await visit(context, deliveryPreviewPage, { params: { id } })
  expect(lines?.text).toContain(NAME)
  // Which cell of a line is personal is not known any more.
  const masked = await visit(context, deliveryPreviewPage, { params: { id }, role: 'viewer' })
  expect(masked?.data).toMatchObject({
    rows: [],
    missing: { fix: 'Ask a person whose role sees personal data.' },
  })
  expect(JSON.stringify(masked)).not.toContain(NAME)

  await writeFile(join(world.folder, 'exchange/outbox/orders-1.csv'), 'other bytes')
  const gone = await visit(context, deliveryPreviewPage, { params: { id } })
  expect(gone?.text).toContain('Its contents were pruned on')
  expect(gone?.text).toContain('dropbridge export orders-out --out FILE')
  const { statusCode, headers, body } = await console.get(`/deliveries/${id}/download`, 'operator')
  expect({ statusCode, disposition: headers['content-disposition'] }).toEqual({
    statusCode: 200,
    disposition: undefined,
  })
  expect(toText(body)).toContain('Its contents were pruned on')
})

test('a route that is gone, and a delivery that never was', async () => {
  const { context, id, world } = await aDeliveredFile()
  await rm(join(world.folder, 'exchange/outbox/orders-1.csv'))
  const configuration = { ...context.configuration, routes: [] }
  const page = await visit({ ...context, configuration }, deliveryDownloadPage, { params: { id } })
  expect(page?.text).toContain('Its route orders-out is not in the configuration any more.')
  expect(await visit(context, deliveryPreviewPage, { params: { id: 'none' } })).toBeUndefined()
})

test('rows of shipments and invoices lead to the orders that they are of', async () => {
  const context = await lookAt(await aFinishedMonth())
  for (const route of ['shipments-out', 'invoices-out']) {
    const [delivery] = await context.journal.listDeliveries({ route }, undefined, 1)
    const page = await visit(context, deliveryPreviewPage, { params: { id: delivery?.id ?? '' } })
    const orders = new Set(page?.data.rows.map(({ record }) => record?.purchaseOrder))
    expect([...orders].toSorted()).toEqual(MONTH.orders.toSorted())
  }
})

/** A file of four orders, one of them refused. */
async function aRefusedFile() {
  const world = await aFinishedMonth()
  const console = await openConsole(world)
  const { journal } = await console.opened.getContext()
  const file = (await journal.listFiles({ route: 'orders' }, undefined, 1))[0]
  return { world, console, file, own: `/files/${file?.id}` }
}

test('the source and the rejects of a file are downloaded as they are', async () => {
  const { world, console, file, own } = await aRefusedFile()
  const source = await console.get(`${own}/source`, 'operator')
  expect(sha256Of(source.rawPayload)).toBe(file?.sha256)
  expect(source.headers).toMatchObject({
    'content-disposition': 'attachment; filename="orders.csv"',
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
  })
  const rejects = await console.get(`${own}/rejects`, 'operator')
  const name = (await listAll(world)).find((each) => each.endsWith('.rejects.csv')) ?? ''
  expect(rejects.body).toBe(await world.read(name))
  expect(rejects.body).toContain(MONTH.refused)
  const json = await console.get(`${own}/source`, 'operator', { accept: 'application/json' })
  expect(json.json()).toMatchObject({ name: 'orders.csv', size: source.rawPayload.length })
})

test('a source with other bytes and a rejects file that was taken are not downloaded, with the reason', async () => {
  const { world, console, file, own } = await aRefusedFile()
  await writeFile(join(world.folder, 'exchange', file?.archivedAs ?? ''), 'other bytes')
  const source = await console.get(`${own}/source`, 'operator')
  expect(source.headers['content-disposition']).toBeUndefined()
  expect(toText(source.body)).toContain(`${file?.archivedAs} has other bytes by now.`)
  const name = (await listAll(world)).find((each) => each.endsWith('.rejects.csv')) ?? ''
  await rm(join(world.folder, 'exchange', name))
  const rejects = await console.get(`${own}/rejects`, 'operator')
  expect(toText(rejects.body)).toContain('Its reader may have taken it.')
})

test('viewers may download neither, and see no link to them', async () => {
  const { console, own } = await aRefusedFile()
  for (const what of ['source', 'rejects']) {
    expect((await console.get(`${own}/${what}`, 'viewer')).statusCode).toBe(403)
    expect((await console.get(own, 'operator')).body).toContain(`href="${own}/${what}"`)
    expect((await console.get(own, 'viewer')).body).not.toContain(`href="${own}/${what}"`)
  }
})

async function listAll({ folder }: World): Promise<string[]> {
  const entries = await readdir(join(folder, 'exchange'), { recursive: true })
  return entries.toSorted()
}
