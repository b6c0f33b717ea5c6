/** A real service, a bridge with its files, the console as a process, and people who visit it in Chromium. */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBridge } from '../../../src/app/bridge.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { loadConfiguration } from '../../../src/config/load.ts'
import { sampleSeed } from '../../../src/service/sample-seed.ts'
import { createService, type Service } from '../../../src/service/service.ts'
import { type Clock, systemClock } from '../../../src/support/clock.ts'
import { hashPassword } from '../../../src/web/passwords.ts'
import { getPeoplePath, openPeople } from '../../../src/web/people.ts'
import { ROLES, type Role } from '../../../src/web/permissions.ts'
import { CHROMIUM } from '../../fixtures/chromium.ts'
import { type Running, startProgram } from '../../fixtures/program.ts'
import { offerItem, someOrders } from '../../fixtures/stopped-route.ts'
import { BRAND, listOrders, RETAILER, type World } from '../../fixtures/world.ts'
import { ordersFile } from '../../samples/orders.ts'

export const PASSWORD = 'correct horse battery'

/** Of real time: within it only an id of the API can be noted for a lost answer. */
const LATE_ANSWER_S = 3

export type Site = Awaited<ReturnType<typeof startSite>>

export interface SiteOptions {
  readonly folder?: string
  /** That of the service, which says by when an order is due; that of this machine when left out. */
  readonly serviceClock?: Clock
}

