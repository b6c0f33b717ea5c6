/** How soon an open page shows what a bridge does in another process, and that what a reader types and focuses stays. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openJournalToRead } from '../../../src/journal/open.ts'
import { systemClock } from '../../../src/support/clock.ts'
import { hasChromium } from '../../fixtures/chromium.ts'
import { runProgram, startProgram } from '../../fixtures/program.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../../samples/orders.ts'
import { dice } from '../../samples/random.ts'
import { type Site, startSite, visit } from './site.ts'

const STABLE_MS = 1_000

/** From the moment at which the bridge can take a file, or from its commit. */
const SHOWN_WITHIN_MS = 2_000

const DROPS = 50

const RUNS = 10

/** How many of 100 must be in time. On a quiet machine LIVE_IN_TIME=95 holds; a busy one promises no times. */
const IN_TIME = Number(process.env['LIVE_IN_TIME'] ?? 0) / 100

const ORDERS = sampleOrders({ seed: 21, orders: 200, damageEvery: 0, firstNumber: 30_001 })

describe.skipIf(!hasChromium())('an open page', () => {
  let site: Site
  let used = 0

  const takeOrder = (): SampleOrder => ORDERS[used++]!

  beforeAll(async () => {
    site = await startSite()
    const path = join(site.folder, 'dropbridge.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('stableFor: 0s', `stableFor: ${STABLE_MS}ms`))
    await site.run('first.csv', ordersFile([takeOrder()]).text)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  /** Drops the file, and returns when it was there. */
  const drop = async (name: string): Promise<number> => {
    await site.drop(name, ordersFile([takeOrder()]).text)
    return Date.now()
  }

  test(
    'has the row of a file that is dropped while a watch works, and keeps what is typed',
    { timeout: 400_000 },
    async () => {
      const { page, troubles } = await visit(site, 'operator')
      await page.goto(`${site.origin}/files`)
      const { seen, readRow } = await noteRows(page)
      await readRow('first.csv')
      const name = page.getByLabel('Name')
      await name.fill('typed')
      const watch = startProgram(site.folder, ['watch'], site.env)
      onTestFinished(async () => {
        watch.process.kill('SIGTERM')
        await watch.finished
      })
      await page.getByText('● Watching since').waitFor({ timeout: 60_000 })

      const chance = dice(7)
      const dropped = new Map<string, number>()
      for (let index = 0; index < DROPS; index++) {
        const file = `live-${index}.csv`
        dropped.set(file, await drop(file))
        await wait(chance.between(600, 1_600))
      }
      await readRow([...dropped.keys()].at(-1)!)
      const times = await seen()
      const waits = [...dropped].map(([file, at]) => (times[file] ?? Infinity) - at - STABLE_MS)
      report('after the drop and the settle time', waits)
      expect(waits.every(Number.isFinite)).toBe(true)
      expect(countInTime(waits)).toBeGreaterThanOrEqual(DROPS * IN_TIME)
      expect(await name.inputValue()).toBe('typed')
      expect(await name.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true)
      expect(troubles).toEqual([])
    },
  )

  test('has the row of a file of a run, and the focus stays on its row', async () => {
    const { page, troubles } = await visit(site, 'operator')
    await page.goto(`${site.origin}/files`)
    const { seen, readRow } = await noteRows(page)
    const latest = await page.locator('#list tbody a').first().innerText()
    const link = page.getByRole('link', { name: latest, exact: true })
    await link.focus()
    const opened = await openJournalToRead({ path: site.configuration.journal.path, clock: systemClock })
    onTestFinished(() => opened.journal.close())
    const waits: number[] = []
    for (let index = 0; index < RUNS; index++) {
      const file = `night-${index}.csv`
      await drop(file)
      const running = runProgram(site.folder, ['run', 'orders'], site.env)
      let committed: number | undefined
      while (committed === undefined) {
        await wait(2)
        const [found] = await opened.journal.listFiles({ name: file }, undefined, 1)
        if (found !== undefined) committed = Date.now()
      }
      expect(await running).toMatchObject({ exit: 0 })
      await readRow(file)
      waits.push(((await seen())[file] ?? Infinity) - committed)
    }
    report('after the commit of a run', waits)
    expect(waits.every(Number.isFinite)).toBe(true)
    expect(countInTime(waits)).toBeGreaterThanOrEqual(RUNS * IN_TIME)
    expect(await link.evaluate((element) => element.ownerDocument.activeElement === element)).toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/files\/[^/]+$/)
    expect(await page.locator('h1').textContent()).toBe(latest)
    expect(troubles).toEqual([])
  })

  test('of which only the head changes is not made again', async () => {
    const { page, troubles } = await visit(site, 'operator')
    await page.goto(`${site.origin}/reports`)
    const head = page.locator('#activity')
    const before = await head.innerText()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await site.run('later.csv', ordersFile([takeOrder()]).text)
    await expect.poll(() => head.innerText(), { timeout: 60_000 }).not.toBe(before)
    expect(asked).not.toContain('/reports')
    expect(await page.locator('h1').textContent()).not.toBe('Search')
    expect(troubles).toEqual([])
  })
})

/** Notes in the page when the link to each file is there first. */
async function noteRows(page: BrowserPage) {
  await page.evaluate(() => {
    const { document, MutationObserver } = globalThis as unknown as BrowserWindow
    const rows: Record<string, number> = {}
    const note = () => {
      for (const { textContent } of document.querySelectorAll('#list tbody a'))
        rows[textContent] ??= Date.now()
    }
    note()
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
    Object.assign(globalThis, { rows })
  })
  const seen = () => page.evaluate(() => (globalThis as unknown as BrowserWindow).rows)
  const readRow = async (name: string): Promise<void> => {
    await expect.poll(async () => Object.keys(await seen()), { timeout: 60_000 }).toContain(name)
  }
  return { seen, readRow }
}

/** As much of a window as is used there. */
interface BrowserWindow {
  readonly rows: Record<string, number>
  readonly document: {
    readonly body: object
    querySelectorAll(selector: string): Iterable<{ readonly textContent: string }>
  }
  readonly MutationObserver: new (note: () => void) => { observe(target: object, options: object): void }
}

function countInTime(waits: readonly number[]): number {
  return waits.filter((ms) => ms <= SHOWN_WITHIN_MS).length
}

function report(what: string, waits: readonly number[]): void {
  const sorted = waits.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]
  console.info(`shown ${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${sorted.at(-1)} ms`)
}
