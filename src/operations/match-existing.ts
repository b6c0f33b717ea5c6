/** Decides whether a resource in a list is the one that a record created: by its names, its lines and its time. */
import type { Api, Call, Resource } from '../domain/api.ts'
import {
  type LookupResult,
  readId,
  type RequestBody,
  type SentRecord,
  type SentRecords,
} from './operation.ts'
import { describeItem, isGiven, readItems, readVariant } from './order-lines.ts'

interface MatchCriteria {
  /** What the resource is called in messages: `order`. */
  readonly what: string
  /** What both are known by, each as the resource shows it and as the record has it. */
  readonly names: readonly (readonly [shown: unknown, ours: string])[]
  /** The lists of lines to compare, of what comes back as it was sent; left out where it may be changed later. */
  readonly lines?: { readonly list: string; readonly body: RequestBody }
  /** What else is sent and shown as it was sent. */
  readonly values?: readonly ComparedValue[]
  /** In words, that it was made before the record was sent. */
  readonly olderReason?: string | undefined
}

export interface ComparedValue {
  /** What it is called in messages. */
  readonly name: string
  readonly shown: unknown
  readonly ours: unknown
  /** Of two that are given; they are compared as texts where it is left out. */
  readonly isSame?: (shown: string, ours: string) => boolean
}

/** Undefined for what the record has certainly not made. */
export function matchExisting(
  resource: Resource,
  { what, names, lines, values = [], olderReason }: MatchCriteria,
): Exclude<LookupResult, { found: 'absent' }> | undefined {
  const found = names.map(([shown, ours]) => isSameName(shown, ours))
  if (found.includes(false)) return undefined
  const apiId = readId(resource)
  const named = apiId === undefined ? what : `${what} ${apiId}`
  if (found.includes(undefined)) {
    const ours = names.map(([, name]) => name).join(' and ')
    return { found: 'unclear', why: `${named}, as the API shows it, may be ${ours} or not` }
  }
  const contrary =
    olderReason ?? (lines && describeLineMismatch(resource, lines)) ?? describeValueMismatch(values)
  if (contrary !== undefined) {
    return { found: 'unclear', why: `${named} has its number at the API, but ${contrary}` }
  }
  return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
}

/** The first value that differs, in words. What one of both leaves out tells nothing. */
function describeValueMismatch(values: readonly ComparedValue[]): string | undefined {
  for (const { name, shown, ours, isSame = isSameText } of values) {
    if (!hasText(shown) || !hasText(ours)) continue
    if (!isSame(String(shown), String(ours))) {
      return `has the ${name} ${String(shown)}, and the record ${String(ours)}`
    }
  }
  return undefined
}

function hasText(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
}

/** In whatever letters and with however many blanks. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase())
  return left === right
}

/** What may be meant by the same name has the same key: digits are one number, however exactly they are shown. */
function normalizeName(name: unknown): string {
  const text = String(name).trim().toLowerCase()
  return /^\d+$/u.test(text) ? String(Number(text)) : text
}

/** Undefined where it cannot be told: a number has lost its leading zeros, and its last digits where it is long. */
function isSameName(shown: unknown, ours: string): boolean | undefined {
  if (shown === undefined) return undefined
  if (typeof shown === 'string') {
    const [theirs, own] = [shown.trim(), ours.trim()]
    if (theirs === own) return true
    return theirs.toLowerCase() === own.toLowerCase() ? undefined : false
  }
  if (Number.isSafeInteger(shown) && normalizeName(shown) === ours.trim()) return true
  return normalizeName(shown) === normalizeName(ours) ? undefined : false
}

/** What tells, in words, that the lines shown are not those of the body; undefined where nothing does. */
function describeLineMismatch(resource: Resource, { list, body }: NonNullable<MatchCriteria['lines']>) {
  const theirs = readItems(resource, list)
  const ours = readItems(body, list)
  if (theirs.length === 0 || ours.length === 0) return undefined
  const foreign = theirs.find((line) => ours.every((item) => isSameItem(line, item) === false))
  if (foreign !== undefined) return `has ${describeItem(foreign)}, which is not in the record`
  for (const item of ours) {
    const fits = theirs.map((line) => isSameItem(line, item))
    if (fits.every((fit) => fit === false)) return `has no ${describeItem(item)}`
    const quantities = pairQuantities(theirs, fits, item, ours)
    if (quantities !== undefined && quantities.there !== quantities.here) {
      return `has ${quantities.there} of ${describeItem(item)}, and the record ${quantities.here}`
    }
  }
  return describeQuantityMismatch(theirs.map(readQuantity), ours.map(readQuantity))
}

/** The quantities of an item that is on one line here and on one there. */
function pairQuantities(
  theirs: readonly RequestBody[],
  fits: readonly (boolean | undefined)[],
  item: RequestBody,
  ours: readonly RequestBody[],
): { readonly there: number; readonly here: number } | undefined {
  const [line, another] = theirs.filter((_, index) => fits[index] === true)
  if (line === undefined || another !== undefined) return undefined
  if (ours.filter((each) => isSameItem(line, each) === true).length !== 1) return undefined
  const [there, here] = [readQuantity(line), readQuantity(item)]
  return there === undefined || here === undefined ? undefined : { there, here }
}

