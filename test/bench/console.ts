/** The console: its pages over a journal with many records, and what an open console costs a bridge that works. */
import { once } from 'node:events'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { openJournal } from '../../src/journal/open.ts'
import { systemClock } from '../../src/support/clock.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { hashPassword } from '../../src/web/passwords.ts'
import { openPeople } from '../../src/web/people.ts'
import { fillJournal, RECORDS_IN_A_FILE } from '../fixtures/full-journal.ts'
import { startProgram } from '../fixtures/program.ts'
import { startChild } from './children.ts'
import { interleave, median, WrongCount } from './measure.ts'
import { purchaseOrderNumbers, writeOrders } from './order-file.ts'
import { startPasses } from './passes.ts'
import type { Scale } from './scale.ts'
import { type Api, configurationIn, inboxOf, inFolder, repository } from './setting.ts'
import type { StubGreeting } from './stub-server.ts'
import { compare, type Row } from './table.ts'

const PERSON = { name: 'bench', role: 'operator', password: 'a password of the bench' } as const

const DAY_MS = 86_400_000

export async function consoleRows(scale: Scale): Promise<Row[]> {
  return [...(await pageRows(scale)), await besideRow(scale)]
}

interface OpenConsole {
  /** Asks for a page as a browser does. Throws when it is not there. */
  get(path: string): Promise<string>
  origin: string
  headers: Readonly<Record<string, string>>
  /** The most memory that it had so far; only Linux says so. */
  readPeakMb(): Promise<number>
  stop(): Promise<void>
}

/** The built program's console over the folder, and a person who is signed in. */
async function openConsole(folder: string, { baseUrl }: Pick<Api, 'baseUrl'>): Promise<OpenConsole> {
  await writeFile(
    join(folder, 'dropbridge.yaml'),
    `console: { listen: "127.0.0.1:0" }
api: { baseUrl: "${baseUrl}", clientId: bench, clientSecret: a-secret-of-the-bench, allowHttp: true }
mailboxes: { exchange: { type: directory, path: ./exchange } }
routes:
  orders:
    retailer: 1000
    operation: create-order
    mapping: ${repository}/mappings/retailer-orders.yaml
    from: { mailbox: exchange, folder: inbox, stableFor: 0s }
    results: { mailbox: exchange, folder: results }
`,
  )
  const people = openPeople({
    path: join(folder, 'state', 'console', 'people.db'),
    clock: systemClock,
    limits: { idleMs: DAY_MS, atMostMs: DAY_MS },
  })
  people.add(PERSON.name, PERSON.role, await hashPassword(PERSON.password, { log2N: 4, r: 1, p: 1 }))
  const cookie = `__Host-dropbridge=${people.startSession(PERSON.name)}`
  people.close()
  const { process: child, finished } = startProgram(folder, ['console'])
  const [said] = (await Promise.race([
    once(child.stderr!, 'data'),
    finished.then(({ stderr }) => [stderr]),
  ])) as [Buffer | string]
  const [, origin] = /at (http:\/\/[\d.]+:\d+)\//.exec(String(said)) ?? []
  if (origin === undefined) throw new Error(`The console did not start: ${String(said)}`)
  const headers = { cookie, accept: 'text/html' }
  return {
    origin,
    headers,
    async get(path) {
      const answer = await fetch(origin + path, { headers, redirect: 'manual' })
      const body = await answer.text()
      if (answer.status !== 200) throw new WrongCount(`${path} was answered with ${answer.status}`)
      return body
    },
    async readPeakMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
    },
    async stop() {
      child.kill('SIGTERM')
      await finished
    },
  }
}

// The pages over few and over many records.

interface BenchPage {
  readonly what: string
  readonly path: string
  /** Reports sum up a part of the journal: with more records they take longer. */
  readonly grows?: true
}

/** Of a journal with at least 50 000 records, 200 files. */
function listPages(records: number, now: number): BenchPage[] {
  const files = records / RECORDS_IN_A_FILE
  const middle = Math.floor(records / 2 / RECORDS_IN_A_FILE) * RECORDS_IN_A_FILE + 1
  const day = new Date(now - 40 * DAY_MS).toISOString().slice(0, 10)
  return [
    { what: 'Today', path: '/' },
    { what: 'Files', path: '/files' },
    { what: 'Files with trouble', path: '/files?outcome=trouble' },
    { what: 'Files by a part of the name', path: '/files?name=orders-77' },
    { what: 'Files, a later page', path: `/files?after=f${files - 140}` },
    { what: 'a file', path: '/files/f77' },
    { what: 'Deliveries', path: '/deliveries' },
    { what: 'a delivery', path: '/deliveries/d77' },
    { what: 'a record', path: `/records/${middle}` },
    { what: 'the proof of a record', path: `/records/${records - 9}/proof` },
    { what: 'an order', path: `/orders/HV-${middle}` },
    { what: 'Orders by their deadlines', path: '/clocks' },
    { what: 'Search, several', path: '/search?q=hv-' },
    { what: 'Search, nothing', path: '/search?q=XV-1' },
    { what: 'Routes', path: '/routes' },
    { what: 'Decisions', path: '/decisions' },
    { what: 'Settings', path: '/settings' },
    { what: 'Report of a day', path: `/reports?day=${day}`, grows: true },
    { what: 'Report of a week', path: `/reports?day=${day}&span=week`, grows: true },
    { what: 'Report of a month', path: `/reports?day=${day}&span=month`, grows: true },
  ]
}

