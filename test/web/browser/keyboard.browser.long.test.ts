/** What operators do, by keyboard alone: only keys are pressed, and the Tab key must lead there. */
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/support/clock.ts'
import { hasChromium } from '../../fixtures/chromium.ts'
import { countOrders } from '../../fixtures/corrections.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { describeFocus } from './checks.ts'
import { isFocused, useKeyboard } from './keyboard.ts'
import { type Site, startSite, visit } from './site.ts'

const MINUTE_MS = 60_000

/** The retailer gives a day to acknowledge an order. */
const DAY_MS = 24 * 60 * MINUTE_MS

const DECIDED = { timeout: 60_000 }

/** A visitor who has only a keyboard, and what they do on the page. */
async function visitByKeyboard(site: Site) {
  const { page, troubles } = await visit(site, 'operator')
  const keyboard = useKeyboard(page)
  const { press, tabTo, type } = keyboard
  return {
    page,
    troubles,
    ...keyboard,
    follow: async (name: string) => {
      const before = page.url()
      await tabTo(page.getByRole('link', { name, exact: true }).first())
      await press('Enter')
      await page.waitForURL((url) => url.href !== before)
    },
    pressButton: async (name: string) => {
      await tabTo(page.getByRole('button', { name }))
      await press('Enter')
    },
    typeReason: async (text: string) => {
      await tabTo(page.locator('#why'))
      await type(text)
    },
    report: async (after: string) => {
      console.info(`${keyboard.countKeys()} keys, focus after ${after}: ${await describeFocus(page)}`)
    },
  }
}

