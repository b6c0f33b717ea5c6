/** A console at work over a real socket: what it reports when a bridge commits, and what ends its streams. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { systemClock } from '../../src/support/clock.ts'
import { listeningTerminal, runCommand } from '../fixtures/terminal.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { aConsole, configurationAt, PASSWORD } from './harness.ts'

async function follow(address: string, cookie: Record<string, string>) {
  const asked = request(`${address}/live`, { headers: { ...cookie, host: 'localhost' }, agent: false })
  asked.on('error', () => undefined)
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  answer.on('data', (bytes: Buffer) => (text += bytes.toString()))
  answer.on('error', () => undefined)
  onTestFinished(() => void asked.destroy())
  const until = async (isThere: () => boolean) => {
    const deadline = Date.now() + 20_000
    while (!isThere() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isThere()).toBe(true)
  }
  return { answer, text: () => text, until }
}

test('an open page hears of a commit of another process within a moment, and of none without one', async () => {
  const console = await aConsole({ clock: systemClock })
  const address = await console.server.listen({ host: '127.0.0.1', port: 0 })
  await console.opened.getContext()
  const { answer, text, until } = await follow(address, console.cookieOf('viewer'))
  expect(answer.headers['content-type']).toBe('text/event-stream')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  await until(() => text().includes('event: open'))
  const bridge = await openJournal({ path: console.configuration.journal.path, clock: systemClock })
  onTestFinished(() => bridge.close())
  expect(text()).not.toContain('event: change')
  await bridge.saveHeartbeat('bridge-1', ['orders'])
  await until(() => text().includes('event: change'))
})

test('what changes between the answer of a page and the opening of its stream is not missed', async () => {
  const console = await aConsole({ clock: systemClock })
  const address = await console.server.listen({ host: '127.0.0.1', port: 0 })
  const bridge = await openJournal({ path: console.configuration.journal.path, clock: systemClock })
  onTestFinished(() => bridge.close())
  const readMark = async () => /data-seen="([^"]+)"/.exec((await console.get('/files', 'viewer')).body)?.[1]
  const openStream = async () => {
    const { text, until } = await follow(address, console.cookieOf('viewer'))
    await until(() => /event: open\ndata: \S+\n/.test(text()))
    return /event: open\ndata: (\S+)/.exec(text())?.[1]
  }
  // Nothing changes: the page that was sent is the one that the stream follows.
  const seen = await readMark()
  expect(seen).toBeDefined()
  expect(await openStream()).toBe(seen)
  await bridge.saveHeartbeat('bridge-1', ['orders'])
  expect(await openStream()).not.toBe(seen)
  expect(await readMark()).toBe(await openStream())
})

test('a stream is for who is signed in', async () => {
  const console = await aConsole({ clock: systemClock })
  const address = await console.server.listen({ host: '127.0.0.1', port: 0 })
  const { answer } = await follow(address, {})
  expect(answer.statusCode).toBe(303)
})

test.each(['signs out', 'is disabled', 'does nothing for half an hour'])(
  'a stream ends within a minute once its person %s',
  async (what) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const console = await aConsole()
    const address = await console.server.listen({ host: '127.0.0.1', port: 0 })
    const ended = once((await follow(address, console.cookieOf('viewer'))).answer, 'close')
    const { answer: other } = await follow(address, console.cookieOf('admin'))
    const [, token = ''] = console.cookieOf('viewer')['cookie']?.split('=') ?? []
    if (what === 'signs out') console.people.endSession(token)
    else if (what === 'is disabled') console.people.disable('viewer')
    else {
      console.clock.advance?.(20 * 60_000)
      await console.get('/', 'admin')
      console.clock.advance?.(11 * 60_000)
    }
    vi.advanceTimersByTime(60_000)
    await ended
    expect(other.closed).toBe(false)
  },
)

test('a stream is refused beyond 200 of them, and pages still come', async () => {
  const console = await aConsole({ clock: systemClock })
  const address = await console.server.listen({ host: '127.0.0.1', port: 0 })
  const all = await Promise.all(
    Array.from({ length: 200 }, () => follow(address, console.cookieOf('viewer'))),
  )
  expect(new Set(all.map(({ answer }) => answer.statusCode))).toEqual(new Set([200]))
  expect((await follow(address, console.cookieOf('admin'))).answer.statusCode).toBe(503)
  expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  all[0]?.answer.destroy()
  await vi.waitFor(
    async () => expect((await follow(address, console.cookieOf('admin'))).answer.statusCode).toBe(200),
    { timeout: 20_000, interval: 100 },
  )
})

test('the command adds people and serves them until the signal, and ends open streams', async () => {
  const folder = await tempFolder()
  await configurationAt(folder, 'console: { listen: "127.0.0.1:0" }')
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`)
  const add = (...args: string[]) => runCommand({ folder }, ['console', 'user', 'add', ...args])
  expect(await add('Nadia', '--role', 'operator', '--password-file', 'password')).toMatchObject({ exit: 0 })
  expect((await add('Nadia', '--role', 'viewer', '--password-file', 'password')).err).toContain(
    'is there already',
  )
  await writeFile(join(folder, 'short'), 'short\n')
  expect((await add('erik', '--role', 'viewer', '--password-file', 'short')).err).toContain('at least 12')
  expect((await add('erik', '--role', 'king', '--password-file', 'password')).exit).toBe(64)
  expect((await add('erik', '--role', 'viewer')).err).toContain('--password-file')

  const stop = new AbortController()
  const { terminal, err } = listeningTerminal({ folder, signal: stop.signal })
  const running = runCommandLine(terminal, ['console'])
  const deadline = Date.now() + 20_000
  while (!err.join().includes('The console is at') && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const [, address = ''] = /at (http:\S+)\//.exec(err.join()) ?? []
  const form = new URLSearchParams({ name: 'NADIA', password: PASSWORD })
  const signedIn = await fetch(`${address}/sign-in`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
    headers: { origin: address },
  })
  expect(signedIn.status).toBe(303)
  const [cookie = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? []
  const { answer } = await follow(address, { cookie })
  const page = await fetch(`${address}/`, { headers: { cookie } })
  // There is no journal yet: the page says so, and the console goes on.
  expect(page.status).toBe(503)
  expect(await page.text()).toContain('There is no journal yet')

  const ended = once(answer, 'close')
  stop.abort()
  expect(await running).toBe(0)
  await ended
  const { out } = await runCommand({ folder }, ['console', 'user', 'list', '--json'])
  expect(JSON.parse(out)).toMatchObject({ people: [{ name: 'nadia', role: 'operator', sessions: 1 }] })
  expect(await runCommand({ folder }, ['console', 'user', 'disable', 'Nadia'])).toMatchObject({ exit: 0 })
  expect((await runCommand({ folder }, ['console', 'user', 'list'])).out).toMatch(
    /nadia {2}operator .* disabled/,
  )
  expect((await runCommand({ folder }, ['console', 'user', 'disable', 'Nadia'])).exit).toBe(64)
  expect((await readFile(join(folder, 'state', 'console', 'people.db'))).toString('latin1')).not.toContain(
    PASSWORD,
  )
})

test('an address of the network is refused at the start without tls', async () => {
  const folder = await tempFolder()
  await configurationAt(folder).then(() => undefined)
  const path = join(folder, 'dropbridge.yaml')
  await writeFile(path, `console: { listen: "0.0.0.0:0" }\n${await readFile(path, 'utf8')}`)
  const { exit, err } = await runCommand({ folder }, ['console'])
  expect(exit).toBe(78)
  expect(err).toContain('is reached from other machines')
})