/** What a page may take at a million records: the median, and all but the slowest of them. */
const BUDGET = { medianMs: 60, slowestMs: 200 }

async function pageRows({ console: { fewRecords, manyRecords, rounds } }: Scale): Promise<Row[]> {
  return inFolder((fewFolder) =>
    inFolder(async (manyFolder) => {
      const now = Date.now()
      const api = { baseUrl: 'http://127.0.0.1:9' }
      await makeJournal(fewFolder, fewRecords, now)
      await makeJournal(manyFolder, manyRecords, now)
      const [few, many] = [await openConsole(fewFolder, api), await openConsole(manyFolder, api)]
      try {
        const assets = await weighAssets(many)
        const [ofFew, ofMany] = [listPages(fewRecords, now), listPages(manyRecords, now)]
        const rows: Row[] = []
        const times: number[] = []
        for (const [index, page] of ofMany.entries()) {
          const body = await many.get(page.path)
          const bytes = assets + brotliCompressSync(body).length
          const paces = await interleave(
            { rounds, count: 1 },
            {
              few: () => timePage(few, ofFew[index]?.path ?? ''),
              many: () => timePage(many, page.path),
            },
          )
          if (page.grows === undefined) times.push(paces.many.ms)
          rows.push({
            what: `${page.what}, ${manyRecords} records, ${(bytes / 1024).toFixed(1)} KB`,
            beside: `${fewRecords} records`,
            floor: `${paces.few.ms.toFixed(1)} ms`,
            ours: `${paces.many.ms.toFixed(1)} ms`,
            ratio: paces.many.ms / paces.few.ms,
          })
        }
        return [
          ...rows,
          ...compareWithBudget(times, manyRecords),
          ...(process.platform === 'linux' ? [await memoryRow(many, manyFolder, ofMany, manyRecords)] : []),
        ]
      } finally {
        await Promise.all([few.stop(), many.stop()])
      }
    }),
  )
}

function compareWithBudget(times: readonly number[], records: number): Row[] {
  const sorted = times.toSorted((one, other) => one - other)
  const slowest = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN
  const rows = [
    ['the median page', median(times), BUDGET.medianMs],
    ['95 % of the pages', slowest, BUDGET.slowestMs],
  ] as const
  return rows.map(([what, ms, budget]) => ({
    what: `${what}, ${records} records`,
    beside: 'its budget',
    floor: `${budget} ms`,
    ours: `${ms.toFixed(1)} ms`,
    ratio: ms / budget,
    reach: { atMost: 1 },
  }))
}

/** People who keep a page open each, while the journal changes. */
const OPEN_PAGES = 50

const MEMORY_MAX_MB = 200
const CHANGES = 40
const CHANGE_MS = 250

/** What the console takes at most while many pages follow the journal. */
async function memoryRow(
  opened: OpenConsole,
  folder: string,
  pages: readonly BenchPage[],
  records: number,
): Promise<Row> {
  const paths = pages.filter(({ grows }) => grows === undefined).map(({ path }) => path)
  const followers = Array.from({ length: OPEN_PAGES }, (_, index) =>
    followPage(opened, () => Promise.resolve(paths[index % paths.length])),
  )
  await Promise.all(followers.map(({ ready }) => ready))
  const database = openDatabase(join(folder, 'state', 'journal.db'), {})
  database.exec('create table changes (number integer)')
  for (let number = 0; number < CHANGES; number++) {
    database.exec(`insert into changes values (${number})`)
    await new Promise((resolve) => setTimeout(resolve, CHANGE_MS))
  }
  database.exec('drop table changes')
  database.close()
  const shown = await Promise.all(followers.map(({ close }) => close()))
  if (shown.includes(0)) throw new WrongCount(`the pages were shown ${shown.join(', ')} times`)
  const peakMb = await opened.readPeakMb()
  return {
    what: `memory of the console, ${OPEN_PAGES} live pages, ${records} records`,
    beside: 'its budget',
    floor: `${MEMORY_MAX_MB} MB`,
    ours: `${Math.round(peakMb)} MB`,
    ratio: peakMb / MEMORY_MAX_MB,
    reach: { atMost: 1 },
  }
}

