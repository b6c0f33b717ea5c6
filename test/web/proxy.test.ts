/** A console whose people sign in at a proxy: whom it believes, and what no other program can pass for. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SettingsPage } from '../../src/app/console/settings.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import type { People } from '../../src/web/people.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'
import { aConsole, configurationAt } from './harness.ts'

const SECRET = 'a secret of the proxy and the console'

const PROXY = {
  from: ['127.0.0.1'],
  secret: SECRET,
  secretHeader: 'x-dropbridge-secret',
  user: 'x-auth-request-user',
  groups: 'x-auth-request-groups',
  roles: { admin: ['edi-admins'], operator: ['edi-ops', 'support'], viewer: ['staff'] },
}

interface Asked {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** The form to send. */
  readonly form?: Readonly<Record<string, string>>
  /** From which address of this machine. */
  readonly from?: string
}

async function aProxiedConsole(roles: Readonly<Record<keyof typeof PROXY.roles, string[]>> = PROXY.roles) {
  const console = await aConsole({ proxy: { ...PROXY, roles } })
  await console.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = console.server.server.address() as { port: number }
  const ask = async ({ path = '/', headers = {}, form, from = '127.0.0.1' }: Asked) => {
    const own = {
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
    }
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      localAddress: from,
      agent: false,
      method: form ? 'POST' : 'GET',
      headers: { host: 'localhost', ...own, ...(headers as Record<string, string | string[]>) },
    })
    asked.on('error', () => undefined)
    onTestFinished(() => void asked.destroy())
    asked.end(form && new URLSearchParams(form).toString())
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.on('error', () => undefined)
    if (answer.headers['content-type'] === 'text/event-stream') return { answer, status: 200, body: '' }
    let body = ''
    for await (const chunk of answer) body += String(chunk)
    return { answer, status: answer.statusCode, body }
  }
  return { console, ask }
}

const as = (user: string, groups: string, secret = SECRET) => ({
  'x-dropbridge-secret': secret,
  'x-auth-request-user': user,
  'x-auth-request-groups': groups,
})

const csrfIn = (body: string) => /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''

function listSignIns(people: Pick<People, 'listAccess'>) {
  return people.listAccess(99).filter(({ what }) => what !== 'added')
}

describe('the proxy', () => {
  test.each([
    ['staff', 'viewer', 403],
    ['staff, support', 'operator', 403],
    ['other,edi-ops , staff', 'operator', 403],
    ['edi-admins,staff', 'admin', 200],
  ])('says that a person of %s is %s', async (groups, role, ofPeople) => {
    const { ask, console } = await aProxiedConsole()
    const { body, status, answer } = await ask({ headers: as('Nadia@acme.example', groups) })
    expect(status).toBe(200)
    expect(body).toContain(`nadia@acme.example (${role})`)
    expect(body).not.toContain('Sign out')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect((await ask({ path: '/people', headers: as('nadia@acme.example', groups) })).status).toBe(ofPeople)
    expect(listSignIns(console.people)).toMatchObject([{ what: 'signed-in', name: 'nadia@acme.example' }])
  })

  test('may say that everybody has a role', async () => {
    const { ask } = await aProxiedConsole({ admin: ['edi-admins'], operator: [], viewer: ['*'] })
    expect((await ask({ headers: as('nadia', '') })).body).toContain('nadia (viewer)')
    expect((await ask({ headers: as('nadia', '*') })).body).toContain('nadia (viewer)')
    expect((await ask({ headers: as('nadia', 'edi-admins') })).body).toContain('nadia (admin)')
  })

  test('names people in UTF-8', async () => {
    const { ask } = await aProxiedConsole()
    const name = Buffer.from('Zoë').toString('latin1')
    expect((await ask({ headers: as(name, 'staff') })).body).toContain('zoë (viewer)')
  })

  test.each([
    ['from another address', { headers: as('nadia', 'edi-admins'), from: '127.0.0.2' }],
    ['without the secret', { headers: { 'x-auth-request-user': 'nadia', 'x-auth-request-groups': 'staff' } }],
    ['with another secret', { headers: as('nadia', 'staff', `${SECRET}.`) }],
    ['with no header at all', {}],
    [
      'with the secret twice',
      { headers: { ...as('nadia', 'staff'), 'x-dropbridge-secret': [SECRET, SECRET] } },
    ],
    ['with two names', { headers: { ...as('nadia', 'staff'), 'x-auth-request-user': ['ada', 'nadia'] } }],
    [
      'with groups twice',
      { headers: { ...as('nadia', 'staff'), 'x-auth-request-groups': ['edi-admins', 'staff'] } },
    ],
    ['without a name', { headers: as('', 'staff') }],
    ['with a name that is none', { headers: as('<b>nadia', 'staff') }],
    ['with no group of a role', { headers: as('nadia', 'sales,edi-opsx') }],
    ['with no group', { headers: as('nadia', '') }],
  ] satisfies [string, Asked][])('is not believed %s', async (_, asked) => {
    const { ask, console } = await aProxiedConsole()
    for (const path of ['/', '/files', '/sign-in', '/live', '/none']) {
      const { status, body } = await ask({ ...asked, path })
      expect(status, path).toBe(403)
      expect(body, path).not.toContain('nadia')
    }
    expect(listSignIns(console.people)).toEqual([])
  })
})

