/** Every route of the server: none beside the table of permissions, no form of another session or site, no GET that writes. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGES } from '../../src/web/pages.ts'
import { getPeoplePath } from '../../src/web/people.ts'
import { PERMISSIONS, ROLES, type Role } from '../../src/web/permissions.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { aWorld } from '../fixtures/world.ts'
import { listEveryAddress } from './addresses.ts'
import { aConsole } from './harness.ts'

type Opened = Awaited<ReturnType<typeof aConsole>>

const EVERYBODY = ['GET /sign-in', 'POST /sign-in']

/** What the server itself has: the routes of its router, as `METHOD /path`. */
function listRegistered({ server }: Opened): string[] {
  const printed = server.printRoutes({ commonPrefix: false })
  const found: string[] = []
  const above: string[] = []
  for (const line of printed.split('\n')) {
    const [, indent = '', name = '', methods = ''] = /^([│ ]*)[├└]── (\S*) \(([^)]+)\)/.exec(line) ?? []
    if (methods === '') continue
    const depth = indent.length / 4
    above.splice(depth, above.length, name)
    for (const method of methods.split(', ')) found.push(`${method} ${above.join('')}`)
  }
  return found
}

const isAsset = (route: string) =>
  /^(?:GET|HEAD) \/assets\/[a-z-]+\.?[a-z]*-?[0-9a-f]{12}\.[a-z]+$/.test(route)

test('each route of the server is in the table of permissions; beside them there are assets alone', async () => {
  const console = await aConsole()
  const guarded = console.server.guardedRoutes.map(({ method, path }) => `${method} ${path}`)
  const registered = listRegistered(console)
  expect(registered.length).toBeGreaterThan(60)
  const unguarded = registered.filter((route) => !guarded.includes(route.replace(/^HEAD /, 'GET ')))
  expect(unguarded.filter((route) => !isAsset(route))).toEqual([])
  expect(unguarded.filter((route) => route.startsWith('GET '))).toHaveLength(3)
  expect(guarded.filter((route) => !registered.includes(route))).toEqual([])
  for (const { method, path, permission } of console.server.guardedRoutes) {
    expect(Object.keys(PERMISSIONS), path).toContain(permission)
    expect(permission === 'everybody', path).toBe(EVERYBODY.includes(`${method} ${path}`))
  }
})

test('a route that is registered beside the table is found', async () => {
  const console = await aConsole()
  // The server of the test is closed for new routes once it was asked; this one was not.
  console.server.get('/beside/:id', () => 'open')
  expect(listRegistered(console)).toEqual(expect.arrayContaining(['GET /beside/:id']))
})

test('every change has the permission of its page, and no page with a form needs less than to operate', () => {
  const changes = PAGES.filter(({ act }) => act !== undefined)
  const tooOpen = changes.filter(({ permission }) => !['operate', 'correct', 'verify'].includes(permission))
  expect(tooOpen.map(({ path }) => path)).toEqual([])
})

// Forms of other sessions and sites.

const FOREIGN_ORIGINS = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://evil.example' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'null' },
  { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
  {},
]

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

/** The databases as they are on the disk; what was written is in one of these files. */
function digestDatabases({ configuration }: Opened): string {
  const hash = createHash('sha256')
  for (const path of [configuration.journal.path, getPeoplePath(configuration)])
    for (const end of ['', '-wal']) {
      const file = path + end
      hash.update(`${end}:`)
      if (existsSync(file)) hash.update(readFileSync(file))
    }
  return hash.digest('hex')
}

