/** What is asked or lies in the archive may be huge: long texts in every filter, and packed files that grow without end. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { aRefusedFile, damagedOrders } from '../fixtures/corrections.ts'
import { toText } from '../fixtures/console.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile } from '../samples/orders.ts'
import { aConsole } from './harness.ts'

// Long texts.

const FILTERS = 'after day format line name outcome q returned route run sent span state to what when'.split(
  ' ',
)

const LONG = 100_000

const LETTERS = 'a'.repeat(LONG)

const LISTS = [
  ...['name', 'route', 'day', 'after', 'outcome'].map((filter) => ['/files', filter] as const),
  ['/search', 'q'],
  ['/deliveries', 'after'],
  ['/decisions', 'after'],
  ['/reports', 'day'],
  ['/clocks', 'after'],
  ['/access', 'after'],
] as const

const TEXTS: readonly (readonly [string, string])[] = [
  ['digits', '1'.repeat(LONG)],
  ['wildcards of SQL', '%_'.repeat(LONG / 2)],
  ['words', 'ab '.repeat(LONG / 3)],
  ['quotes and slashes', `'"\\/`.repeat(LONG / 4)],
  ['parts of a path', '../'.repeat(LONG / 3)],
  ['signs outside of the basic plane', '🙂'.repeat(LONG / 2)],
  ['a row of a file', `orders.csv:${'9'.repeat(LONG)}`],
]

describe('a text of 100,000 letters', () => {
  test('is tried in every filter that a page reads', async () => {
    const folder = new URL('../../src/web', import.meta.url).pathname
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const read = texts.flatMap((text) => [
      ...[...text.matchAll(/query\['(\w+)'\]|readFilter\(\w+, '(\w+)'\)/g)].map(
        ([, one, other]) => one ?? other,
      ),
      ...[...text.matchAll(/= \[([^\]]*)\]\.map\(\(name\) => readFilter/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name),
      ),
      ...[...text.matchAll(/const \{ (\w+)[^}]*\} = query\b/g)].map(([, name]) => name),
    ])
    expect(read.length).toBeGreaterThan(15)
    expect([...new Set(read)].filter((name) => !FILTERS.includes(name ?? ''))).toEqual([])
  })

  test('in any filter, or in a path, is an ordinary question to every page', async () => {
    const world = await aWorld({ routes: ['orders'] })
    await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3))
    await world.run('orders')
    const console = await aConsole({ configuration: world.configuration, clock: world.clock })
    const { journal } = await console.opened.getContext()
    const [file] = await journal.listFiles({}, undefined, 1)
    const known: Readonly<Record<string, string>> = { files: file?.id ?? '', records: '1', routes: 'orders' }
    const wrong: string[] = []
    const ask = async (what: string, address: string) => {
      const { statusCode, body } = await console.get(address, 'admin')
      // A page repeats what was typed at most a few times.
      const isRight =
        [200, 303, 400, 404, 414].includes(statusCode) && body.length < 12 * address.length + 100_000
      if (!isRight) wrong.push(`${what}: ${statusCode}, ${body.length} letters`)
    }
    const all = new URLSearchParams(Object.fromEntries(FILTERS.map((name) => [name, LETTERS]))).toString()
    for (const { method, path } of console.server.guardedRoutes) {
      if (method !== 'GET' || path === '/live') continue
      const section = path.split('/')[1] ?? ''
      const own = path.replace(/:\w+/, known[section] ?? 'none').replaceAll(/:\w+/g, 'none')
      await ask(path, `${own}?${all}`)
      if (path.includes(':')) await ask(`${path} itself`, path.replaceAll(/:\w+/g, LETTERS))
    }
    for (const [what, text] of TEXTS)
      for (const [path, filter] of LISTS)
        await ask(
          `${path} ${filter} with ${what}`,
          `${path}?${new URLSearchParams({ [filter]: text }).toString()}`,
        )
    expect(wrong).toEqual([])
    expect(console.said.filter((line) => line.includes('Error'))).toEqual([])
  })

  test('over a socket is refused before it is a request, and the console goes on', async () => {
    const console = await aConsole()
    await console.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = console.server.server.address() as { port: number }
    for (const line of [`GET /search?q=${'a'.repeat(LONG)} HTTP/1.1`, 'GET /search HTTP/1.1']) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(`${line}\r\nhost: localhost\r\nx-long: ${'a'.repeat(LONG)}\r\n\r\n`)
      let answer = ''
      socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
      await once(socket, 'close')
      expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    }
    expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  })
})

// Packed files.

const MEBIBYTE = 1024 * 1024

/** A file of gzip that begins with this text and grows to two gibibytes; it has two mebibytes itself. */
function makeBomb(text: string): Buffer {
  const blanks = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '), { level: 9 })
  return Buffer.concat([gzipSync(text), ...Array.from({ length: 32 }, () => blanks)])
}

