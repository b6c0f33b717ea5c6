/** Every page in a real browser: accessible, within a phone, without scripts of its own, and with hostile texts only shown. */
import { createRequire } from 'node:module'
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAGES } from '../../../src/web/pages.ts'
import { hasChromium } from '../../fixtures/chromium.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { readPdf } from '../../service/documents/reading.ts'
import { type Site, startSite, visit } from './site.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const PHONE = { width: 390, height: 844 }

/** What programs that forget to escape would run, load or show as something else. */
const CORPUS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' autofocus onfocus='alert(1)",
  '</td></tr></table><h1>x</h1>',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '<!--<script>alert(1)//-->',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<form action=https://evil.example><button>x</button></form>',
  '<style>*{background:url(https://evil.example)}</style>',
  '<object data="javascript:alert(1)">',
  '<math><mtext></p><img src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#x3c;script&#x3e;alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '`${alert(1)}`',
  '\\u003cscript\\u003ealert(1)',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '=HYPERLINK("https://evil.example")',
  '//evil.example/x',
  '../../../etc/passwd',
]

describe.skipIf(!hasChromium())('every page in a browser', () => {
  let site: Site
  let addresses: string[]

  beforeAll(async () => {
    site = await startSite()
    await site.runStoppedFile(6)
    const orders = sampleOrders({ seed: 9, orders: CORPUS.length, damageEvery: 0, firstNumber: 70_001 })
    for (const [index, { rows }] of orders.entries()) {
      const row: Record<string, string> = rows[0] ?? {}
      rows.length = 1
      const text = CORPUS[index] ?? ''
      for (const name of Object.keys(row)) row[name] = text
      // Some get through to the service, with the text where it takes any; the others are refused for it.
      if (index % 4 === 0)
        Object.assign(
          row,
          sampleOrders({ seed: 9, orders: 1, damageEvery: 0, firstNumber: 60_000 + index })[0]?.rows[0],
          { 'Gift Message': text },
        )
    }
    await site.run('x’<b>&.csv', ordersFile(orders).text)
    await site.startConsole()
    addresses = await listAddresses(site)
  })
  afterAll(() => site.stop())

  const open = async (page: BrowserPage, address: string) => {
    const answer = await page.goto(site.origin + address)
    expect(answer?.status(), address).toBe(200)
  }

  test('has no violation of axe by day, by night and on a phone, and nothing beside its edge', async () => {
    const wrong: string[] = []
    const { page } = await visit(site, 'admin', { scripts: [AXE] })
    for (const address of addresses) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      await open(page, address)
      const note = async (name: string, rules?: readonly string[]) => {
        for (const each of await findViolations(page, rules)) wrong.push(`${address} ${name}: ${each}`)
      }
      await note('by day')
      await page.emulateMedia({ colorScheme: 'dark' })
      // Nothing else depends on the colours.
      await note('by night', ['color-contrast'])
      await page.setViewportSize(PHONE)
      await note('on a phone')
      if ((await measureOverflow(page)) > 0) wrong.push(`${address} is wider than a phone`)
    }
    expect(wrong).toEqual([])
  })

  test('runs no script of its texts, loads nothing from elsewhere, and shows the texts', async () => {
    const { page, troubles } = await visit(site, 'operator')
    for (const address of [...addresses, ...CORPUS.map((text) => `/search?q=${encodeURIComponent(text)}`)]) {
      await open(page, address)
      expect(await page.locator('main script, main style, main iframe, [style], base').count(), address).toBe(
        0,
      )
      expect(
        await page.locator('script:not([src]), style, [onload], [onerror], [onclick]').count(),
        address,
      ).toBe(0)
    }
    const { journal, close } = await openJournalOf(site)
    const [file] = await journal.listFiles({ name: '<b>' }, undefined, 1)
    await close()
    await open(page, `/files/${file?.id}`)
    const shown = (await page.locator('main').textContent()) ?? ''
    expect(CORPUS.filter((text) => !shown.includes(text))).toEqual([])
    expect(await page.locator('h1').textContent()).toBe('x’<b>&.csv')
    expect(troubles).toEqual([])
  })

  test('is printed whole where people print it: a record, a proof and a report, on A4 and Letter', async () => {
    const { page } = await visit(site, 'operator')
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
        const text = squeeze(lines.join(''))
        const missing = shown
          .flatMap((each) => each.split('\n'))
          .filter((line) => !text.includes(squeeze(line)))
        expect(missing, `${address} on ${format}`).toEqual([])
        const cut = pages.flatMap(({ width, texts }) => texts.filter(({ right }) => right > width))
        expect(cut, `${address} on ${format}`).toEqual([])
      }
    }
  })

  test('works without script, to the sending of what is held', async () => {
    const { page } = await visit(site, 'operator', { javaScriptEnabled: false })
    for (const address of addresses) {
      await open(page, address)
      expect(await page.locator('h1').count(), address).toBe(1)
    }
    await page.goto(`${site.origin}/`)
    await page.getByRole('link', { name: 'Send 4 records …' }).click()
    await page.fill('#why', 'mended')
    await page.getByRole('button', { name: 'Send 4 records' }).click()
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 20_000 })
    expect(await page.locator('h1').textContent()).toBe('operator released 4 records')
  })
})

/** An address for each page of the console, with what the journal holds. */
async function listAddresses(site: Site): Promise<string[]> {
  const { journal, close } = await openJournalOf(site)
  const [held] = await journal.listHeldRecords(1)
  await close()
  const parts: Readonly<Record<string, string>> = {
    'files id': held?.file ?? '',
    'records n': String(held?.id),
    'orders key': held?.keyValues[0] ?? '',
    'routes name': 'orders',
  }
  return PAGES.flatMap(({ path }) => {
    const [, section = '', name] = /^\/(\w+)\/:(\w+)/.exec(path) ?? []
    // A browser keeps these as files; an alert has an id of its own; and the route of this site makes no report.
    if (/\/(source|rejects|again)$|^\/aside/.test(path)) return []
    if (name === undefined) return [path]
    const value = parts[`${section} ${name}`]
    // The bridge of this site delivers nothing, and nobody has decided anything yet.
    if (value === undefined && ['deliveries', 'decisions'].includes(section)) return []
    expect(value, `an example of ${path}`).toBeTruthy()
    // A run that nobody started has a page that says so.
    return [path.replace(`:${name}`, encodeURIComponent(value ?? '')).replace(':run', 'none')]
  })
}

async function openJournalOf(site: Site) {
  const bridge = await site.open()
  return { journal: bridge.journal, close: () => bridge.close() }
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** Of the rules, or of all that the levels A and AA of WCAG 2.2 ask for. */
async function findViolations(page: BrowserPage, rules?: readonly string[]): Promise<string[]> {
  const { violations } = await page.evaluate((only): Promise<AxeResults> => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    const values = only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const runOnly = { type: only === undefined ? 'tag' : 'rule', values }
    return axe.run({ runOnly, resultTypes: ['violations'] })
  }, rules)
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

function measureOverflow(page: BrowserPage): Promise<number> {
  return page.locator('html').evaluate((root) => {
    const { scrollWidth, clientWidth } = root as unknown as { scrollWidth: number; clientWidth: number }
    return scrollWidth - clientWidth
  })
}