/** Whichever items they are of: the quantities are the same ones, or together as many where lines were split. */
function describeQuantityMismatch(theirs: Quantities, ours: Quantities): string | undefined {
  if (!areKnown(theirs) || !areKnown(ours)) return undefined
  const [there, here] = [theirs, ours].map((units) =>
    theirs.length === ours.length
      ? units.toSorted((one, other) => one - other).join(', ')
      : String(units.reduce((sum, each) => sum + each, 0)),
  )
  return there === here ? undefined : `has the quantities ${there}, and the record ${here}`
}

type Quantities = readonly (number | undefined)[]

function areKnown(units: Quantities): units is readonly number[] {
  return !units.includes(undefined)
}

/** Undefined where it cannot be told. Spec: the priority is id, identifier (the retailer's or the brand's), upc. */
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

/** With or without leading zeros, dashes and check digit. */
export function isSameUpc(shown: unknown, ours: unknown): boolean | undefined {
  const normalize = (upc: unknown) => normalizeName(String(upc).replaceAll(/[\s-]/gu, ''))
  const [one, other] = [normalize(shown), normalize(ours)]
  if (one === other) return true
  return one.includes(other) || other.includes(one) ? undefined : false
}

/** A quantity may be shown as text. */
function readQuantity({ quantity }: RequestBody): number | undefined {
  const isText = typeof quantity === 'string' && /^\d{1,15}(?:\.0+)?$/u.test(quantity)
  return typeof quantity === 'number' ? quantity : isText ? Number(quantity) : undefined
}

// A resource that is older than the attempt was not created by it.

/** How far a time of the API may be off: our clock may have been wrong when the record was sent, and right now. */
export const CLOCK_MARGIN_MS = 24 * 60 * 60 * 1000

/** The fields that the API sets itself when it makes a resource; a sender may set others, such as `ordered_at`. */
type CreationTimeFields = readonly string[]

/** In words, that it was made before the record was sent; undefined where it was not, or shows no such time. */
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

/** Milliseconds; undefined for what is no time. */
export function parseTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(time) ? undefined : time
}

// Searches a list that has no filter for the names. The list is read once for all records.

interface ListSearch {
  readonly list: Pick<Call, 'endpoint' | 'params'>
  /** The filter by the time when a resource was made. */
  readonly since: string
  /** What a resource is distinguished by, and the same of a record. */
  readonly readName: (resource: Resource) => unknown
  readonly readRecordName: (record: SentRecord) => string
  /** Where a resource shows when it was made; an API that ignores the filter shows older ones too. */
  readonly creationTimeFields: CreationTimeFields
  readonly criteriaFor: (resource: Resource, record: SentRecord) => MatchCriteria
}

/** More often than this a list is not begun anew. */
const SEARCHES_MAX = 3

const ABSENT: LookupResult = { found: 'absent' }

/** A finding for each record, in their order. */
export async function searchList(api: Api, records: SentRecords, search: ListSearch) {
  for (let time = 0; time < SEARCHES_MAX; time++) {
    const lookups = await searchListOnce(api, records, search)
    if (lookups !== undefined) return lookups
  }
  const why = 'the clock of the API kept going back while its list was read'
  return records.map((): LookupResult => ({ found: 'unclear', why }))
}

/** Undefined when the list was read from too late on: how far the API's clock is off is reported by its answers only. */
async function searchListOnce(api: Api, records: SentRecords, search: ListSearch) {
  const from = getSearchStart(api, records)
  const isTooLate = () => from - getSearchStart(api, records) > CLOCK_SLACK_MS / 1000
  const named = groupByName(records, search.readRecordName)
  const [accepted, unclear] = [new Map<SentRecord, LookupResult>(), new Map<SentRecord, LookupResult>()]
  const note = (record: SentRecord, lookup: LookupResult | undefined) => {
    if (lookup !== undefined) (lookup.found === 'accepted' ? accepted : unclear).set(record, lookup)
  }
  for await (const page of api.list({ ...search.list, query: { [search.since]: from } })) {
    for (const resource of page) {
      const name = search.readName(resource)
      // what does not show its name may be any of them
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

function groupByName(records: readonly SentRecord[], nameOf: ListSearch['readRecordName']) {
  const named = new Map<string, SentRecord[]>()
  for (const record of records) {
    const name = normalizeName(nameOf(record))
    named.set(name, [...(named.get(name) ?? []), record])
  }
  return named
}

/** How much of the margin may be lost to an API whose clock proves to be behind what was thought of it. */
const CLOCK_SLACK_MS = 60 * 60 * 1000

/** The time, for a filter, from which on a list shows all that these attempts may have made. */
function getSearchStart(api: Api, records: readonly SentRecord[]): number {
  const sentAt = Math.min(...records.map((record) => record.sentAt))
  return Math.floor((sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) / 1000)
}
