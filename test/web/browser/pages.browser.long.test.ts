/** Every page in a real browser: accessible, within a phone, printed whole, and working without script. */
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAGES } from '../../../src/web/pages.ts'
import { hasChromium } from '../../fixtures/chromium.ts'
import { readPdf } from '../../service/documents/reading.ts'
import { AXE, findAllViolations, measureOverflow, ON_PHONE } from './checks.ts'
import { type FullSite, startFullSite } from './full-site.ts'
import { visit } from './site.ts'

describe.skipIf(!hasChromium())('every page in a browser', () => {
  let site: FullSite
  let addresses: readonly string[]

  beforeAll(async () => {
    site = await startFullSite()
    addresses = site.addresses
  })
  afterAll(() => site.stop())

  const open = async (page: BrowserPage, address: string) => {
    const answer = await page.goto(site.origin + address)
    expect(answer?.status(), address).toBe(200)
  }

  test('has no violation of axe, full, empty or with an error, by day, by night and on a phone', async () => {
    const wrong: string[] = []
    const checked = new Set<string>()
    const check = async (page: BrowserPage, address: string) => {
      // Many pages say the same where there is nothing to show.
      const contents = await page.locator('main').innerHTML()
      if (checked.has(contents)) return
      checked.add(contents)
      wrong.push(...(await findAllViolations(page)))
      if ((await measureOverflow(page)) > 0) wrong.push(`${address} is wider than a phone`)
    }
    const { page } = await visit(site, 'admin', { scripts: [AXE] })
    for (const address of addresses) {
      await open(page, address)
      await check(page, address)
    }
    const { openBrowser } = site
    const statuses: Record<string, number[]> = {}
    for (const state of ['empty', 'without-journal'] as const) {
      const other = await site.startAnother(state)
      const { page: there } = await visit({ openBrowser, ...other }, 'admin', { scripts: [AXE] })
      for (const { path } of PAGES) {
        const answer = await there.goto(other.origin + path.replaceAll(/:\w+/g, 'none'))
        statuses[state] = [...new Set([...(statuses[state] ?? []), answer?.status() ?? 0])].toSorted()
        await check(there, path)
      }
    }
    const { page: stranger } = await visit(site, 'viewer', { scripts: [AXE] })
    await stranger.context().clearCookies()
    await stranger.goto(`${site.origin}/sign-in`)
    await check(stranger, '/sign-in')
    await stranger.fill('#name', 'viewer')
    await stranger.fill('#password', 'not the password')
    await stranger.click('main button')
    await stranger.getByRole('alert').waitFor()
    await check(stranger, '/sign-in')
    expect(wrong).toEqual([])
    expect(statuses).toEqual({ empty: [200, 404], 'without-journal': [503] })
  }, 600_000)

  test('is printed whole where people print it: a record, a proof and a report, on A4 and Letter', async () => {
    const { page, troubles } = await visit(site, 'operator')
    const printed = addresses.filter((address) => /^\/(records\/\d+(\/proof)?|reports)$/.test(address))
    expect(printed).toHaveLength(3)
    const squeeze = (text: string) => text.replaceAll(/\s+/g, '')
    for (const address of printed) {
      await open(page, address)
      const shown = await page.locator('main :is(h1, h2, p, td, li)').allInnerTexts()
      for (const format of ['A4', 'Letter']) {
        const { pages, lines } = await readPdf(
          await page.pdf({ format, margin: { left: '1cm', right: '1cm' } }),
        )
        const whole = squeeze(lines.join(''))
        // Paper shows where a link leads, behind its words.
        expect(whole, `${address} on ${format}`).toContain('(/')
        const text = whole.replaceAll(/\(\/[^()]*\)/g, '')
        const missing = shown
          .flatMap((each) => each.split('\n'))
          .filter((line) => !text.includes(squeeze(line)))
        expect(missing, `${address} on ${format}`).toEqual([])
        const cut = pages.flatMap(({ width, texts }) => texts.filter(({ right }) => right > width))
        expect(cut, `${address} on ${format}`).toEqual([])
      }
    }
    expect(troubles).toEqual([])
  })

  test('an order is found and sent on a phone by touch', async () => {
    const { page, troubles } = await visit(site, 'operator', ON_PHONE)
    const [, number = ''] =
      /^\/orders\/(.+)$/.exec(addresses.find((each) => each.startsWith('/orders/')) ?? '') ?? []
    await page.locator('#search').tap()
    await page.keyboard.type(number)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/records\/\d+$/)
    expect(await page.locator('h1').textContent()).toBe(`create-order ${number}`)
    await page.getByRole('link', { name: /^Send .* …$/ }).tap()
    await page.locator('#why').tap()
    await page.keyboard.type('mended')
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Send 1 record' }).tap()
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    await page.getByText('✓ 1 accepted').waitFor({ timeout: 60_000 })
    expect(site.sent.filter((each) => each === number)).toHaveLength(1)
    expect(troubles).toEqual([])
  })

  test('works without script, to the sending of what is held, and to saying what came of a lost answer', async () => {
    const { page, troubles } = await visit(site, 'admin', { javaScriptEnabled: false })
    for (const address of addresses) {
      await open(page, address)
      expect(await page.locator('h1').count(), address).toBe(1)
    }
    // Without script, a page stays as it was loaded: Today may still be read.
    const sending = page.getByRole('link', { name: 'Send 3 records …' })
    const findSending = async () => (await page.goto(`${site.origin}/`)) && sending.count()
    await expect.poll(findSending, { timeout: 60_000, interval: 500 }).toBe(1)
    await sending.click()
    await page.fill('#why', 'mended')
    await page.getByRole('button', { name: 'Send 3 records' }).click({ timeout: 60_000 })
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    expect(await page.locator('h1').textContent()).toBe('admin released 3 records')
    await open(page, addresses.find((each) => each.endsWith('/resolve')) ?? '')
    await page.getByLabel('The API does not have it: it is sent again.').check()
    await page.getByLabel('I have checked the API').check()
    await page.fill('#why', 'the API does not show it')
    await page.getByRole('button', { name: 'Resolve 1 record' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    expect(await page.locator('h1').textContent()).toBe('admin resolved as absent 1 record')
    expect(troubles).toEqual([])
  })
})
