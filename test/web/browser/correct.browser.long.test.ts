/** People correct refused rows in a browser, with the mouse and with the keyboard alone: every order is there once. */
import type { Locator, Page as BrowserPage } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { countOrders, damagedOrders, FILE } from '../../fixtures/corrections.ts'
import { ordersFile, type SampleOrder } from '../../samples/orders.ts'
import { describeFocus } from './checks.ts'
import { useKeyboard } from './keyboard.ts'
import { type Site, startSite, visit } from './site.ts'

const REJECTS = 'orders-16.rejects.csv'
const WHY = 'confirmed by phone'

/** The page has a field for each cell of 30 records, and a person without a mouse steps over all of them. */
const TABS_MAX = 2_000

/** How a person presses a button or a link, and types into a field instead of what stands there. */
interface Ways {
  press(element: Locator): Promise<void>
  fill(field: Locator, text: string): Promise<void>
}

const WAYS: Readonly<Record<'mouse' | 'keyboard alone', (page: BrowserPage) => Ways>> = {
  mouse: () => ({
    press: (element) => element.click({ timeout: 60_000 }),
    fill: (field, text) => field.fill(text),
  }),
  'keyboard alone': (page) => {
    const { press, type, tabTo, countKeys } = useKeyboard(page, TABS_MAX)
    return {
      press: async (element) => {
        await tabTo(element)
        await press('Enter')
        console.info(`${countKeys()} keys to ${String(element)}`)
      },
      fill: async (field, text) => {
        await tabTo(field)
        await press('Control+A')
        await type(text)
        console.info(`${countKeys()} keys to ${String(field)}`)
      },
    }
  },
}

/** 970 of 1,000 orders are at the service; 28 have the state ZZ, and 2 have no quantity. */
async function startRefusedSite(): Promise<{ site: Site; blank: readonly SampleOrder[] }> {
  const site = await startSite()
  onTestFinished(() => site.stop())
  const orders = damagedOrders(1000, 30)
  await site.run(FILE, ordersFile(orders).text)
  expect(await countOrders(site)).toEqual({ orders: 970, doubled: 0 })
  await site.startConsole()
  return { site, blank: orders.filter(({ rows }) => rows.some(({ Qty }) => Qty === '')) }
}

describe.skipIf(!hasChromium()).each(['mouse', 'keyboard alone'] as const)('with the %s', (way) => {
  test('28 alike are corrected by one text and 2 in their cells: of 1,000 orders all are there once', async () => {
    const { site, blank } = await startRefusedSite()
    const { page, troubles } = await visit(site, 'operator')
    const { press, fill } = WAYS[way](page)
    const main = page.locator('main')
    await page.goto(`${site.origin}/files`)
    await press(page.getByRole('link', { name: FILE, exact: true }))
    await page.waitForURL(/\/files\/[^/]+$/)
    const first = page.url()
    await press(page.getByRole('link', { name: 'Correct 30 records …' }))
    await page.waitForURL(/\/correct$/)
    expect(await page.locator('h1').textContent()).toBe(`Correct ${FILE}`)

    const group = page.locator('.group', { hasText: '28 records: State “ZZ”' })
    await fill(group.getByLabel('Replace with'), 'NY')
    expect(blank).toHaveLength(2)
    for (const [index, { po }] of blank.entries()) {
      const cells = page.getByRole('region', { name: po, exact: true }).getByLabel('Qty', { exact: true })
      for (const cell of await cells.all()) {
        expect(await cell.getAttribute('aria-invalid')).toBe('true')
        await fill(cell, String(index + 2))
      }
    }
    await press(page.getByRole('button', { name: 'Check' }).last())
    await page.getByRole('heading', { name: 'What would be sent' }).waitFor()
    expect(await main.innerText()).toContain(`30 records would be sent as ${REJECTS}.`)
    expect(await page.getByText('✓ It would be sent.').count()).toBe(30)
    console.info(`focus after Check: ${await describeFocus(page)}`)
    expect(site.sent).toHaveLength(970)

    const send = page.getByRole('button', { name: 'Send 30 records' })
    await press(send)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('A reason is needed')
    console.info(`focus after Send without a reason: ${await describeFocus(page)}`)
    expect(site.sent).toHaveLength(970)
    await fill(page.locator('#why'), WHY)
    expect(await page.getByLabel('Run orders after that').isChecked()).toBe(true)
    await press(send)
    await page.waitForURL(/\/decisions\/\d+\?run=\w+$/, { timeout: 60_000 })
    console.info(`focus after Send: ${await describeFocus(page)}`)
    expect(await page.locator('h1').textContent()).toBe('operator corrected 30 records')
    expect(await main.innerText()).toContain(`Why: ${WHY}`)

    // The page of the decision leads to the file by itself, once the run has taken it.
    await page.getByText(`The corrected rows were taken as ${REJECTS}`).waitFor({ timeout: 60_000 })
    await press(page.locator('#outcome').getByRole('link', { name: REJECTS }))
    await page.waitForURL(/\/files\/[^/]+$/)
    expect(page.url()).not.toBe(first)
    expect(await page.locator('h1').textContent()).toBe(REJECTS)
    await expect.poll(() => main.innerText(), { timeout: 60_000 }).toContain('✓ 30 accepted')
    expect(await main.innerText()).toContain(`It holds corrected rows of ${FILE}`)
    expect(await countOrders(site)).toEqual({ orders: 1000, doubled: 0 })
    expect(site.sent).toHaveLength(1000)
    const quantities = new Map(
      (await site.orders()).map(({ purchase_order_number: number, order_lines: lines }) => [
        number,
        lines.map(({ quantity }) => quantity),
      ]),
    )
    expect(blank.map(({ po }) => quantities.get(po))).toEqual(
      blank.map(({ rows }, index) => rows.map(() => index + 2)),
    )

    await press(main.getByRole('link', { name: FILE, exact: true }).first())
    await page.waitForURL(first)
    expect(await main.innerText()).toContain('30 were refused: 30 sent again since, 0 left.')
    expect(await page.getByRole('link', { name: /^Correct \d+ records …$/ }).count()).toBe(0)
    await page.goto(`${site.origin}/decisions`)
    expect(await page.locator('tbody tr').count()).toBe(1)
    expect(await page.locator('tbody tr').innerText()).toMatch(/operator\s+corrected\s+orders-16\.csv/)
    expect(troubles).toEqual([])
  }, 600_000)
})