/** The bridge has the route `orders`, which two refusals stop, and a route that delivers. Nothing has come yet. */
export async function startSite(given: SiteOptions = {}) {
  const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'dropbridge-')))
  const clock = systemClock
  const service = await createService({
    data: ':memory:',
    seed: sampleSeed(),
    clock: given.serviceClock ?? clock,
  })
  const sent: string[] = []
  const changes: string[] = []
  const refusals = new Map<string, string>()
  service.app.addHook('preHandler', async (request, reply) => {
    if (request.method === 'GET') return
    changes.push(`${request.method} ${request.url}`)
    if (request.method !== 'POST' || !request.url.endsWith('/orders/')) return
    const { purchase_order_number: number } = request.body as { purchase_order_number: string }
    sent.push(number)
    const text = refusals.get(number)
    if (text !== undefined) await reply.code(400).send({ non_field_errors: [text] })
  })
  await service.listen()
  const env = await writeConfiguration(folder, service)
  const configuration = await loadConfiguration(join(folder, 'dropbridge.yaml'), env)
  for (const role of ROLES) await addPerson(configuration, role, role)
  const open: World['open'] = async (wrap, more) =>
    openBridge(configuration, { clock, ...(wrap && { wrap }), ...more })
  let browser: Promise<Browser> | undefined
  let running: Running | undefined
  const others: Running[] = []
  const site = {
    service,
    configuration,
    /** The numbers of the orders that were posted, counted at the service. */
    sent,
    /** All other requests too that are no questions, such as `POST /v1/orders/`. */
    changes,
    /** With which words the API refuses an order, by its number. */
    refusals,
    /** The folder of the configuration file, and what the programs there need in their environment. */
    folder,
    env,
    origin: '',
    open,
    /** One for all visitors, from the first one on. */
    openBrowser: () =>
      (browser ??= chromium.launch({
        executablePath: CHROMIUM.path,
        args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
      })),
    async drop(name: string, text: string): Promise<void> {
      await mkdir(join(folder, 'exchange/inbox'), { recursive: true })
      await writeFile(join(folder, 'exchange/inbox', name), text)
    },
    /** One pass of a bridge, over the file and whatever else lies in the inbox. */
    async run(name?: string, text = ''): Promise<void> {
      if (name !== undefined) await site.drop(name, text)
      await site.runRoute('orders')
    },
    /** One pass over a route: `orders`, or `orders-out`, which leaves the accepted orders in a file of the outbox. */
    async runRoute(route: 'orders' | 'orders-out'): Promise<void> {
      const bridge = await open()
      await bridge.run([route], new AbortController().signal)
      await bridge.close()
    },
    /** `orders.csv`: two orders are refused, the others are held, and the cause is mended. Returns their numbers. */
    async runStoppedFile(count: number): Promise<string[]> {
      const orders = someOrders(count, (index) => index < 2)
      await site.run('orders.csv', ordersFile(orders).text)
      await offerItem({ service, clock: clock as World['clock'] })
      sent.splice(0)
      return orders.map(({ po }) => po)
    },
    /** As the retailer sees them at the service. */
    orders: () => listOrders({ configuration, clock }),
    async startConsole(): Promise<void> {
      running = startProgram(folder, ['console'], env)
      site.origin = await readOrigin(running)
    },
    /** A console of a bridge like this one, which has seen nothing yet, or has no journal. */
    async startAnother(state: 'empty' | 'without-journal'): Promise<{ readonly origin: string }> {
      const own = join(folder, state)
      await mkdir(own)
      await writeConfiguration(own, service)
      const other = await loadConfiguration(join(own, 'dropbridge.yaml'), env)
      for (const role of ROLES) await addPerson(other, role, role)
      if (state === 'empty') await (await openBridge(other, { clock })).close()
      const started = startProgram(own, ['console'], env)
      others.push(started)
      return { origin: await readOrigin(started) }
    },
    /** The process of the console; undefined while it is not started. */
    getConsole: () => running?.process,
    /** Ends the console, and waits until it is gone. */
    async endConsole(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
      running?.process.kill(signal)
      await running?.finished
      running = undefined
    },
    async stop(): Promise<void> {
      await (await browser)?.close()
      await site.endConsole('SIGTERM')
      for (const { process: child, finished } of others) {
        child.kill('SIGTERM')
        await finished
      }
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return site
}

async function addPerson(configuration: Configuration, name: string, role: Role): Promise<void> {
  const limits = { idleMs: 3_600_000, atMostMs: 3_600_000 }
  const people = openPeople({ path: getPeoplePath(configuration), clock: systemClock, limits })
  people.add(name, role, await hashPassword(PASSWORD, { log2N: 4, r: 1, p: 1 }))
  people.close()
}

async function readOrigin({ process: child, finished }: Running): Promise<string> {
  const said = await Promise.race([
    once(child.stderr!, 'data').then(([chunk]) => String(chunk)),
    finished.then(({ stderr }) => stderr),
  ])
  const [, origin] = /at (http:\/\/[\d.]+:\d+)\//.exec(said) ?? []
  if (origin === undefined) throw new Error(`The console did not start: ${said}`)
  return origin
}

async function writeConfiguration(folder: string, service: Service): Promise<NodeJS.ProcessEnv> {
  const find = (kind: string, id: number) =>
    service.parties.find((each) => each.kind === kind && each.id === id)
  const [retailer, brand] = [find('retailer', RETAILER), find('brand', BRAND)]
  const mappings = fileURLToPath(new URL('../../../mappings', import.meta.url))
  await writeFile(
    join(folder, 'dropbridge.yaml'),
    `api:
  baseUrl: ${service.baseUrl}
  clientId: \${CLIENT_ID}
  clientSecret: \${CLIENT_SECRET}
  lateAnswer: ${LATE_ANSWER_S}s
  connections: 1
console: { listen: "127.0.0.1:0" }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders:
    retailer: ${RETAILER}
    operation: create-order
    mapping: ${mappings}/retailer-orders.yaml
    from: { mailbox: erp, folder: inbox, stableFor: 0s, expectFile: { by: "07:00", zone: UTC } }
    results: { mailbox: erp, folder: results }
    circuitBreaker: { sameRefusal: 2 }
  orders-out:
    brand: ${BRAND}
    operation: export-orders
    mapping: ${mappings}/orders-export.yaml
    api: { clientId: "\${BRAND_ID}", clientSecret: "\${BRAND_SECRET}" }
    to: { mailbox: erp, folder: outbox, name: "orders-{seq}.csv" }
    acknowledge: never
`,
  )
  return {
    CLIENT_ID: retailer?.clientId,
    CLIENT_SECRET: retailer?.clientSecret,
    BRAND_ID: brand?.clientId,
    BRAND_SECRET: brand?.clientSecret,
  }
}

/** A person in a browser, and what must never happen there. */
export interface Visitor {
  readonly page: Page
  /** Requests to elsewhere, which find no host; scripts that ran or failed; and reports of the content security policy. */
  readonly troubles: readonly string[]
}

/** A busy machine may take long over a page. */
const WAIT_MS = 60_000

/** Opens a browser window and signs in. */
export async function visit(
  { openBrowser, origin }: Pick<Site, 'openBrowser' | 'origin'>,
  role: Role,
  options: BrowserContextOptions & { readonly scripts?: readonly string[] } = {},
): Promise<Visitor> {
  const { scripts = [], ...more } = options
  const context = await (await openBrowser()).newContext(more)
  context.setDefaultTimeout(WAIT_MS)
  const troubles: string[] = []
  // To intercept requests would take the browser its cache, and each page a sixth more.
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`)) troubles.push(`request to ${url}`)
  })
  for (const path of scripts) await context.addInitScript({ path })
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    troubles.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => troubles.push(`error ${error.message}`))
  page.on('console', (message) => {
    // A refused form has a status of its own, of which the browser says so.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text())
  })
  await page.goto(`${origin}/sign-in`)
  await page.fill('#name', role)
  await page.fill('#password', PASSWORD)
  await page.click('main button')
  await page.waitForURL(`${origin}/`)
  return { page, troubles }
}

/** Waits for the address. After a double click: its second request ends the navigation of the first, and `waitForURL` fails. */
export async function arrive(page: Page, address: RegExp): Promise<void> {
  await expect.poll(() => page.url(), { timeout: WAIT_MS }).toMatch(address)
  await page.waitForLoadState()
}
