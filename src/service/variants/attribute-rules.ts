/** Reads the attribute changes of a body, and checks which party may set which attribute for whom. */
import { type AttributeCode, attributeRule, isAttributeCode } from '../../contract/attributes.ts'
import type { AttributeEntry } from '../../contract/variant.ts'
import type { FieldErrors } from '../http/answers.ts'
import type { Store } from '../store/store.ts'
import type { TradeDirectory } from '../trade/directory.ts'

export interface AttributeChange {
  /** The index of its entry in the body. */
  readonly index: number
  readonly code: AttributeCode
  /** Null takes the value away. */
  readonly value: string | null
  /** 0 for a value that is for all. */
  readonly retailerId: number
}

/** `retailer` is undefined where the entry names no retailer. */
type ReadEntry = Omit<AttributeChange, 'retailerId'> & { readonly retailer: number | undefined }

/** Reads the changes that the brand may make; adds errors for others. */
export function readBrandChanges(
  entries: readonly AttributeEntry[],
  { brandId, directory }: { brandId: number; directory: TradeDirectory },
  errors: FieldErrors,
): AttributeChange[] {
  const refuse = (code: AttributeCode, retailer: number | undefined): string | undefined => {
    if (retailer === undefined) {
      return attributeRule(code).isPerRetailer
        ? `${code} is for one retailer, which must be named.`
        : undefined
    }
    if (isSameForAll(code)) return `${code} is the same for all retailers.`
    const isConnected = directory.findConnection(retailer, brandId) !== undefined
    return isConnected ? undefined : `The brand has no connection with retailer ${retailer}.`
  }
  return readEntries(entries, errors).flatMap(({ retailer, ...entry }) => {
    const refusal = refuse(entry.code, retailer)
    if (refusal === undefined) return [{ ...entry, retailerId: retailer ?? 0 }]
    errors.add(['attributes', entry.index, 'retailer'], refusal)
    return []
  })
}

/** Reads the changes a retailer may make, for itself only; adds errors for others. It may repeat the identifier. */
export function readRetailerChanges(
  entries: readonly AttributeEntry[],
  { retailerId, identifier }: { retailerId: number; identifier: string },
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

/** Whether all retailers share the supplier's value. Spec: shown only for the identifier. */
function isSameForAll(code: AttributeCode): boolean {
  return SHARED.has(code) || attributeRule(code).type === 'image'
}

const SHARED: ReadonlySet<AttributeCode> = new Set(['identifier', 'upc', 'inventory', 'lead_time', 'cartons'])

/** The ranges of numbers. Spec: not shown. */
const RANGES: { readonly [Code in AttributeCode]?: readonly [min: number, max: number] } = {
  cartons: [1, 20],
  lead_time: [0, 999],
}

/** Numbers and booleans become their text. */
function readEntries(entries: readonly AttributeEntry[], errors: FieldErrors): ReadEntry[] {
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

// Retailer SKUs: each names one item of a retailer.

/** Adds errors of the SKUs among the changes; the retailers are those the item is offered to. */
export function checkSkus(
  store: Store,
  changes: readonly AttributeChange[],
  { variantId, isOffered }: { variantId?: number; isOffered: (retailerId: number) => boolean },
  errors: FieldErrors,
): void {
  for (const { index, code, value, retailerId } of changes) {
    if (code !== 'retailer_sku') continue
    // Spec: not shown; an item that a retailer may not sell yet gets no retailer SKU
    if (!isOffered(retailerId)) {
      errors.add(['attributes', index, 'retailer'], `The item is not offered to retailer ${retailerId} yet.`)
    }
    const taken =
      value === null ? undefined : store.find('retailer_variants', { retailer_id: retailerId, sku: value })
    if (taken !== undefined && taken.variant_id !== variantId) {
      errors.add(['attributes', index, 'value'], 'A variant with this retailer_sku already exists.')
    }
  }
}
