/** The preview of many held records over its pages, and on a phone; an order is found there by touch. */
import { chromium, type Page as BrowserPage } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, hasChromium } from '../../fixtures/chromium.ts'
import { aFinishedMonth, MONTH } from '../../fixtures/console.ts'
import { countOrders } from '../../fixtures/corrections.ts'
import { aConsole } from '../harness.ts'
import { describeFocus, measureOverflow, ON_PHONE } from './checks.ts'
import { startSite, visit } from './site.ts'

const DECIDED = { timeout: 60_000 }

/** 412 records are held. */
async function startHeldSite() {
  const site = await startSite()
  onTestFinished(() => site.stop())
  const orders = await site.runStoppedFile(414)
  await site.startConsole()
  return { site, held: orders.slice(2) }
}

/** The records that a page of the preview lists. */
async function listRecords(page: BrowserPage): Promise<string[]> {
  const links = page.getByRole('table', { name: 'Records of the decision' }).getByRole('link')
  return (await links.allInnerTexts()).map((text) => text.trim())
}

describe.skipIf(!hasChromium())('the preview of 412 held records', () => {
  test('lists exactly these over its pages, and its last page sends exactly these', async () => {
    const { site, held } = await startHeldSite()
    const { page, troubles } = await visit(site, 'operator')
    await page.goto(`${site.origin}/`)
    await page.getByRole('link', { name: 'Send 412 records …' }).click()
    const listed: string[][] = []
    const more = page.getByRole('link', { name: 'next records' })
    for (;;) {
      expect(await page.getByRole('button', { name: /^Send / }).innerText()).toBe('Send 412 records')
      listed.push(await listRecords(page))
      if ((await more.count()) === 0) break
      const before = page.url()
      await more.click()
      await page.waitForURL((url) => url.href !== before)
    }
    expect(listed.map(({ length }) => length)).toEqual([200, 200, 12])
    expect(listed.flat()).toEqual(held)
    expect(site.sent).toEqual([])

    await page.fill('#why', 'the item is offered now')
    await page.getByRole('button', { name: 'Send 412 records' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await page.getByText('✓ 412 accepted').waitFor(DECIDED)
    expect(site.sent.toSorted()).toEqual(held.toSorted())
    expect(await countOrders(site)).toEqual({ orders: 412, doubled: 0 })
    expect(troubles).toEqual([])
  })
})

describe.skipIf(!hasChromium())('on a phone by touch', () => {
  test('412 held records are sent from Today, and not without a reason', async () => {
    const { site, held } = await startHeldSite()
    const { page, troubles } = await visit(site, 'operator', ON_PHONE)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: 'Send 412 records …' }).tap(DECIDED)
    await page.waitForURL(/\/release$/)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    const button = page.getByRole('button', { name: 'Send 412 records' })
    await button.tap()
    expect(await page.locator('#why:invalid').count()).toBe(1)
    // Blanks are no reason, though the browser lets them pass.
    await page.locator('#why').tap()
    await page.keyboard.type('  ')
    await button.tap()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('A reason is needed')
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    console.info(`focus after a refused reason: ${await describeFocus(page)}`)
    expect(site.sent).toEqual([])

    await page.locator('#why').tap()
    await page.keyboard.type('the item is offered now')
    await button.tap()
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await page.getByText('✓ 412 accepted').waitFor(DECIDED)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(site.sent.toSorted()).toEqual(held.toSorted())
    expect(await countOrders(site)).toEqual({ orders: 412, doubled: 0 })
    expect(troubles).toEqual([])
  })

  test('an order is found by its number and by its tracking number, within the width', async () => {
    const world = await aFinishedMonth()
    const console = await aConsole(world)
    const origin = await console.server.listen({ host: '127.0.0.1', port: 0 })
    const browser = await chromium.launch({ executablePath: CHROMIUM.path, args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const site = { openBrowser: () => Promise.resolve(browser), origin }
    const { page, troubles } = await visit(site, 'viewer', ON_PHONE)
    for (const [number, title] of [
      [MONTH.first, MONTH.first],
      [MONTH.tracking, MONTH.tracking],
    ] as const) {
      await page.goto(`${origin}/`)
      await page.locator('#search').tap()
      await page.keyboard.type(number)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/(orders|records)\//)
      expect(await page.locator('h1').innerText()).toContain(title)
      expect(await page.locator('main').innerText()).toContain(MONTH.first)
      expect(await measureOverflow(page), number).toBeLessThanOrEqual(0)
    }
    expect(troubles).toEqual([])
  })
})
