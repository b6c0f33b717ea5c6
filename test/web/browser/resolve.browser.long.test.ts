/** What came of a lost answer is said by keyboard alone, with the rules and the words of the command line. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { systemClock } from '../../../src/support/clock.ts'
import { hasChromium } from '../../fixtures/chromium.ts'
import { runUnheard } from '../../fixtures/office.ts'
import { runProgram } from '../../fixtures/program.ts'
import { RETAILER } from '../../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { isFocused, useKeyboard } from './keyboard.ts'
import { type Site, startSite, visit } from './site.ts'

/** Long enough for a person with a keyboard, and short enough to be waited for. */
const LATE_ANSWER_S = 30

const [KNOWN, LOST] = sampleOrders({ seed: 12, orders: 2, damageEvery: 0, firstNumber: 60_001 })
const [known, lost] = [KNOWN!.po, LOST!.po]

describe.skipIf(!hasChromium())('by keyboard', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite()
    const path = join(site.folder, 'dropbridge.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/lateAnswer: \d+s/, `lateAnswer: ${LATE_ANSWER_S}s`))
    await site.run('known.csv', ordersFile([KNOWN!]).text)
    await site.startConsole()
  })
  afterAll(() => site.stop())

  /** The id of each order at the service, by its number. */
  const readIds = async (): Promise<ReadonlyMap<string, string>> => {
    const { baseUrl, credentials } = site.configuration.api
    const client = createClient({ baseUrl, ...credentials, clock: systemClock, random: Math.random })
    const ids = new Map<string, string>()
    const call = { endpoint: 'listRetailerOrders', params: { retailer_id: RETAILER } }
    for await (const page of client.list(call))
      for (const { id, purchase_order_number: number } of page as {
        id: number
        purchase_order_number: string
      }[])
        ids.set(number, String(id))
    await client.close()
    return ids
  }
  const listResults = async () => {
    const names = await readdir(join(site.folder, 'exchange/results'))
    return names.filter((name) => name.startsWith('lost.csv') && name.endsWith('.results.csv')).toSorted()
  }

  test('a lost answer is found, another id is refused, and its own one is noted once; its file is reported again', async () => {
    const { page, troubles } = await visit(site, 'operator')
    await site.drop('lost.csv', ordersFile([LOST!]).text)
    await runUnheard(site, 'orders', { arrives: true, canLookUp: false })
    const ids = await readIds()
    expect(ids.size).toBe(2)
    const reported = await listResults()
    const { press, type, tabTo } = useKeyboard(page)
    const accepted = page.getByLabel('The API has it.')
    const others = [
      page.getByLabel('The API does not have it: it is sent again.'),
      page.getByLabel('It is not known, and it is given up.'),
    ]
    const fields = { id: page.getByLabel('Its id at the API'), why: page.locator('#why') }
    const button = page.getByRole('button', { name: 'Resolve 1 record' })
    const areShut = () => Promise.all(others.map((each) => each.isDisabled()))
    const readSeconds = async () => Number(await page.locator('[data-countdown]').textContent())

    await page.goto(`${site.origin}/`)
    await press('/')
    await type(lost)
    await press('Enter')
    await page.waitForURL(/\/records\/\d+$/)
    expect(await page.locator('main').innerText()).toContain('? uncertain')
    await tabTo(page.getByRole('link', { name: 'Say what came of it …' }))
    await press('Enter')
    await page.waitForURL(/\/resolve$/)

    expect(await areShut()).toEqual([true, true])
    const first = await readSeconds()
    expect(first).toBeLessThanOrEqual(LATE_ANSWER_S)
    await expect.poll(readSeconds, { timeout: 60_000 }).toBeLessThan(first)
    await tabTo(accepted)
    await press('Space')
    expect(await accepted.isChecked()).toBe(true)
    await press('ArrowDown')
    expect(await Promise.all(others.map((each) => each.isChecked()))).toEqual([false, false])
    expect(await accepted.isChecked()).toBe(true)
    await tabTo(fields.id)
    await type(ids.get(known)!)
    await tabTo(fields.why)
    await type('seen on its screen')
    await tabTo(button)
    await press('Enter')
    await page.getByRole('alert').waitFor({ timeout: 60_000 })
    const said = await page.getByRole('alert').innerText()
    const cli = await runProgram(
      site.folder,
      ['resolve', lost, '--accepted', ids.get(known)!, '--by', 'ada', '--why', 'the same'],
      site.env,
    )
    expect(said).toContain(`${ids.get(known)} is the id of `)
    expect(cli.stderr.trim()).toBe(said.trim())

    // What was typed is there still, and the time runs out by itself.
    expect(await areShut()).toEqual([true, true])
    expect(await fields.why.inputValue()).toBe('seen on its screen')
    await tabTo(fields.id)
    await press('Control+A')
    await type(ids.get(lost)!)
    await expect.poll(areShut, { timeout: LATE_ANSWER_S * 2_000 }).toEqual([false, false])
    expect(await fields.id.inputValue()).toBe(ids.get(lost))
    expect(await isFocused(fields.id)).toBe(true)
    expect(await page.locator('[data-countdown]').count()).toBe(0)
    expect(await accepted.isChecked()).toBe(true)
    await press('Enter')
    await page.waitForURL(/\/decisions\/\d+$/, { timeout: 60_000 })
    expect(await page.locator('h1').textContent()).toBe('operator resolved as accepted 1 record')
    await page.getByText(`✓ accepted as ${ids.get(lost)}`).waitFor({ timeout: 60_000 })

    expect((await readIds()).size).toBe(2)
    expect(site.sent).toEqual([known, lost])
    const again = (await listResults()).filter((name) => !reported.includes(name))
    expect(again).toHaveLength(1)
    const rows = await readFile(join(site.folder, 'exchange/results', again[0]!), 'utf8')
    expect(rows).toMatch(
      /operator resolved on \S+ that the API has it as \d+, which the API showed: seen on its screen/,
    )
    expect(troubles).toEqual([])
  })
})
