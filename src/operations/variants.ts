/** Creates and updates variants. New ones are known by their identifier; a repeated update shows on the variant itself. */
import type { Resource } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import { type AttributeCode, ATTRIBUTES, type AttributeType } from '../contract/attributes.ts'
import { type AttributeValues, attributeEntries } from '../contract/variant-fields.ts'
import { type ComparedValue, isSameText, isSameUpc, searchList } from './match-existing.ts'
import { type RequestBody, type InboundRules, createPartyParams } from './operation.ts'

export const createVariant: InboundRules = {
  naturalKey: readIdentifier,
  lane: readIdentifier,
  request: (body, party) => ({ body: formatEntries(body, party) }),

  /** Spec: the list has no filter for the identifier, so it is swept by time. */
  lookUpAll: (api, party, records) =>
    searchList(api, records, {
      list: { endpoint: 'listBrandVariants', params: createPartyParams(party) },
      since: 'created_at_gte',
      readName: readShownIdentifier,
      readRecordName: ({ naturalKey }) => naturalKey,
      creationTimeFields: ['created_at'],
      criteriaFor: (variant, { naturalKey, body }) => ({
        what: 'item',
        names: [[readShownIdentifier(variant), naturalKey]],
        values: listComparedValues(variant, readEntries(JSON.parse(body) as RequestBody, party)),
      }),
    }),
}

type Entries = ReturnType<typeof attributeEntries>

/** What an item is. Its stock and prices change, and its images may get another address. */
function listComparedValues(variant: Resource, entries: Entries): ComparedValue[] {
  const attributes = indexShownAttributes(variant['attributes'])
  return entries.flatMap(({ attribute: { code }, value: ours, retailer }) => {
    const compared = COMPARISONS[ATTRIBUTES[code as AttributeCode].type]
    if (code === 'identifier' || code === 'inventory' || compared === undefined) return []
    const values = attributes?.get(code)?.filter((each) => isForRetailer(each, retailer)) ?? []
    const isSame = code === 'upc' ? mayBeSameUpc : compared
    const fitting = values.find(({ value }) => isSame(String(value), String(ours))) ?? values[0]
    return [{ name: code, shown: fitting?.value ?? (retailer ? undefined : variant[code]), ours, isSame }]
  })
}

const isSameNumber = (shown: string, ours: string) => Number(shown) === Number(ours)
const mayBeSameUpc = (shown: string, ours: string) => isSameUpc(shown, ours) !== false

const COMPARISONS: Readonly<Partial<Record<AttributeType, typeof isSameText>>> = {
  text: isSameText,
  integer: isSameNumber,
  decimal: isSameNumber,
}

export const updateVariant: InboundRules = {
  // One item may be changed for several retailers, each by a record of its own.
  naturalKey: (body) =>
    typeof body['retailer_id'] === 'number'
      ? `${readVariantId(body)} for retailer ${body['retailer_id']}`
      : readVariantId(body),
  lane: readVariantId,
  change: (body) => ({ target: `variant_id ${readVariantId(body)}`, values: listChangedValues(body) }),
  request: (body, party) => ({ params: { id: readVariantId(body) }, body: formatEntries(body, party) }),

  async lookUp(api, party, record) {
    const body = JSON.parse(record.body) as RequestBody
    const endpoint = party.kind === 'brand' ? 'getBrandVariant' : 'getRetailerVariant'
    const id = readVariantId(body)
    const variant = await api.get({ endpoint, params: { ...createPartyParams(party), id } })
    if (variant === undefined || !hasAllEntries(variant, readEntries(body, party))) return { found: 'absent' }
    return { found: 'accepted', apiId: id }
  },
}

function readVariantId(body: RequestBody): string {
  return String(body['variant_id'])
}

function readIdentifier(body: RequestBody): string {
  return String((body['attributes'] as AttributeValues | undefined)?.['identifier'])
}

/** Spec: it is repeated among the attributes, where alone it is guaranteed. */
function readShownIdentifier({ identifier, attributes }: Resource): unknown {
  return identifier ?? indexShownAttributes(attributes)?.get('identifier')?.[0]?.value
}

/** A retailer's own values need not say whose they are. */
function readEntries({ attributes, retailer_id: retailer }: RequestBody, party?: Party) {
  const own = party?.kind === 'retailer' ? party.id : undefined
  return attributeEntries(attributes as AttributeValues, typeof retailer === 'number' ? retailer : own)
}

/** By their codes; a value that is one retailer's is another than that of the next. */
function listChangedValues(body: RequestBody): string[] {
  return readEntries(body).map(({ attribute: { code }, retailer }) =>
    retailer ? `${code} for retailer ${retailer.id}` : code,
  )
}

function formatEntries(body: RequestBody, party: Party): string {
  return JSON.stringify({ attributes: readEntries(body, party) })
}

interface ShownAttribute {
  readonly code?: unknown
  readonly values?: readonly { readonly value?: unknown; readonly retailer?: { readonly id?: unknown } }[]
}

type ShownValue = NonNullable<ShownAttribute['values']>[number]

/** The values by code. Suppliers see attributes by code, retailers as a list. */
function indexShownAttributes(attributes: unknown) {
  if (typeof attributes !== 'object' || attributes === null) return undefined
  const all = Object.values(attributes as Record<string, ShownAttribute>)
  return new Map(all.map((it) => [String(it.code), it.values ?? []]))
}

function hasAllEntries(variant: Resource, entries: Entries): boolean {
  const shown = indexShownAttributes(variant['attributes'])
  if (shown === undefined) return false
  return entries.every(({ attribute, value, retailer }) =>
    shown
      .get(attribute.code)
      ?.some((each) => String(each.value) === String(value) && isForRetailer(each, retailer)),
  )
}

/** Where either does not say whose value it is, it may be. */
function isForRetailer({ retailer: shown }: ShownValue, retailer: Entries[number]['retailer']): boolean {
  return !retailer || shown === undefined || shown.id === retailer.id
}
