/** Creates and updates variants. The identifier shows a created one; the variant itself shows an update. */
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

  /** Spec: the list has no filter for the identifier, so the lookup reads it by time. */
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

/** Compares the lasting values of an item. Stock and prices change, and images may get another address. */
function listComparedValues(variant: Resource, entries: Entries): ComparedValue[] {
  const attributes = indexShownAttributes(variant['attributes'])
  return entries.flatMap(({ attribute: { code }, value: sent, retailer }) => {
    const compared = COMPARISONS[ATTRIBUTES[code as AttributeCode].type]
    if (code === 'identifier' || code === 'inventory' || compared === undefined) return []
    const values = attributes?.get(code)?.filter((each) => isForRetailer(each, retailer)) ?? []
    const isSame = code === 'upc' ? mayBeSameUpc : compared
    const fitting = values.find(({ value }) => isSame(String(value), String(sent))) ?? values[0]
    return [{ name: code, shown: fitting?.value ?? (retailer ? undefined : variant[code]), sent, isSame }]
  })
}

const isSameNumber = (shown: string, sent: string) => Number(shown) === Number(sent)
const mayBeSameUpc = (shown: string, sent: string) => isSameUpc(shown, sent) !== false

const COMPARISONS: Readonly<Partial<Record<AttributeType, typeof isSameText>>> = {
  text: isSameText,
  integer: isSameNumber,
  decimal: isSameNumber,
}

export const updateVariant: InboundRules = {
  // Several retailers may each have their own values of one item, each in a record of its own.
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

/** Spec: the identifier is repeated among the attributes, and only there is it guaranteed. */
function readShownIdentifier({ identifier, attributes }: Resource): unknown {
  return identifier ?? indexShownAttributes(attributes)?.get('identifier')?.[0]?.value
}

/** A retailer's own values need not name the retailer. */
function readEntries({ attributes, retailer_id: retailer }: RequestBody, party?: Party) {
  const own = party?.kind === 'retailer' ? party.id : undefined
  return attributeEntries(attributes as AttributeValues, typeof retailer === 'number' ? retailer : own)
}

/** The changed attributes by code; the same attribute of two retailers counts as two values. */
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

/** The values by code. Brands see attributes by code, retailers as a list. */
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

/** A value without a retailer may belong to any. */
function isForRetailer({ retailer: shown }: ShownValue, retailer: Entries[number]['retailer']): boolean {
  return !retailer || shown === undefined || shown.id === retailer.id
}
