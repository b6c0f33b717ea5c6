/** A bridge in a folder of its own, configured as a user would do it except for the address and the connections. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bridge, openBridge } from '../../src/app/bridge.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { Credentials } from '../../src/config/routes.ts'
import { systemClock } from '../../src/support/clock.ts'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

export const RETAILER = 1000
export const BRAND = 2000

export const RETAILER_LOGIN: Credentials = {
  clientId: 'bench-retailer',
  clientSecret: 'a secret of the bench',
}
export const BRAND_LOGIN: Credentials = {
  clientId: 'bench-brand',
  clientSecret: 'another secret of the bench',
}

export interface Api {
  readonly baseUrl: string
  readonly connections: number
}

/** A file counts as stable at once, so that the bench measures work and no waiting. */
export function configurationIn(folder: string, { baseUrl, connections }: Api): Configuration {
  const mapping = (name: string) => join(repository, 'mappings', `${name}.yaml`)
  const ordersOut = {
    party: { kind: 'brand', id: BRAND },
    credentials: BRAND_LOGIN,
    direction: 'outbound',
    operation: 'export-orders',
    mappingPath: mapping('orders-export'),
    to: { mailbox: 'exchange', folder: 'outbox', name: 'orders-{seq}.csv' },
    acknowledge: 'delivered',
  } as const
  const orders = {
    party: { kind: 'retailer', id: RETAILER },
    credentials: RETAILER_LOGIN,
    direction: 'inbound',
    operation: 'create-order',
    results: { mailbox: 'exchange', folder: 'results' },
    rules: {
      totals: 'warn',
      dates: 'warn',
      prices: 'warn',
      stock: 'off',
      addresses: 'warn',
      numbers: 'warn',
      closings: 'warn',
    },
    circuitBreaker: { sameRefusal: 20 },
  } as const
  const from = { mailbox: 'exchange', folder: 'inbox', archive: 'archive', stableForMs: 0 }
  return {
    api: {
      baseUrl,
      credentials: RETAILER_LOGIN,
      timeoutMs: 30_000,
      connections,
      lateAnswerMs: 5000,
      trusts503: false,
    },
    journal: { type: 'sqlite', path: join(folder, 'state', 'journal.db') },
    stateFolder: join(folder, 'state'),
    mailboxes: { exchange: { type: 'directory', path: join(folder, 'exchange') } },
    routes: [
      {
        ...orders,
        name: 'orders',
        mappingPath: mapping('retailer-orders'),
        from: { ...from, match: '*.csv' },
      },
      {
        ...orders,
        name: 'orders-850',
        mappingPath: mapping('x12/850-orders'),
        from: { ...from, match: '*.x12' },
      },
      { ...ordersOut, name: 'orders-out', verifyBeforeAck: false },
      { ...ordersOut, name: 'orders-out-verified', verifyBeforeAck: true },
    ],
  }
}

export function inboxOf(folder: string): string {
  return join(folder, 'exchange', 'inbox')
}

export function openBridgeIn(folder: string, api: Api): Promise<Bridge> {
  return openBridge(configurationIn(folder, api), {
    clock: systemClock,
    random: Math.random,
    newId: () => randomUUID(),
    notify: () => undefined,
    version: 'bench',
  })
}

/** Runs one pass of a route; returns how many records were accepted. Throws what made the route fail. */
export async function passOf(bridge: Bridge, route: string): Promise<number> {
  const { routes } = await bridge.run([route], new AbortController().signal)
  let accepted = 0
  for (const result of routes) {
    if (result.kind === 'failed') throw result.failure
    if (result.kind !== 'inbound' && result.kind !== 'outbound') continue
    const counts = result.kind === 'inbound' ? result.pass.summaries : result.pass.deliveries
    for (const { records } of counts) accepted += records.accepted ?? 0
  }
  return accepted
}

/** A folder with an inbox, removed after the work. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-bench-'))
  try {
    await mkdir(inboxOf(folder), { recursive: true })
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
