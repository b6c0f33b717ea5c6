/** A day of `run` with its log, its page and its notifications: what each of them shows, and which data none of them shows. */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOG_EVENTS } from '../../src/domain/event.ts'
import type { Digest } from '../../src/domain/notification.ts'
import { type Commands, commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** A program that receives notifications: it appends each as a line to a file. */
const KEEPER = `let t='';process.stdin.on('data',c=>t+=c).on('end',()=>require('fs').appendFileSync(process.argv[1],t))`

interface Notified {
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly digest: Digest
}

interface Office {
  readonly world: World
  readonly run: Commands
  readonly logged: () => Promise<Record<string, unknown>[]>
  readonly notified: () => Promise<Notified[]>
  readonly page: () => Promise<string>
}

async function anOffice(routes: readonly string[], on: 'trouble' | 'always' = 'trouble'): Promise<Office> {
  const world = await aWorld({ routes })
  const run = await commandsOf(world)
  const path = join(world.folder, 'told.jsonl')
  await appendFile(
    join(world.folder, 'dropbridge.yaml'),
    `log: { file: bridge.log }
status: { page: exchange/STATUS.html }
notifications:
  ops: { type: command, on: ${on}, run: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(KEEPER)}, ${JSON.stringify(path)}] }
`,
  )
  const linesOf = async <Line>(path: string) => {
    const text = await readFile(path, 'utf8').catch(() => '')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line)
  }
  return {
    world,
    run,
    logged: () => linesOf(join(world.folder, 'bridge.log')),
    notified: () => linesOf<Notified>(path),
    page: () => world.read('STATUS.html'),
  }
}

const ORDERS = sampleOrders({ seed: 11, orders: 30, damageEvery: 5 })
const NAME_IN_HEADER = 'Wilhelmina Featherstone'

const DAMAGED = ORDERS.filter(({ damage }) => damage.length > 0).length

test('the log reports events by stable codes; the page and one notification report the outcome', async () => {
  const { world, run, logged, notified, page } = await anOffice(['orders', 'orders-out'])
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS).text)

  const result = await run('run')

  expect(result.exit).toBe(2)
  const lines = await logged()
  const codes = lines.map(({ code }) => code)
  expect(codes).toEqual(
    expect.arrayContaining([
      'file.received',
      'file.planned',
      'file.reported',
      'file.closed',
      'delivery.delivered',
      'delivery.acknowledged',
      'notification.sent',
    ]),
  )
  const known: readonly string[] = Object.values(LOG_EVENTS).map(({ code }) => code)
  expect(codes.filter((code) => !known.includes(String(code)))).toEqual([])
  expect(lines.find(({ code }) => code === 'file.reported')).toMatchObject({
    level: 'info',
    route: 'orders',
    file: 'monday.csv',
    outcome: 'processed',
  })

  const notifications = await notified()
  expect(notifications).toHaveLength(1)
  const [{ subject, text, digest }] = notifications as [Notified]
  expect(subject).toContain('refused')
  expect(text).toContain('orders: monday.csv: ')
  expect(text).toContain(join(world.folder, 'exchange', 'results', 'monday.csv.results.csv'))
  expect(digest).toMatchObject({ trouble: true, totals: { files: 1, deliveries: 1 } })
  expect(digest.files[0]!.records.rejected).toBeGreaterThanOrEqual(DAMAGED)

  const html = await page()
  expect(html).toContain('<a href="results/monday.csv.results.csv"')
  expect(html).toContain('rejected')
})

