/** API clients for commands that only read: one for each party that the routes act for. */
import { createClient } from '../client/client.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Api } from '../domain/api.ts'
import { formatAccount, type Party } from '../domain/route.ts'
import { unknownNameError } from '../support/text.ts'
import type { BridgeOptions } from './context.ts'

export interface PartyApi {
  /** `retailer/1000`. */
  readonly account: string
  readonly party: Party
  readonly api: Api
}

/** Opens the clients for as long as `work` takes. `wanted` is an account, or the id of a party alone. */
export async function withPartyApis<Result>(
  { api: settings, routes }: Pick<Configuration, 'api' | 'routes'>,
  { wanted, ...options }: Pick<BridgeOptions, 'clock' | 'random' | 'version'> & { readonly wanted?: string },
  work: (apis: readonly PartyApi[]) => Promise<Result>,
): Promise<Result> {
  const parties = new Map(routes.map((route) => [formatAccount(route.party), route]))
  const chosen = [...parties].filter(([account]) => isParty(account, wanted))
  if (chosen.length === 0)
    throw unknownNameError(`no route acts for "${wanted ?? ''}"`, wanted ?? '', [...parties.keys()])
  const { baseUrl, timeoutMs, connections } = settings
  const apis = chosen.map(([account, { party, credentials }]) => {
    const api = createClient({ baseUrl, timeoutMs, connections, ...options, ...credentials })
    return { account, party, api }
  })
  try {
    return await work(apis)
  } finally {
    await Promise.all(apis.map(({ api }) => api.close()))
  }
}

/** Whether a person means this account: all when none is named. */
export function isParty(account: string, wanted: string | undefined): boolean {
  return wanted === undefined || account === wanted || account.split('/')[1] === wanted
}
