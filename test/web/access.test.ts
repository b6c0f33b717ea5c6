/** Who may do what: the rights of every route, sessions, forms of other sites, and guessed passwords. */
import { describe, expect, it, test } from 'vitest'
import { createRights, ROLES } from '../../src/web/permissions.ts'
import { aConsole, PASSWORD } from './harness.ts'

describe('the rights', () => {
  it(
    'of every route are those of its permission, for every role and method',
    { timeout: 120_000 },
    async () => {
      const console = await aConsole()
      const wrong: string[] = []
      for (const { method, path, permission } of console.server.guardedRoutes) {
        // It stays open for who may use it; that is tried over a socket.
        for (const role of [undefined, ...ROLES]) {
          if (path === '/live' && role !== undefined) continue
          const url = path.replace(/:\w+/g, 'none')
          // A session of its own each time, because signing out ends it.
          const token = role === undefined ? undefined : console.people.startSession(role)
          const headers = {
            host: 'localhost',
            'sec-fetch-site': 'same-origin',
            ...(token !== undefined && { cookie: `__Host-dropbridge=${token}` }),
          }
          const page = await console.server.inject({ url: '/', headers })
          const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
          for (const asked of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const) {
            const has = method === asked || (method === 'GET' && asked === 'HEAD')
            const base = asked === 'HEAD' ? 'GET' : asked
            if (
              !has &&
              console.server.guardedRoutes.some((other) => other.path === path && other.method === base)
            )
              continue
            const form = { 'content-type': 'application/x-www-form-urlencoded' }
            const payload = `csrf=${csrf}&once=${'x'.repeat(22)}`
            const { statusCode } = await console.server.inject(
              asked === 'GET' || asked === 'HEAD'
                ? { url, method: asked, headers }
                : { url, method: asked, headers: { ...headers, ...form }, payload },
            )
            const person = role && { role }
            const expected =
              !has || (path === '/live' && asked === 'HEAD')
                ? [404, 303, 405]
                : createRights().isAllowed(person, permission)
                  ? [200, 303, 401, 404]
                  : [role === undefined ? 303 : 403]
            if (!expected.includes(statusCode)) wrong.push(`${asked} ${path} as ${role}: ${statusCode}`)
          }
        }
      }
      expect(wrong).toEqual([])
    },
  )

  it('let GET change nothing: all pages come with databases that cannot be written', async () => {
    const console = await aConsole({ isReadOnly: true })
    for (const { method, path } of console.server.guardedRoutes) {
      if (method !== 'GET' || path === '/live') continue
      const { statusCode } = await console.get(path.replace(/:\w+/g, 'none'), 'admin')
      expect([200, 303, 404], path).toContain(statusCode)
    }
  })

  it('send who is not signed in to the sign-in and back, and programs a 401', async () => {
    const console = await aConsole()
    const { statusCode, headers } = await console.get('/?a=b')
    expect({ statusCode, to: headers.location }).toEqual({ statusCode: 303, to: '/sign-in?to=%2F%3Fa%3Db' })
    expect((await console.get('/', undefined, { accept: 'application/json' })).statusCode).toBe(401)
  })
})

