/** Hostile texts on every page, after a check, and on pages that refresh themselves: they are shown, and nothing else. */
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { type FullSite, HOSTILE_NAME, startFullSite } from './full-site.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import { visit } from './site.ts'

/** Signs that a page writes otherwise, or that a form does not carry. */
// oxlint-disable-next-line no-control-regex
const SIGNS = /[\0-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/

/** Elements that a text made. */
const MADE = 'main script, main style, main iframe, main object, main form[action^="http"], [style], base'
const INLINE = 'script:not([src]), style, [onload], [onerror], [onclick], [href^="javascript" i]'

/** Of pages that differ only in their text, so many are parsed by the browser for each one that it opens. */
const PARSED_EACH = 5

/** As much of a window as is used there. */
interface ParserWindow {
  readonly DOMParser: new () => {
    parseFromString(
      text: string,
      type: 'text/html',
    ): {
      querySelectorAll(selector: string): { readonly length: number }
      querySelector(selector: string): { readonly textContent: string | null } | null
    }
  }
}

describe.skipIf(!hasChromium())('texts that programs would run', () => {
  let site: FullSite

  beforeAll(async () => {
    site = await startFullSite(HOSTILE_TEXTS)
  }, 600_000)
  afterAll(() => site.stop())

  const expectOnlyTexts = async (page: BrowserPage) => {
    expect(await page.locator(MADE).count(), page.url()).toBe(0)
    expect(await page.locator(INLINE).count(), page.url()).toBe(0)
  }
  const look = async (page: BrowserPage, address: string): Promise<string> => {
    const answer = await page.goto(site.origin + address)
    expect(answer?.status(), address).toBe(200)
    await expectOnlyTexts(page)
    return (await page.locator('main').textContent()) ?? ''
  }

  /** What the browser makes of a page that it does not open: opening one takes ten times as long. */
  const parse = async (page: BrowserPage, address: string) => {
    const answer = await page.request.get(site.origin + address)
    expect(answer.status(), address).toBe(200)
    // An empty page has no content security policy, which forbids texts to be parsed.
    const [, empty = await page.context().newPage()] = page.context().pages()
    const parsed = await empty.evaluate(
      ({ html, made, inline }) => {
        const { DOMParser } = globalThis as unknown as ParserWindow
        const whole = new DOMParser().parseFromString(html, 'text/html')
        const count = (selector: string) => whole.querySelectorAll(selector).length
        const read = (selector: string) => whole.querySelector(selector)?.textContent ?? ''
        return { elements: count(made) + count(inline), main: read('main'), title: read('h1') }
      },
      { html: await answer.text(), made: MADE, inline: INLINE },
    )
    expect(parsed.elements, address).toBe(0)
    return parsed
  }
  const open = async (page: BrowserPage, address: string) => ({
    main: await look(page, address),
    title: (await page.locator('h1').textContent()) ?? '',
  })
  const openOrParse = (page: BrowserPage, address: string, index: number) =>
    index % (PARSED_EACH + 1) === 0 ? open(page, address) : parse(page, address)

  test('are at least 300, and shown in rows, names, keys, answers, and as who decided why', async () => {
    expect(new Set(HOSTILE_TEXTS).size).toBeGreaterThanOrEqual(300)
    const { page, troubles } = await visit(site, 'admin')
    for (const address of site.addresses) await look(page, address)
    const shown: string[] = []
    const wrong: string[] = []
    for (const [index, { id, name }] of site.files.entries()) {
      const { main, title } = await openOrParse(page, `/files/${id}`, index)
      shown.push(main)
      if (!SIGNS.test(name) && title !== name) wrong.push(name)
    }
    const all = shown.join('\n')
    const plain = HOSTILE_TEXTS.filter((text) => !SIGNS.test(text))
    expect(plain.length).toBeGreaterThan(270)
    expect(plain.filter((text) => !all.includes(text.trim()))).toEqual([])
    for (const [index, number] of site.refused.entries()) {
      const text = site.refusals.get(number) ?? ''
      const { main } = await openOrParse(page, `/orders/${number}`, index)
      if (!SIGNS.test(text) && !main.includes(text.trim().slice(0, 100))) wrong.push(text)
    }
    expect(wrong).toEqual([])
    const decisions: string[] = []
    for (let address: string | null = '/decisions'; address !== null;) {
      decisions.push(await look(page, address))
      const more = page.getByRole('link', { name: 'older', exact: true })
      address = (await more.count()) === 0 ? null : await more.getAttribute('href')
    }
    expect(plain.filter((text) => !decisions.join('\n').includes(text.trim()))).toEqual([])
    expect(decisions.join('\n')).toContain(HOSTILE_NAME)
    expect(troubles).toEqual([])
  }, 1_200_000)

  test('do nothing as a search, a filter, a name at the sign-in, or a reason that a person types', async () => {
    const { page, troubles } = await visit(site, 'admin')
    // Each family has several; all of them are in the filters below.
    for (const [index, text] of HOSTILE_TEXTS.filter((_, at) => at % 4 === 0).entries())
      expect((await openOrParse(page, `/search?q=${encodeURIComponent(text)}`, index)).main).toBeTruthy()
    let filtered = 0
    for (let from = 0; from < HOSTILE_TEXTS.length; from += 30) {
      const joined = Array.from(HOSTILE_TEXTS.slice(from, from + 30).join(' '))
        .slice(0, 600)
        .join('')
      const value = encodeURIComponent(joined)
      for (const path of ['/files', '/deliveries', '/decisions', '/clocks', '/reports'])
        await openOrParse(
          page,
          `${path}?name=${value}&route=${value}&day=${value}&what=${value}&who=${value}`,
          filtered++,
        )
    }
    const wrong: string[] = []
    for (const text of HOSTILE_TEXTS.filter((_, index) => index % 15 === 0)) {
      await page.goto(`${site.origin}/routes/orders/pause`)
      await page.fill('#why', text)
      await page.locator('form.decision').evaluate((form) => Object.assign(form, { noValidate: true }))
      await page.locator('#until').fill('')
      await page.getByRole('button', { name: 'Pause orders' }).click()
      await page.getByRole('alert').waitFor()
      await expectOnlyTexts(page)
      const typed = await page.locator('#why').inputValue()
      if (!SIGNS.test(text) && typed !== text) wrong.push(text)
    }
    expect(wrong).toEqual([])
    await page.context().clearCookies()
    await look(page, '/sign-in')
    await page.fill('#name', HOSTILE_NAME)
    await page.fill('#password', HOSTILE_NAME)
    await page.click('main button')
    await page.getByRole('alert').waitFor()
    expect(await page.locator('#name').inputValue()).toBe(HOSTILE_NAME)
    expect(troubles).toEqual([])
  }, 1_200_000)

  test('are only texts after a check, beside the cells and where they replace others', async () => {
    const { page, troubles } = await visit(site, 'operator')
    const rows = site.files.filter(({ name }) => name.includes('<b>& '))
    expect(rows.length).toBeGreaterThan(5)
    const seen = new Set<string>()
    for (const { id } of rows) {
      await look(page, `/files/${id}/correct`)
      const [field] = await page.getByLabel('Replace with').all()
      await field?.fill(HOSTILE_NAME)
      await page.getByRole('button', { name: 'Check' }).first().click()
      await page.waitForLoadState()
      await page
        .getByText('– Nothing of it was changed')
        .or(page.getByText('✕ It would still be refused'))
        .first()
        .waitFor()
      await expectOnlyTexts(page)
      const values = await page
        .locator('main :is(input, textarea)')
        .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value))
      for (const value of values) seen.add(value)
    }
    expect(seen).toContain(HOSTILE_NAME)
    const spoiled = HOSTILE_TEXTS.filter((text, index) => index % 4 !== 0 && !SIGNS.test(text))
    expect(spoiled.filter((text) => !seen.has(text))).toEqual([])
    expect(troubles).toEqual([])
  }, 600_000)

  test('are only texts on open pages that show by themselves what came', async () => {
    const texts = HOSTILE_TEXTS.filter((text) => !SIGNS.test(text) && !/^\.|[/\\]/.test(text)).slice(0, 20)
    const orders = sampleOrders({ seed: 14, orders: texts.length, damageEvery: 0, firstNumber: 60_001 })
    const visitors = []
    for (const address of ['/', '/files']) {
      const visitor = await visit(site, 'operator')
      await look(visitor.page, address)
      await visitor.page.evaluate(() => Object.assign(globalThis, { isStillThere: true }))
      visitors.push(visitor)
    }
    for (const [index, text] of texts.entries()) {
      const order = orders[index]!
      order.rows.length = 1
      site.refusals.set(order.po, text)
      await site.drop(`live ${text}.csv`, ordersFile([order]).text)
    }
    await site.run()
    for (const { page, troubles } of visitors) {
      await expect.poll(() => page.locator('main').textContent(), { timeout: 180_000 }).toContain('live ')
      await expectOnlyTexts(page)
      expect(await page.evaluate(() => 'isStillThere' in globalThis)).toBe(true)
      expect(troubles).toEqual([])
    }
    const [, files] = visitors
    const shown = files!.page.locator('#list')
    await expect
      .poll(
        async () => {
          const text = (await shown.textContent()) ?? ''
          return texts.filter((each) => !text.includes(`live ${each}.csv`))
        },
        { timeout: 180_000 },
      )
      .toEqual([])
  }, 600_000)
})