/** How far the memory of this process grew above what it was before the work, at its highest. */
async function measureGrowth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 2)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return highest - before
}

async function openOver({ configuration, clock }: World) {
  const console = await aConsole({ configuration, clock })
  const { journal } = await console.opened.getContext()
  const [file] = await journal.listFiles({}, undefined, 1)
  return { console, journal, file: file! }
}

describe('a packed file that grows without end', () => {
  test('is refused by the bridge, and each page of the console about it comes', async () => {
    const world = await aWorld({ routes: ['orders'] })
    await world.drop('inbox/orders', 'day.csv', makeBomb(smallOrders(1, 3)))
    await world.run('orders')
    const { console, file } = await openOver(world)
    expect(file).toMatchObject({ outcome: 'unusable' })
    const grown = await measureGrowth(async () => {
      for (const path of ['', '/correct', '/rejects', '/source', '/dismiss'])
        expect([path, (await console.get(`/files/${file.id}${path}`, 'operator')).statusCode]).toEqual([
          path,
          200,
        ])
    })
    expect(grown).toBeLessThan(256 * MEBIBYTE)
    const { body } = await console.get(`/files/${file.id}/correct`, 'operator')
    expect(toText(body)).toContain('Nothing of it could be read.')
  })

  test('in place of the archived copy is not unpacked for its rows, and is not corrected', async () => {
    const orders = damagedOrders(20, 6)
    const { world, id } = await aRefusedFile(orders, { change: (text) => gzipSync(text) })
    const { console, journal, file } = await openOver(world)
    expect(file.id).toBe(id)
    const path = join(world.folder, 'exchange', file.archivedAs ?? '')
    const whole = toText((await console.get(`/files/${id}`, 'operator')).body)
    expect(whole).toContain(orders.at(-1)?.rows[0]?.['Ship To Name'])
    // All that was refused is behind the blanks now.
    const [head = ''] = ordersFile(orders).text.split('\r\n')
    const bomb = makeBomb(`${head}\r\n`)
    expect(bomb.length).toBeLessThan(4 * MEBIBYTE)
    await writeFile(path, bomb)
    const records = await journal.listRecords({ file: id }, { state: 'rejected' }, 9)
    expect(records.length).toBe(6)
    const texts: string[] = []
    const grown = await measureGrowth(async () => {
      const paths = [`/files/${id}`, `/files/${id}?state=rejected`]
      for (const each of paths) {
        const { statusCode, body } = await console.get(each, 'operator')
        expect([each, statusCode]).toEqual([each, 200])
        texts.push(toText(body))
      }
    })
    for (const text of texts) expect(text).toContain('has other bytes by now.')
    expect(grown).toBeLessThan(384 * MEBIBYTE)
    const correct = await measureGrowth(async () => {
      const { statusCode, body } = await console.get(`/files/${id}/correct`, 'operator')
      expect(statusCode).toBe(200)
      expect(toText(body)).toContain('Its archived copy has other bytes by now.')
      const source = await console.get(`/files/${id}/source`, 'operator')
      expect(toText(source.body)).toContain('has other bytes by now.')
    })
    expect(correct).toBeLessThan(128 * MEBIBYTE)
  })
})
