/** A site in which every page of the console has something to show, and each text that came from elsewhere is hostile. */
import { expect } from 'vitest'
import type { Journal } from '../../../src/domain/journal.ts'
import { PAGES } from '../../../src/web/pages.ts'
import { runUnheard } from '../../fixtures/office.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../../samples/orders.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import { type Site, startSite } from './site.ts'

/** Who decided at the command line; the console takes no such name. */
export const HOSTILE_NAME = `<img src=x onerror=alert('n')>"'</title>`

const DAY_MS = 86_400_000

/** Of each family some, which is enough to fill the pages. */
const SOME_TEXTS = HOSTILE_TEXTS.filter((_, index) => index % 8 === 0)

/** A file system takes no longer names. */
const NAME_BYTES_MAX = 200

/** The texts are in so many rows of a file, which its page shows at once. */
const ROWS_MAX = 50

export type FullSite = Awaited<ReturnType<typeof startFullSite>>

/** With each of the texts in cells, keys, names of files, answers of the API, names of people and reasons. */
export async function startFullSite(texts: readonly string[] = SOME_TEXTS) {
  const site = await startSite()
  await site.runStoppedFile(6)
  const orders = sampleHostileOrders(texts)
  for (let from = 0; from < orders.length; from += ROWS_MAX)
    await site.drop(`x’<b>& ${from}.csv`, ordersFile(orders.slice(from, from + ROWS_MAX)).text)
  await site.run()
  const refused = await runHostileFiles(site, texts)
  const [lost] = sampleOrders({ seed: 8, orders: 1, damageEvery: 0, firstNumber: 90_001 })
  await site.drop('lost.csv', ordersFile([lost!]).text)
  await runUnheard(site, 'orders', { arrives: false, canLookUp: false })
  await site.runRoute('orders-out')
  const bridge = await site.open()
  const until = Date.now() + DAY_MS
  for (const text of texts) await bridge.pause({ route: 'orders-out', by: text, why: text, until })
  await bridge.pause({ route: 'orders-out', by: HOSTILE_NAME, why: texts[0] ?? '', until })
  const addresses = await listAddresses(bridge.journal)
  const files = (await bridge.journal.listRecentFiles(500)).map(({ id, name }) => ({ id, name }))
  const held = await bridge.journal.listHeldFiles(1)
  await bridge.close()
  await site.startConsole()
  return { ...site, origin: site.origin, addresses, files, refused, heldFile: held[0]?.file ?? '' }
}

/** Every fourth one is good but for its gift message; the others have the text in each cell. */
function sampleHostileOrders(texts: readonly string[]): SampleOrder[] {
  const orders = sampleOrders({ seed: 9, orders: texts.length, damageEvery: 0, firstNumber: 70_001 })
  for (const [index, { rows }] of orders.entries()) {
    rows.length = 1
    const row: Record<string, string> = rows[0] ?? {}
    const text = texts[index] ?? ''
    if (index % 4 === 0) row['Gift Message'] = text
    else for (const name of Object.keys(row)) row[name] = text
  }
  return orders
}

/** Files with hostile names, some with hostile keys; the API refuses others with the text. Returns the numbers of these. */
async function runHostileFiles(site: Site, texts: readonly string[]): Promise<readonly string[]> {
  const orders = sampleOrders({ seed: 10, orders: texts.length, damageEvery: 0, firstNumber: 80_001 })
  const refused: string[] = []
  for (const [index, order] of orders.entries()) {
    order.rows.length = 1
    const text = texts[index] ?? ''
    // What no folder can hold, and names that are never taken, are only in the cells.
    if (/^\.|[/\\\p{Cc}]/u.test(text) || Buffer.byteLength(text) > NAME_BYTES_MAX) continue
    const number = `${text} ${index}`.slice(0, 60)
    if (index % 3 === 0) for (const row of order.rows) row['PO Number'] = number
    if (index % 3 === 1) {
      site.refusals.set(order.po, text)
      refused.push(order.po)
    }
    await site.drop(`${text}.csv`, ordersFile([order]).text)
  }
  await site.run()
  return refused
}

/** An address for each page of the console. A page without one fails. */
async function listAddresses(journal: Journal): Promise<string[]> {
  const [held] = await journal.listHeldRecords(1)
  const [delivery] = await journal.listRecentDeliveries(1)
  const [decision] = await journal.listAllDecisions(undefined, 1)
  const [uncertain] = await journal.listUnresolvedRecords(1, {})
  const [rejected] = await journal.listRejectedFiles(1)
  const records = await journal.listRecords({ file: rejected?.file ?? '' }, {}, 200)
  const refused = records.find(({ state }) => state === 'rejected')
  const parts: Readonly<Record<string, string | undefined>> = {
    'files id': held?.file,
    'records n': held && String(held.id),
    'orders key': held?.keyValues[0],
    'routes name': 'orders',
    'deliveries id': delivery?.id,
    'decisions n': decision && String(decision.id),
    '/files/:id/correct': rejected?.file,
    '/files/:id/dismiss': rejected?.file,
    '/records/:n/dismiss': refused && String(refused.id),
    '/records/:n/resolve': uncertain && String(uncertain.id),
    '/routes/:name/resume': 'orders-out',
  }
  return PAGES.flatMap(({ path }) => {
    // A browser keeps these as files; an alert has an id of its own; and no route of this site makes a report.
    if (/\/(source|rejects|download|again)$|^\/aside/.test(path)) return []
    const [, section = '', name] = /^\/(\w+)\/:(\w+)/.exec(path) ?? []
    if (name === undefined) return path
    const value = parts[path] ?? parts[`${section} ${name}`]
    expect(value, `an example of ${path}`).toBeTruthy()
    // A run that a restarted console does not know has a page that says so.
    return path.replace(`:${name}`, encodeURIComponent(value ?? '')).replace(':run', 'none')
  })
}
