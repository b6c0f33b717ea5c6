/** A journal of the first version of its tables, with files, records and deliveries in every state, is brought to its end. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { BrandOrder, RetailerOrder } from '../../src/contract/order.ts'
import { DELIVERY_STATES } from '../../src/domain/delivery.ts'
import { FILE_STATES, type FileOutcome } from '../../src/domain/file.ts'
import { OUTCOMES } from '../../src/domain/record.ts'
import type { Seed } from '../../src/service/seed.ts'
import { createService } from '../../src/service/service.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { skippingClock } from '../fixtures/skipping-clock.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'

const FIXTURE = new URL('first-version/', import.meta.url)

/** A request that arrived before the program was killed. */
interface Arrived {
  readonly at: number
  readonly endpoint: string
  readonly params: Readonly<Record<string, string | number>>
  readonly body?: string
}

const RETAILER = { clientId: 'retailer', clientSecret: 'only-for-this-fixture-not-a-secret-0001' }
const BRANDS = { ...RETAILER, clientId: 'brands' }

/** The number of orders in the file of each route whose work goes on before its results are written. */
const RESUMED = { claiming: 2, received: 2, planning: 3, planned: 3, sending: 5, uncertain: 4, deferred: 3 }

async function readJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(name, FIXTURE), 'utf8')) as T
}

/** The folder of the bridge as the killed program left it. */
async function copyBridge(): Promise<string> {
  const folder = await tempFolder()
  for (const [path, text] of Object.entries(await readJson<Record<string, string>>('files.json'))) {
    const isFolder = path.endsWith('/')
    await mkdir(isFolder ? join(folder, path) : dirname(join(folder, path)), { recursive: true })
    if (!isFolder) await writeFile(join(folder, path), text)
  }
  const database = openDatabase(join(folder, 'state/journal.db'))
  const dump = await readFile(new URL('journal.sql', FIXTURE), 'utf8')
  database.exec(dump)
  database.close()
  return folder
}

/** The service with what had arrived at it, and the bridge an hour later. */
async function continueAnHourLater() {
  const folder = await copyBridge()
  const arrived = await readJson<Arrived[]>('requests.json')
  const clock = skippingClock()
  const moveTo = (time: number) => clock.skip(time - clock.now())
  moveTo(arrived[0]?.at ?? 0)
  const service = await createService({ data: ':memory:', seed: await readJson<Seed>('market.json'), clock })
  const posts: string[] = []
  service.app.addHook('preHandler', (request, _reply, done) => {
    if (request.method === 'POST' && request.url.endsWith('/orders/'))
      posts.push((request.body as { purchase_order_number: string }).purchase_order_number)
    done()
  })
  await service.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  const clients = [RETAILER, BRANDS].map((credentials) =>
    createClient({ baseUrl, ...credentials, clock, random: Math.random }),
  )
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))))
  const clientFor = (params: Arrived['params']) => clients['brand_id' in params ? 1 : 0]!
  for (const { at, ...call } of arrived) {
    moveTo(at)
    expect(await clientFor(call.params).send(call)).toMatchObject({ certainty: 'answered' })
  }
  clock.skip(3_600_000)
  const arrivedOrders = posts.splice(0)
  const readAll = async <T>(endpoint: string, params: Arrived['params']): Promise<T[]> => {
    const all: T[] = []
    for await (const page of clientFor(params).list({ endpoint, params })) all.push(...(page as T[]))
    return all
  }
  const env = {
    API_URL: baseUrl,
    RETAILER_ID: RETAILER.clientId,
    BRANDS_ID: BRANDS.clientId,
    SECRET: RETAILER.clientSecret,
  }
  return {
    folder,
    arrivedOrders,
    /** The purchase order numbers of the orders posted since then. */
    posts,
    run: (...args: string[]) => runCommand({ folder, env, clock }, args),
    readAll,
    query: readJournal(folder),
  }
}

/** Queries the first column of the journal's tables. */
function readJournal(folder: string) {
  return (text: string) => {
    const database = openDatabase(join(folder, 'state/journal.db'), { readonly: true })
    try {
      return database.prepare(text).pluck().all() as string[]
    } finally {
      database.close()
    }
  }
}

test('the kept journal has the tables of the first version, and work in every state', async () => {
  const query = readJournal(await copyBridge())

  expect(query('select name from migration')).toEqual(['first'])
  expect(query(`select name from pragma_table_info('files')`)).not.toContain('record_total')
  expect(query('select distinct state from files order by state')).toEqual(
    Object.keys(FILE_STATES).toSorted(),
  )
  expect(query('select distinct outcome from files where outcome is not null order by outcome')).toEqual([
    'duplicate',
    'processed',
    'unusable',
    'vanished',
  ] satisfies FileOutcome[])
  expect(query('select distinct state from records order by state')).toEqual(
    ['collected', 'planned', 'sending', ...Object.keys(OUTCOMES)].toSorted(),
  )
  expect(query('select distinct state from deliveries order by state')).toEqual(
    Object.keys(DELIVERY_STATES).toSorted(),
  )
  expect(query('select route from deliveries where held is not null')).toEqual(['export-unclear'])
  expect(query('select distinct ended_at is null from attempts order by 1')).toEqual([0, 1])
})

