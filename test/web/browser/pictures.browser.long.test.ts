/** The pictures of docs/console.md: each page that they show is there with its heading. `UPDATE_PICTURES=1` makes them anew. */
import { mkdir, readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium } from '../../fixtures/chromium.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { type Site, startSite, visit } from './site.ts'

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url))

const FOLDER = `${DOCS}images/console/`

const PICTURED = '/tmp/acme'

const BYTES_MAX = 80 * 1024

const isUpdate = process.env['UPDATE_PICTURES'] === '1'

interface Picture {
  readonly name: string
  readonly heading: RegExp
  /** The address of what it shows. */
  readonly find: (site: Site) => string | Promise<string>
}

/** Finds the file of this name, and a record of it that is refused. */
async function findFile(site: Site, name: string) {
  const bridge = await site.open()
  const [file] = await bridge.journal.listFiles({ name }, undefined, 1)
  const records = await bridge.journal.listRecords({ file: file?.id ?? '' }, {}, 100)
  await bridge.close()
  return { file: file?.id ?? '', refused: records.find(({ state }) => state === 'rejected')?.id ?? 0 }
}

const PICTURES: readonly Picture[] = [
  { name: 'today', heading: /need/, find: () => '/' },
  {
    name: 'file',
    heading: /^monday\.csv$/,
    find: async (site) => `/files/${(await findFile(site, 'monday')).file}`,
  },
  {
    name: 'correct',
    heading: /^Correct monday\.csv$/,
    find: async (site) => `/files/${(await findFile(site, 'monday')).file}/correct`,
  },
  {
    name: 'release',
    heading: /^Send what is held of orders\.csv$/,
    find: async (site) => `/files/${(await findFile(site, 'orders.csv')).file}/release`,
  },
  { name: 'report', heading: /^Report of \d{4}-\d\d-\d\d$/, find: () => '/reports' },
]

describe.skipIf(!hasChromium())('the pictures of the docs', () => {
  let site: Site

  beforeAll(async () => {
    // The name and the paths of the folder are in the pictures.
    if (isUpdate) await mkdir(PICTURED)
    site = await startSite(isUpdate ? { folder: PICTURED } : undefined)
    await site.runStoppedFile(12)
    const orders = sampleOrders({ seed: 5, orders: 8, damageEvery: 4, firstNumber: 50_001 })
    await site.run('monday.csv', ordersFile(orders).text)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  test.each(PICTURES)('show $name, which is there and has its heading', async ({ name, heading, find }) => {
    const { page, troubles } = await visit(site, 'operator', { viewport: { width: 860, height: 540 } })
    const answer = await page.goto(site.origin + (await find(site)))
    expect(answer?.status()).toBe(200)
    const readHeading = async () => {
      await page.reload()
      return page.locator('h1').textContent()
    }
    // Today says how many things there are once the journal was read.
    await expect.poll(readHeading, { timeout: 60_000, interval: 500 }).toMatch(heading)
    const path = `${FOLDER}${name}.png`
    if (isUpdate) {
      await mkdir(FOLDER, { recursive: true })
      await page.screenshot({ path })
    }
    expect((await stat(path)).size).toBeLessThanOrEqual(BYTES_MAX)
    expect(await readFile(`${DOCS}console.md`, 'utf8')).toContain(`(images/console/${name}.png)`)
    expect(troubles).toEqual([])
  })
})
