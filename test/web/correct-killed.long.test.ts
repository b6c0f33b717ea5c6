/** A correction is sent from the built program while its processes are killed: every order is at the service once. */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type OpenedToRead, openJournalToRead } from '../../src/journal/open.ts'
import { systemClock } from '../../src/support/clock.ts'
import { RETAILER } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { dice } from '../samples/random.ts'
import { PASSWORD, type Site, startSite } from './browser/site.ts'
import { readFields, visitPlainly } from './forms.ts'

const FILES = 20
const ORDERS_EACH = 50

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.stop())

/** A file of 50 orders, three of which are refused: two for their state, one for its quantity. */
function makeFile(index: number): { readonly name: string; readonly text: string } {
  const orders = sampleOrders({
    seed: index,
    orders: ORDERS_EACH,
    damageEvery: 0,
    firstNumber: 10_001 + index * 100,
  })
  for (const number of [3, 17])
    for (const row of orders[number]?.rows ?? []) Object.assign(row, { State: 'ZZ', Country: 'US' })
  for (const row of orders[30]?.rows ?? []) row.Qty = 'QQ'
  return { name: `orders-${index}.csv`, text: ordersFile(orders).text }
}

type Person = Awaited<ReturnType<typeof visitPlainly>>

/** Corrects what the page shows, up to the form that is about to be sent. Undefined where nothing is left to correct. */
async function fillIn(person: Person, file: string): Promise<Record<string, string> | undefined> {
  const path = `/files/${file}/correct`
  let form = readFields((await person.look(path)).body)
  for (const name of Object.keys(form).filter((each) => each.startsWith('apply-'))) {
    const text = form[name] === 'ZZ' ? 'NY' : '1'
    form = readFields((await person.send(path, { ...form, [name]: text, do: name })).body)
  }
  const checked = readFields((await person.send(path, { ...form, do: 'check' })).body)
  return 'expected' in checked ? { ...checked, do: 'send', why: 'confirmed by phone', take: '' } : undefined
}

/** The processes that the process started and that are not over. */
function listChildren(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

async function listPosted(): Promise<string[]> {
  const { baseUrl, credentials } = site.configuration.api
  const client = createClient({ baseUrl, ...credentials, clock: systemClock, random: Math.random })
  const numbers: string[] = []
  const call = { endpoint: 'listRetailerOrders', params: { retailer_id: RETAILER } }
  for await (const page of client.list(call))
    numbers.push(...(page as { purchase_order_number: string }[]).map((each) => each.purchase_order_number))
  await client.close()
  return numbers
}

/** Waits until the journal was changed so many times more, at the moment of it. */
async function waitForCommits(
  { readDataVersion }: Pick<OpenedToRead, 'readDataVersion'>,
  count: number,
): Promise<void> {
  let left = count
  for (let version = readDataVersion(); left > 0;) {
    await wait(0)
    const now = readDataVersion()
    if (now !== version) left--
    version = now
  }
}

test('20 times at random moments: 1000 orders are at the service, none doubled, none lost', async () => {
  const chance = dice(41)
  const files = Array.from({ length: FILES }, (_, index) => makeFile(index))
  for (const { name, text } of files) await site.drop(name, text)
  await site.run()
  expect(await listPosted()).toHaveLength(FILES * (ORDERS_EACH - 3))
  await site.startConsole()
  const opened = await openJournalToRead({ path: site.configuration.journal.path, clock: systemClock })
  const ids = new Map((await opened.journal.listRecentFiles(100)).map(({ id, name }) => [name, id]))
  const people = await Promise.all(['operator', 'admin'].map((name) => visitPlainly(site, name, PASSWORD)))
  const [nadia, erik] = people as [Person, Person]
  const died = { console: 0, hand: 0, both: 0 }

  for (const [index, { name }] of files.entries()) {
    const id = ids.get(name) ?? ''
    const path = `/files/${id}/correct`
    const form = (await fillIn(nadia, id)) ?? {}
    expect(form['expected'], name).toBeTruthy()
    const child = site.getConsole()
    const pid = child?.pid ?? 0

    const kind = ['once', 'double click', 'two people', 'by hand'][index % 4]
    const another = kind === 'two people' ? await fillIn(erik, id) : form
    const asked = [nadia.send(path, form)]
    if (kind === 'double click') asked.push(nadia.send(path, form))
    if (kind === 'two people') asked.push(erik.send(path, another ?? {}))
    const sent = Promise.allSettled(asked)
    if (kind === 'by hand') {
      const rejects = await readFile(join(site.folder, 'exchange/results', `${name}.rejects.csv`), 'utf8')
      await site.drop(`${name}.rejects.csv`, rejects.replaceAll(',ZZ,', ',NY,').replaceAll(',QQ,', ',1,'))
    }
    const isOver = sent.then(() => undefined)
    // Half of the moments are between what the journal notes, because most of the time a process only starts.
    const moment = chance.chance(0.5)
      ? waitForCommits(opened, chance.between(1, 9)).then(() => wait(chance.between(0, 3)))
      : wait(chance.between(1, 900))
    await Promise.race([moment, isOver])
    const victim = chance.pick(['console', 'hand', 'both'] as const)
    const hands = listChildren(pid)
    if (victim !== 'console') for (const hand of hands) process.kill(hand, 'SIGKILL')
    if (victim !== 'hand') await site.endConsole('SIGKILL')
    died[victim]++
    await sent
    // A hand whose console is gone ends what it does by itself.
    await expect
      .poll(() => hands.filter((hand) => existsSync(`/proc/${hand}`)), { timeout: 20_000 })
      .toEqual([])

    if (chance.chance(0.5)) await site.run()
    if (victim !== 'hand') await site.startConsole()
    for (const person of people) person.goTo(site.origin)
    const again = await fillIn(nadia, id)
    const answer = again && (await nadia.send(path, again))
    expect(answer?.status ?? 303, `${name}: ${kind}, ${victim} killed: ${answer?.body}`).toBe(303)
  }

  await site.run()
  const posted = await listPosted()
  expect({ orders: posted.length, different: new Set(posted).size }).toEqual({
    orders: 1000,
    different: 1000,
  })
  const { findings } = await opened.journal.verifyChain({})
  expect(findings).toEqual([])
  await opened.journal.close()
  console.log(`killed: ${JSON.stringify(died)}`)
}, 400_000)
