/** The records a report asks for: all that the list shows, or those that are named, and which of these are not there. */
import { filtersOf, purchaseOrderReader } from '../../contract/lists.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { OutboundOperation } from '../../contract/outbound-operations.ts'
import type { Api, Call, Resource } from '../../domain/api.ts'
import type { Selection } from '../../domain/selection.ts'
import { assert } from '../../support/errors.ts'
import { type Listing, listCall, recordCall } from './calls.ts'

/** So many purchase orders are asked for one by one; for more, reading the list costs less. */
const ASKED_SINGLY_MAX = 50
/** How many records are read by their ids at once. */
const READ_AT_ONCE = 8

export interface Selected {
  /** May be walked once. */
  readonly pages: AsyncIterable<readonly Resource[]>
  /** Of the named ones, those that were not found when the pages were walked, in the order they are named. */
  readonly missing: () => readonly string[]
}

type Page = readonly Resource[]

export function readSelected(api: Api, listing: Listing, { query, named }: Selection): Selected {
  const call = { ...listCall(listing), query }
  if (named === undefined) return { pages: api.list(call), missing: () => [] }
  const sought = new Set(named.values)
  const found = new Set<string>()
  const missing = () => [...sought].filter((name) => !found.has(name))
  if (named.by === 'id') return { pages: readById(api, listing, { sought, found }), missing }
  const numberOf = purchaseOrderReader(listing.operation)
  assert(numberOf !== undefined, `${listing.operation} shows no purchase order numbers`)
  const hasFilter = filtersOf(listing.operation)['purchase_order_number'] !== undefined
  const singly = hasFilter && sought.size <= ASKED_SINGLY_MAX
  const questions = (singly ? [...sought].map((number) => [number]) : [[...sought]])
    .filter((numbers) => numbers.length > 0)
    .map((numbers) => ({
      call: singly ? { ...call, query: { ...query, purchase_order_number: numbers[0] ?? '' } } : call,
      numbers: new Set(numbers),
    }))
  return { pages: sieved(api, questions, { numberOf, found }), missing }
}

interface Question {
  readonly call: Call
  readonly numbers: ReadonlySet<string>
}

/** Single answers are sieved too: an API that passes over the filter would show everything. */
async function* sieved(
  api: Api,
  questions: readonly Question[],
  {
    numberOf,
    found,
  }: { readonly numberOf: (record: Resource) => string | undefined; readonly found: Set<string> },
): AsyncGenerator<Page, void, undefined> {
  for (const { call, numbers } of questions) {
    for await (const page of api.list(call)) {
      yield page.filter((record) => {
        const number = numberOf(record)
        if (number === undefined || !numbers.has(number)) return false
        found.add(number)
        return true
      })
    }
  }
}

async function* readById(
  api: Api,
  listing: Listing,
  { sought, found }: { readonly sought: ReadonlySet<string>; readonly found: Set<string> },
): AsyncGenerator<Page, void, undefined> {
  const { get }: OutboundOperation = OPERATIONS[listing.operation]
  assert(get !== undefined, `${listing.operation} cannot read a record by its id`)
  const ids = [...sought]
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE)
    const records = await Promise.all(some.map((id) => api.get(recordCall(listing, get, id))))
    yield records.flatMap((record, at) => {
      if (record === undefined) return []
      found.add(some[at] ?? '')
      return [record]
    })
  }
}
