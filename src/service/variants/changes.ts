/** What the entries of a body change, after the rules about who may set which attribute for whom. */
import { type AttributeCode, attributeRule, isAttributeCode } from '../../contract/attributes.ts'
import type { AttributeEntry } from '../../contract/catalog.ts'
import type { Directory } from '../directory.ts'
import type { FieldErrors } from '../http/field-errors.ts'

/** A value for an attribute. */
export interface AttributeChange {
  /** Of its entry in the body. */
  readonly index: number
  readonly code: AttributeCode
  /** Null takes the value away. */
  readonly value: string | null
  /** 0 for a value that is for all. */
  readonly retailerId: number
}

interface Entry {
  readonly index: number
  readonly code: AttributeCode
  readonly value: string | null
  /** Undefined where the entry names nobody. */
  readonly retailer: number | undefined
}

export interface BrandSpeaking {
  readonly brandId: number
  readonly directory: Directory
}

/** Those that the brand may make; the others are among the errors. */
export function brandChanges(
  entries: readonly AttributeEntry[],
  { brandId, directory }: BrandSpeaking,
  errors: FieldErrors,
): AttributeChange[] {
  return readEntries(entries, errors).flatMap(({ retailer, ...entry }) => {
    const refusal = brandRefusal(
      entry.code,
      retailer,
      (id) => directory.connection(id, brandId) !== undefined,
    )
    if (refusal === undefined) return [{ ...entry, retailerId: retailer ?? 0 }]
    errors.add(['attributes', entry.index, 'retailer'], refusal)
    return []
  })
}

function brandRefusal(
  code: AttributeCode,
  retailer: number | undefined,
  isConnected: (retailerId: number) => boolean,
): string | undefined {
  if (retailer === undefined) {
    return attributeRule(code).isPerRetailer ? `${code} is for one retailer, which must be named.` : undefined
  }
  if (isSameForAll(code)) return `${code} is the same for all retailers.`
  return isConnected(retailer) ? undefined : `The brand has no connection with retailer ${retailer}.`
}

export interface RetailerSpeaking {
  readonly retailerId: number
  /** The supplier's identifier of the item, which may be repeated. */
  readonly identifier: string
}

/** Those that the retailer may make, all of them for itself alone; the others are among the errors. */
export function retailerChanges(
  entries: readonly AttributeEntry[],
  { retailerId, identifier }: RetailerSpeaking,
  errors: FieldErrors,
): AttributeChange[] {
  const seen = new Set<AttributeCode>()
  return readEntries(entries, errors).flatMap(({ retailer = retailerId, ...entry }) => {
    const at = ['attributes', entry.index] as const
    if (retailer !== retailerId) {
      errors.add([...at, 'retailer'], `A retailer sets values for itself only, not for retailer ${retailer}.`)
      return []
    }
    if (seen.has(entry.code)) {
      errors.add([...at, 'attribute', 'code'], `${entry.code} is given more than once.`)
      return []
    }
    seen.add(entry.code)
    if (entry.code === 'identifier' && entry.value === identifier) return []
    if (isSameForAll(entry.code) || entry.code === 'cost') {
      errors.add([...at, 'attribute', 'code'], `${entry.code} is set by the supplier.`)
      return []
    }
    return [{ ...entry, retailerId }]
  })
}

/** Whether the one value is the supplier's. Spec: not shown but for the identifier. */
function isSameForAll(code: AttributeCode): boolean {
  return SAME_FOR_ALL.has(code) || attributeRule(code).type === 'image'
}

const SAME_FOR_ALL: ReadonlySet<AttributeCode> = new Set([
  'identifier',
  'upc',
  'inventory',
  'lead_time',
  'cartons',
])

/** Where a number has to lie. Spec: not shown. */
const RANGES: { readonly [Code in AttributeCode]?: readonly [min: number, max: number] } = {
  cartons: [1, 20],
  lead_time: [0, 999],
}

/** Numbers and booleans become their text. */
function readEntries(entries: readonly AttributeEntry[], errors: FieldErrors): Entry[] {
  return entries.flatMap(({ attribute: { code }, value: given, retailer }, index) => {
    if (!isAttributeCode(code)) return []
    const value = given === null ? null : String(given)
    const [min, max] = RANGES[code] ?? []
    if (
      value !== null &&
      min !== undefined &&
      max !== undefined &&
      !(Number(value) >= min && Number(value) <= max)
    ) {
      errors.add(['attributes', index, 'value'], `${code} must be from ${min} to ${max}.`)
    }
    return [{ index, code, value, retailer: retailer?.id }]
  })
}
