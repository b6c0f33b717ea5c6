/**
 * A real watch of the real program: a file that is written slowly, one that is renamed into place, two thousand small ones and one
 * of two hundred thousand rows, all at once. Everything is sent once and nothing early, in bounded memory. WATCH_SCALE=5 has
 * five times as many, which takes some six minutes.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../fixtures/program.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

const SCALE = Number(process.env['WATCH_SCALE'] ?? 1)
const SMALL_FILES = 2_000 * SCALE
const LARGE_ROWS = 200_000 * SCALE
const SLOW_SECONDS = 30
const STABLE_FOR_MS = 2_000
const ROUTES = ['slow', 'renamed', 'small', 'large']

/** The first order number of each kind of file. */
const FIRST = {
  slow: 100_000_000,
  renamed: 200_000_000,
  small: 300_000_000,
  large: 400_000_000,
  quiet: 500_000_000,
}

/** What Node and the program need before the first record, and what a watch may need beyond a single run. */
const PEAK_MB_MAX = 300

test(
  'a slow file, a renamed one, thousands of small ones and a large one are sent once, and none early',
  async () => {
    const folder = await tempFolder()
    const api = await startApi()
    await writeConfiguration(folder, api.baseUrl)
    for (const route of ROUTES) await mkdir(inbox(folder, route), { recursive: true })
    const large = await writeLarge(join(folder, 'large.csv'))

    const watch = startProgram(folder, ['watch'], { CLIENT: 'counted', SECRET: 'counted' })
    onTestFinished(() => void watch.process.kill('SIGKILL'))
    let isStopping = false
    const ended = watch.finished.then(({ exit, stderr }) => {
      if (!isStopping) throw new Error(`the watch ended early with ${exit}: ${stderr}`)
    })
    const peak = watchPeak(watch.process.pid ?? 0)

    await rename(join(folder, 'large.csv'), join(inbox(folder, 'large'), 'large.csv'))
    const largeAt = Date.now()
    const slow = writeSlowly(join(inbox(folder, 'slow'), 'slow.csv'))
    const renamedAt = await renameIn(folder, FIRST.renamed)
    await dropSmall(folder)
    const slowAt = await slow

    const archived = { slow: 1, renamed: 1, small: SMALL_FILES, large: 1 }
    const untilArchived = (route: string, files: number) =>
      Promise.race([archivedFiles(folder, route, files), ended])
    for (const [route, files] of Object.entries(archived)) await untilArchived(route, files)
    const quietAt = await renameIn(folder, FIRST.quiet)
    await untilArchived('renamed', 2)
    isStopping = true
    watch.process.kill('SIGTERM')
    const { exit, stderr } = await watch.finished
    expect({ exit, stderr: failuresIn(stderr) }).toEqual({ exit: 143, stderr: [] })

    const small = Array.from({ length: SMALL_FILES }, (_, index) => numberOf(FIRST.small + index))
    const seen = await api.ask([
      numberOf(FIRST.slow),
      numberOf(FIRST.renamed),
      numberOf(FIRST.large),
      numberOf(FIRST.quiet),
      ...small,
    ])
    expect(seen.orders).toBe(SLOW_ORDERS + 2 + SMALL_FILES + large.orders)
    expect(seen.posts).toBe(seen.orders)
    const waits = {
      // Without other work, this is `stableFor` and little more; a large file is planned whole first.
      quiet: (seen.firstAt[numberOf(FIRST.quiet)] ?? 0) - quietAt,
      slow: (seen.firstAt[numberOf(FIRST.slow)] ?? 0) - slowAt,
      renamed: (seen.firstAt[numberOf(FIRST.renamed)] ?? 0) - renamedAt,
      large: (seen.firstAt[numberOf(FIRST.large)] ?? 0) - largeAt,
    }
    const ratios = Object.entries(waits).map(([what, ms]) => `${what} ${(ms / STABLE_FOR_MS).toFixed(2)}`)
    console.log(
      `first post after the last change, in multiples of it: ${ratios.join(', ')}; peak ${peak()} MB`,
    )
    for (const [what, ms] of Object.entries(waits))
      expect(ms, what).toBeGreaterThanOrEqual(STABLE_FOR_MS * 0.99)
    expect(peak()).toBeLessThan(PEAK_MB_MAX)
  },
  60 * 60_000,
)

