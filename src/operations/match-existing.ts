/** Decides whether a resource in a list is the one that a record created: by its names, its lines and its time. */
import type { Api, Call, Resource } from '../domain/api.ts'
import { DAY_MS, HOUR_MS } from '../support/clock.ts'
import { groupBy } from '../support/collections.ts'
import {
  type LookupResult,
  readId,
  type RequestBody,
  type SentRecord,
  type SentRecords,
} from './operation.ts'
import { describeItem, isGiven, readItems, readVariant } from './order-lines.ts'

interface MatchCriteria {
  /** The noun for the resource in messages: `order`. */
  readonly what: string
  /** The identifying values of both, each as the resource shows it and as the record has it. */
  readonly names: readonly (readonly [shown: unknown, sent: string])[]
  /** The lists of lines to compare, if the API shows them as sent; left out where they may change later. */
  readonly lines?: { readonly list: string; readonly body: RequestBody }
  /** Other values that the API shows as they were sent. */
  readonly values?: readonly ComparedValue[]
  /** The reason why the resource is older than the record, if it is. */
  readonly olderReason?: string | undefined
}

export interface ComparedValue {
  /** The name of the value in messages. */
  readonly name: string
  readonly shown: unknown
  readonly sent: unknown
  /** Compares two given values; left out, they are compared as texts. */
  readonly isSame?: (shown: string, sent: string) => boolean
}

/** Undefined for a resource that the record has certainly not created. */
export function matchExisting(
  resource: Resource,
  { what, names, lines, values = [], olderReason }: MatchCriteria,
): Exclude<LookupResult, { found: 'absent' }> | undefined {
  const found = names.map(([shown, sent]) => isSameName(shown, sent))
  if (found.includes(false)) return undefined
  const apiId = readId(resource)
  const named = apiId === undefined ? what : `${what} ${apiId}`
  if (found.includes(undefined)) {
    const sent = names.map(([, name]) => name).join(' and ')
    return { found: 'unclear', why: `${named}, as the API shows it, may be ${sent} or not` }
  }
  const mismatch =
    olderReason ?? (lines && describeLineMismatch(resource, lines)) ?? describeValueMismatch(values)
  if (mismatch !== undefined) {
    return { found: 'unclear', why: `${named} has its number at the API, but ${mismatch}` }
  }
  return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
}

/** Describes the first value that differs. A value that one of the two leaves out is not compared. */
function describeValueMismatch(values: readonly ComparedValue[]): string | undefined {
  for (const { name, shown, sent, isSame = isSameText } of values) {
    if (!hasText(shown) || !hasText(sent)) continue
    if (!isSame(String(shown), String(sent))) {
      return `has the ${name} ${String(shown)}, and the record ${String(sent)}`
    }
  }
  return undefined
}

function hasText(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
}

/** Ignores case and the number of blanks. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase())
  return left === right
}

/** Names that may mean the same get the same key: digits become one number, however exactly they are shown. */
function normalizeName(name: unknown): string {
  const text = String(name).trim().toLowerCase()
  return /^\d+$/u.test(text) ? String(Number(text)) : text
}

/** Undefined where it is uncertain: a JSON number has lost its leading zeros, and a long one its last digits. */
function isSameName(shown: unknown, sent: string): boolean | undefined {
  if (shown === undefined) return undefined
  if (typeof shown === 'string') {
    const [one, other] = [shown.trim(), sent.trim()]
    if (one === other) return true
    return one.toLowerCase() === other.toLowerCase() ? undefined : false
  }
  if (Number.isSafeInteger(shown) && normalizeName(shown) === sent.trim()) return true
  return normalizeName(shown) === normalizeName(sent) ? undefined : false
}

/** Describes why the shown lines are not those of the body; undefined where they may be. */
function describeLineMismatch(resource: Resource, { list, body }: NonNullable<MatchCriteria['lines']>) {
  const lines = readItems(resource, list)
  const items = readItems(body, list)
  if (lines.length === 0 || items.length === 0) return undefined
  const foreign = lines.find((line) => items.every((item) => isSameItem(line, item) === false))
  if (foreign !== undefined) return `has ${describeItem(foreign)}, which is not in the record`
  for (const item of items) {
    const fits = lines.map((line) => isSameItem(line, item))
    if (fits.every((fit) => fit === false)) return `has no ${describeItem(item)}`
    const quantities = pairQuantities(lines, fits, item, items)
    if (quantities !== undefined && quantities.there !== quantities.here) {
      return `has ${quantities.there} of ${describeItem(item)}, and the record ${quantities.here}`
    }
  }
  return describeQuantityMismatch(lines.map(readQuantity), items.map(readQuantity))
}

/** The quantities of an item that is on exactly one line of each side. */
function pairQuantities(
  lines: readonly RequestBody[],
  fits: readonly (boolean | undefined)[],
  item: RequestBody,
  items: readonly RequestBody[],
): { readonly there: number; readonly here: number } | undefined {
  const [line, another] = lines.filter((_, index) => fits[index] === true)
  if (line === undefined || another !== undefined) return undefined
  if (items.filter((each) => isSameItem(line, each) === true).length !== 1) return undefined
  const [there, here] = [readQuantity(line), readQuantity(item)]
  return there === undefined || here === undefined ? undefined : { there, here }
}

/** Compares the quantities without their items: as sorted lists, or by their sums where lines were split. */
function describeQuantityMismatch(shown: Quantities, sent: Quantities): string | undefined {
  if (!areKnown(shown) || !areKnown(sent)) return undefined
  const [there, here] = [shown, sent].map((units) =>
    shown.length === sent.length
      ? units.toSorted((one, other) => one - other).join(', ')
      : String(units.reduce((sum, each) => sum + each, 0)),
  )
  return there === here ? undefined : `has the quantities ${there}, and the record ${here}`
}

