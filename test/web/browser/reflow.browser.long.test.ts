/** Every page at three widths: the page itself never scrolls sideways, and nothing of it moves while it is loaded. */
import type { Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { type FullSite, startFullSite } from './full-site.ts'
import { visit } from './site.ts'

/** A desk; the same with text of 200 %; and the narrowest of WCAG 1.4.10. */
const WIDTHS = [1280, 640, 320]

/** Of the page's area times its height. A time that counts down may change its width, by less than this; a reader sees from 0.1. */
const SHIFT_MAX = 0.001

/** Long enough for what comes after the load. */
const CALM_MS = 200

interface Measured {
  readonly overflow: number
  /** What sticks out, beside what scrolls by itself. */
  readonly wide: readonly string[]
  readonly shift: number
  readonly paintMs: number
}

describe.skipIf(!hasChromium())('every page at 1280, 640 and 320 px', () => {
  let site: FullSite

  beforeAll(async () => {
    site = await startFullSite()
  })
  afterAll(() => site.stop())

  test('has no sideways scroll of its own, and nothing moves at load', async () => {
    const wrong: string[] = []
    const paints: number[] = []
    for (const width of WIDTHS) {
      const { page, troubles } = await visit(site, 'admin', { viewport: { width, height: 800 } })
      // What the bridge notes meanwhile is shown at once, and may move what stands there: that is not the load.
      await page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'EventSource'))
      const check = async (address: string) => {
        const { overflow, wide, shift, paintMs } = await measure(page)
        paints.push(paintMs)
        if (overflow > 0) wrong.push(`${address} at ${width} is ${overflow} px wider: ${wide.join(', ')}`)
        if (shift > SHIFT_MAX) wrong.push(`${address} at ${width} moves by ${shift}`)
      }
      for (const address of site.addresses) {
        await page.goto(site.origin + address)
        await check(address)
        if (!address.endsWith('/correct')) continue
        await page.getByRole('button', { name: 'Check' }).first().click()
        await page.waitForLoadState()
        await check(`${address} after Check`)
      }
      expect(troubles).toEqual([])
      await page.context().close()
    }
    const sorted = paints.toSorted((one, other) => one - other)
    const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
    console.info(`first paint of ${sorted.length} loads: median ${at(0.5)} ms, 95 % ${at(0.95)} ms`)
    expect(sorted.length).toBeGreaterThan(WIDTHS.length * 25)
    expect(sorted.every((ms) => ms > 0)).toBe(true)
    expect(wrong).toEqual([])
  }, 600_000)
})

/** Of the page that was just loaded. */
function measure(page: BrowserPage): Promise<Measured> {
  return page.evaluate(async (calmMs) => {
    const { document, performance, PerformanceObserver, getComputedStyle } =
      globalThis as unknown as BrowserWindow
    let shift = 0
    new PerformanceObserver((list) => {
      for (const { value = 0 } of list.getEntries()) shift += value
    }).observe({ type: 'layout-shift', buffered: true })
    const findPaint = () => performance.getEntriesByName('first-contentful-paint').at(0)
    // A busy machine paints late.
    for (let waits = 0; waits === 0 || (findPaint() === undefined && waits < 100); waits++)
      await new Promise((resolve) => setTimeout(resolve, calmMs))
    const { scrollWidth, clientWidth } = document.documentElement
    const scrolls = (element: BrowserElement | null): boolean =>
      element !== null &&
      element !== document.body &&
      (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    const wide = [...document.querySelectorAll('body *')]
      .filter((each) => each.getBoundingClientRect().right > clientWidth + 1 && !scrolls(each.parentElement))
      .map(({ tagName, className, id }) => `${tagName} ${id} ${className}`)
    return {
      overflow: scrollWidth - clientWidth,
      wide: wide.slice(0, 3),
      shift,
      paintMs: findPaint()?.startTime ?? 0,
    }
  }, CALM_MS)
}

/** As much of a window as is used there. */
interface BrowserWindow {
  readonly document: {
    readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number }
    readonly body: object
    querySelectorAll(selector: string): Iterable<BrowserElement>
  }
  readonly performance: { getEntriesByName(name: string): { readonly startTime: number }[] }
  readonly PerformanceObserver: new (
    note: (list: { getEntries(): { readonly value?: number }[] }) => void,
  ) => { observe(options: object): void }
  getComputedStyle(element: BrowserElement): { readonly overflowX: string }
}

interface BrowserElement {
  readonly tagName: string
  readonly className: string
  readonly id: string
  readonly parentElement: BrowserElement | null
  getBoundingClientRect(): { readonly right: number }
}
