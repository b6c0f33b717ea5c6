/** Items: new ones are known by their identifier; a change may be repeated, and the item shows whether it was made. */
import type { Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type AttributeCode, ATTRIBUTES, type AttributeType } from '../../contract/attributes.ts'
import { type AttributeValues, attributeEntries } from '../../contract/variant-fields.ts'
import { type ComparedValue, isSameText, isUpc } from './likeness.ts'
import { type Body, type InboundRules, partyParams } from './operation.ts'
import { sweepFor } from './sweep.ts'

export const createVariant: InboundRules = {
  naturalKey: identifierOf,
  lane: identifierOf,
  request: (body, party) => ({ body: entriesText(body, party) }),

  /** Spec: the list has no filter for the identifier, so it is swept by time. */
  lookUpAll: (api, party, records) =>
    sweepFor(api, records, {
      list: { endpoint: 'listBrandVariants', params: partyParams(party) },
      since: 'created_at_gte',
      nameOf: identifierShown,
      nameOfRecord: ({ naturalKey }) => naturalKey,
      madeAt: ['created_at'],
      likeness: (variant, { naturalKey, body }) => ({
        what: 'item',
        names: [[identifierShown(variant), naturalKey]],
        values: comparedValues(variant, entriesOf(JSON.parse(body) as Body, party)),
      }),
    }),
}

type Entries = ReturnType<typeof attributeEntries>

/** What an item is. Its stock and prices change, and its images may get another address. */
function comparedValues(variant: Resource, entries: Entries): ComparedValue[] {
  const attributes = shownAttributes(variant['attributes'])
  return entries.flatMap(({ attribute: { code }, value: ours, retailer }) => {
    const compared = COMPARED[ATTRIBUTES[code as AttributeCode].type]
    if (code === 'identifier' || code === 'inventory' || compared === undefined) return []
    const values = attributes?.get(code)?.filter((each) => isFor(each, retailer)) ?? []
    const isSame = code === 'upc' ? isNoOtherUpc : compared
    const fitting = values.find(({ value }) => isSame(String(value), String(ours))) ?? values[0]
    const shown = fitting?.value ?? (retailer ? undefined : variant[code])
    return [{ name: code, shown, ours, isSame }]
  })
}

const isSameNumber = (shown: string, ours: string) => Number(shown) === Number(ours)
const isNoOtherUpc = (shown: string, ours: string) => isUpc(shown, ours) !== false

const COMPARED: Readonly<Partial<Record<AttributeType, typeof isSameText>>> = {
  text: isSameText,
  integer: isSameNumber,
  decimal: isSameNumber,
}

export const updateVariant: InboundRules = {
  // One item may be changed for several retailers, each by a record of its own.
  naturalKey: (body) =>
    typeof body['retailer_id'] === 'number'
      ? `${idText(body)} for retailer ${body['retailer_id']}`
      : idText(body),
  lane: idText,
  change: (body) => ({ target: `variant_id ${idText(body)}`, values: valuesOf(body) }),
  request: (body, party) => ({ params: { id: idText(body) }, body: entriesText(body, party) }),

  async lookUp(api, party, record) {
    const body = JSON.parse(record.body) as Body
    const endpoint = party.kind === 'brand' ? 'getBrandVariant' : 'getRetailerVariant'
    const variant = await api.get({ endpoint, params: { ...partyParams(party), id: idText(body) } })
    if (variant === undefined || !showsAll(variant, entriesOf(body, party))) return { found: 'absent' }
    return { found: 'accepted', apiId: idText(body) }
  },
}

function idText(body: Body): string {
  return String(body['variant_id'])
}

function identifierOf(body: Body): string {
  return String((body['attributes'] as AttributeValues | undefined)?.['identifier'])
}

/** Spec: it is repeated among the attributes, where alone it is guaranteed. */
function identifierShown({ identifier, attributes }: Resource): unknown {
  return identifier ?? shownAttributes(attributes)?.get('identifier')?.[0]?.value
}

/** A retailer's own values need not say whose they are. */
function entriesOf(body: Body, party: Party) {
  const { attributes, retailer_id: retailer } = body
  const own = party.kind === 'retailer' ? party.id : undefined
  return attributeEntries(attributes as AttributeValues, typeof retailer === 'number' ? retailer : own)
}

/** By their codes; a value that is one retailer's is another than that of the next. */
function valuesOf({ attributes, retailer_id: retailer }: Body): string[] {
  const entries = attributeEntries(
    attributes as AttributeValues,
    typeof retailer === 'number' ? retailer : undefined,
  )
  return entries.map(({ attribute: { code }, retailer: whose }) =>
    whose ? `${code} for retailer ${whose.id}` : code,
  )
}

function entriesText(body: Body, party: Party): string {
  return JSON.stringify({ attributes: entriesOf(body, party) })
}

interface ShownValue {
  readonly value?: unknown
  readonly retailer?: { readonly id?: unknown }
}

interface ShownAttribute {
  readonly code?: unknown
  readonly values?: readonly ShownValue[]
}

/** The values by code. Suppliers see attributes by code, retailers as a list. */
function shownAttributes(attributes: unknown) {
  if (typeof attributes !== 'object' || attributes === null) return undefined
  const all = Object.values(attributes as Record<string, ShownAttribute>)
  return new Map(all.map((it) => [String(it.code), it.values ?? []]))
}

function showsAll(variant: Resource, entries: Entries): boolean {
  const shown = shownAttributes(variant['attributes'])
  if (shown === undefined) return false
  return entries.every(({ attribute, value, retailer }) =>
    shown.get(attribute.code)?.some((each) => String(each.value) === String(value) && isFor(each, retailer)),
  )
}

/** Where either does not say whose value it is, it may be. */
function isFor({ retailer: shown }: ShownValue, retailer: Entries[number]['retailer']): boolean {
  return !retailer || shown === undefined || shown.id === retailer.id
}
