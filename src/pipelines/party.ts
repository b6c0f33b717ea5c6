/** Work that was begun for one retailer or brand is never finished for another. */
import type { Journal, UnfinishedOf } from '../domain/journal.ts'
import { accountOf, type Party } from '../domain/route.ts'
import { BridgeError } from '../support/errors.ts'

interface Parts {
  readonly journal: Pick<Journal, 'otherAccount'>
  readonly route: { readonly name: string; readonly party: Party }
}

/** Throws `party-changed`, which concerns this work alone. `what` says what it is, for people. */
export async function assertSameParty(parts: Parts, work: UnfinishedOf, what: string): Promise<void> {
  const { journal, route } = parts
  const account = accountOf(route.party)
  const other = await journal.otherAccount(work, account)
  if (other === undefined) return
  throw new BridgeError(
    'party-changed',
    `${what} of ${inWords(other)} are not done, and route ${route.name} is for ${inWords(account)} now.`,
  )
}

function inWords(account: string): string {
  return account.replace('/', ' ')
}
