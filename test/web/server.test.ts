/** The server of the console: headers, hosts, failures as pages, and every page as data. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { html } from '../../src/support/html.ts'
import { definePage } from '../../src/web/page.ts'
import { aConsole } from './harness.ts'

const repository = new URL('../..', import.meta.url).pathname

/** Texts that a page must never take for markup, as they may stand in names, cells, keys and answers. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><script>alert(1)</script>',
  '</textarea><svg/onload=alert(1)>',
  'javascript:alert(1)',
  '&lt;script&gt;',
  '${alert(1)}',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202Egpj.<b>',
  '<!--',
  ']]>',
]

test('every answer carries the headers that keep foreign script, frames and caches out', async () => {
  const console = await aConsole()
  for (const url of ['/', '/sign-in', '/none', '/assets/none.css']) {
    const { headers } = await console.get(url, 'viewer')
    expect(headers['content-security-policy'], url).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    expect(headers, url).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
  }
})

test('no page has inline script, style or handlers', async () => {
  const console = await aConsole()
  for (const url of ['/', '/sign-in', '/none']) {
    const { body } = await console.get(url, 'viewer')
    expect(body, url).not.toMatch(
      /<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/enhance-[0-9a-f]{12}\.js")/,
    )
  }
})

test.each(['evil.example', 'localhost.evil.example', '192.168.0.7'])(
  'a request for the host "%s" is refused without a body',
  async (host) => {
    const console = await aConsole()
    const { statusCode, body } = await console.get('/', 'viewer', { host })
    expect({ statusCode, body }).toEqual({ statusCode: 421, body: '' })
  },
)

test.each(['localhost', 'LOCALHOST:9466', '127.0.0.1:9466', '[::1]:9466'])(
  '%s is an own host',
  async (host) => {
    const console = await aConsole()
    expect((await console.get('/', 'viewer', { host })).statusCode).toBe(200)
  },
)

test('assets are served under names with their hash, for ever', async () => {
  const console = await aConsole()
  const { body } = await console.get('/sign-in')
  const paths = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(paths).toHaveLength(3)
  for (const path of paths) {
    const { statusCode, headers } = await console.get(path)
    expect(statusCode).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(Number(headers['content-length'])).toBeLessThan(8 * 1024)
  }
})

test.each([
  ['br', 'gzip, deflate, br', brotliDecompressSync],
  ['gzip', 'gzip;q=0.8, br;q=0', gunzipSync],
] as const)(
  'pages and assets are sent as %s to browsers that take it',
  async (encoding, accepted, unpack) => {
    const console = await aConsole()
    const plain = await console.get('/', 'viewer')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const packed = await console.get('/', 'viewer', { 'accept-encoding': accepted })
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    const withoutTokens = (body: string) => body.replaceAll(/(value|data-seen)="[\w-]+"/g, '')
    expect(withoutTokens(unpack(packed.rawPayload).toString())).toBe(withoutTokens(plain.body))
    const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(plain.body) ?? []
    for (const time of ['first', 'second']) {
      const asset = await console.get(style, undefined, { 'accept-encoding': accepted })
      expect(asset.headers['content-encoding'], time).toBe(encoding)
      expect(unpack(asset.rawPayload).equals((await console.get(style)).rawPayload)).toBe(true)
    }
  },
)

test('the secret of forms looks different in each answer, and each of them is taken', async () => {
  const console = await aConsole()
  const [one, other] = [await console.csrfOf('admin'), await console.csrfOf('admin')]
  expect(one).not.toBe(other)
  const once = 'x'.repeat(22)
  for (const csrf of [one, other])
    expect((await console.post('/settings/verify', { csrf, once }, { role: 'admin' })).statusCode).not.toBe(
      403,
    )
  const mixed = one.slice(0, 43) + other.slice(43)
  for (const csrf of [mixed, one.slice(1), '', 'A'.repeat(86)])
    expect((await console.post('/settings/verify', { csrf, once }, { role: 'admin' })).statusCode).toBe(403)
})

test('the package has the assets', async () => {
  const { files } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    files: string[]
  }
  expect(files).toContain('src/web/assets')
})

test('no value of a template stands in an attribute without quotes, or in a handler', async () => {
  const names = (await readdir(join(repository, 'src/web'), { recursive: true })).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) {
    const text = await readFile(join(repository, 'src/web', name), 'utf8')
    const templates = text.includes('html`') ? text : ''
    expect(templates, name).not.toMatch(/<[a-z][^>`]*\s[a-z-]+=\$\{|<[a-z][^>`]*\son[a-z]+=/)
  }
})

test('a journal that is not there yet is a page with its fix, and the page comes once it is', async () => {
  const console = await aConsole({ isWithoutJournal: true })
  const before = await console.get('/', 'viewer')
  expect(before.statusCode).toBe(503)
  expect(before.body).toContain('There is no journal yet')
  expect(before.body).toContain('Start the bridge')
  const data = await console.get('/', 'viewer', { accept: 'application/json' })
  expect(data.json()).toMatchObject({ error: { code: 'journal-absent' } })
  const bridge = await openJournal({ path: console.configuration.journal.path, clock: console.clock })
  console.clock.advance?.(1_000)
  expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  await bridge.close()
})

test('a journal that goes away is reported, and found again', async () => {
  const console = await aConsole()
  const { path } = console.configuration.journal
  expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
  expect((await console.get('/', 'viewer')).statusCode).toBe(503)
  await (await openJournal({ path, clock: console.clock })).close()
  console.clock.advance?.(1_000)
  expect((await console.get('/', 'viewer')).statusCode).toBe(200)
})

test('what is not there, and what fails unexpectedly, are pages that say what to do', async () => {
  const failing = definePage<object>({
    path: '/failing',
    permission: 'read',
    load: () => Promise.reject(new Error('with s3cret details')),
    draw: () => ({ title: '', main: html`` }),
  })
  const missing = definePage<object>({
    ...failing,
    path: '/missing/:id',
    load: () => Promise.resolve(undefined),
  })
  const console = await aConsole({ pages: [failing, missing] })
  for (const url of ['/none', '/missing/1']) {
    const { statusCode, body } = await console.get(url, 'viewer')
    expect(statusCode).toBe(404)
    expect(body).toContain('There is no such page')
  }
  const { statusCode, body } = await console.get('/failing', 'viewer')
  expect(statusCode).toBe(500)
  expect(body).not.toContain('s3cret')
  expect(console.said.join()).toContain('with s3cret details')
})

test('hostile texts in addresses, names and data are shown as they are', async () => {
  const echo = definePage<{ text: string }>({
    path: '/echo/:text',
    permission: 'read',
    load: (_, { params }) => Promise.resolve({ text: params['text'] ?? '' }),
    draw: ({ text }) => ({ title: text, main: html`<p title="${text}">${text}</p>` }),
  })
  const console = await aConsole({ pages: [echo] })
  const plain = tagsOf((await console.get('/echo/plain', 'viewer')).body)
  for (const text of HOSTILE) {
    const { body } = await console.get(`/echo/${encodeURIComponent(text)}`, 'viewer')
    expect(tagsOf(body), text).toEqual(plain)
    const data = await console.get(`/echo/${encodeURIComponent(text)}`, 'viewer', {
      accept: 'application/json',
    })
    expect(data.json()).toEqual({ text })
    expect(data.headers['content-type']).toMatch(/^application\/json/)
  }
})

test('hostile names of people are shown as they are, and no such person can be added', async () => {
  const console = await aConsole()
  for (const name of HOSTILE) {
    const { body, statusCode } = await console.post('/sign-in', { name, password: 'wrong', to: '/' })
    expect([401, 429]).toContain(statusCode)
    expect(body).not.toMatch(/<script>|<img|<svg|onmouseover='/)
    expect(() => console.people.add(name, 'viewer', 'x'), name).toThrow(/A name has letters/)
    console.clock.advance?.(16 * 60_000)
  }
  // The work of a sign-in under an unknown name takes up to a second, by intent.
}, 120_000)

/** The tags with the names of their attributes: what decides how the rest is read. */
function tagsOf(body: string): string[] {
  return [...body.matchAll(/<\/?[a-z!][^>]*>/gi)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
}

test('a browser is sent to the one thing that a page found, and a program gets the data', async () => {
  const found = definePage({
    path: '/find',
    permission: 'read',
    load: (_, { query }) => Promise.resolve({ only: query['q'] }),
    draw: () => ({ title: 'Found', main: html`<p>several</p>` }),
    findTarget: ({ only }) => only,
  })
  const console = await aConsole({ pages: [found] })
  const sent = await console.get('/find?q=/files/a', 'viewer')
  expect([sent.statusCode, sent.headers['location']]).toEqual([303, '/files/a'])
  expect((await console.get('/find', 'viewer')).body).toContain('several')
  const data = await console.get('/find?q=/files/a', 'viewer', { accept: 'application/json' })
  expect(data.json()).toEqual({ only: '/files/a' })
})

test('pages are read a few at a time in the order of their arrival, and a short request is answered between them', async () => {
  let atWork = 0
  let most = 0
  const order: string[] = []
  const slow = definePage<object>({
    path: '/slow/:number',
    permission: 'read',
    load: async (_, { params }) => {
      most = Math.max(most, ++atWork)
      await wait(20)
      atWork--
      order.push(params['number'] ?? '')
      return {}
    },
    draw: () => ({ title: 'Slow', main: html`` }),
  })
  const console = await aConsole({ pages: [slow] })
  const numbers = Array.from({ length: 40 }, (_, index) => String(index))
  const asked = Promise.all(numbers.map((number) => console.get(`/slow/${number}`, 'viewer')))
  const [script = ''] = /\/assets\/enhance[^"]*/.exec((await console.get('/sign-in')).body) ?? []
  expect((await console.get(script)).statusCode).toBe(200)
  expect(order.length).toBeLessThan(numbers.length)
  expect((await asked).map(({ statusCode }) => statusCode)).toEqual(numbers.map(() => 200))
  expect(order).toEqual(numbers)
  expect(most).toBe(4)
})
