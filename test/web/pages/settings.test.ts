/** What is in force, whether the chain is whole, and who signed in. */
import { expect, test, vi } from 'vitest'
import type { SettingsPage } from '../../../src/app/console/settings.ts'
import { BridgeError } from '../../../src/support/errors.ts'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { ROLES } from '../../../src/web/permissions.ts'
import { toText } from '../../fixtures/console.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { aWorld } from '../../fixtures/world.ts'
import { aDesk } from '../desk.ts'
import { aConsole, configurationAt, PASSWORD } from '../harness.ts'

const JSON_ONLY = { accept: 'application/json' }

test('settings show the configuration, versions and sizes, and of a secret only where it is from', async () => {
  const configuration = await configurationAt(await tempFolder())
  const console = await aConsole({ configuration })
  const { body } = await console.get('/settings', 'viewer')
  const data = (await console.get('/settings', 'viewer', JSON_ONLY)).json<SettingsPage>()
  expect(data.settings).toContainEqual({ path: 'api.baseUrl', value: 'https://api.example.com' })
  expect(data.settings).toContainEqual({ path: 'api.clientSecret', value: 'in the configuration itself' })
  expect(data.source?.sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(data.journal.bytes).toBeGreaterThan(0)
  expect(body + JSON.stringify(data)).not.toContain('s3cret-of-the-api')
  expect(body).toContain('href="/settings" aria-current="page"')
  expect(toText(body)).toContain('It was not verified since the console was started.')
  for (const path of ['/settings/verify', '/people', '/access']) {
    expect(body).not.toContain(`href="${path}"`)
    expect((await console.get(path, 'operator')).statusCode, path).toBe(403)
    expect((await console.get('/settings', 'admin')).body).toContain(`href="${path}"`)
  }
})

/** A file was sent, and an admin may have its journal verified. */
async function aWorkedJournal() {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3))
  await world.run('orders')
  const desk = await aDesk(world)
  const verify = async () => {
    const { form } = await desk.look('/settings/verify', 'admin')
    const answer = await desk.send('/settings/verify', form, 'admin')
    await (await desk.console.opened.getContext()).verifier?.close()
    return answer
  }
  return { world, ...desk, verify }
}

test('an admin has the chain verified in the background, and the page has its result', async () => {
  const { look, send, verify, journal } = await aWorkedJournal()
  const { form } = await look('/settings/verify', 'admin')
  expect((await send('/settings/verify', form, 'operator')).status).toBe(403)
  expect(await verify()).toMatchObject({ status: 303, to: '/settings' })
  const { event } = await journal.getHead()
  const { text } = await look('/settings', 'viewer')
  expect(text).toContain(`for admin: ${event} events, up to event ${event}`)
  expect(text).toContain('✓ It is whole')
})

test('a changed journal is found, and its first mismatch is shown', async () => {
  const { world, look, verify } = await aWorkedJournal()
  const database = openDatabase(world.configuration.journal.path)
  database.exec("update records set state = 'rejected' where number = 1")
  database.close()
  await verify()
  const { text } = await look('/settings', 'viewer')
  expect(text).toMatch(/✕ 1 mismatch\./)
  expect(text).not.toContain('It is whole')
})

test('people are listed for admins, with their sessions', async () => {
  const console = await aConsole()
  console.people.disable('viewer')
  const { people } = (await console.get('/people', 'admin', JSON_ONLY)).json<{ people: object[] }>()
  expect(people).toMatchObject([
    { name: 'admin', role: 'admin', sessions: 1 },
    { name: 'operator', role: 'operator', sessions: 1 },
    { name: 'viewer', role: 'viewer', disabledAt: expect.any(Number) as number, sessions: 0 },
  ])
  expect(JSON.stringify(people)).not.toContain('scrypt')
  expect(toText((await console.get('/people', 'admin')).body)).toContain('viewer viewer')
})

test('the access log has sign-ins, failures and sign-outs, and no name that may be a password', async () => {
  const console = await aConsole()
  const signIn = (name: string, password: string) => console.post('/sign-in', { name, password })
  await signIn('viewer', 'wrong password')
  await signIn('my secret password', 'viewer')
  const answer = await signIn('viewer', PASSWORD)
  const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] ?? ''
  const page = await console.get('/', undefined, { cookie })
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  await console.post('/sign-out', { csrf }, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const { body } = await console.get('/access', 'admin', JSON_ONLY)
  const { entries, total } = JSON.parse(body) as { entries: object[]; total: number }
  expect(entries.map((entry) => ({ ...entry, id: 0, at: 0 }))).toEqual([
    { id: 0, at: 0, what: 'signed-out', name: 'viewer', address: '127.0.0.1' },
    { id: 0, at: 0, what: 'signed-in', name: 'viewer', address: '127.0.0.1' },
    { id: 0, at: 0, what: 'failed', address: '127.0.0.1' },
    { id: 0, at: 0, what: 'failed', name: 'viewer', address: '127.0.0.1' },
    ...ROLES.toReversed().map((role) => ({ id: 0, at: 0, what: 'added', name: role, role })),
  ])
  expect(total).toBe(4 + ROLES.length)
  expect(body).not.toContain('my secret')
  expect(toText((await console.get('/access', 'admin')).body)).toContain('viewer could not sign in 127.0.0.1')
})

test('a long access log comes page by page', async () => {
  const console = await aConsole()
  for (let at = 0; at < 150; at++) console.people.noteAccess({ what: 'failed', address: `10.0.0.${at}` })
  const first = await console.get('/access', 'admin')
  expect(toText(first.body)).toContain(`${150 + ROLES.length} lines`)
  const [, next = ''] = /href="(\/access\?after=\d+)"/.exec(first.body) ?? []
  const second = await console.get(next, 'admin')
  expect(second.body).toContain('>10.0.0.0<')
  expect(second.body).not.toContain('10.0.0.149')
})

test('the access log has who did what, from where and in which role, once; and who was added or disabled', async () => {
  const { look, send, console } = await aWorkedJournal()
  const { form } = await look('/settings/verify', 'admin')
  await send('/settings/verify', form, 'operator')
  for (const _ of ['once', 'and by a double click'])
    expect((await send('/settings/verify', form, 'admin')).status).toBe(303)
  console.people.disable('viewer')
  const log = toText((await console.get('/access', 'admin')).body)
  expect(log.match(/admin \(admin\) acted by \/settings\/verify 127\.0\.0\.1/g)).toHaveLength(1)
  expect(log).not.toContain('operator (operator) acted')
  expect(log).toContain('viewer (viewer) may sign in from now on the command line')
  expect(log).toContain('viewer may sign in no more the command line')
})

test('what is done stands, and is said on the terminal, where the access log cannot be written', async () => {
  const { look, send, console } = await aWorkedJournal()
  const { form } = await look('/settings/verify', 'admin')
  vi.spyOn(console.people, 'noteAccess').mockImplementation(() => {
    throw new BridgeError('people-unusable', 'The disk is full.')
  })
  expect((await send('/settings/verify', form, 'admin')).status).toBe(303)
  expect((await look('/settings', 'viewer')).text).toContain('for admin')
  expect(console.said.join()).toContain('admin acted by /settings/verify, which could not be noted: The disk')
})
