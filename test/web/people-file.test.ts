/** The file of the people goes away, is put back or is damaged while the console runs: who is in, and what the pages say. */
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { systemClock } from '../../src/support/clock.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { getPeoplePath, openPeople } from '../../src/web/people.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { listeningTerminal, runCommand } from '../fixtures/terminal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { aWorld } from '../fixtures/world.ts'
import { aDesk } from './desk.ts'
import { configurationAt, PASSWORD } from './harness.ts'

const NO_DATABASE = 'this is no database, and long enough to be read as one'.repeat(100)

async function aWorkedDesk() {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3))
  await world.run('orders')
  const desk = await aDesk(world)
  const path = getPeoplePath(world.configuration)
  return { ...desk, path }
}

test('without it no session counts, the sign-in says how to add people, and the journal is as it was', async () => {
  const { console, journal, path } = await aWorkedDesk()
  const before = await journal.getHead()
  expect((await console.get('/', 'admin')).statusCode).toBe(200)
  await rm(path)
  for (const url of ['/', '/files', '/people'])
    expect((await console.get(url, 'admin')).statusCode, url).toBe(303)
  expect((await console.get('/sign-in')).body).toContain('dropbridge console user add NAME --role admin')
  expect((await console.post('/sign-in', { name: 'admin', password: PASSWORD })).statusCode).toBe(401)
  expect(await journal.getHead()).toEqual(before)
  expect((await journal.verifyChain({})).findings).toEqual([])
})

test('a copy that is put back lets in its people, and not the sessions that it does not have', async () => {
  const { console, path } = await aWorkedDesk()
  await copyFile(path, `${path}.copy`)
  const pair = `__Host-dropbridge=${console.people.startSession('admin')}`
  expect((await console.get('/', undefined, { cookie: pair })).statusCode).toBe(200)
  await rename(`${path}.copy`, path)
  expect((await console.get('/', undefined, { cookie: pair })).statusCode).toBe(303)
  expect((await console.post('/sign-in', { name: 'admin', password: PASSWORD })).statusCode).toBe(303)
})

test('a damaged one is a page that says what to do, and the console goes on once it is put back', async () => {
  const { console, journal, path } = await aWorkedDesk()
  const before = await journal.getHead()
  await copyFile(path, `${path}.copy`)
  await rm(path)
  await writeFile(path, NO_DATABASE)
  for (const [url, method] of [
    ['/', 'GET'],
    ['/sign-in', 'GET'],
    ['/none', 'GET'],
    ['/sign-in', 'POST'],
  ] as const) {
    const { statusCode, body } =
      method === 'GET'
        ? await console.get(url, 'admin')
        : await console.post(url, { name: 'a', password: 'b' })
    expect(statusCode, `${method} ${url}`).toBe(503)
    expect(body, `${method} ${url}`).toContain('The file with the people of the console cannot be used')
    expect(body, `${method} ${url}`).toContain('people.db')
  }
  expect(await journal.getHead()).toEqual(before)
  await rename(`${path}.copy`, path)
  expect((await console.get('/sign-in')).statusCode).toBe(200)
})

test('the command says that it is gone, ends open pages, and lets in who is added meanwhile', async () => {
  const folder = await tempFolder()
  const configuration = await configurationAt(folder, 'console: { listen: "127.0.0.1:0" }')
  await writeFile(join(folder, 'password'), PASSWORD)
  const add = ['console', 'user', 'add', 'nadia', '--role', 'viewer', '--password-file', 'password']
  expect((await runCommand({ folder }, add)).exit).toBe(0)
  const stop = new AbortController()
  const { terminal, err } = listeningTerminal({ folder, signal: stop.signal })
  const running = runCommandLine(terminal, ['console'])
  await vi.waitFor(() => expect(err.join()).toContain('The console is at'), { timeout: 20_000 })
  const [, origin = ''] = /at (http:\S+)\//.exec(err.join()) ?? []
  const signIn = async () => {
    const body = new URLSearchParams({ name: 'nadia', password: PASSWORD })
    return (
      await fetch(`${origin}/sign-in`, { method: 'POST', redirect: 'manual', headers: { origin }, body })
    ).status
  }
  expect(await signIn()).toBe(303)
  const path = getPeoplePath(configuration)
  await rm(path)
  expect(await signIn()).toBe(401)
  expect(err.join('\n')).toContain('people.db was removed, or is another file now: everybody signs in again.')
  expect((await runCommand({ folder }, add)).exit).toBe(0)
  expect(await signIn()).toBe(303)
  await writeFile(`${path}.new`, NO_DATABASE)
  await rename(`${path}.new`, path)
  stop.abort()
  // What it cannot note at its end is no reason to fail.
  expect(await running).toBe(0)
  expect(err.join('\n')).toContain(`The file ${path} cannot be used`)
  expect(await readFile(path, 'utf8')).toBe(NO_DATABASE)
})

test('one of an earlier version keeps its people, its sessions, its log and what was put aside', async () => {
  const path = join(await tempFolder(), 'people.db')
  const limits = { idleMs: 60_000, atMostMs: 60_000 }
  const open = () => openPeople({ path, clock: systemClock, limits })
  const first = open()
  first.add('nadia', 'operator', 'a hash')
  first.setAside('nadia', 'late-orders', Date.now() + 60_000)
  const token = first.startSession('nadia')
  first.close()
  const database = openDatabase(path)
  database.exec(`drop table access_log;
    create table access_log (id integer primary key, at integer not null,
      what text not null check (what in ('signed-in', 'failed', 'signed-out')), name text, address text not null) strict;
    create index failed_sign_ins on access_log (at) where what = 'failed';
    insert into access_log values (7, 1, 'failed', 'nadia', '10.0.0.1');
    pragma user_version = 4;`)
  database.close()
  const people = open()
  onTestFinished(() => people.close())
  expect(people.listAccess(9)).toEqual([{ id: 7, at: 1, what: 'failed', name: 'nadia', address: '10.0.0.1' }])
  expect(people.findSession(token)).toEqual({ name: 'nadia', role: 'operator' })
  expect([...people.listAside('nadia').keys()]).toEqual(['late-orders'])
  people.noteAccess({ what: 'acted', name: 'nadia', role: 'operator', target: '/routes/orders/run' })
  expect(people.listFailedSignIns(0, 1)).toHaveLength(2)
  expect(people.countAccess()).toBe(2)
})
