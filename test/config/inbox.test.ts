/** The settings of an inbox and of the watch, and how the errors in them are reported. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fillNameTemplate } from '../../src/config/file-name.ts'
import { createNumberReader } from '../../src/config/inbox.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

/** The configuration of one route with these settings in its `from`. */
async function load(from: string, more = '') {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  const text = `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
${more}mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox${from === '' ? '' : `, ${from}`} }
    mapping: orders.yaml
    results: { mailbox: erp }
`
  await writeFile(path, text)
  return loadConfiguration(path, {})
}

async function rulesOf(from: string): Promise<unknown> {
  const [route] = (await load(from)).routes
  if (route?.direction !== 'inbound') return undefined
  const { ready, order, sequence } = route.from
  return { ready, order, sequence }
}

test.each([
  ['', {}],
  ['ready: stable, order: oldest', {}],
  ['ready: renamed, order: name', { ready: { when: 'renamed' }, order: 'name' }],
  ['ready: marker, order: number', { ready: { when: 'marker', sidecar: '{name}.done' }, order: 'number' }],
  ['ready: manifest', { ready: { when: 'manifest', sidecar: '{name}.manifest' } }],
  ['ready: { marker: "{stem}.ok" }', { ready: { when: 'marker', sidecar: '{stem}.ok' } }],
  ['ready: { manifest: "m-{name}.json" }', { ready: { when: 'manifest', sidecar: 'm-{name}.json' } }],
  ['sequence: { name: "o-{number}.csv" }', { sequence: { name: 'o-{number}.csv', start: 1 } }],
  ['sequence: { name: "*-{number}.csv", start: 18 }', { sequence: { name: '*-{number}.csv', start: 18 } }],
])('%j is understood', async (from, rules) => {
  expect(await rulesOf(from)).toEqual({ ready: undefined, order: undefined, sequence: undefined, ...rules })
})

const COMPANION =
  'must be a name with {name} (orders.csv) or {stem} (orders) and more, such as "{name}.done"; a working name such as ".tmp" is never seen'

test.each([
  [
    'ready: soon',
    'from.ready: must be stable, renamed, marker or manifest, or { marker: "{name}.done" } or { manifest: "{name}.manifest" } with {name} or {stem} and more',
  ],
  ['order: newest', 'from.order: must be one of oldest, name, number.'],
  [
    'sequence: { name: "orders.csv" }',
    'from.sequence.name: must be a file name with {number} once, not next to another digit, such as "orders-{number}.csv"; * and ? stand for any letters',
  ],
  ['sequence: { name: "o-{number}.csv", start: -1 }', 'from.sequence.start: must be at least 0.'],
  [
    'order: name, sequence: { name: "o-{number}.csv" }',
    'from.order: the number of the sequence decides which file is taken first: leave `order` out',
  ],
])('%s is an error', async (from, message) => {
  const error: unknown = await load(from).catch((thrown: unknown) => thrown)
  const details = error instanceof BridgeError ? error.details.join('\n') : String(error)
  expect(details).toContain(message)
})

test.each(['done', '{name}', '{name}.tmp', '.{name}', '{name}{stem}', '{file}.done', 'a/{name}'])(
  'a marker called %j is an error, for no listing would show it beside its file',
  async (marker) => {
    const error: unknown = await load(`ready: { marker: "${marker}" }`).catch((thrown: unknown) => thrown)
    const details = error instanceof BridgeError ? error.details.join('\n') : String(error)
    expect(details).toContain('from.ready')
    expect(details).toMatch(
      new RegExp(`${COMPANION.slice(0, 30).replaceAll(/[{}()]/g, '\\$&')}|with {name} or {stem}`),
    )
  },
)

test.each([
  ['{name}.done', 'orders.csv', 'orders.csv.done'],
  ['{stem}.ok', 'orders.csv', 'orders.ok'],
  ['{stem}.ok', 'orders.2026.csv', 'orders.2026.ok'],
  ['{stem}.ok', 'orders', 'orders.ok'],
  ['{name}.done', 'a$&b.csv', 'a$&b.csv.done'],
])('with %s, the sidecar of %s is %s', (template, name, companion) => {
  expect(fillNameTemplate(template, name)).toBe(companion)
})

test.each([
  ['orders-{number}.csv', 'orders-0018.csv', 18],
  ['orders-{number}.csv', 'ORDERS-18.CSV', 18],
  ['orders-{number}.csv', 'orders-18.csv.bak', undefined],
  ['orders-{number}.csv', 'orders-x.csv', undefined],
  ['*_{number}_????.csv', 'bestellung_7_2026.csv', 7],
  ['bestellung-é-{number}', 'bestellung-é-3'.normalize('NFD'), 3],
])('where %s says, the number of %s is %s', (pattern, name, number) => {
  expect(createNumberReader(pattern)(name)).toBe(number)
})

test('by default the watch scans every 30 seconds, four routes at once', async () => {
  expect((await load('')).watch).toEqual({ scanMs: 30_000, atOnce: 4 })
  expect((await load('', 'watch: { scan: 5s, atOnce: 1 }\n')).watch).toEqual({ scanMs: 5000, atOnce: 1 })
  const error: unknown = await load('', 'watch: { scan: 10ms }\n').catch((thrown: unknown) => thrown)
  const details = error instanceof BridgeError ? error.details.join('\n') : String(error)
  expect(details).toContain('watch.scan: must be a time from 1s to a day, such as 10s, 30s or 5m')
})
