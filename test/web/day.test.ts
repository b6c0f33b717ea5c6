/** A day of the console: every page and every action once, and what the journal holds of it. */
import { DateTime } from 'luxon'
import { expect, onTestFinished, test } from 'vitest'
import { openJournalToRead } from '../../src/journal/open.ts'
import { PAGES } from '../../src/web/pages.ts'
import type { Role } from '../../src/web/permissions.ts'
import { runUnheard } from '../fixtures/office.ts'
import { offerItem, someOrders } from '../fixtures/stopped-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'
import { listEveryAddress } from './addresses.ts'
import { aDesk } from './desk.ts'
import { readFields } from './forms.ts'

const ROUTES = ['orders', 'orders-out'] as const

/** `pages/dismiss.test.ts` has deliveries that were canceled or held, and a report, and `today.test.ts` has alerts. */
const NEEDS_ANOTHER_WORLD = [
  '/deliveries/:id/dismiss',
  '/deliveries/:id/resolve',
  '/routes/:name/again',
  '/aside/:alert',
]

/** Two files that the circuit breaker stopped, one with refused rows, one whose answer was lost, and a delivered one. */
async function aBusyWorld(): Promise<World> {
  const world = await aWorld({ routes: ROUTES, connections: 1 })
  Object.assign(world.configuration.routes[0] ?? {}, { circuitBreaker: { sameRefusal: 2 } })
  const run = async (name: string, orders: readonly SampleOrder[]) => {
    await world.drop('inbox/orders', name, ordersFile(orders).text)
    await world.run('orders')
  }
  const stopped = someOrders(10, (index) => index % 5 < 2)
  await run('first.csv', stopped.slice(0, 5))
  await run('second.csv', stopped.slice(5))
  await offerItem(world)
  const [refused, good] = sampleOrders({ seed: 5, orders: 2, damageEvery: 0, firstNumber: 50_001 })
  for (const row of refused!.rows) Object.assign(row, { State: 'ZZ', Country: 'US' })
  await run('refused.csv', [refused!, good!])
  await world.run('orders-out')
  const [lost] = sampleOrders({ seed: 4, orders: 1, damageEvery: 0, firstNumber: 60_001 })
  await world.drop('inbox/orders', 'lost.csv', ordersFile([lost!]).text)
  await runUnheard(world, 'orders', { arrives: false, canLookUp: false })
  return world
}

/** A connection that is not the console's, which sees each commit. */
async function watchCommits({ configuration, clock }: World) {
  const { journal, readDataVersion } = await openJournalToRead({ path: configuration.journal.path, clock })
  onTestFinished(() => journal.close())
  return readDataVersion
}

/** Some hundred answers. */
const MANY_PAGES = { timeout: 90_000 }

test(
  'without a bridge every page answers and nothing is written, and the head says that nothing runs',
  MANY_PAGES,
  async () => {
    const world = await aBusyWorld()
    const { console, journal } = await aDesk(world)
    const bridge = await world.open()
    await bridge.pause({ route: 'orders', by: 'nadia', why: 'stock', until: world.clock.now() + 60_000 })
    await bridge.close()
    const readDataVersion = await watchCommits(world)
    const before = readDataVersion()
    const secrets = Object.values(world.credentials).map(({ clientSecret }) => clientSecret)
    expect(secrets.every((secret) => secret.length > 10)).toBe(true)
    const addresses = await listEveryAddress(console.server, journal, ROUTES)
    expect(addresses.length).toBeGreaterThan(40)
    for (const address of addresses) {
      const { statusCode, headers, body } = await console.get(address, 'admin')
      expect([200, 303], address).toContain(statusCode)
      const isDownload = headers['content-disposition'] !== undefined
      // The sign-in sends a person on who is signed in.
      expect(statusCode === 303 || isDownload || body.includes('○ Not running. Last work '), address).toBe(
        true,
      )
      const data = await console.get(address, 'admin', { accept: 'application/json' })
      expect([200, 303], `${address} as JSON`).toContain(data.statusCode)
      for (const secret of secrets) expect(body + data.body, address).not.toContain(secret)
      await console.get(`${address}?format=csv&q=HV&name=x&after=1`, 'viewer')
      expect(readDataVersion(), address).toBe(before)
    }
  },
)