describe('a session', () => {
  const signIn = async (console: Awaited<ReturnType<typeof aConsole>>, form: Record<string, string> = {}) => {
    const answer = await console.post('/sign-in', { name: 'viewer', password: PASSWORD, to: '/', ...form })
    const cookie = String(answer.headers['set-cookie'] ?? '')
    return { answer, cookie, pair: cookie.split(';', 1)[0] ?? '' }
  }

  it('begins with the right password, and its cookie goes to this host alone', async () => {
    const console = await aConsole()
    const { answer, cookie, pair } = await signIn(console, { to: '/?a=b' })
    expect(answer.statusCode).toBe(303)
    expect(cookie).toMatch(/^__Host-dropbridge=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const back = await console.get(String(answer.headers.location), undefined, { cookie: pair })
    expect(back.headers.location).toBe('/?a=b')
    expect((await console.get('/', undefined, { cookie: pair })).body).toContain('viewer (viewer)')
    expect(JSON.stringify(console.people.list())).not.toContain(pair.split('=')[1])
  })

  it('whose cookie does not come back is explained', async () => {
    const console = await aConsole()
    const { answer } = await signIn(console)
    const { body } = await console.get(String(answer.headers.location))
    expect(body).toContain('did not keep the cookie')
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/..//evil.example',
    'javascript:alert(1)',
  ])('never leads to %s', async (to) => {
    const console = await aConsole()
    const { answer, pair } = await signIn(console, { to })
    const back = await console.get(String(answer.headers.location), undefined, { cookie: pair })
    expect(new URL(String(back.headers.location), 'http://localhost').origin).toBe('http://localhost')
    expect(back.headers.location).not.toMatch(/^\/[/\\]/)
  })

  it('is worth nothing after signing out, also to who copied its cookie', async () => {
    const console = await aConsole()
    const { pair } = await signIn(console)
    const { body } = await console.get('/', undefined, { cookie: pair })
    const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const headers = { cookie: pair, 'sec-fetch-site': 'same-origin' }
    expect((await console.post('/sign-out', { csrf }, { headers })).statusCode).toBe(303)
    expect((await console.get('/', undefined, { cookie: pair })).statusCode).toBe(303)
  })

  it('is another one after each sign-in, whatever cookie came with it', async () => {
    const console = await aConsole()
    const fixed = `__Host-dropbridge=${'A'.repeat(43)}`
    const answer = await console.post(
      '/sign-in',
      { name: 'viewer', password: PASSWORD },
      { headers: { cookie: fixed, 'sec-fetch-site': 'same-origin' } },
    )
    expect(String(answer.headers['set-cookie'])).not.toContain('AAAA')
    expect((await console.get('/', undefined, { cookie: fixed })).statusCode).toBe(303)
  })

  it('ends when it is idle, when it is old, and with its person', async () => {
    const console = await aConsole()
    const isIn = async (pair: string) =>
      (await console.get('/', undefined, { cookie: pair })).statusCode === 200
    const idle = await signIn(console)
    console.clock.advance?.(29 * 60_000)
    expect(await isIn(idle.pair)).toBe(true)
    console.clock.advance?.(29 * 60_000)
    expect(await isIn(idle.pair)).toBe(true)
    console.clock.advance?.(30 * 60_000)
    expect(await isIn(idle.pair)).toBe(false)
    const old = await signIn(console)
    for (let halves = 1; halves < 25; halves++) {
      console.clock.advance?.(29 * 60_000)
      expect(await isIn(old.pair)).toBe(true)
    }
    console.clock.advance?.(29 * 60_000)
    expect(await isIn(old.pair)).toBe(false)
    const disabled = await signIn(console)
    expect(await isIn(disabled.pair)).toBe(true)
    console.people.disable('viewer')
    expect(await isIn(disabled.pair)).toBe(false)
    expect((await signIn(console)).answer.statusCode).toBe(401)
  })

  it('counts only once: two cookies of the name are none', async () => {
    const console = await aConsole()
    const { pair } = await signIn(console)
    expect((await console.get('/', undefined, { cookie: `${pair}; ${pair}` })).statusCode).toBe(303)
  })
})

describe('a form', () => {
  it.each([
    ['without a token', () => ({}), { 'sec-fetch-site': 'same-origin' }],
    [
      'with the token of another session',
      (other: string) => ({ csrf: other }),
      { 'sec-fetch-site': 'same-origin' },
    ],
    ['from another site', (_: string, own: string) => ({ csrf: own }), { 'sec-fetch-site': 'cross-site' }],
    [
      'from another host of the site',
      (_: string, own: string) => ({ csrf: own }),
      { 'sec-fetch-site': 'same-site' },
    ],
    ['from another origin', (_: string, own: string) => ({ csrf: own }), { origin: 'http://evil.example' }],
    ['from an origin that hides', (_: string, own: string) => ({ csrf: own }), { origin: 'null' }],
    ['of a program that says neither', (_: string, own: string) => ({ csrf: own }), {}],
  ])('%s changes nothing', async (_, form, headers) => {
    const console = await aConsole()
    const [own, other] = [await console.csrfOf('viewer'), await console.csrfOf('admin')]
    const { statusCode } = await console.post('/sign-out', form(other, own), {
      headers: { ...console.cookieOf('viewer'), ...(headers as Record<string, string>) },
    })
    expect(statusCode).toBe(403)
    expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  })

  it('of another site signs nobody in', async () => {
    const console = await aConsole()
    const form = { name: 'viewer', password: PASSWORD }
    const { statusCode, headers } = await console.post('/sign-in', form, {
      headers: { origin: 'http://evil.example' },
    })
    expect({ statusCode, cookie: headers['set-cookie'] }).toEqual({ statusCode: 403, cookie: undefined })
  })

  it('from an own page is taken, as browsers of both kinds send it', async () => {
    const console = await aConsole()
    for (const headers of [
      { origin: 'http://localhost' },
      { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    ]) {
      const form = { name: 'viewer', password: PASSWORD }
      expect((await console.post('/sign-in', form, { headers })).statusCode).toBe(303)
    }
  })
})

test('guessing is slowed down, is never a lock for ever, and hits no other address', async () => {
  const console = await aConsole()
  const tryAt = (remoteAddress: string, password: string, name = 'viewer') =>
    console.server.inject({
      url: '/sign-in',
      method: 'POST',
      remoteAddress,
      headers: {
        host: 'localhost',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ name, password }).toString(),
    })
  const together = await Promise.all(Array.from({ length: 12 }, () => tryAt('10.0.0.1', 'wrong password')))
  expect(together.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
  expect(together.filter(({ statusCode }) => statusCode === 429)).toHaveLength(7)
  expect((await tryAt('10.0.0.1', PASSWORD)).headers['retry-after']).toBe('1')
  expect((await tryAt('10.0.0.2', PASSWORD)).statusCode).toBe(303)
  console.clock.advance?.(1_000)
  expect((await tryAt('10.0.0.1', PASSWORD)).statusCode).toBe(303)
})

test('a wrong name and a wrong password get the same answer', async () => {
  const console = await aConsole()
  const bodies = await Promise.all(
    ['viewer', 'absent'].map(async (name) => {
      const { statusCode, body } = await console.post('/sign-in', { name, password: 'wrong password' })
      return `${statusCode} ${body.replaceAll(name, 'NAME')}`
    }),
  )
  expect(bodies[0]).toBe(bodies[1])
  expect(bodies[0]).toContain('The name or the password is wrong.')
  // Not "absent": a password that was typed as the name must not be logged.
  expect(console.said.toSorted()).toEqual([
    'console: "viewer" could not sign in from 127.0.0.1',
    'console: an unknown name could not sign in from 127.0.0.1',
  ])
})

test('signing in often is no guessing', async () => {
  const console = await aConsole()
  for (let tries = 0; tries < 22; tries++) {
    const { statusCode } = await console.post('/sign-in', { name: 'viewer', password: PASSWORD })
    expect(statusCode).toBe(303)
  }
})
