/** Pages that only an action leads to: after a check, a refused form, and a run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { damagedOrders, FILE } from '../../fixtures/corrections.ts'
import { ordersFile, type SampleOrder } from '../../samples/orders.ts'
import { AXE, describeFocus, DESK, findAllViolations, measureOverflow } from './checks.ts'
import { type Site, startSite, visit } from './site.ts'

const DECIDED = { timeout: 60_000 }

describe.skipIf(!hasChromium())('a page after an action', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite()
    await site.run(FILE, ordersFile(renumber(damagedOrders(20, 4), 'A')).text)
    await site.runStoppedFile(6)
    await site.drop('more.csv', ordersFile(renumber(damagedOrders(20, 4), 'B')).text)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  test('has no violation of axe: after a check, without a reason, with its outcome, and of a run', async () => {
    const { page, troubles } = await visit(site, 'operator', { scripts: [AXE], viewport: DESK })
    const wrong: string[] = []
    const check = async (what: string) => {
      console.info(`focus, ${what}: ${await describeFocus(page)}`)
      wrong.push(...(await findAllViolations(page)).map((each) => `${what}: ${each}`))
      if ((await measureOverflow(page)) > 0) wrong.push(`${what}: wider than a phone`)
      await page.setViewportSize(DESK)
    }
    /** Browsers stop an empty reason; a blank one reaches the server. */
    const refuse = async (button: string) => {
      await page.locator('#why').fill(' ')
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('alert').waitFor(DECIDED)
    }

    await page.goto(`${site.origin}/files`)
    await page.getByRole('link', { name: FILE, exact: true }).click()
    await page.getByRole('link', { name: 'Correct 4 records …' }).click()
    const [first] = await page.getByLabel('Replace with').all()
    await first!.fill('NY')
    await page.getByRole('button', { name: 'Check' }).first().click()
    await page.getByText('2 records would be sent').waitFor(DECIDED)
    await check('after a check of which two are left out')
    await refuse('Send 2 records')
    await check('a correction without a reason')
    await page.fill('#why', 'confirmed by phone')
    await page.getByLabel('Run orders after that').uncheck()
    await page.getByRole('button', { name: 'Send 2 records' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, DECIDED)
    await check('a correction that waits')

    await page.goto(`${site.origin}/`)
    await page.getByRole('link', { name: 'Send 4 records …' }).first().click()
    await refuse('Send 4 records')
    await check('a release without a reason')
    await page.goto(`${site.origin}/routes/orders/pause`)
    await refuse('Pause orders')
    await check('a pause without a reason')

    await page.goto(`${site.origin}/routes/orders/run`)
    await page.getByRole('button', { name: 'Run orders now' }).click()
    await page.waitForURL(/\/runs\/\w+$/, DECIDED)
    await page.getByText('The run is over: ').waitFor(DECIDED)
    expect(await page.locator('main').innerText()).toContain('more.csv: processed')
    expect(await page.getByRole('table', { name: 'Problems of more.csv' }).count()).toBe(1)
    await check('a finished run with problems')
    expect(wrong).toEqual([])
    expect(troubles).toEqual([])
  }, 600_000)
})

/** Orders of their own, though all are made alike. */
function renumber(orders: SampleOrder[], by: string): SampleOrder[] {
  for (const { po, rows } of orders) for (const row of rows) row['PO Number'] = `${by}${po}`
  return orders
}
