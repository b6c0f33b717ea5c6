/** What the configuration takes away or adds: a console that only shows, personal data by role, and views that are noted. */
import { describe, expect, it, test } from 'vitest'
import { MASK } from '../../src/app/console/masks.ts'
import { createRights, ROLES, type Role } from '../../src/web/permissions.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { ConsoleConfiguration } from '../../src/config/observability.ts'
import { toText } from '../fixtures/console.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { listEveryAddress } from './addresses.ts'
import { aConsole, configurationAt, PASSWORD } from './harness.ts'

const JSON_ONLY = { accept: 'application/json' }

const PO = 'Zxmark-Customer'

/** One good order, one that is refused for its state; the good one is exported. */
async function aSmallWorld(): Promise<World & { readonly po: string }> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const orders = sampleOrders({ seed: 9, orders: 2, damageEvery: 0 })
  for (const { rows } of orders) for (const row of rows) row['Ship To Name'] = 'Zxmark Name'
  for (const row of orders[1]?.rows ?? []) row.State = 'ZZ'
  await world.drop('inbox/orders', 'day.csv', ordersFile(orders).text)
  await world.run('orders', 'orders-out')
  const bridge = await world.open()
  await bridge.pause({ route: 'orders', by: 'nadia', why: 'stock', until: world.clock.now() + 60_000 })
  await bridge.close()
  return { ...world, po: orders[0]?.po ?? '' }
}

/** The configuration of the world with these settings of the console. */
function withConsole(
  { configuration }: Pick<World, 'configuration'>,
  settings: Partial<ConsoleConfiguration>,
): Configuration {
  const defaults: ConsoleConfiguration = {
    host: 'localhost',
    port: 0,
    names: [],
    idleMs: 1,
    atMostMs: 1,
    personal: { viewer: 'masked', operator: 'shown', admin: 'shown' },
    personalFields: [],
    hasActions: true,
    recordsViews: false,
  }
  return { ...configuration, console: { ...defaults, ...settings } }
}

async function aConsoleOver(world: World, settings: Partial<ConsoleConfiguration>) {
  const { clock } = world
  // People of its own: a world may have several consoles.
  const configuration = { ...withConsole(world, settings), stateFolder: await tempFolder() }
  return aConsole({ configuration, clock })
}

test('the settings of the console say who sees what, and that it only shows', async () => {
  const lines = `console:
  actions: off
  recordViews: on
  personal: { operator: masked, fields: [customer_order_number] }`
  const { console: read } = await configurationAt(await tempFolder(), lines)
  expect(read).toMatchObject({
    hasActions: false,
    recordsViews: true,
    personal: { viewer: 'masked', operator: 'masked', admin: 'shown' },
    personalFields: ['customer_order_number'],
  })
  const { console: plain } = await configurationAt(await tempFolder())
  expect(plain).toMatchObject({ hasActions: true, recordsViews: false, personalFields: [] })
  const unknown = 'console: { personal: { fields: [shoe_size] } }'
  const failure = await configurationAt(await tempFolder(), unknown).catch((error: unknown) => error)
  expect(JSON.stringify(failure)).toContain('must be a field of the API')
})

describe('a console that only shows', () => {
  it('refuses each form and the page of each form, for every role, and changes nothing', async () => {
    const world = await aSmallWorld()
    const console = await aConsoleOver(world, { hasActions: false })
    const { journal } = await console.opened.getContext()
    const before = await journal.getHead()
    const wrong: string[] = []
    let asked = 0
    for (const { method, path } of console.server.guardedRoutes) {
      if (method !== 'POST' || path === '/sign-in' || path === '/sign-out') continue
      const url = path.replace(/:\w+/g, 'none')
      for (const role of ROLES) {
        const csrf = await console.csrfOf(role)
        const form = await console.post(url, { csrf, once: 'x'.repeat(22), why: 'x' }, { role })
        const page = await console.get(url, role)
        asked++
        if (form.statusCode !== 403 || page.statusCode !== 403) wrong.push(`${path} as ${role}`)
      }
    }
    expect(asked).toBeGreaterThan(40)
    expect(wrong).toEqual([])
    expect(await journal.getHead()).toEqual(before)
    const refused = await console.get('/routes/orders/pause', 'admin')
    expect(toText(refused.body)).toContain('This console only shows')
  })

  it('offers none: no page has a form that is sent, or a link to one', async () => {
    const world = await aSmallWorld()
    const console = await aConsoleOver(world, { hasActions: false })
    const { journal } = await console.opened.getContext()
    const actions = console.server.guardedRoutes.flatMap(({ method, path }) =>
      method === 'POST' && !path.startsWith('/sign') ? [path.replaceAll(/:\w+/g, '[^/"]+')] : [],
    )
    const link = new RegExp(`href="(${actions.join('|')})"`)
    const open = (await listEveryAddress(console.server, journal, ['orders', 'orders-out'])).filter(
      (path) => !actions.some((action) => new RegExp(`^${action}$`).test(path)),
    )
    expect(open.length).toBeGreaterThan(15)
    for (const path of open) {
      const { body } = await console.get(path, 'admin')
      const forms = [...body.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, to]) => to)
      expect(
        forms.filter((to) => to !== '/sign-out'),
        path,
      ).toEqual([])
      expect(link.exec(body)?.[0], path).toBeUndefined()
    }
    const shown = await aConsoleOver(world, {})
    const [file] = await journal.listFiles({ route: 'orders' }, undefined, 1)
    expect((await shown.get(`/files/${file?.id}`, 'admin')).body).toMatch(link)
  })
})