async function timePage({ get }: OpenConsole, path: string) {
  const began = performance.now()
  const body = await get(path)
  const ms = performance.now() - began
  return { ms, count: body.includes('</html>') ? 1 : 0 }
}

/** The style sheet, the script and the icon, compressed as the pages are weighed. */
async function weighAssets(opened: OpenConsole): Promise<number> {
  const paths = [...(await opened.get('/')).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)]
  const sizes = await Promise.all(
    paths.map(async ([, path = '']) => brotliCompressSync(await opened.get(path)).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function makeJournal(folder: string, records: number, now: number): Promise<void> {
  await mkdir(join(folder, 'state'), { recursive: true })
  const path = join(folder, 'state', 'journal.db')
  await (await openJournal({ path, clock: systemClock })).close()
  const database = openDatabase(path, {})
  fillJournal(database, records, now - 90 * DAY_MS)
  database.close()
}

// A pass of the bridge with a console and three open pages beside it.

async function besideRow({ console: { besideOrders: orders, besideRounds: rounds } }: Scale): Promise<Row> {
  const [stub, passes] = await Promise.all([startChild<StubGreeting>('./stub-server.ts'), startPasses()])
  const api = { baseUrl: stub.greeting.atOnce, connections: 32 }
  try {
    const paces = await inFolder(async (source) => {
      const { path } = await writeOrders(join(source, 'orders.csv'), { orders }, purchaseOrderNumbers())
      const passOver = (work: (folder: string) => Promise<() => Promise<void>>) =>
        inFolder(async (folder) => {
          await copyFile(path, join(inboxOf(folder), basename(path)))
          await (
            await openJournal({ path: configurationIn(folder, api).journal.path, clock: systemClock })
          ).close()
          const end = await work(folder)
          const report = await passes.in(folder, api, 'orders')
          await end()
          return report
        })
      return interleave(
        { rounds, count: orders },
        {
          alone: () => passOver(() => Promise.resolve(() => Promise.resolve())),
          beside: () => passOver((folder) => openThreePages(folder, api)),
        },
      )
    })
    return {
      what: `inbound whole, ${orders} orders, with a console and three live pages`,
      beside: 'the same alone',
      ...compare(paces.alone, paces.beside),
      reach: { atLeast: 0.97 },
    }
  } finally {
    await Promise.all([stub.stop(), passes.stop()])
  }
}

/** Today, Files, and the page of the file once it is there. Returns how to close them. */
async function openThreePages(folder: string, api: Api): Promise<() => Promise<void>> {
  const opened = await openConsole(folder, api)
  // A console runs for weeks; its first pages, which compile the code, are not what a pass notices.
  for (let round = 0; round < WARM_ROUNDS; round++) for (const path of ['/', '/files']) await opened.get(path)
  const findFile = async () =>
    /href="(\/files\/[^"?]+)"/.exec((await opened.get('/files')).replaceAll('&amp;', '&'))?.[1]
  const pages = [
    followPage(opened, () => Promise.resolve('/')),
    followPage(opened, () => Promise.resolve('/files')),
    followPage(opened, findFile),
  ]
  await Promise.all(pages.map(({ ready }) => ready))
  return async () => {
    const shown = await Promise.all(pages.map(({ close }) => close()))
    await opened.stop()
    if (shown.some((times) => times === 0))
      throw new WrongCount(`the pages were shown ${shown.join(', ')} times`)
  }
}

const WARM_ROUNDS = 30

/** As `enhance.js` does: a page asks for itself again after a change, at most once a second. */
const PAUSE_MS = 1_000

function followPage({ origin, headers, get }: OpenConsole, findPath: () => Promise<string | undefined>) {
  const leaving = new AbortController()
  const { signal } = leaving
  let [isWanted, isBusy, times] = [false, false, 0]
  let path: string | undefined
  const refresh = async () => {
    isWanted = true
    if (isBusy) return
    isBusy = true
    while (isWanted && !signal.aborted) {
      isWanted = false
      path ??= await findPath()
      if (path !== undefined) {
        await get(path)
        times++
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    isBusy = false
  }
  const answer = fetch(`${origin}/live`, { headers, signal })
  const reading = (async () => {
    for await (const chunk of (await answer).body ?? [])
      if (Buffer.from(chunk as Uint8Array).includes('event: change')) void refresh()
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    ready: answer,
    async close(): Promise<number> {
      leaving.abort()
      await reading
      while (isBusy) await new Promise((resolve) => setTimeout(resolve, 10))
      return times
    },
  }
}