describe.skipIf(!hasChromium())('by keyboard alone', () => {
  let site: Site
  let orders: string[]

  beforeAll(async () => {
    site = await startSite()
    const path = join(site.folder, 'dropbridge.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('acknowledge: never', 'acknowledge: delivered'))
    const out = site.configuration.routes.find(({ name }) => name === 'orders-out')
    Object.assign(out ?? {}, { acknowledge: 'delivered' })
    orders = await site.runStoppedFile(414)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  test('412 held records are sent from Today, and not without a reason', async () => {
    const { page, troubles, follow, pressButton, typeReason, report } = await visitByKeyboard(site)
    await follow('Send 412 records …')
    expect(await page.locator('main').innerText()).toContain('412 records will be sent to the API.')
    await pressButton('Send 412 records')
    expect(await page.locator('#why:invalid').count()).toBe(1)
    expect(await isFocused(page.locator('#why'))).toBe(true)
    expect(site.sent).toEqual([])
    await report('Send without a reason')
    await typeReason('the item is offered now')
    await pressButton('Send 412 records')
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await report('Send')
    await page.getByText('✓ 412 accepted').waitFor(DECIDED)
    expect(await page.locator('h1').textContent()).toBe('operator released 412 records')
    expect(site.sent.toSorted()).toEqual(orders.slice(2).toSorted())
    expect(await countOrders(site)).toEqual({ orders: 412, doubled: 0 })
    expect(troubles).toEqual([])
  })

  test('a delivery is delivered again: the same bytes, and nothing is acknowledged again', async () => {
    site.changes.splice(0)
    await site.runRoute('orders-out')
    const countAcknowledged = () => site.changes.filter((each) => each.includes('acknowledge')).length
    expect(countAcknowledged()).toBe(412)
    const outbox = join(site.folder, 'exchange/outbox')
    const list = async () => (await readdir(outbox)).filter((name) => name.endsWith('.csv')).toSorted()
    const [first = ''] = await list()
    const { page, troubles, follow, pressButton, typeReason, report } = await visitByKeyboard(site)
    await follow('Deliveries')
    await follow(first)
    await follow('Deliver again …')
    expect(await page.locator('main').innerText()).toContain('Nothing is acknowledged again.')
    await pressButton('Deliver 412 records again')
    expect(await page.locator('#why:invalid').count()).toBe(1)
    expect(await list()).toEqual([first])
    await typeReason('its reader lost it')
    await pressButton('Deliver 412 records again')
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await report('Deliver again')
    expect(await page.locator('h1').textContent()).toBe('operator delivered again 412 records')
    await expect.poll(list, DECIDED).toHaveLength(2)
    const sums = await Promise.all(
      (await list()).map(async (name) =>
        createHash('sha256')
          .update(await readFile(join(outbox, name)))
          .digest('hex'),
      ),
    )
    expect(new Set(sums).size).toBe(1)
    await site.runRoute('orders-out')
    expect(countAcknowledged()).toBe(412)
    await follow('Decisions')
    expect(await page.locator('tbody tr').first().innerText()).toMatch(
      /operator\s+delivered again\s.*its reader lost it/s,
    )
    expect(troubles).toEqual([])
  })

  test('a route is run, paused until a time that is typed, and goes on by itself after that', async () => {
    const [first, second] = sampleOrders({ seed: 9, orders: 2, damageEvery: 0, firstNumber: 95_001 })
    site.sent.splice(0)
    await site.drop('first.csv', ordersFile([first!]).text)
    const { page, troubles, tabTo, type, follow, pressButton, typeReason, report } =
      await visitByKeyboard(site)
    const main = page.locator('main')
    await follow('Routes')
    await follow('orders')
    await follow('Run now …')
    await pressButton('Run orders now')
    await page.waitForURL(/\/routes\/orders\/runs\/\w+$/, DECIDED)
    await report('Run now')
    await expect.poll(() => main.innerText(), DECIDED).toContain('The run is over: ')
    expect(await main.innerText()).toContain('first.csv: processed, ✓ 1 accepted')
    expect(site.sent).toEqual([first!.po])

    await follow('The route orders')
    await follow('Pause …')
    const until = Math.ceil((Date.now() + MINUTE_MS) / MINUTE_MS) * MINUTE_MS
    const [date = '', time = ''] = new Date(until).toISOString().split('T')
    const [year, month, day] = date.split('-')
    const [hour = 0, minute = 0] = time.split(':').map(Number)
    await tabTo(page.locator('#until'))
    // Each part of the field leads to the next one.
    const clock = `${pad(hour % 12 || 12)}${pad(minute)}${hour < 12 ? 'AM' : 'PM'}`
    await type(`${month}${day}${year}${clock}`)
    expect(await page.locator('#until').inputValue()).toBe(`${date}T${time.slice(0, 5)}`)
    await pressButton('Pause orders')
    expect(await page.locator('#why:invalid').count()).toBe(1)
    await typeReason('the shop sends again')
    await pressButton('Pause orders')
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await report('Pause')
    expect(await page.locator('h1').textContent()).toBe('operator paused orders')
    await site.run('second.csv', ordersFile([second!]).text)
    expect(site.sent).toEqual([first!.po])
    await follow('orders')
    expect(await main.innerText()).toContain('‖ paused: by operator until')

    await expect
      .poll(
        async () => {
          await page.reload()
          return main.innerText()
        },
        { timeout: 3 * MINUTE_MS, interval: 1_000 },
      )
      .not.toContain('‖ paused')
    expect(Date.now()).toBeGreaterThanOrEqual(until)
    await follow('Run now …')
    await pressButton('Run orders now')
    await page.waitForURL(/\/routes\/orders\/runs\/\w+$/, DECIDED)
    await expect.poll(() => main.innerText(), DECIDED).toContain('second.csv: processed, ✓ 1 accepted')
    expect(site.sent).toEqual([first!.po, second!.po])
    expect(troubles).toEqual([])
  })
})

function pad(number: number): string {
  return String(number).padStart(2, '0')
}

describe.skipIf(!hasChromium())('by keyboard alone, an order that becomes late', () => {
  test('moves on the open page while its number has the focus, and Enter leads to it', async () => {
    let shift = 0
    const site = await startSite({ serviceClock: { ...systemClock, now: () => Date.now() + shift } })
    const orders = sampleOrders({ seed: 33, orders: 3, damageEvery: 0, firstNumber: 40_001 })
    const [late, ...others] = orders.map(({ po }) => po)
    try {
      shift = 30 * MINUTE_MS - DAY_MS
      await site.run('later.csv', ordersFile(orders.slice(1)).text)
      shift = MINUTE_MS - DAY_MS
      await site.run('soon.csv', ordersFile(orders.slice(0, 1)).text)
      await site.runRoute('orders-out')
      await site.startConsole()
      const { page, troubles, tabTo, follow } = await visitByKeyboard(site)
      const clocks = page.locator('#clocks tbody tr:first-child')
      await expect.poll(() => readCells(page)).toEqual(['0', '3'])
      const soon = clocks.getByRole('link', { name: '3', exact: true })
      await tabTo(soon)
      await page.evaluate(() => Object.assign(globalThis, { isStillThere: true }))
      await expect.poll(() => readCells(page), { timeout: 2 * MINUTE_MS }).toEqual(['✕ 1', '2'])
      expect(await page.evaluate(() => 'isStillThere' in globalThis)).toBe(true)
      const focus = await describeFocus(page)
      console.info(`focus after the order became late: ${focus}`)
      await follow('✕ 1')
      expect(await page.locator('main').innerText()).toContain(late)
      for (const other of others) expect(await page.locator('tbody').innerText()).not.toContain(other)
      await follow(late ?? '')
      expect(await page.locator('h1').textContent()).toContain(late)
      expect(troubles).toEqual([])
    } finally {
      await site.stop()
    }
  })
})

/** How many are late, and how many within the hour. */
async function readCells(page: BrowserPage): Promise<string[]> {
  const cells = await page.locator('#clocks tbody tr:first-child td').allInnerTexts()
  return cells.slice(1, 3).map((text) => text.trim())
}
