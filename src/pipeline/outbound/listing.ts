/** Reads the records of an export: all of the list, the named ones, or those that are not acknowledged yet. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import {
  createPurchaseOrderReader,
  filtersOf,
  findIdParameter,
  OPERATIONS,
  type OutboundOperation,
  type OutboundOperationName,
} from '../../contract/operations.ts'
import type { Api, Call, Resource } from '../../domain/api.ts'
import { formatAccount, type Party, type Selection } from '../../domain/route.ts'
import { createPartyParams, readId } from '../../operations/operation.ts'
import { computeCents } from '../../operations/order-lines.ts'
import { readPages } from '../../support/async.ts'
import { assert, BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { storeOrderAttributes } from '../references/order-attributes.ts'

/** Up to so many purchase orders are asked for one by one; for more, reading the list costs less. */
const ASKED_SINGLY_MAX = 50

/** How many records are read by their ids at once. */
const READ_AT_ONCE = 8

interface SelectedRecords {
  /** Can be iterated once. */
  readonly pages: AsyncIterable<readonly Resource[]>
  /** The names that were not found while the pages were read, in the order they are given. */
  readonly missing: () => readonly string[]
}

type Page = readonly Resource[]

export function readSelected(api: Api, listing: ExportList, { query, named }: Selection): SelectedRecords {
  const call = { ...createListCall(listing), query }
  if (named === undefined) return { pages: api.list(call), missing: () => [] }
  const sought = new Set(named.values)
  const found = new Set<string>()
  const missing = () => [...sought].filter((name) => !found.has(name))
  if (named.by === 'id') return { pages: readById(api, listing, { sought, found }), missing }
  const numberOf = createPurchaseOrderReader(listing.operation)
  assert(numberOf !== undefined, `${listing.operation} shows no purchase order numbers`)
  const hasFilter = filtersOf(listing.operation)['purchase_order_number'] !== undefined
  const singly = hasFilter && sought.size <= ASKED_SINGLY_MAX
  const queries = (singly ? [...sought].map((number) => [number]) : [[...sought]])
    .filter((numbers) => numbers.length > 0)
    .map((numbers) => ({
      call: singly ? { ...call, query: { ...query, purchase_order_number: numbers[0] ?? '' } } : call,
      numbers: new Set(numbers),
    }))
  return { pages: readFiltered(api, queries, { numberOf, found }), missing }
}

/** Filters single answers too: an API that ignores the filter would show everything. */
async function* readFiltered(
  api: Api,
  queries: readonly { readonly call: Call; readonly numbers: ReadonlySet<string> }[],
  {
    numberOf,
    found,
  }: { readonly numberOf: (record: Resource) => string | undefined; readonly found: Set<string> },
): AsyncGenerator<Page, void, undefined> {
  for (const { call, numbers } of queries) {
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
  listing: ExportList,
  { sought, found }: { readonly sought: ReadonlySet<string>; readonly found: Set<string> },
): AsyncGenerator<Page, void, undefined> {
  const { get }: OutboundOperation = OPERATIONS[listing.operation]
  assert(get !== undefined, `${listing.operation} cannot read a record by its id`)
  const ids = [...sought]
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const batch = ids.slice(from, from + READ_AT_ONCE)
    const records = await Promise.all(batch.map((id) => api.get(createRecordCall(listing, get, id))))
    yield records.flatMap((record, at) => {
      if (record === undefined) return []
      found.add(batch[at] ?? '')
      return [record]
    })
  }
}

interface ExportList {
  readonly operation: OutboundOperationName
  readonly party: Party
}

/** The call for the list, without a query. */
function createListCall({ operation, party }: ExportList): Call {
  const { list } = OPERATIONS[operation]
  return { endpoint: list, params: getOwnerParams(list, party) }
}

export function createRecordCall({ party }: ExportList, endpoint: EndpointName, id: string): Call {
  const name = findIdParameter(endpoint)
  assert(name !== undefined, `${endpoint} is not about one record`)
  return { endpoint, params: { ...getOwnerParams(endpoint, party), [name]: id } }
}

/** The path of a party's own list contains no party id. */
function getOwnerParams(name: EndpointName, party: Party): Record<string, number> {
  const { context }: Endpoint = ENDPOINTS[name]
  return context === party.kind ? createPartyParams(party) : {}
}

// Collects all pages first, because the list shrinks while its records are acknowledged.

/** Stores every record of the list in the journal, except those it knows already. Returns how many were new. */
export async function collectRecords(context: OutboundContext): Promise<number> {
  const { api, journal, lease, route, signal } = context
  const { list, query } = OPERATIONS[route.operation]
  let added = 0
  let done = 0
  const waiting = await listWaitingIds(context)
  for await (const page of api.list({ ...createListCall(route), query })) {
    for (const resource of page) waiting.delete(requireId(resource, list))
    added += await storeShown(context, page, list)
    done += page.length
    throwIfStopped(signal)
    context.notify({ kind: 'progress', route: route.name, file: '', phase: 'collecting', done })
  }
  await journal.markListRead(lease)
  await refreshRecords(context, waiting)
  return added
}

/** Returns how many were new. */
async function storeShown(context: OutboundContext, page: Page, endpoint: EndpointName): Promise<number> {
  const { journal, lease, route } = context
  const account = formatAccount(route.party)
  const records = page.map((resource) => {
    const cents = computeCents(route.operation, resource)
    return {
      operation: route.operation,
      account,
      apiId: requireId(resource, endpoint),
      body: JSON.stringify(resource),
      ...(cents === undefined ? {} : { cents }),
    }
  })
  await storeOrderAttributes(context, page)
  return journal.collectRecords(lease, records)
}

const WAITING_PAGE = 1000

/** The ids of the records that wait for a file: they were held, or a partner refused them. */
async function listWaitingIds({ journal, route }: OutboundContext): Promise<Set<string>> {
  const ids = new Set<string>()
  const read = (after: number) => journal.listUndeliveredRecords(route.name, after, WAITING_PAGE)
  for await (const page of readPages(read, 0, ({ id }) => id)) for (const { apiId } of page) ids.add(apiId)
  return ids
}

/** What the list does not show any more is read by itself: it may be canceled, and must not go out as it was. */
async function refreshRecords(context: OutboundContext, waiting: ReadonlySet<string>): Promise<void> {
  const { api, route, signal } = context
  const { get }: OutboundOperation = OPERATIONS[route.operation]
  if (waiting.size === 0 || get === undefined) return
  const sought = { sought: waiting, found: new Set<string>() }
  for await (const page of readById(api, route, sought)) {
    throwIfStopped(signal)
    await storeShown(context, page, get)
  }
}

/** A record without an id could not be acknowledged, and would go out again and again. */
function requireId(resource: Resource, list: string): string {
  const id = readId(resource)
  if (id === undefined)
    throw new BridgeError('api-answer-unusable', `${list} answered a record without an id`)
  return id
}
