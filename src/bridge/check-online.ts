/** Trying the credentials of a configuration at the API. Only reads; nothing is sent or changed. */
import { createClient } from '../client/client.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Credentials, Route } from '../config/routes.ts'
import type { Api } from '../domain/api.ts'
import { idOf } from '../pipelines/operations/operation.ts'
import { BridgeError, EXIT } from '../support/errors.ts'
import type { BridgeOptions } from './options.ts'

/** The list that shows which ids an account may act for. Spec: "What the service does", 5. */
const OWN_PARTIES = { retailer: 'listRetailers', brand: 'listBrands' } as const

export interface OnlineCheck {
  /** What is wrong with the ids of the routes or with the settings, one line each. */
  readonly wrong: readonly string[]
  /** Credentials that were refused, and servers that are not the trusted ones, one line each. */
  readonly refused: readonly string[]
  /** What could not be found out because the API gave no answer, one line each. */
  readonly unanswered: readonly string[]
}

export async function checkOnline(
  { api, routes }: Configuration,
  options: Pick<BridgeOptions, 'clock' | 'random' | 'version'>,
): Promise<OnlineCheck> {
  const wrong: string[] = []
  const refused: string[] = []
  const unanswered: string[] = []
  for (const [credentials, own] of byCredentials(routes)) {
    const { baseUrl, timeoutMs, connections } = api
    const client = createClient({ baseUrl, timeoutMs, connections, ...options, ...credentials })
    try {
      wrong.push(...(await foreignRoutes(client, own)))
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const names = `${own.length === 1 ? 'route' : 'routes'} ${own.map(({ name }) => name).join(', ')}`
      const found = isRefusedLogin(error) ? refused : wrong
      if (error.code === 'api-unreachable') unanswered.push(`${names}: ${baseUrl}: ${error.message}`)
      else found.push(`${names}: ${credentials.clientId} at ${baseUrl}: ${error.message}`)
    } finally {
      await client.close()
    }
  }
  return { wrong, refused, unanswered }
}

/** Whether it is about who somebody is, on either side. */
export function isRefusedLogin({ exit }: BridgeError): boolean {
  return exit === EXIT.refusedCredentials
}

/** The routes whose party the account may not act for. */
async function foreignRoutes(client: Api, routes: readonly Route[]): Promise<string[]> {
  const failures: string[] = []
  for (const kind of new Set(routes.map(({ party }) => party.kind))) {
    const allowed = new Set<string>()
    for await (const page of client.list({ endpoint: OWN_PARTIES[kind] })) {
      for (const party of page) allowed.add(idOf(party) ?? '')
    }
    const own = routes.filter(({ party }) => party.kind === kind)
    failures.push(...own.flatMap((route) => notAllowed(route, allowed)))
  }
  return failures
}

function notAllowed({ name, party, credentials }: Route, allowed: ReadonlySet<string>): string[] {
  if (allowed.has(String(party.id))) return []
  const known = allowed.size === 0 ? `no ${party.kind}` : `${party.kind} ${[...allowed].join(', ')}`
  return [
    `route ${name}: ${credentials.clientId} may act for ${known}, and not for ${party.kind} ${party.id}`,
  ]
}

function byCredentials(routes: readonly Route[]): Map<Credentials, Route[]> {
  const found = new Map<string, [Credentials, Route[]]>()
  for (const route of routes) {
    const key = JSON.stringify([route.credentials.clientId, route.credentials.clientSecret])
    const known = found.get(key)
    if (known) known[1].push(route)
    else found.set(key, [route.credentials, [route]])
  }
  return new Map(found.values())
}
