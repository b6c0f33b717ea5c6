/** What is checked of a page as it stands in the browser: axe, its width, where the focus is. */
import { createRequire } from 'node:module'
import type { Page as BrowserPage } from 'playwright-core'

/** A script for each page of a visitor: `visit(site, role, { scripts: [AXE] })`. */
export const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export const DESK = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** Of the context of a visitor with a phone. */
export const ON_PHONE = { viewport: PHONE, hasTouch: true, isMobile: true }

/** What axe says beside the colours depends on the width, and not on the scheme. */
const GRID = [
  [DESK, 'light', undefined],
  [DESK, 'dark', ['color-contrast']],
  [PHONE, 'light', ['color-contrast']],
  [PHONE, 'dark', undefined],
] as const

/** By day, by night, at a desk and on a phone; the page is on a phone afterwards. */
export async function findAllViolations(page: BrowserPage): Promise<string[]> {
  const found: string[] = []
  for (const [size, colorScheme, rules] of GRID) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    for (const each of await findViolations(page, rules))
      found.push(`${page.url()} ${colorScheme} ${size.width}: ${each}`)
  }
  return found
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

/** How many pixels the page itself is wider than the window. */
export function measureOverflow(page: BrowserPage): Promise<number> {
  return page.locator('html').evaluate((root) => {
    const { scrollWidth, clientWidth } = root as unknown as { scrollWidth: number; clientWidth: number }
    return scrollWidth - clientWidth
  })
}

/** The element with the focus: `body`, `input#why`, `a “Send 412 records …”`. */
export function describeFocus(page: BrowserPage): Promise<string> {
  return page.locator('html').evaluate((root) => {
    const { tagName, id, textContent } = root.ownerDocument.activeElement ?? root
    const text = (textContent ?? '').replaceAll(/\s+/g, ' ').trim()
    const name = tagName.toLowerCase()
    if (id !== '') return `${name}#${id}`
    return name === 'body' ? name : `${name} “${text.slice(0, 40)}”`
  })
}