describe('personal data by role', () => {
  const readAll = async (console: Awaited<ReturnType<typeof aConsole>>, role: Role) => {
    const { journal } = await console.opened.getContext()
    const paths = await listEveryAddress(console.server, journal, ['orders', 'orders-out'])
    const answers = []
    for (const path of paths)
      for (const headers of [{}, JSON_ONLY]) answers.push((await console.get(path, role, headers)).body)
    return answers.join('\n')
  }

  it('are hidden from an operator where the configuration masks them, in pages, data and downloads', async () => {
    const world = await aSmallWorld()
    const console = await aConsoleOver(world, {
      personal: { viewer: 'masked', operator: 'masked', admin: 'shown' },
    })
    const masked = await readAll(console, 'operator')
    expect(masked).not.toMatch(/zxmark/i)
    expect(masked).toContain(MASK)
    expect(await readAll(console, 'admin')).toMatch(/zxmark/i)
    const { journal } = await console.opened.getContext()
    const [file] = await journal.listFiles({ route: 'orders' }, undefined, 1)
    const page = await console.get(`/files/${file?.id}`, 'operator')
    expect(page.body).not.toContain(`/files/${file?.id}/correct`)
    for (const path of ['correct', 'source']) {
      const { statusCode, body } = await console.get(`/files/${file?.id}/${path}`, 'operator')
      expect([path, statusCode]).toEqual([path, 403])
      expect(toText(body)).toContain('It shows personal data, which are hidden for your role, operator.')
      expect(toText(body)).toContain('Ask a person with the role admin.')
    }
  })

  it('are shown to a viewer where the configuration shows them', async () => {
    const world = await aSmallWorld()
    const console = await aConsoleOver(world, {
      personal: { viewer: 'shown', operator: 'shown', admin: 'shown' },
    })
    expect(await readAll(console, 'viewer')).toMatch(/zxmark/i)
  })

  it('are also the fields that the configuration names', async () => {
    const world = await aSmallWorld()
    const numbers = /"customer_order_number":"(?!A••)[^"]+"/
    const plain = await aConsoleOver(world, {})
    const more = await aConsoleOver(world, { personalFields: ['customer_order_number', 'net_price'] })
    const find = async (console: typeof plain) => {
      const { body } = await console.get(`/orders/${world.po}`, 'viewer', JSON_ONLY)
      return body
    }
    const [before, after] = [await find(plain), await find(more)]
    expect(before).toMatch(/"net_price":"?[\d.]/)
    expect(after).not.toMatch(/"net_price":"?[\d.]/)
    expect(after).not.toMatch(numbers)
    expect(after).toContain(`"net_price":"${MASK}"`)
  })
})

describe('the log of views', () => {
  it('has the first view of each person and record, with when and from where, and only where it is on', async () => {
    const world = await aSmallWorld()
    const console = await aConsoleOver(world, { recordsViews: true })
    const { journal } = await console.opened.getContext()
    const [file] = await journal.listFiles({ route: 'orders' }, undefined, 1)
    const [first, second] = await journal.listReportedRecords(file?.id ?? '', 0, 10)
    const views = () =>
      console.people.listViews(10).map(({ name, kind, ref, address }) => `${name} ${kind} ${ref} ${address}`)
    await console.get(`/records/${first?.id}`, 'viewer')
    await console.get('/', 'admin')
    expect(views()).toEqual([])
    await console.get(`/records/${first?.id}`, 'admin')
    await console.get(`/records/${first?.id}`, 'admin')
    expect(views()).toEqual([`admin record ${first?.id} 127.0.0.1`])
    await console.get(`/files/${file?.id}`, 'operator', JSON_ONLY)
    await console.get(`/files/${file?.id}`, 'admin')
    await console.get(`/files/${file?.id}/source`, 'operator')
    expect(views()).toEqual([
      `operator file ${file?.id} 127.0.0.1`,
      `admin record ${second?.id} 127.0.0.1`,
      `operator record ${first?.id} 127.0.0.1`,
      `operator record ${second?.id} 127.0.0.1`,
      `admin record ${first?.id} 127.0.0.1`,
    ])
    const { body } = await console.get('/access/views', 'admin')
    expect(toText(body)).toContain(`5 first views`)
    expect(body).toContain(`<a href="/records/${first?.id}">record ${first?.id}</a>`)
    const off = await aConsoleOver(world, {})
    await off.get(`/records/${first?.id}`, 'operator')
    expect(off.people.countViews()).toBe(0)
  })

  it('is kept before anything is shown: without a file that can be written, nothing is', async () => {
    const world = await aSmallWorld()
    const configuration = withConsole(world, { recordsViews: true })
    const console = await aConsole({ configuration, clock: world.clock, isReadOnly: true })
    const { journal } = await console.opened.getContext()
    const [file] = await journal.listFiles({ route: 'orders' }, undefined, 1)
    const [first] = await journal.listReportedRecords(file?.id ?? '', 0, 1)
    const { statusCode, body } = await console.get(`/records/${first?.id}`, 'operator')
    expect(statusCode).toBe(503)
    expect(body).not.toMatch(/zxmark/i)
    expect((await console.get(`/records/${first?.id}`, 'viewer')).statusCode).toBe(200)
  })
})

test('many sign-ins that failed stand on Today for admins, by name and by address, for a day', async () => {
  const console = await aConsole()
  const tryIn = (name: string, remoteAddress: string) =>
    console.server.inject({
      url: '/sign-in',
      method: 'POST',
      remoteAddress,
      headers: {
        host: 'localhost',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ name, password: 'wrong password' }).toString(),
    })
  for (let tries = 0; tries < 9; tries++) await tryIn('operator', `10.0.0.${tries}`)
  expect((await console.get('/', 'admin')).body).not.toContain('failed within a day')
  await tryIn('operator', '10.0.1.1')
  for (let tries = 0; tries < 12; tries++) await tryIn(`${PO}-${tries}`, '10.9.9.9')
  const text = toText((await console.get('/', 'admin')).body)
  expect(text).toContain('10 sign-ins as operator failed within a day.')
  expect(text).toContain('12 sign-ins from 10.9.9.9 failed within a day.')
  // The mapping of this configuration is not there, either.
  expect(text).toContain('3 things need a person')
  expect(text).not.toContain(PO)
  for (const role of ['viewer', 'operator'] as const) {
    expect((await console.get('/', role)).body).not.toContain('failed within a day')
    expect((await console.get('/', role, JSON_ONLY)).body).not.toContain('failedSignIns')
  }
  expect((await console.post('/sign-in', { name: 'operator', password: PASSWORD })).statusCode).toBe(303)
  console.clock.advance?.(25 * 60 * 60_000)
  const token = console.people.startSession('admin')
  const later = await console.get('/', undefined, { cookie: `__Host-dropbridge=${token}` })
  expect(later.body).not.toContain('failed within a day')
  // The work of a sign-in under an unknown name takes up to a second, by intent.
}, 120_000)

test('the page that refuses names the role of the person and the roles that may', async () => {
  const console = await aConsole()
  const viewer = toText((await console.get('/files/none/release', 'viewer')).body)
  expect(viewer).toContain('Your role is viewer. This needs the role operator or admin.')
  expect(viewer).toContain('Ask a person with the role operator or admin.')
  const operator = await console.get('/people', 'operator', JSON_ONLY)
  expect(operator.json()).toMatchObject({
    error: { message: 'Your role is operator. This needs the role admin.' },
  })
  expect(createRights().isAllowed({ role: 'admin' }, 'administer')).toBe(true)
})
