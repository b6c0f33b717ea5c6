/** What people do in the console, in a real browser: releasing, resolving, and finding an order by keyboard. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { runUnheard } from '../../fixtures/office.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { arrive, type Site, startSite, visit } from './site.ts'

describe.skipIf(!hasChromium())('in a browser', () => {
  let site: Site
  let orders: string[]

  beforeAll(async () => {
    site = await startSite()
    orders = await site.runStoppedFile(414)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  test('an order is found by keyboard alone: by its number, its line, and a number like it', async () => {
    const { page, troubles } = await visit(site, 'viewer')
    const find = async (text: string) => {
      await page.goto(`${site.origin}/`)
      await page.keyboard.press('/')
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname !== '/')
      return page.locator('h1').textContent()
    }
    const [, , third = ''] = orders
    expect(await find(third)).toBe(`create-order ${third}`)
    expect(await page.locator('main').innerText()).toContain('‖ held')
    expect(await find('orders.csv:4')).toBe(`create-order ${third}`)
    expect(await find(`${third.slice(0, -1)}X`)).toBe('Search')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(orders|records)\//)
    expect(troubles).toEqual([])
  })

  test('412 held records are sent once by a double click, and never without a reason', async () => {
    const { page, troubles } = await visit(site, 'operator')
    await page.goto(`${site.origin}/`)
    await page.getByRole('link', { name: 'Send 412 records …' }).click()
    const button = page.getByRole('button', { name: 'Send 412 records' })
    expect(await page.locator('main').innerText()).toContain('412 records will be sent to the API.')

    await button.click()
    expect(await page.locator('#why:invalid').count()).toBe(1)
    await page.locator('form.decision').evaluate((form) => {
      Object.assign(form, { noValidate: true })
    })
    await button.click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('A reason is needed')
    expect(site.sent).toEqual([])

    await page.fill('#why', 'the item is offered now')
    await page.getByRole('button', { name: 'Send 412 records' }).dblclick()
    await arrive(page, /\/decisions\/\d+$/)
    await page.getByText('✓ 412 accepted').waitFor({ timeout: 60_000 })
    expect(site.sent.toSorted()).toEqual(orders.slice(2).toSorted())
    expect(await page.locator('h1').textContent()).toBe('operator released 412 records')
    await page.goto(`${site.origin}/decisions`)
    expect(await page.locator('tbody tr').count()).toBe(1)
    expect(troubles).toEqual([])
  })

  test('what came of a lost answer is said once a late answer cannot come any more', async () => {
    const [lost] = sampleOrders({ seed: 8, orders: 1, damageEvery: 0, firstNumber: 90_001 })
    const { mailboxes } = site.configuration
    const mailbox = mailboxes['erp']
    const path = mailbox?.type === 'directory' ? mailbox.path : ''
    await writeFile(`${path}/inbox/lost.csv`, ordersFile([lost!]).text)
    const { page, troubles } = await visit(site, 'operator')
    await runUnheard(site, 'orders', { arrives: false, canLookUp: false })
    site.sent.splice(0)

    await page.goto(`${site.origin}/orders/${lost!.po}`)
    await page.getByRole('link', { name: 'Say what came of it …' }).click()
    const absent = page.getByLabel('The API does not have it: it is sent again.')
    expect(await absent.isDisabled()).toBe(true)
    await page.fill('#why', 'the API does not show it')
    await expect.poll(() => absent.isDisabled(), { timeout: 60_000 }).toBe(false)
    expect(await page.locator('#why').inputValue()).toBe('the API does not show it')
    await absent.check()
    await page.getByLabel('I have checked the API').check()
    await page.getByRole('button', { name: 'Resolve 1 record' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    await page.getByText('✓ 1 accepted').waitFor({ timeout: 60_000 })
    expect(site.sent).toEqual([lost!.po])
    expect(troubles).toEqual([])
  })

  test('a route is run by a double click once, paused, and resumed; without script too', async () => {
    const [first, second, third] = sampleOrders({ seed: 9, orders: 3, damageEvery: 0, firstNumber: 95_001 })
    const { mailboxes } = site.configuration
    const mailbox = mailboxes['erp']
    const inbox = mailbox?.type === 'directory' ? `${mailbox.path}/inbox` : ''
    site.sent.splice(0)

    for (const [order, javaScriptEnabled] of [[first!, true] as const, [second!, false] as const]) {
      await writeFile(`${inbox}/${order.po}.csv`, ordersFile([order]).text)
      const { page, troubles } = await visit(site, 'operator', { javaScriptEnabled })
      await page.goto(`${site.origin}/routes`)
      await page.getByRole('link', { name: 'orders', exact: true }).click()
      await page.getByRole('link', { name: 'Run now …' }).click()
      await page.getByRole('button', { name: 'Run orders now' }).dblclick()
      await arrive(page, /\/routes\/orders\/runs\/\w+$/)
      await expect
        .poll(
          async () => {
            // Without script a page stays as it is.
            if (!javaScriptEnabled) await page.reload()
            return page.locator('main').innerText()
          },
          { timeout: 60_000 },
        )
        .toContain('The run is over: ')
      expect(await page.locator('main').innerText()).toContain(`${order.po}.csv: processed, ✓ 1 accepted`)
      expect(troubles).toEqual([])
    }
    expect(site.sent).toEqual([first!.po, second!.po])

    const { page, troubles } = await visit(site, 'operator')
    await page.goto(`${site.origin}/routes/orders`)
    await page.getByRole('link', { name: 'Pause …' }).click()
    await page.fill('#why', 'the shop sends again')
    await page.getByRole('button', { name: 'Pause orders' }).dblclick()
    await arrive(page, /\/decisions\/\d+$/)
    expect(await page.locator('h1').textContent()).toBe('operator paused orders')
    await site.run(`${third!.po}.csv`, ordersFile([third!]).text)
    expect(site.sent).toHaveLength(2)
    await page.getByRole('link', { name: 'orders', exact: true }).click()
    expect(await page.locator('main').innerText()).toContain('‖ paused: by operator until')
    await page.getByRole('link', { name: 'Resume …' }).click()
    await page.fill('#why', 'it came')
    await page.getByRole('button', { name: 'Resume orders' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    await site.run(`${third!.po}.csv`, ordersFile([third!]).text)
    expect(site.sent).toEqual([first!.po, second!.po, third!.po])
    expect(troubles).toEqual([])
  })
})
