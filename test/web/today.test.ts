/** Today over a bridge that really worked: what it shows, and that it waits for no mailbox. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/support/clock.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import { readToday as readTodayOf, type Today } from '../../src/app/console/today.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld } from '../fixtures/world.ts'
import { aConsole, configurationAt } from './harness.ts'

const JSON_ONLY = { accept: 'application/json' }

type Opened = Awaited<ReturnType<typeof aConsole>>

async function readToday(console: Opened): Promise<Today> {
  return (await console.get('/', 'viewer', JSON_ONLY)).json()
}

/** Once the mailboxes were listed. */
async function readChecked(console: Opened): Promise<Today> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const today = await readToday(console)
    if (today.checkedAt !== undefined) return today
    if (Date.now() > deadline) throw new Error('the mailboxes were never listed')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('what a run did is shown, as status shows it, and the page has it as text', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3).replace(/,NY,|,CA,|,TX,/, ',ZZ,'))
  await world.drop('inbox/orders', 'notes.txt', 'in no pattern')
  await world.run('orders')
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const today = await readChecked(console)

  const bridge = await world.open()
  const status = await bridge.snapshot()
  await bridge.close()
  const { alerts, files, held, deliveries, unmatchedFiles, unfinished, waiting } = status
  expect(today).toMatchObject(
    JSON.parse(
      JSON.stringify({
        files: files.map((file) => ({ ...file, problems: undefined, keyColumns: undefined })),
        held,
        deliveries,
        unmatchedFiles,
        unfinished,
        waiting,
      }),
    ) as object,
  )
  expect(today.alerts.map(({ code, subject }) => ({ code, subject }))).toEqual(
    alerts.map(({ code, subject }) => ({ code, subject })),
  )
  expect(today.files[0]?.name).toBe('day.csv')

  const { body } = await console.get('/', 'viewer')
  expect(body).toContain(`href="/files/${today.files[0]?.id}"`)
  expect(body).toMatch(/<span class="state accepted">\s*✓ \d accepted/)
  expect(body).toContain('notes.txt')
  expect(body).toContain(`href="/files/${today.files[0]?.id}?state=rejected"`)
  for (const { message } of today.alerts) expect(unescape(body)).toContain(message)
})

test('a first start says that all is well, and what will stand here', async () => {
  const console = await aConsole()
  const { body } = await console.get('/', 'viewer')
  expect(body).toContain('<h1>All is well</h1>')
  expect(body).toContain('No file came yet. Files that a route takes from its inbox stand here.')
  expect(body).toContain('○ Not running.')
})

test('every page says whether a watch is there', async () => {
  const console = await aConsole()
  const bridge = await openJournal({ path: console.configuration.journal.path, clock: console.clock })
  onTestFinished(() => bridge.close())
  await bridge.saveHeartbeat('here+boot/4711/x', ['orders'])
  const { body } = await console.get('/none', 'viewer')
  expect(body).toMatch(/● Watching since <time [^>]*>[^<]*<\/time> \(process 4711 on here\)/)
})

test('a server that never answers keeps no page waiting, and its age is said', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const mailbox = `{ type: sftp, host: 127.0.0.1, port: ${port}, username: acme, password: geheim }`
  const configuration = await configurationAt(await tempFolder(), '', mailbox)
  const console = await aConsole({ configuration, clock: systemClock })
  const today = await readToday(console)
  expect(today.at).toBeGreaterThan(0)
  expect(today.checkedAt).toBeUndefined()
  expect(today.checkingSince).toBeGreaterThan(0)
  const { body } = await console.get('/', 'viewer')
  expect(body).toContain('Mailboxes were not listed yet')
  expect(body).toContain('They are being listed since')
})

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

test('a viewer sees no text that quotes a cell, and an operator does', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const secret = 'Ada Lovelace, 1 Secret Street'
  const context = await console.opened.getContext()
  const about = { route: 'orders', subject: 'x', since: 0, fix: 'fix' }
  const snapshot = {
    ...(await takeSight(context)),
    alerts: (['record-unacknowledged', 'documents-missing'] as const).map((code) => ({
      ...about,
      code,
      message: secret,
    })),
    files: [
      { id: 'a', name: 'a.csv', problems: [{ code: 'x', message: secret }], keyColumns: [], records: {} },
    ],
    waiting: [{ file: 'a', name: 'a', route: 'orders', receivedAt: 0, records: 1, message: secret }],
    unfinished: [
      {
        route: 'orders',
        name: 'a',
        next: '',
        file: 'a',
        state: 'planned',
        isRouteKnown: true,
        records: [{ state: 'deferred', count: 1, why: secret }],
      },
    ],
  } as unknown as Snapshot
  const seen = { ...context, lookout: { read: () => Promise.resolve({ snapshot }) } }
  expect(JSON.stringify(await readTodayOf(seen, { isMasked: true }))).not.toContain(secret)
  expect(JSON.stringify(await readTodayOf(seen, { isMasked: false }))).toContain(secret)
})

async function takeSight({ lookout }: ConsoleContext): Promise<Snapshot> {
  const { snapshot } = (await lookout?.read()) ?? {}
  expect(snapshot).toBeDefined()
  return snapshot!
}