test('the log, the page and notifications name no person, street, telephone or secret', async () => {
  const { world, run } = await anOffice(['orders', 'orders-out', 'shipments', 'shipments-out'], 'always')
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS).text)
  await run('run', '--log-format', 'json')
  const good = ORDERS.filter(({ damage }) => damage.length === 0)
  await world.drop(
    'inbox/shipments',
    'parcels.csv',
    shipmentsFile(sampleShipments(good, { seed: 1, damageEvery: 4 })),
  )
  // A message may quote a first row where the header is missing, and a column of the mapping is gone.
  const headless = ordersFile(good.slice(0, 3)).text.replace('Gift Message', NAME_IN_HEADER)
  await world.drop('inbox/orders', 'headless.csv', headless)
  const result = await run('run', '--log-format', 'json')
  const texts = [
    result.err,
    await readFile(join(world.folder, 'bridge.log'), 'utf8'),
    await readFile(join(world.folder, 'told.jsonl'), 'utf8'),
    await world.read('STATUS.html'),
  ]

  const { retailer, brand } = world.credentials
  const secrets = [retailer.clientSecret, brand.clientSecret, 'Bearer ', NAME_IN_HEADER]
  const personal = ORDERS.flatMap(({ rows }) =>
    rows.flatMap((row) => [row['Ship To Name'], row['Address 1'], row['Phone'], row['Gift Message']]),
  )
    .map((cell) => cell.trim())
    .filter((cell) => cell.length > 4)
  expect(new Set(personal).size).toBeGreaterThan(40)
  expect(texts[1]).toContain('file.columns-differ')
  for (const text of texts) {
    expect(text.length).toBeGreaterThan(200)
    expect([...secrets, ...personal].filter((word) => text.includes(word))).toEqual([])
  }
})

test('where a program reads the log on stderr, every line of it is JSON', async () => {
  const { world, run } = await anOffice(['orders'])
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS).text)

  const { err } = await run('run', '--log-format', 'json')

  const lines = err.split('\n').map((line) => JSON.parse(line) as { code: string })
  expect(lines.map(({ code }) => code)).toContain('file.reported')
})

test('a log for people appears beside the report of the run when it is asked for', async () => {
  const { run } = await anOffice(['orders'])

  const { err } = await run('run', '--log-level', 'debug')

  expect(err).toMatch(/^\d{4}-\d\d-\d\dT\S+Z orders: pass ended$/m)
  expect(err).toContain('orders: nothing to do')
})

test('a good day is reported only to channels that want every run', async () => {
  const good = ordersFile(sampleOrders({ seed: 3, orders: 4, damageEvery: 0 })).text
  const quiet = await anOffice(['orders'])
  await quiet.world.drop('inbox/orders', 'monday.csv', good)
  await quiet.run('run')
  const curious = await anOffice(['orders'], 'always')
  await curious.world.drop('inbox/orders', 'monday.csv', good)
  await curious.run('run')
  await curious.run('run')

  expect(await quiet.notified()).toEqual([])
  expect((await curious.notified()).map(({ subject }) => subject)).toEqual([
    'all is well: 1 file in, 0 files out',
  ])
  expect(await quiet.page()).toContain('all is well')
})

test('a notification that is not received never changes the exit code of a run, is shown, and comes again whole', async () => {
  const { world, run, logged, notified, page } = await anOffice(['orders'])
  const settings = join(world.folder, 'dropbridge.yaml')
  const working = await readFile(settings, 'utf8')
  await writeFile(settings, working.replace(/run: \[.*\] \}$/m, 'run: [./nobody-there] }'))
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS).text)
  const first = await run('run')
  const idle = await run('run', '--quiet')
  const shown = await run('notifications')
  const status = await run('status')
  const failed = await page()
  await writeFile(settings, working)
  const second = await run('run')

  expect([first.exit, second.exit]).toEqual([2, 0])
  expect(first.err).toContain('the notification ops could not be sent and is tried again with the next run: ')
  expect({ exit: idle.exit, lines: idle.err.split('\n') }).toEqual({
    exit: 0,
    lines: [
      expect.stringMatching(/^the notification ops could not be sent and is tried again with the next run: /),
    ],
  })
  expect(shown.out).toContain('not sent so far (2 tries)')
  expect(status.out).toContain('The notification ops cannot be sent: ')
  expect(failed).toContain('the notification ops cannot be sent')
  expect((await logged()).map(({ code }) => code)).toContain('notification.failed')
  const notifications = await notified()
  expect(notifications).toHaveLength(1)
  expect(notifications[0]!.text).toContain('monday.csv')
})

