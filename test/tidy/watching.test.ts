/** The settings that docs/watching.md shows load, and mean what the page says. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const page = readFileSync(new URL('../../docs/watching.md', import.meta.url), 'utf8')

test('every setting that docs/watching.md shows loads', async () => {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  const shown: unknown[] = []
  for (const [, block = ''] of page.matchAll(/```yaml\n([^]*?)```/g)) {
    const isOfRoute = block.startsWith('    from:')
    const text = `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
mailboxes: { exchange: { type: directory, path: ./exchange } }
${isOfRoute ? '' : block}
routes:
  orders-in:
    retailer: 1000
    operation: create-order
    mapping: orders.yaml
    results: { mailbox: exchange }
${isOfRoute ? block : '    from: { mailbox: exchange, folder: inbox/orders }'}
`
    await writeFile(path, text)
    const { routes, watch } = await loadConfiguration(path, {})
    const [route] = routes
    const { ready, order, sequence } = route?.direction === 'inbound' ? route.from : {}
    shown.push(isOfRoute ? (ready ?? order ?? sequence) : watch)
  }
  expect(shown).toEqual([
    { scanMs: 30_000, atOnce: 4 },
    { when: 'marker', sidecar: '{name}.done' },
    'number',
    { name: 'orders-{number}.csv', start: 18 },
  ])
})