test('commands that only read show the work of the kept journal', async () => {
  const { run } = await continueAnHourLater()

  const [status, trace, verified] = [
    await run('status'),
    await run('trace', 'SE-3'),
    await run('audit', 'verify'),
  ]

  expect(status.out).toContain('claiming: claiming.csv: claiming.')
  expect(status.out).toContain('uncertain: uncertain.csv: 3 records were sent, and it is not known')
  expect([trace.exit, trace.err]).toEqual([0, ''])
  expect(trace.out).toContain('create-order SE-3: sending')
  expect(verified).toMatchObject({ exit: 0, out: expect.stringContaining('\nwhole\n') as string })
})

test('this program ends the files and deliveries of the kept journal, and every order is there once', async () => {
  const { folder, arrivedOrders, posts, run, readAll, query } = await continueAnHourLater()

  await run('run')
  await rm(join(folder, 'exchange/outbox/picked-up/orders-1.csv'))
  const [unclear = ''] = query('select id from deliveries where held is not null')
  await run('resolve', unclear, '--again', '--by', 'Ada', '--why', 'The reader has no such file.')
  const { err } = await run('run')

  expect(err).toContain('export-picked-up: ')
  expect(query(`select name from files where state <> 'closed'`)).toEqual([])
  expect(query(`select name from deliveries where state not in ('acknowledged', 'done')`)).toEqual([])
  expect(query(`select route || ' ' || state from records group by 1 having count(*) > 0`)).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/ (planned|collected|sending|deferred|uncertain)$/)]),
  )

  // What had arrived is not posted again, and what had not is posted once.
  expect(posts).toEqual(
    ['CM-1', 'CM-2', 'RC-1', 'RC-2', 'PG-1', 'PG-2', 'PG-3', 'PL-1', 'PL-2', 'PL-3'].concat(
      ['SE-4', 'SE-5', 'UN-3', 'DE-2', 'DE-3', 'RO-4'], // of files that were being sent
    ),
  )
  const orders = await readAll<RetailerOrder>('listRetailerOrders', { retailer_id: 1000 })
  const keys = orders.map((order) => order.purchase_order_number)
  expect(keys.toSorted()).toEqual([...arrivedOrders, ...posts].toSorted())
  const idsInJournal = query(
    `select natural_key || ' ' || api_id from records where file_id is not null and state = 'accepted' order by 1`,
  )
  const idsAtService = orders
    .map((order) => `${order.purchase_order_number} ${order.id}`)
    .filter((each) => !each.startsWith('OUT-'))
  expect(idsInJournal).toEqual(idsAtService.toSorted())

  const brands = [2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009]
  const exported = await Promise.all(
    brands.map((brand) => readAll<BrandOrder>('listBrandOrders', { brand_id: brand })),
  )
  const unacknowledged = exported.flat().filter((order) => order.acknowledged_at === null)
  expect(unacknowledged.map((order) => order.purchase_order_number)).toEqual(
    // Of the route that acknowledges nothing, and the one that the API refused.
    ['OUT-2006-1', 'OUT-2006-2', 'OUT-2009-2'],
  )

  const countResults = async (route: string, name: string) => {
    const text = await readFile(join(folder, `exchange/results/${route}/${name}.summary.json`), 'utf8')
    return (JSON.parse(text) as { readonly records: Readonly<Record<string, number>> }).records
  }
  for (const [route, total] of Object.entries(RESUMED))
    expect(await countResults(route, `${route}.csv`), route).toEqual({ total, accepted: total })
  for (const route of ['submitted', 'reported'])
    expect(await countResults(route, `${route}.csv`), route).toEqual({ total: 2, accepted: 1, rejected: 1 })
  expect(await countResults('reopened', 'reopened.csv~2')).toEqual({ total: 4, accepted: 2, rejected: 2 })

  const [status, trace, verified] = [
    await run('status'),
    await run('trace', 'SE-3'),
    await run('audit', 'verify'),
  ]
  expect(status.out).not.toContain('not finished')
  expect([trace.exit, trace.err]).toEqual([0, ''])
  expect(trace.out).toContain('create-order SE-3: accepted')
  expect(verified).toMatchObject({ exit: 0, out: expect.stringContaining('\nwhole\n') as string })
})