test('where a proxy signs people in, there are no passwords, and no session of before counts', async () => {
  const { ask, console } = await aProxiedConsole()
  const cookie = console.cookieOf('admin')
  expect((await ask({ headers: cookie })).status).toBe(403)
  expect((await ask({ headers: { ...cookie, ...as('nadia', 'staff') } })).body).toContain('nadia (viewer)')
  for (const path of ['/sign-in', '/sign-out'])
    expect((await ask({ path, headers: as('nadia', 'staff'), form: {} })).status).toBe(404)
  expect((await ask({ path: '/sign-in', headers: as('nadia', 'staff') })).status).toBe(404)
})

test('a form needs the token of its person and an own page, which the proxy may answer by https', async () => {
  const { ask } = await aProxiedConsole()
  const [nadia, erik] = [as('nadia', 'edi-admins'), as('erik', 'edi-admins')]
  const { body } = await ask({ path: '/settings/verify', headers: nadia })
  const form = { csrf: csrfIn(body), once: /name="once" value="([^"]+)"/.exec(body)?.[1] ?? '' }
  const send = async (headers: Record<string, string>, given: Record<string, string> = form) =>
    (await ask({ path: '/settings/verify', headers, form: given })).status
  expect(await send(erik)).toBe(403)
  expect(await send(nadia, { once: form.once })).toBe(403)
  expect(await send({ ...nadia, 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await send({ ...nadia, origin: 'https://evil.example' })).toBe(403)
  expect(await send({ ...nadia, origin: 'https://localhost' })).toBe(303)
})

test('what a person puts aside is kept for them, though they are not in the list of people', async () => {
  const { console } = await aProxiedConsole()
  console.people.setAside('nadia', 'alert-1', console.clock.now() + 60_000)
  expect([...console.people.listAside('nadia').keys()]).toEqual(['alert-1'])
})

test('a stream ends once its person asks for nothing through the proxy any more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ask, console } = await aProxiedConsole()
  const { answer } = await ask({ path: '/live', headers: as('nadia', 'staff') })
  const { answer: other } = await ask({ path: '/live', headers: as('erik', 'staff') })
  for (const stream of [answer, other]) stream.resume()
  const ended = once(answer, 'close')
  for (let minute = 0; minute < 3; minute++) {
    console.clock.advance?.(60_000)
    await ask({ headers: as('erik', 'staff') })
    vi.advanceTimersByTime(60_000)
  }
  await ended
  expect(other.closed).toBe(false)
})

describe('the settings of a proxy', () => {
  const settings = (more = '', secret = '${PROXY_SECRET}') =>
    `{ from: [10.0.0.7], secret: "${secret}", roles: { viewer: ["*"] }${more} }`

  test('let it listen to other machines, and keep their secret out of every page', async () => {
    const folder = await tempFolder()
    await configurationAt(folder, '')
    const path = join(folder, 'dropbridge.yaml')
    const { source } = await configurationAt(
      folder,
      `console: { listen: "0.0.0.0:9466", toNetwork: true, names: [edi.acme.example], proxy: ${settings('', SECRET)} }`,
    )
    expect(source?.withoutSecrets).toMatchObject({ console: { proxy: { secret: 'removed' } } })
    const configuration = await loadConfiguration(path, {})
    expect(configuration.console?.proxy).toMatchObject({
      secretHeader: 'x-dropbridge-secret',
      secret: SECRET,
    })
    const console = await aConsole({ configuration })
    const { body } = await console.get('/settings', 'admin')
    const data = await console.get('/settings', 'admin', { accept: 'application/json' })
    expect(body + data.body).not.toContain(SECRET)
    expect(data.json<SettingsPage>().settings).toContainEqual({
      path: 'console.proxy.secret',
      value: 'in the configuration itself',
    })
  })

  test.each([
    ['a secret that is short', settings('', 'fifteen letters'), 'at least 16 characters'],
    ['a secret that is not set', settings(), 'PROXY_SECRET'],
    ['an address that is none', settings().replace('10.0.0.7', 'proxy'), 'from'],
    ['no groups', settings().replace('viewer: ["*"]', ''), 'needs a group for a role'],
  ])('with %s are refused', async (_, proxy, message) => {
    const folder = await tempFolder()
    await configurationAt(folder)
    await writeFile(
      join(folder, 'dropbridge.yaml'),
      `console: { proxy: ${proxy} }
mailboxes: { erp: { type: directory, path: ./exchange } }
api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
routes: { orders: { retailer: 1000, operation: create-order, from: { mailbox: erp, folder: inbox }, mapping: orders.yaml, results: { mailbox: erp } } }
`,
    )
    const { exit, err } = await runCommand({ folder }, ['console'])
    expect(exit).toBe(78)
    expect(err).toContain(message)
  })
})
