/** Files that change the same resource, where the older one had to wait: the newer one wins, at the real service. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { Api } from '../../src/domain/api.ts'
import { sampleCatalogue } from '../../src/service/sample-seed.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, BRAND, type World } from '../fixtures/world.ts'

const never = new AbortController().signal
const mappingPath = new URL('../../mappings/supplier-inventory.yaml', import.meta.url).pathname

/** The stock of the item at the service. */
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

test('an older stock file that had to wait does not undo a newer one', async () => {
  const world = await aWorld({ routes: ['shipments'] })
  Object.assign(world.configuration.routes[0] ?? {}, { operation: 'update-variant', mappingPath })
  const identifier = sampleCatalogue().find(({ brandId }) => brandId === BRAND)?.identifier ?? ''
  /** A pass in which the API is too busy for the first call. */
  const passWhileBusy = async () => {
    let calls = 0
    const bridge = await world.open({
      api: (api: Api): Api => ({
        ...api,
        send: (call) =>
          ++calls === 1
            ? Promise.resolve({ certainty: 'not-applied', status: 503, detail: 'busy' })
            : api.send(call),
      }),
    })
    await bridge.run(['shipments'], never)
    await bridge.close()
  }
  const outcomes = async (name: string) =>
    parseCsv(await world.read(`results/${name}.results.csv`)).map((row) => [row['_status'], row['_code']])

  await world.drop('inbox/shipments', 'morning.csv', `SKU,On Hand\n${identifier},100\n`)
  await passWhileBusy()
  await world.drop('inbox/shipments', 'noon.csv', `SKU,On Hand\n${identifier},0\n`)
  await passWhileBusy()
  expect(await outcomes('noon.csv')).toEqual([['accepted', '']])
  const { exit } = await world.run('shipments')

  expect(await stockOf(world, identifier)).toBe('0')
  expect(await outcomes('morning.csv')).toEqual([['skipped', 'superseded']])
  expect(exit).toBe(0)
})