function inbox(folder: string, route: string): string {
  return join(folder, 'exchange', 'inbox', route)
}

function numberOf(number: number): string {
  return `HV-${number}`
}

async function startApi() {
  const child = fork(fileURLToPath(new URL('../fixtures/counting-api.mjs', import.meta.url)), {
    execArgv: [],
  })
  onTestFinished(() => void child.kill())
  const [{ baseUrl }] = (await once(child, 'message')) as [{ baseUrl: string }]
  return {
    baseUrl,
    ask: async (numbers: readonly string[]) => {
      child.send(numbers)
      const [seen] = (await once(child, 'message')) as [
        { posts: number; orders: number; firstAt: Record<string, number | undefined> },
      ]
      return seen
    },
  }
}

async function writeConfiguration(folder: string, baseUrl: string): Promise<void> {
  const routes = ROUTES.map(
    (route) => `  ${route}:
    retailer: 1000
    operation: create-order
    mapping: ${join(repository, 'mappings/retailer-orders.yaml')}
    from: { mailbox: exchange, folder: inbox/${route}, stableFor: ${STABLE_FOR_MS}ms }
    results: { mailbox: exchange, folder: results/${route} }
`,
  )
  const text = `api: { baseUrl: "${baseUrl}", clientId: "\${CLIENT}", clientSecret: "\${SECRET}" }
mailboxes:
  exchange: { type: directory, path: ./exchange }
routes:
${routes.join('')}`
  await writeFile(join(folder, 'dropbridge.yaml'), text)
}

const ORDERS_PER_PIECE = 5_000

async function writeLarge(path: string): Promise<{ readonly orders: number }> {
  let orders = 0
  for (let rows = 0; rows < LARGE_ROWS; orders += ORDERS_PER_PIECE) {
    const text = smallOrders(FIRST.large + orders, ORDERS_PER_PIECE)
    const body = orders === 0 ? text : text.slice(text.indexOf('\n') + 1)
    rows += body.split('\n').length - 1
    await appendFile(path, body)
  }
  return { orders }
}

const SLOW_ORDERS = 200

/** Never pauses so long that the file would count as stable; returns the time of the last change. */
async function writeSlowly(path: string): Promise<number> {
  const text = smallOrders(FIRST.slow, SLOW_ORDERS)
  const pieces = (SLOW_SECONDS * 1000) / 500
  const size = Math.ceil(text.length / pieces)
  let changedAt = Date.now()
  for (let at = 0; at < text.length; at += size) {
    await appendFile(path, text.slice(at, at + size))
    changedAt = Date.now()
    if (at + size < text.length) await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return changedAt
}

async function renameIn(folder: string, number: number): Promise<number> {
  const name = `renamed-${number}.csv`
  await writeFile(join(folder, name), smallOrders(number))
  await rename(join(folder, name), join(inbox(folder, 'renamed'), name))
  return Date.now()
}

async function dropSmall(folder: string): Promise<void> {
  for (let index = 0; index < SMALL_FILES; index++) {
    await writeFile(join(inbox(folder, 'small'), `${index}.csv`), smallOrders(FIRST.small + index))
  }
}

async function archivedFiles(folder: string, route: string, files: number): Promise<void> {
  const archive = join(folder, 'exchange', 'archive', route)
  for (;;) {
    const found = await readdir(archive, { recursive: true }).catch(() => [])
    if (found.filter((name) => name.endsWith('.csv')).length >= files) return
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

/** Samples the memory again and again, because an ended process cannot be asked. */
function watchPeak(pid: number): () => number {
  let peakMb = 0
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/status`, 'utf8').then(
      (text) => {
        peakMb = Math.round(Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024) || peakMb
      },
      () => undefined,
    )
  }, 500)
  onTestFinished(() => clearInterval(timer))
  return () => peakMb
}

function failuresIn(stderr: string): string[] {
  return stderr.split('\n').filter((line) => /because:|fix:|is tried again|something unexpected/.test(line))
}
