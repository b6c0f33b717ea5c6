/** Lists what must be acknowledged and shipped soon: from what the bridge has seen, or from the API. Reads only. */
import { setImmediate } from 'node:timers/promises'
import type { Configuration } from '../config/configuration.ts'
import type { Journal } from '../domain/journal.ts'
import { formatAccount } from '../domain/route.ts'
import { type Deadline, findSeenDeadlines, listDeadlines } from '../pipeline/references/deadlines.ts'
import { readSelected } from '../pipeline/outbound/listing.ts'
import type { Clock } from '../support/clock.ts'
import { unknownNameError } from '../support/text.ts'
import { isParty, type PartyApi } from './party-apis.ts'

/** Deadlines before this time are listed, past ones too; milliseconds. */
interface LateRequest {
  readonly until: number
}

/** Other work goes on between so many deadlines. */
const BREATH = 100

/** The next ones first. The bridge need not have exported the orders: seeing them in a list is enough. */
export async function listSeenLate(
  journal: Journal,
  { routes }: Pick<Configuration, 'routes'>,
  { until, wanted }: LateRequest & { readonly wanted?: string },
): Promise<Deadline[]> {
  const all = [...new Set(routes.map(({ party }) => formatAccount(party)))]
  const accounts = all.filter((account) => isParty(account, wanted))
  if (accounts.length === 0) throw unknownNameError(`no route acts for "${wanted ?? ''}"`, wanted ?? '', all)
  const late: Deadline[] = []
  for (const account of accounts)
    for await (const deadline of findSeenDeadlines(journal, account, ({ by }) => by < until))
      if (late.push(deadline) % BREATH === 0) await setImmediate()
  return late.toSorted(compareDeadlines)
}

/** The parties of whom the journal knows no open order, so that nothing of them can be listed. */
export async function listUnseenParties(
  journal: Journal | undefined,
  { routes }: Pick<Configuration, 'routes'>,
  wanted?: string,
): Promise<string[]> {
  const unseen: string[] = []
  for (const account of new Set(routes.map(({ party }) => formatAccount(party))))
    if (isParty(account, wanted) && ((await journal?.listOpenOrders(account, '', 1)) ?? []).length === 0)
      unseen.push(account)
  return unseen
}

/** Reads the lists of open orders, page by page. */
export async function listLiveLate(apis: readonly PartyApi[], clock: Clock, { until }: LateRequest) {
  const late: Deadline[] = []
  for (const { account, party, api } of apis) {
    const operation = party.kind === 'brand' ? 'export-orders' : 'export-retailer-orders'
    const { pages } = readSelected(api, { operation, party }, { query: { status: ['open', 'partial'] } })
    for await (const page of pages)
      for (const order of page)
        late.push(...listDeadlines({ account, order, seenAt: clock.now() }).filter(({ by }) => by < until))
  }
  return late.toSorted(compareDeadlines)
}

function compareDeadlines(one: Deadline, other: Deadline): number {
  return one.by - other.by
}