test('a route that fails is reported once, however often it is tried, and once when it works again', async () => {
  const { world, run, notified, logged, page } = await anOffice(['orders'])
  const settings = join(world.folder, 'dropbridge.yaml')
  const working = await readFile(settings, 'utf8')
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS.slice(0, 2)).text)
  await writeFile(settings, working.replaceAll('"${CLIENT_SECRET_RETAILER}"', 'wrong'))
  const down = [await run('run'), await run('run')]
  const [shown, failing] = [await run('status'), await page()]
  await writeFile(settings, working)
  await run('run')

  expect(shown.out).toMatch(/^needs a person:\norders: .*\(route-failing, since .*\)\n {4}fix: /)
  expect(shown.out).toContain(' This is of the last run; where it is done: `dropbridge run orders`.')
  expect(failing).toContain('<h1 class="needs">1 thing needs a person</h1>')
  expect((await run('status')).out).not.toContain('route-failing')
  expect(await page()).toContain('all is well')
  expect(down.map(({ err }) => err).join('\n')).not.toContain('needs a person')
  expect(down.map(({ exit }) => exit)).toEqual([77, 77])
  const subjects = (await notified()).map(({ subject }) => subject)
  expect(subjects[0]).toBe('orders failed (credentials-refused)')
  expect(subjects).toHaveLength(2)
  expect(subjects[1]).toContain('orders works again')
  expect((await logged()).filter(({ code }) => code === 'route.failed')).toHaveLength(2)
})

test('a trial arrives as a notification, and a trial that cannot be sent says why', async () => {
  const { run, notified, world } = await anOffice(['orders'])
  const sent = await run('notifications', 'test', 'ops')
  const settings = join(world.folder, 'dropbridge.yaml')
  const working = await readFile(settings, 'utf8')
  await writeFile(settings, working.replace(/run: \[.*\] \}$/m, 'run: [./nobody-there] }'))
  const failed = await run('notifications', 'test', 'ops')
  const unknown = await run('notifications', 'test', 'opps')

  expect(sent.exit).toBe(0)
  expect((await notified()).map(({ subject }) => subject)).toEqual(['a trial'])
  expect(failed.exit).toBe(69)
  expect(failed.err).toContain('the notification ops could not be sent')
  expect(unknown.exit).toBe(64)
  expect(unknown.err).toContain('Did you mean "ops"?')
})

test('the fix for a missing folder is shown wherever the failure is reported', async () => {
  const { world, run, logged, notified, page } = await anOffice(['orders'])
  await world.drop('inbox/orders', 'monday.csv', ordersFile(ORDERS.slice(0, 1)).text)
  await run('run')
  await rm(join(world.folder, 'exchange/inbox'), { recursive: true })

  const result = await run('run')

  const fix = 'If it was removed on purpose, make it again.'
  const failed = (await logged()).filter(({ code }) => code === 'route.failed')
  expect(result.err.split(fix)).toHaveLength(2)
  expect(failed).toEqual([expect.objectContaining({ msg: expect.stringContaining(fix) })])
  expect((await notified()).at(-1)?.text).toContain(fix)
  expect(await page()).toContain(fix)
})

test('a route that another bridge works on is not reported as trouble', async () => {
  const { world, run, notified, page } = await anOffice(['orders'])
  const bridge = await world.open(undefined, { clock: world.clock })
  const lease = await bridge.journal.acquireLease('orders', 'elsewhere/1/x', 60_000, () => true)
  const busy = [await run('run'), await run('run', '--if-busy', 'skip')]
  const quiet = await run('run', '--quiet', '--if-busy', 'skip')
  await bridge.journal.releaseLease(lease)
  await bridge.close()

  expect(busy.map(({ exit }) => exit)).toEqual([75, 0])
  expect(busy[1]?.err).toMatch(/^orders: left to another bridge: Route orders is being worked on by/)
  expect(quiet).toEqual({ exit: 0, out: '', err: '' })
  expect(await notified()).toEqual([])
  expect(await page()).toContain('all is well')
})