test('after a day of all actions each is there once with the name of its person, and the chain is whole', async () => {
  const world = await aBusyWorld()
  const { console, journal } = await aDesk(world)
  const readDataVersion = await watchCommits(world)
  const idOf = async (name: string) => (await journal.listFiles({ name }, undefined, 1))[0]?.id ?? ''
  const [first, second] = [await idOf('first.csv'), await idOf('second.csv')]
  const held = await journal.listHeldRecords(9)
  const recordsOf = (file: string) => held.filter((each) => each.file === file).map(({ id }) => id)
  const [refused] = await journal.listRecords({ file: second }, { state: 'rejected' }, 1)
  const [delivery] = await journal.listDeliveries({}, undefined, 1)
  const [lost] = await journal.listUnresolvedRecords(1, {})
  const until = DateTime.fromMillis(world.clock.now() + 600_000, { zone: 'UTC' }).toFormat(
    "yyyy-MM-dd'T'HH:mm",
  )
  world.clock.skip(10_000)

  const done = new Set<string>()
  /** Opens the dialog, which leaves the journal as it is, and sends its form. */
  const act = async (path: string, values: Record<string, string>, role: Role = 'operator') => {
    const page = PAGES.find((each) => new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
    done.add(page?.path ?? path)
    const before = readDataVersion()
    const shown = await console.get(path, role)
    expect(shown.statusCode, path).toBe(200)
    expect(readDataVersion(), `opening ${path}`).toBe(before)
    const form = /<form method="post" action="[^"]*" class="(?:decision|correction)">[^]*?<\/form>/.exec(
      shown.body,
    )
    const fields = readFields((form?.[0] ?? '').replace('class="decision"', 'class="correction"'))
    const sent = { ...fields, ...values, why: `for ${path}` }
    const { statusCode, headers, body } = await console.post(path, sent, { role })
    return { statusCode, to: String(headers.location ?? ''), body }
  }
  const acted: object[] = []
  const expectDone = async (path: string, values: Record<string, string> = {}, role: Role = 'operator') => {
    const { statusCode, body } = await act(path, values, role)
    expect(statusCode, `${path}: ${body}`).toBe(303)
    acted.push({ what: 'acted', name: role, role, target: path, address: '127.0.0.1' })
  }
  await expectDone(`/records/${recordsOf(first)[0]}/release`)
  await expectDone(`/records/${recordsOf(second)[0]}/discard`)
  await expectDone(`/files/${first}/release`)
  await expectDone(`/files/${second}/discard`)
  await expectDone(`/records/${refused?.id}/dismiss`)
  await expectDone(`/files/${second}/dismiss`)
  await expectDone(`/records/${lost?.id}/resolve`, { outcome: 'resolve-absent', looked: 'yes' })
  await expectDone(`/deliveries/${delivery?.id}/redeliver`)
  await expectDone('/routes/orders/pause', { until })
  await expectDone('/routes/orders/resume')
  const correct = `/files/${await idOf('refused.csv')}/correct`
  const applied = readFields((await act(correct, { 'apply-1': 'NY', do: 'apply-1' })).body)
  const checked = readFields(
    (await console.post(correct, { ...applied, do: 'check' }, { role: 'operator' })).body,
  )
  await expectDone(correct, { ...checked, do: 'send' })
  await expectDone('/settings/verify', {}, 'admin')
  await expectDone('/routes/orders/run')
  const actions = PAGES.flatMap(({ path, act: own }) => (own ? [path] : []))
  expect([...done, ...NEEDS_ANOTHER_WORLD].toSorted()).toEqual(actions.toSorted())

  const log = console.people.listAccess(99).filter(({ what }) => what === 'acted')
  expect(log.toReversed()).toMatchObject(acted)
  const decisions = await journal.listAllDecisions(undefined, 99)
  expect(decisions.map(({ action }) => action).toSorted()).toEqual([
    'correct',
    'discard',
    'discard',
    'dismiss',
    'dismiss',
    'pause',
    'redeliver',
    'release',
    'release',
    'resolve-absent',
    'resume',
  ])
  for (const each of decisions) expect(each).toMatchObject({ by: 'operator', via: 'console' })
  expect((await journal.verifyChain({})).findings).toEqual([])
  const numbers = (await world.orders()).map((order) => order.purchase_order_number)
  // Two of ten were refused in each stopped file, and three of the second were given up.
  expect({ orders: numbers.length, different: new Set(numbers).size }).toEqual({ orders: 6, different: 6 })
})
