/** Today over a bridge that really worked: what it shows, and that it waits for no mailbox. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/support/clock.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import { readToday as readTodayOf, type Today } from '../../src/app/console/today.ts'
import type { SnapshotOfWork } from '../../src/app/snapshot.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld } from '../fixtures/world.ts'
import { todayPage } from '../../src/web/pages/today.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import { toText, visit } from '../fixtures/console.ts'
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
  const routes = unescape((await console.get('/routes', 'operator')).body)
  for (const { message } of today.alerts) expect(routes).toContain(message)
})

test('a first start says that all is well once the mailboxes were listed, and what will stand here', async () => {
  const { configuration, clock } = await aWorld({ routes: ['orders'] })
  const console = await aConsole({ configuration, clock })
  const { body: first } = await console.get('/', 'viewer')
  expect(first).toContain('<h1>Today</h1>')
  expect(first).not.toContain('Nothing needs a person.')
  await readChecked(console)
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
  } as unknown as SnapshotOfWork
  const seen = { ...context, lookout: { read: () => Promise.resolve({ snapshot }) } }
  expect(JSON.stringify(await readTodayOf(seen, { isMasked: true }))).not.toContain(secret)
  expect(JSON.stringify(await readTodayOf(seen, { isMasked: false }))).toContain(secret)
})

async function takeSight({ lookout }: ConsoleContext): Promise<SnapshotOfWork> {
  const { snapshot } = (await lookout?.read()) ?? {}
  expect(snapshot).toBeDefined()
  return snapshot!
}

/** A world with refused records, over which people have a console that has read its alerts. */
async function aRefusingWorld() {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3).replace(/,NY,|,CA,|,TX,/, ',ZZ,'))
  await world.run('orders')
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  await readChecked(console)
  return { world, console }
}

/** As a browser sends the form about the first alert. */
async function pressAside(console: Opened, hours: string, role: 'operator' | 'admin' = 'operator') {
  const { body } = await console.get('/', role)
  const [form = '', action = ''] =
    /<form method="post" action="(\/aside\/[\w-]+)"[^]*?<\/form>/.exec(body) ?? []
  const [csrf, once] = ['csrf', 'once'].map(
    (name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '',
  )
  return {
    action,
    answer: await console.post(action, { csrf: csrf ?? '', once: once ?? '', hours }, { role }),
  }
}

test('Not now puts an alert aside for one person and for its hours, and the title counts it as before', async () => {
  const { world, console } = await aRefusingWorld()
  const before = world.clock.now()
  const { action, answer } = await pressAside(console, '4')
  expect(answer.statusCode).toBe(303)
  const own = (await console.get('/', 'operator')).body
  expect(own).toContain('<h1>1 thing needs a person</h1>')
  expect(own).toContain('You put 1 of them aside')
  const [alert] = (await console.get('/', 'operator', JSON_ONLY)).json<Today>().alerts
  expect(action).toBe(`/aside/${alert?.id}`)
  const until = alert?.asideUntil ?? 0
  expect(until).toBeGreaterThan(before + 4 * 3_600_000 - 1)
  expect(until).toBeLessThanOrEqual(world.clock.now() + 4 * 3_600_000)
  expect((await console.get('/', 'admin')).body).not.toContain('You put 1 of them aside')
  expect(toText((await console.get(action, 'operator')).body)).toContain('Aside until')
  expect([...console.people.listAside('operator').keys()]).toEqual([alert?.id])
  world.clock.skip(until - world.clock.now())
  expect(console.people.listAside('operator').size).toBe(0)
})

test('Undo brings it back, and nothing of either is in the journal', async () => {
  const { console } = await aRefusingWorld()
  const { journal } = await console.opened.getContext()
  const before = await journal.getHead()
  await pressAside(console, '24')
  expect((await pressAside(console, '0')).answer.statusCode).toBe(303)
  expect((await console.get('/', 'operator')).body).not.toContain('You put 1 of them aside')
  expect(await journal.getHead()).toEqual(before)
})

test('another number of hours, an alert that is none, and a viewer are refused', async () => {
  const { console } = await aRefusingWorld()
  expect((await pressAside(console, '9999')).answer.statusCode).toBe(422)
  expect((await console.get('/aside/none', 'operator')).statusCode).toBe(404)
  expect((await console.get('/', 'viewer')).body).not.toContain('action="/aside/')
})

test('an alert about a delivery leads to it, and to delivering it again where that can be done', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'a.csv', smallOrders(40_001, 2))
  await world.run('orders', 'orders-out')
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const context = await console.opened.getContext()
  const [delivery] = await context.journal.listDeliveries({}, undefined, 1)
  const alerts = ['', ', time is short'].map((end) => ({
    code: 'pick-up-overdue' as const,
    route: 'orders-out',
    subject: `orders-1.csv (${delivery?.id})${end}`,
    since: 0,
    message: 'not picked up',
    fix: 'Ask.',
  }))
  const snapshot = { ...(await takeSight(context)), alerts }
  const seen = { ...context, lookout: { read: () => Promise.resolve({ snapshot }) } } as ConsoleContext
  const today = await readTodayOf(seen, { isMasked: false })
  expect(today.alerts.map((alert) => alert.delivery)).toEqual([
    { id: delivery?.id, isRepeatable: true },
    { id: delivery?.id, isRepeatable: true },
  ])
  const again = `href="/deliveries/${delivery?.id}/redeliver"`
  expect((await visit(seen, todayPage, { role: 'operator' }))?.html).toContain(again)
  const viewed = (await visit(seen, todayPage, { role: 'viewer' }))?.html
  expect(viewed).not.toContain(again)
  expect(viewed).toContain(`href="/deliveries/${delivery?.id}"`)
})

test('while a run works, every page says on what, since when, and how far it is', async () => {
  const world = await aWorld({ routes: ['orders'], connections: 1 })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 60))
  const plan = crashAt(2, 'after', 'journal.startAttempts')
  const dying = await world.open(plan.wrap)
  await dying.run(['orders'], new AbortController().signal).catch(() => undefined)
  await dying.close()
  world.clock.skip(120_000)
  const bridge = await world.open()
  onTestFinished(() => bridge.close())
  await bridge.journal.acquireLease('orders', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const { body } = await console.get('/files', 'viewer')
  const [file] = await bridge.journal.listUnfinishedFiles('orders')
  const { accepted = 0, ...rest } = await bridge.journal.countRecords({ file: file?.id ?? '' })
  expect(accepted).toBeGreaterThan(0)
  expect(Object.values(rest).length).toBeGreaterThan(0)
  expect(toText(body)).toMatch(
    new RegExp(`◐ A run is working: orders, day\\.csv since [\\d:]+ , ${accepted} of 60`),
  )
})
