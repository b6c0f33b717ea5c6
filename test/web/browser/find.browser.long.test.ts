/** Where is my order? From Today to its page by keyboard alone, by whatever number of it a person has. */
import { chromium } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, hasChromium } from '../../fixtures/chromium.ts'
import { aFinishedMonth, MONTH } from '../../fixtures/console.ts'
import { aConsole } from '../harness.ts'
import { useKeyboard } from './keyboard.ts'
import { visit } from './site.ts'

/** Beyond the number itself. */
const KEYS_MAX = 5

describe.skipIf(!hasChromium())('by keyboard from Today', () => {
  test('an order is found by its number, a parcel, an invoice, the id at the API, a row, and a number like it', async () => {
    const world = await aFinishedMonth()
    const [order] = await world.orders()
    const console = await aConsole(world)
    const origin = await console.server.listen({ host: '127.0.0.1', port: 0 })
    const browser = await chromium.launch({ executablePath: CHROMIUM.path, args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const { page, troubles } = await visit({ openBrowser: () => Promise.resolve(browser), origin }, 'viewer')
    const { press, type, countKeys } = useKeyboard(page)
    /** The page with its title, the keys beyond the number, and what stands there. */
    const find = async (number: string, more: readonly string[] = []) => {
      await page.goto(`${origin}/`)
      await press('/')
      await type(number)
      for (const key of ['Enter', ...more]) {
        const before = page.url()
        await press(key)
        await page.waitForURL((url) => url.href !== before)
      }
      expect(countKeys(), number).toBeLessThanOrEqual(KEYS_MAX)
      const [title, text] = [await page.locator('h1').innerText(), await page.locator('main').innerText()]
      return { title, text, path: new URL(page.url()).pathname }
    }

    // Question 1: where is it now? The whole life of the order, with its parcel and its invoice.
    const found = await find(MONTH.first)
    expect(found).toMatchObject({ title: MONTH.first, path: `/orders/${MONTH.first}` })
    for (const part of [
      'came in orders.csv',
      `✓ accepted as ${order?.id}`,
      'create-shipment',
      'create-invoice',
    ])
      expect(found.text).toContain(part)
    // Question 2: why was it refused, and who must do what?
    const refused = await find(MONTH.refused)
    expect(refused).toMatchObject({ title: `create-order ${MONTH.refused}` })
    expect(refused.text).toContain('✕ rejected')
    expect(refused.text).toContain('province-unknown')

    for (const number of [MONTH.tracking, MONTH.invoice]) {
      const { title, text } = await find(number)
      expect(title, number).toContain(number)
      expect(text, number).toContain(MONTH.first)
    }
    const byId = await find(String(order?.id))
    expect(byId.path).toMatch(/^\/(orders|records)\//)
    expect(byId.text).toContain(`create-order ${MONTH.first}`)
    const onLine = await find('orders.csv:2')
    expect(onLine.title).toBe(`create-order ${MONTH.first}`)

    // A misspelt one: the names like it are there, and Enter opens the first.
    const misspelt = `${MONTH.first.slice(0, -1)}X`
    expect((await find(misspelt)).text).toMatch(
      new RegExp(`Nothing is called ${misspelt}\\.\\s+Names like it: .*${MONTH.first}`),
    )
    const near = await find(misspelt, ['Enter'])
    expect(near.path).toMatch(/^\/(orders|records)\//)
    expect(near.title).toContain(MONTH.first.slice(0, -1))
    expect(troubles).toEqual([])
  })
})