type Quantities = readonly (number | undefined)[]

function areKnown(units: Quantities): units is readonly number[] {
  return !units.includes(undefined)
}

/** Undefined where it is uncertain. Spec: the priority is id, identifier (the retailer's or the brand's), upc. */
function isSameItem(line: RequestBody, item: RequestBody): boolean | undefined {
  const [shown, named] = [readVariant(line), readVariant(item)]
  if (isGiven(named['id']))
    return isGiven(shown['id']) ? normalizeName(shown['id']) === normalizeName(named['id']) : undefined
  if (isGiven(named['identifier'])) {
    const names = [shown['identifier'], shown['brand_identifier']].filter(isGiven).map(normalizeName)
    return names.includes(normalizeName(named['identifier'])) ? true : undefined
  }
  return isGiven(named['upc']) && isGiven(shown['upc']) ? isSameUpc(shown['upc'], named['upc']) : undefined
}

/** Ignores leading zeros and dashes. Undefined where one contains the other, as a check digit may be missing. */
export function isSameUpc(shown: unknown, sent: unknown): boolean | undefined {
  const normalize = (upc: unknown) => normalizeName(String(upc).replaceAll(/[\s-]/gu, ''))
  const [one, other] = [normalize(shown), normalize(sent)]
  if (one === other) return true
  return one.includes(other) || other.includes(one) ? undefined : false
}

/** The API may show a quantity as text. */
function readQuantity({ quantity }: RequestBody): number | undefined {
  const isText = typeof quantity === 'string' && /^\d{1,15}(?:\.0+)?$/u.test(quantity)
  return typeof quantity === 'number' ? quantity : isText ? Number(quantity) : undefined
}

// A resource that is older than the attempt was not created by it.

/** How far a time of the API may be off: the bridge's clock may have been wrong when the record was sent, and right now. */
export const CLOCK_MARGIN_MS = DAY_MS

/** The fields that the API itself sets when it creates a resource; a sender may set others, such as `ordered_at`. */
type CreationTimeFields = readonly string[]

/** The reason why the resource is older than the record; undefined where it is not, or shows no such time. */
export function describeIfOlder(
  api: Pick<Api, 'clockOffsetMs'>,
  { sentAt }: Pick<SentRecord, 'sentAt'>,
  resource: Resource,
  fields: CreationTimeFields,
): string | undefined {
  const [made] = fields.map((field) => parseTime(resource[field])).filter((time) => time !== undefined)
  if (made === undefined || made >= sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) return undefined
  return `was made ${new Date(made).toISOString()}, before this was sent`
}

/** Milliseconds; undefined for a value that is no time. */
export function parseTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(time) ? undefined : time
}

// Searches a list that has no filter for the names. The list is read once for all records.

interface ListSearch {
  readonly list: Pick<Call, 'endpoint' | 'params'>
  /** The list's filter by creation time. */
  readonly since: string
  /** The value that identifies a resource, and the same value of a record. */
  readonly readName: (resource: Resource) => unknown
  readonly readRecordName: (record: SentRecord) => string
  /** The fields with the creation time; an API that ignores the filter shows older resources too. */
  readonly creationTimeFields: CreationTimeFields
  readonly criteriaFor: (resource: Resource, record: SentRecord) => MatchCriteria
}

/** How often a list is read from its beginning at most. */
const SEARCHES_MAX = 3

const ABSENT: LookupResult = { found: 'absent' }

/** Returns a lookup for each record, in their order. */
export async function searchList(api: Api, records: SentRecords, search: ListSearch) {
  for (let attempt = 0; attempt < SEARCHES_MAX; attempt++) {
    const lookups = await searchListOnce(api, records, search)
    if (lookups !== undefined) return lookups
  }
  const why = 'the clock of the API kept going back while its list was read'
  return records.map((): LookupResult => ({ found: 'unclear', why }))
}

/** Undefined when the list was read from too late on: only the API's answers reveal how far its clock is off. */
async function searchListOnce(api: Api, records: SentRecords, search: ListSearch) {
  const from = getSearchStart(api, records)
  const isTooLate = () => from - getSearchStart(api, records) > CLOCK_SLACK_MS / 1000
  const named = groupBy(records, (record) => normalizeName(search.readRecordName(record)))
  const [accepted, unclear] = [new Map<SentRecord, LookupResult>(), new Map<SentRecord, LookupResult>()]
  const note = (record: SentRecord, lookup: LookupResult | undefined) => {
    if (lookup !== undefined) (lookup.found === 'accepted' ? accepted : unclear).set(record, lookup)
  }
  for await (const page of api.list({ ...search.list, query: { [search.since]: from } })) {
    for (const resource of page) {
      const name = search.readName(resource)
      // A resource that does not show its name may belong to any of the records.
      for (const record of name === undefined ? records : (named.get(normalizeName(name)) ?? [])) {
        const olderReason = describeIfOlder(api, record, resource, search.creationTimeFields)
        note(record, matchExisting(resource, { ...search.criteriaFor(resource, record), olderReason }))
      }
    }
    if (accepted.size === records.length) break
    if (isTooLate()) return undefined
  }
  if (accepted.size < records.length && isTooLate()) return undefined
  return records.map((record) => accepted.get(record) ?? unclear.get(record) ?? ABSENT)
}

/** How much of the margin may be lost to an API whose clock turns out to be further behind than assumed. */
const CLOCK_SLACK_MS = HOUR_MS

/** The time for the filter: from it on, the list shows everything that these attempts may have created. */
function getSearchStart(api: Api, records: readonly SentRecord[]): number {
  const sentAt = Math.min(...records.map((record) => record.sentAt))
  return Math.floor((sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) / 1000)
}
