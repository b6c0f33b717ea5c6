/** What guards the console beside its rights: https, first people, stored secrets, throttling, and bounds of what is asked. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { html } from '../../src/support/html.ts'
import { definePage, formatDisposition } from '../../src/web/page.ts'
import { createThrottle, hashPassword, isPassword } from '../../src/web/passwords.ts'
import { getPeoplePath } from '../../src/web/people.ts'
import { makeCertificate } from '../fixtures/certificate.ts'
import { offerItem, someOrders } from '../fixtures/stopped-route.ts'
import { listeningTerminal, runCommand } from '../fixtures/terminal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile } from '../samples/orders.ts'
import { testClock } from '../suites/journal.suite.ts'
import { aDesk } from './desk.ts'
import { aConsole, configurationAt, PASSWORD } from './harness.ts'

const FORM = 'application/x-www-form-urlencoded'

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

test('by https it answers other machines under its names alone, and browsers keep to https', async () => {
  const folder = await tempFolder()
  const { cert, key } = makeCertificate()
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'key.pem'), key)
  await configurationAt(
    folder,
    'console: { listen: "0.0.0.0:0", toNetwork: true, names: [edi.acme.example], tls: { cert: cert.pem, key: key.pem } }',
  )
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`)
  const add = ['console', 'user', 'add', 'nadia', '--role', 'viewer', '--password-file', 'password']
  expect((await runCommand({ folder }, add)).exit).toBe(0)
  const stop = new AbortController()
  const { terminal, err } = listeningTerminal({ folder, signal: stop.signal })
  const running = runCommandLine(terminal, ['console'])
  await vi.waitFor(() => expect(err.join()).toContain('The console is at https://'), { timeout: 20_000 })
  const port = Number(/at https:\S+:(\d+)\//.exec(err.join())?.[1])
  const ask = async (host: string, origin?: string): Promise<Answer> => {
    const asked = httpsRequest({
      host: '127.0.0.1',
      port,
      ca: cert,
      // The certificate of the test is for the address.
      checkServerIdentity: () => undefined,
      path: '/sign-in',
      method: origin === undefined ? 'GET' : 'POST',
      headers: { host, ...(origin !== undefined && { origin, 'content-type': FORM }) },
    })
    asked.end(
      origin === undefined
        ? undefined
        : new URLSearchParams({ name: 'nadia', password: PASSWORD }).toString(),
    )
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    let body = ''
    for await (const chunk of answer) body += String(chunk)
    return { status: answer.statusCode, headers: answer.headers, body }
  }
  const { status, headers } = await ask('edi.acme.example')
  expect({ status, hsts: headers['strict-transport-security'] }).toEqual({
    status: 200,
    hsts: 'max-age=31536000',
  })
  expect(await ask('0.0.0.0')).toMatchObject({ status: 421, body: '' })
  expect(await ask('evil.example')).toMatchObject({ status: 421, body: '' })
  expect((await ask('edi.acme.example', 'http://edi.acme.example')).status).toBe(403)
  const signedIn = await ask('edi.acme.example', 'https://edi.acme.example')
  expect(signedIn.status).toBe(303)
  expect(String(signedIn.headers['set-cookie'])).toContain('; Secure; SameSite=Lax')
  stop.abort()
  expect(await running).toBe(0)
})

describe('the first person', () => {
  test('is added at the command line: until then there is only the sign-in, which says the command', async () => {
    const console = await aConsole()
    for (const role of ['viewer', 'operator', 'admin']) console.people.disable(role)
    for (const { method, path } of console.server.guardedRoutes) {
      if (method !== 'GET' || path === '/sign-in') continue
      const { statusCode, headers } = await console.get(path.replaceAll(/:\w+/g, 'none'))
      expect([statusCode, String(headers.location).split('?', 1)[0]], path).toEqual([303, '/sign-in'])
    }
    const { body } = await console.get('/sign-in')
    expect(body).toContain('dropbridge console user add NAME --role admin')
    expect(body).not.toContain('<form method="post"')
    for (const [name, password] of [
      ['admin', 'admin'],
      ['admin', ''],
      ['', ''],
      ['viewer', PASSWORD],
    ] as const)
      expect((await console.post('/sign-in', { name, password })).statusCode).toBe(401)
  })

  test('types the password twice at the terminal', async () => {
    const folder = await tempFolder()
    await configurationAt(folder)
    const add = (...typed: string[]) =>
      runCommand({ folder, askSecret: () => Promise.resolve(typed.shift() ?? '') }, [
        'console',
        'user',
        'add',
        'nadia',
        '--role',
        'admin',
      ])
    expect(await add(PASSWORD, `${PASSWORD}!`)).toMatchObject({ exit: 64 })
    expect(await add(PASSWORD, PASSWORD)).toMatchObject({ exit: 0, err: 'nadia may sign in as admin.' })
  })
})

describe('what is kept of people', () => {
  test('is a hash of each password and session, in a file for the user of the bridge alone', async () => {
    const console = await aConsole()
    const path = getPeoplePath(console.configuration)
    const token = console.cookieOf('viewer')['cookie']?.split('=')[1] ?? ''
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const database = openDatabase(path, { readonly: true })
    onTestFinished(() => void database.close())
    const sessions = database.prepare('select hash from sessions').all() as { hash: Buffer }[]
    expect(sessions.map(({ hash }) => hash.toString('hex'))).toContain(
      createHash('sha256').update(token).digest('hex'),
    )
    const text = (await readFile(path)).toString('latin1')
    expect(text.includes(token) || text.includes(PASSWORD)).toBe(false)
    expect((await stat(path)).mode & 0o077).toBe(0)
  })

  test('with another role or password a person signs in anew', async () => {
    const console = await aConsole()
    const password = console.people.findPassword('viewer') ?? ''
    console.people.disable('viewer')
    console.people.add('viewer', 'operator', password)
    expect((await console.get('/', 'viewer')).statusCode).toBe(303)
    const pair = `__Host-dropbridge=${console.people.startSession('viewer')}`
    expect((await console.get('/', undefined, { cookie: pair })).body).toContain('viewer (operator)')
  })
})

describe('a form', () => {
  test('with the token of a session that ended changes nothing', async () => {
    const console = await aConsole()
    const old = await console.csrfOf('viewer')
    const cookie = `__Host-dropbridge=${console.people.startSession('viewer')}`
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    expect((await console.post('/sign-out', { csrf: old }, { headers })).statusCode).toBe(403)
    expect((await console.get('/', undefined, { cookie })).statusCode).toBe(200)
  })

  test.each(['text/plain', 'application/json', 'multipart/form-data; boundary=x', 'text/xml'])(
    'as %s is not read',
    async (type) => {
      const console = await aConsole()
      const csrf = await console.csrfOf('viewer')
      const { statusCode } = await console.post(
        '/sign-out',
        { csrf },
        {
          headers: { ...console.cookieOf('viewer'), 'sec-fetch-site': 'same-origin', 'content-type': type },
        },
      )
      expect(statusCode).toBe(415)
      expect((await console.get('/', 'viewer')).statusCode).toBe(200)
    },
  )

  test('decides in the name of who is signed in, whatever names it carries, and a changed name is found', async () => {
    const world = await aWorld({ routes: ['orders'], connections: 1 })
    Object.assign(world.configuration.routes[0] ?? {}, { circuitBreaker: { sameRefusal: 2 } })
    const orders = someOrders(3, (index) => index < 2)
    await world.drop('inbox/orders', 'day.csv', ordersFile(orders).text)
    await world.run('orders')
    await offerItem(world)
    const { journal, file, look, send } = await aDesk(world)
    const { form } = await look(`${file}/discard`)
    const others = { by: 'erik', name: 'erik', person: 'erik', via: 'cli' }
    expect((await send(`${file}/discard`, { ...form, ...others, why: 'test' })).status).toBe(303)
    expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([{ by: 'operator', via: 'console' }])
    expect((await journal.verifyChain({})).findings).toEqual([])
    const database = openDatabase(world.configuration.journal.path)
    database.exec(`update decisions set decided_by = 'erik'`)
    database.close()
    expect((await journal.verifyChain({})).findings).not.toEqual([])
  })
})

describe('guessing', () => {
  test('waits twice as long after each try from the sixth on, and at most a quarter of an hour', () => {
    const clock = testClock()
    const throttle = createThrottle(clock)
    const waits = Array.from({ length: 20 }, () => {
      throttle.noteFailure('nadia', '10.0.0.1')
      const waitMs = throttle.computeWaitMs('nadia', '10.0.0.1')
      clock.advance(waitMs)
      return waitMs / 1000
    })
    expect(waits.slice(0, 15)).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900])
    expect(Math.max(...waits)).toBe(900)
    expect(throttle.computeWaitMs('nadia', '10.0.0.1')).toBe(0)
  })

  test('many names from one address is slowed down, and one name from many waits ten seconds at most', () => {
    const throttle = createThrottle(testClock())
    for (let at = 0; at < 40; at++) throttle.noteFailure(`name ${at}`, '10.0.0.1')
    expect(throttle.computeWaitMs('another', '10.0.0.1')).toBe(900_000)
    expect(throttle.computeWaitMs('another', '10.0.0.2')).toBe(0)
    for (let at = 0; at < 100; at++) throttle.noteFailure('nadia', `10.0.1.${at}`)
    expect(throttle.computeWaitMs('nadia', '10.0.0.2')).toBe(10_000)
  })

  test('costs an unknown name the same work as a known one, and a hash says its cost', async () => {
    const stored = await hashPassword(PASSWORD)
    expect(stored).toMatch(/^scrypt\$15\$8\$3\$/)
    const cost = async (hash: string | undefined) => {
      const before = process.cpuUsage()
      expect(await isPassword('not the password', hash)).toBe(false)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const least = async (hash: string | undefined) =>
      Math.min(await cost(hash), await cost(hash), await cost(hash))
    const ratio = (await least(undefined)) / (await least(stored))
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })

  test('counts by the address of the connection, whatever a header says it is', async () => {
    const console = await aConsole()
    const tries = Array.from({ length: 8 }, (_, at) => `10.9.9.${at}`)
    const statuses: number[] = []
    for (const address of tries) {
      const headers = { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` }
      const form = { name: 'viewer', password: 'wrong password' }
      const answer = await console.post('/sign-in', form, {
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      })
      statuses.push(answer.statusCode)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    expect(console.said.join()).not.toContain('10.9.9')
  })
})

describe('what is asked', () => {
  test('as a name is never a path: no page leads out of what the journal has', async () => {
    const world = await aWorld({ routes: ['orders'] })
    await writeFile(join(world.folder, 'outside.txt'), 'outside of everything')
    const { console } = await aDesk(world)
    const names = [
      '../outside.txt',
      '../../outside.txt',
      '/etc/passwd',
      '..',
      '.',
      `${world.folder}/outside.txt`,
    ]
    const spellings = names.flatMap((name) => [
      encodeURIComponent(name),
      encodeURIComponent(name).replaceAll('.', '%2e'),
      encodeURIComponent(encodeURIComponent(name)),
      `${encodeURIComponent(name)}%00.csv`,
    ])
    const paths = console.server.guardedRoutes.filter(
      ({ method, path }) => method === 'GET' && path !== '/live',
    )
    for (const { path } of paths) {
      for (const spelling of spellings) {
        const address = path.includes(':')
          ? path.replaceAll(/:\w+/g, spelling)
          : `${path}?name=${spelling}&route=${spelling}&q=${spelling}&after=${spelling}&day=${spelling}`
        const { statusCode, body } = await console.get(address, 'admin')
        expect([200, 303, 400, 404], address).toContain(statusCode)
        expect(body, address).not.toMatch(/root:x:0|outside of everything/)
      }
    }
    for (const spelling of spellings)
      expect((await console.get(`/assets/${spelling}`, 'admin')).body).not.toMatch(
        /root:x:0|outside of everything/,
      )
  })

  test('of more than a mebibyte is not read, and says so', async () => {
    const console = await aConsole()
    const csrf = await console.csrfOf('viewer')
    const headers = { ...console.cookieOf('viewer'), 'sec-fetch-site': 'same-origin' }
    const { statusCode, body } = await console.post(
      '/sign-out',
      { csrf, why: 'x'.repeat(1_048_577) },
      { headers },
    )
    expect(statusCode).toBe(413)
    expect(body).toContain('The form is too large')
    expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  })

  test('with a name of 100,000 letters is answered as any other, and the name is not kept', async () => {
    const console = await aConsole()
    const name = 'n'.repeat(100_000)
    expect((await console.post('/sign-in', { name, password: name })).statusCode).toBe(401)
    const kept = JSON.stringify([console.people.list(), console.people.listAccess(9), console.said])
    expect(kept).not.toContain('nnnn')
  })

  test('for a name with line ends and quotes never makes a header of its own', () => {
    const header = formatDisposition('a"\r\nset-cookie: x=y; "’é.csv')
    expect(header).toMatch(/^attachment; filename="[\w .~-]+"; filename\*=UTF-8''[\w%.~-]+$/)
    expect(decodeURIComponent(header.split("''")[1] ?? '')).toBe('a"\r\nset-cookie: x=y; "’é.csv')
  })
})

test('a page without a permission is none for the compiler', () => {
  const load = () => Promise.resolve({})
  const draw = () => ({ title: 'Open', main: html`` })
  // @ts-expect-error -- `permission` is missing
  const page = definePage({ path: '/open', load, draw })
  // @ts-expect-error -- no such permission
  const other = definePage({ path: '/open', permission: 'whatever', load, draw })
  expect([page.path, other.path]).toEqual(['/open', '/open'])
})
