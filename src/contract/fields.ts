/** The field types of the API. Each field is a zod schema with a rule that describes it as data. */
import { z } from 'zod'
import { makeOnDemand, rememberByArguments } from '../support/collections.ts'
import { isCountry } from './places.ts'

/**
 * The values that a field takes, as data for the mapping compiler and the documentation.
 * `reference` marks an id that files replace by another name: an order by its purchase order number (`REFERENCES`).
 */
export type FieldRule =
  | {
      readonly kind: 'text'
      readonly max?: number
      readonly blankAllowed?: boolean
      readonly code?: 'upc' | 'number'
    }
  | {
      readonly kind: 'integer'
      readonly min: number
      readonly max: number
      readonly reference?: ReferenceKind
    }
  | { readonly kind: 'money'; readonly wholeDigits: number }
  | {
      readonly kind: 'decimal'
      readonly unit: string
      readonly wholeDigits: number
      readonly decimals: number
    }
  | { readonly kind: 'dateTime' }
  | { readonly kind: 'date' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'country' }
  | { readonly kind: 'province' }

/** The rule of every field schema. Filled only while the contract's modules load. */
export const FIELD_RULES = z.registry<FieldRule>()

/** Spec: ids are integer (11); a 32-bit signed column holds them. */
const MAX_ID = 2_147_483_647

// Making a schema takes long in a short command, so fields of the same rule share one.

/** Text of at least one character: an empty string must never be sent. */
export const text = rememberByArguments((max?: number) => {
  const schema = (max === undefined ? z.string().min(1) : z.string().min(1).max(max)).refine(
    (value) => value === '' || isPlainText(value),
    'must not be blank or hold control characters',
  )
  return schema.register(FIELD_RULES, { kind: 'text', ...(max === undefined ? {} : { max }) })
})

/** Text in which an empty string means something, such as a line break in a gift message. */
export const textOrBlank = rememberByArguments((max: number) =>
  z.string().max(max).register(FIELD_RULES, { kind: 'text', max, blankAllowed: true }),
)

/** Spec: string (64). Always text, never a number: leading zeros count. */
export const upc = makeOnDemand(() =>
  z.string().min(1).max(64).register(FIELD_RULES, { kind: 'text', max: 64, code: 'upc' }),
)

/** A number that people give to an order, invoice or parcel, or a postal code: text that a spreadsheet may take for a number. */
export const numberText = rememberByArguments((max: number) =>
  text(max).clone().register(FIELD_RULES, { kind: 'text', max, code: 'number' }),
)

/** Control characters that no keyboard writes; line breaks and tabs are not among them. */
// oxlint-disable-next-line no-control-regex -- it finds control characters
export const CONTROL_CHARACTER = /[\u0000-\u0008\u000e-\u001f\u007f]/

const LONE_SURROGATE = /\p{Surrogate}/u

/** Spec: empty strings must not be sent; neither is blank text. Half of a surrogate pair is not text. */
export function isPlainText(value: string): boolean {
  return value.trim() !== '' && !CONTROL_CHARACTER.test(value) && !LONE_SURROGATE.test(value)
}

export const integer = rememberByArguments((min: number = 0, max: number = MAX_ID) =>
  z.int().min(min).max(max).register(FIELD_RULES, { kind: 'integer', min, max }),
)

/** An id that the service assigned. Spec: integer (11). */
export function id() {
  return integer(1)
}

/** An id that files replace by another name. */
export const reference = rememberByArguments((kind: ReferenceKind) => {
  const schema = z.int().min(1).max(MAX_ID)
  return schema.register(FIELD_RULES, { kind: 'integer', min: 1, max: MAX_ID, reference: kind })
})

/** US dollars as text with exactly two decimals, not negative, such as `12.50`. Spec: decimal (8,2) is six whole digits. */
export const money = rememberByArguments((wholeDigits: number = 6) =>
  z
    .string()
    .regex(
      new RegExp(`^\\d{1,${wholeDigits}}\\.\\d{2}$`),
      'must be a decimal with two decimals, such as 12.50',
    )
    .register(FIELD_RULES, { kind: 'money', wholeDigits }),
)

/** A measure as decimal text above zero, such as `2.5`, in the given unit. Spec: the size is not shown. */
export const measure = rememberByArguments((unit: 'pounds' | 'inches') => {
  const size = { wholeDigits: 6, decimals: 4 }
  const pattern = new RegExp(`^(?=.*[1-9])\\d{1,${size.wholeDigits}}(\\.\\d{1,${size.decimals}})?$`)
  return z
    .string()
    .regex(pattern, 'must be a decimal above zero, such as 2.5')
    .register(FIELD_RULES, { kind: 'decimal', unit, ...size })
})

/** ISO 8601 in UTC, such as `2026-11-21T02:15:00Z`; milliseconds allowed. */
export const dateTime = makeOnDemand(() => z.iso.datetime().register(FIELD_RULES, { kind: 'dateTime' }))

/** `YYYY-MM-DD`. */
export const date = makeOnDemand(() => z.iso.date().register(FIELD_RULES, { kind: 'date' }))

export const boolean = makeOnDemand(() => z.boolean().register(FIELD_RULES, { kind: 'boolean' }))

export function choice<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.enum(values).register(FIELD_RULES, { kind: 'choice', values })
}

/** Spec: two-character country code, validated on input. ISO 3166-1. */
export const country = makeOnDemand(() =>
  z
    .string()
    .refine(isCountry, 'must be a two-letter ISO 3166 country code, such as US')
    .register(FIELD_RULES, { kind: 'country' }),
)

/** Spec: state or province code, validated on input, against the country of the same address. ISO 3166-2. */
export const province = makeOnDemand(() => z.string().min(1).register(FIELD_RULES, { kind: 'province' }))

// Ids that a file replaces by another name, such as an order by its purchase order number.

/** `called` is the name of the text that files hold instead of the id, for people; `max` its most characters. */
interface ReferenceRule {
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
  const noun = kind.replace('-', ' ')
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
