/** A claim that is released by a pass which dies between the link and the removal. */
import { link, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { sampleCatalogue } from '../../src/service/sample-seed.ts'
import { aWorld, BRAND, type World } from '../fixtures/world.ts'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const mappingPath = new URL('../../mappings/supplier-inventory.yaml', import.meta.url).pathname

async function stockOf(world: World, identifier: string): Promise<string> {
  const { configuration, credentials, clock } = world
  const { baseUrl } = configuration.api
  const client = createClient({ baseUrl, ...credentials.brand, clock, random: Math.random })
  let shown: unknown
  for await (const page of client.list({ endpoint: 'listBrandVariants', params: { brand_id: BRAND } })) {
    shown ??= page.find((variant) => variant['identifier'] === identifier)?.['attributes']
  }
  await client.close()
  const attributes = Object.values(
    (shown ?? {}) as Record<string, { code: string; values: { value: unknown }[] }>,
  )
  return String(attributes.find(({ code }) => code === 'inventory')?.values[0]?.value)
}

test('a stock file whose release was interrupted by a kill is applied once, and undoes no newer one', async () => {
  const world = await aWorld({ routes: ['shipments'] })
  Object.assign(world.configuration.routes[0] ?? {}, { operation: 'update-variant', mappingPath })
  const identifier = sampleCatalogue().find(({ brandId }) => brandId === BRAND)?.identifier ?? ''
  await world.drop('inbox/shipments', 'stock.csv', `SKU,On Hand\n${identifier},5\n`)
  await world.run('shipments')
  const bridge = await world.open()
  const [closed] = await bridge.journal.findFilesByName('stock.csv', 5)
  await bridge.close()
  // A stopped process claimed tomorrow's file of the same name for it; the pass that released it was killed after link().
  const inbox = join(world.folder, 'exchange/inbox/shipments')
  await world.drop('inbox/shipments', 'stock.csv', `SKU,On Hand\n${identifier},100\n`)
  await mkdir(join(inbox, '.claimed'), { recursive: true })
  await link(join(inbox, 'stock.csv'), join(inbox, '.claimed', `${closed?.id}-stock.csv`))
  await world.run('shipments')
  expect(await stockOf(world, identifier)).toBe('100')
  await world.drop('inbox/shipments', 'noon.csv', `SKU,On Hand\n${identifier},0\n`)
  await world.run('shipments')
  await world.run('shipments')
  expect(await readdir(join(inbox, '.claimed'))).toEqual([])
  expect(await stockOf(world, identifier)).toBe('0')
  expect((await world.list('results')).filter((n) => n.endsWith('results.csv'))).toHaveLength(3)
})

test('unclaim finishes a release whose link was placed before a crash', async () => {
  const root = await tempFolder()
  await mkdir(join(root, 'inbox/.claimed'), { recursive: true })
  await writeFile(join(root, 'inbox/a.csv'), 'x')
  await link(join(root, 'inbox/a.csv'), join(root, 'inbox/.claimed/k1-a.csv'))
  const mailbox = createDirectoryMailbox({ root })
  expect(await mailbox.releaseClaim({ id: 'k1', folder: 'inbox', name: 'a.csv' })).toBe('returned')
  expect(await mailbox.listClaims('inbox')).toEqual([])
})
