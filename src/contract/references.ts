/** What bodies name by an id and files by something else. */

/** `called` says, for people, what a file says instead of the id; `max` is how many characters that may have. */
export interface ReferenceRule {
  readonly called: string
  readonly max: number
}

export const REFERENCES = {
  order: { called: 'its purchase order number', max: 32 },
  variant: { called: 'its SKU or UPC', max: 128 },
  carrier: { called: 'its code or name', max: 128 },
  'shipping-method': { called: 'its code or name', max: 128 },
  'shipping-account': { called: 'its nickname', max: 128 },
  shipment: { called: 'its tracking number', max: 128 },
  invoice: { called: 'its invoice number', max: 32 },
  credit: { called: 'its credit number', max: 32 },
  return: { called: 'its RMA number', max: 32 },
} as const satisfies Record<string, ReferenceRule>

export type ReferenceKind = keyof typeof REFERENCES

export const REFERENCE_KINDS = Object.keys(REFERENCES) as readonly ReferenceKind[]

export function isReference(kind: string): kind is ReferenceKind {
  return Object.hasOwn(REFERENCES, kind)
}

/** `a shipping method` */
export function describeReference(kind: ReferenceKind): string {
  const words = kind.replace('-', ' ')
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`
}
