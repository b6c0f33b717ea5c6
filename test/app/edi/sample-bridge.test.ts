/** The whole configuration of `samples/edi-bridge`, which docs/edi.md shows. */
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadMappings } from '../../../src/app/context.ts'
import { buildVersion, createDiskReader } from '../../../src/app/version.ts'
import { loadConfiguration } from '../../../src/config/load.ts'
import { copySampleBridge } from '../../fixtures/sample-bridge.ts'
import { runCommand } from '../../fixtures/terminal.ts'

const env = {
  DROPBRIDGE_API_URL: 'https://api.example.com',
  DROPBRIDGE_RETAILER_ID: 'haven',
  DROPBRIDGE_RETAILER_SECRET: 'r3tailer',
  DROPBRIDGE_BRAND_ID: 'northlight',
  DROPBRIDGE_BRAND_SECRET: 'br4nd',
}

test('a check finds nothing wrong with the sample, and lists its routes and its inbox', async () => {
  const folder = await copySampleBridge()

  const { exit, out, err } = await runCommand({ folder, env }, ['check'])

  expect(err).toContain('The configuration and the mappings are right.')
  expect(exit).toBe(0)
  expect(out).toContain(
    'inbox van (van:in): 850 of haven to orders-in, 860 of haven to cancels-in, 856 of northlight to shipments-in',
  )
  expect(out).toContain('inbox:van: the inbox ')
})

test('a changed, a new and a removed file of a partner make another version of the configuration', async () => {
  const folder = await copySampleBridge()
  const configuration = await loadConfiguration(join(folder, 'dropbridge.yaml'), env)
  const current = buildVersion(configuration, await loadMappings(configuration))
  const read = createDiskReader(configuration, current)
  const idOnDisk = async () => {
    const state = await read?.()
    return state !== undefined && 'version' in state ? state.version.id : undefined
  }
  expect(await idOnDisk()).toBe(current?.id)

  await appendFile(join(folder, 'partners/haven.yaml'), 'unrouted: refuse\n')
  const changed = await idOnDisk()
  expect(changed).not.toBe(current?.id)

  await writeFile(
    join(folder, 'partners/harbor.yaml'),
    'extends: ./base.yaml\nids: [{ qualifier: ZZ, id: HARBOR }]\n',
  )
  const added = await idOnDisk()
  expect([current?.id, changed]).not.toContain(added)
  expect(added).toMatch(/^[0-9a-f]{12}$/)

  await rm(join(folder, 'partners/harbor.yaml'))
  expect(await idOnDisk()).toBe(changed)
})