test('no POST route takes a form without its token, with that of another session, with an old one, or from elsewhere', async () => {
  const console = await aConsole()
  const { cookieOf, people, server } = console
  const posts = server.guardedRoutes.filter(({ method, path }) => method === 'POST' && path !== '/sign-in')
  expect(posts.length).toBeGreaterThan(15)
  const wrong: string[] = []
  const old = await console.csrfOf('admin')
  const [own, other] = [people.startSession('admin'), await console.csrfOf('operator')]
  people.endSession(cookieOf('admin')['cookie']?.split('=')[1] ?? '')
  const cookie = `__Host-dropbridge=${own}`
  const { body } = await console.get('/', undefined, { cookie })
  const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const { body: typed } = await console.get('/settings/verify', undefined, { cookie })
  const once = /name="once" value="([^"]+)"/.exec(typed)?.[1] ?? ''
  expect([csrf, old, other, once].map((text) => text.length > 20)).toEqual([true, true, true, true])
  const before = digestDatabases(console)
  for (const { path } of posts) {
    const url = path.replaceAll(/:\w+/g, 'none')
    const send = async (what: string, form: Record<string, string>, headers: Record<string, string>) => {
      const sent = { once, why: 'x', ...form }
      const answer = await console.post(url, sent, { headers: { ...headers, cookie } })
      if (answer.statusCode !== 403) wrong.push(`${path} ${what}: ${answer.statusCode}`)
      else if (!answer.body.includes('This form is not from this session'))
        wrong.push(`${path} ${what}: words`)
    }
    await send('without a token', {}, SAME_ORIGIN)
    await send('with an empty token', { csrf: '' }, SAME_ORIGIN)
    await send('with the token of another session', { csrf: other }, SAME_ORIGIN)
    await send('with the token of a session that ended', { csrf: old }, SAME_ORIGIN)
    await send('with half of its token', { csrf: csrf.slice(0, -1) }, SAME_ORIGIN)
    for (const headers of FOREIGN_ORIGINS)
      await send(`from ${JSON.stringify(headers)}`, { csrf }, headers as Record<string, string>)
  }
  expect(wrong).toEqual([])
  expect(digestDatabases(console)).toBe(before)
  // The token is right: without an own page behind it, the form is refused for its own reasons.
  const right = await console.post(
    '/files/none/release',
    { csrf, once },
    { headers: { ...SAME_ORIGIN, cookie } },
  )
  expect(right.statusCode).toBe(404)
}, 60_000)

test('a POST with the cookie alone, as another site can send it, does nothing at any route', async () => {
  const console = await aConsole()
  const before = digestDatabases(console)
  for (const { method, path } of console.server.guardedRoutes) {
    if (method !== 'POST') continue
    const url = path.replaceAll(/:\w+/g, 'none')
    for (const headers of FOREIGN_ORIGINS) {
      const answer = await console.post(
        url,
        { name: 'viewer', password: 'x' },
        {
          headers: { ...(headers as Record<string, string>), ...console.cookieOf('admin') },
        },
      )
      expect([answer.statusCode, answer.headers['set-cookie']], url).toEqual([403, undefined])
    }
  }
  expect(digestDatabases(console)).toBe(before)
}, 60_000)

// Reading.

async function aReadWorld() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const orders = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })
  await world.drop('inbox/orders', 'day.csv', ordersFile(orders).text)
  await world.run('orders', 'orders-out')
  const bridge = await world.open()
  await bridge.pause({ route: 'orders', by: 'nadia', why: 'stock', until: world.clock.now() + 60_000 })
  await bridge.close()
  return world
}

test.each(ROLES)(
  'each GET route answers a person with the role %s from databases that cannot be written, and leaves them as they are',
  async (role: Role) => {
    const { configuration, clock } = await aReadWorld()
    const console = await aConsole({ configuration, clock, isReadOnly: true })
    const { journal } = await console.opened.getContext()
    const addresses = await listEveryAddress(console.server, journal, ['orders', 'orders-out'])
    expect(addresses.length).toBeGreaterThan(40)
    // The first reading makes the files of locks.
    await console.get('/', role)
    const before = digestDatabases(console)
    const methods = ['GET', 'HEAD'] as const
    const headers = { host: 'localhost', ...console.cookieOf(role) }
    for (const url of addresses)
      for (const method of methods) {
        const { statusCode } = await console.server.inject({ url, method, headers })
        expect([200, 303, 403], `${method} ${url}`).toContain(statusCode)
      }
    expect(digestDatabases(console)).toBe(before)
  },
  60_000,
)
