/** Converts values between bodies, rows and answers: optional fields, times, exact amounts and addresses. */
import { z } from 'zod'
import {
  type Address,
  AddressInput,
  FLAT_NAMES,
  type flatAddress,
  type FlatName,
} from '../contract/address.ts'
import { FIELD_RULES, type FieldRule } from '../contract/fields.ts'
import { isoTime } from '../support/clock.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatShortDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../support/decimal.ts'
import { assert } from '../support/errors.ts'

export function multiplyPrice(quantity: number, price: string): Decimal {
  return multiplyDecimals({ units: BigInt(quantity), scale: 0 }, parseCheckedDecimal(price))
}

export function fitsWholeDigits(amount: Decimal, wholeDigits: number): boolean {
  return compareDecimals(amount, { units: 10n ** BigInt(wholeDigits), scale: 0 }) < 0
}

/** Spec: amounts of invoices and credits are decimal (8,2). */
export const MONEY_DIGITS = 6

/** The spec shows no size of prices; this is the limit of an order line. */
export const PRICE_DIGITS = 8

/** Adds amounts with two decimals and subtracts those in `taken`. */
export function sumAmounts(added: readonly string[], taken: readonly string[] = []): Decimal {
  const total = (amounts: readonly string[]) =>
    amounts.map(parseCheckedDecimal).reduce(addDecimals, { units: 0n, scale: 2 })
  const less = total(taken)
  return addDecimals(total(added), { ...less, units: -less.units })
}

/** Converts a charge, an allowance or an adjustment of a body to its stored form. */
export function toAdjustment(given: {
  type: string
  description?: string | null | undefined
  amount: string
}) {
  return { type: given.type, description: given.description ?? null, amount: given.amount }
}

/** Spec: girth is (d1+d2)*2+d3, where d1 and d2 are the two shortest dimensions. */
export function computeGirth(dimensions: readonly [string, string, string]): string {
  const [shortest, middle, longest] = dimensions.map(parseCheckedDecimal).toSorted(compareDecimals)
  assert(
    shortest !== undefined && middle !== undefined && longest !== undefined,
    'a box has three dimensions',
  )
  const around = multiplyDecimals(addDecimals(shortest, middle), { units: 2n, scale: 0 })
  return formatShortDecimal(addDecimals(around, longest))
}

/** In cubic inches. */
export function computeVolume(dimensions: readonly [string, string, string]): string {
  return formatShortDecimal(dimensions.map(parseCheckedDecimal).reduce(multiplyDecimals))
}

/** For text that has passed the contract's check. */
function parseCheckedDecimal(text: string): Decimal {
  const value = parseDecimal(text)
  assert(value !== undefined, `"${text}" passed as a decimal, but is not one`)
  return value
}

const ADDRESS_NAMES = Object.keys(AddressInput.shape) as readonly (keyof AddressInput)[]

/** The stored text: every key of the address but its id, null for absent ones. */
export function addressToJson(address: AddressInput): string {
  return JSON.stringify(Object.fromEntries(ADDRESS_NAMES.map((name) => [name, address[name] ?? null])))
}

export function addressFromJson(id: number, text: string): Address {
  return { id, ...(JSON.parse(text) as Omit<Address, 'id'>) }
}

export function addressFromJsonOrNull(id: number | null, text: string | null): Address | null {
  return id === null || text === null ? null : addressFromJson(id, text)
}

type FlatAddress<Prefix extends string> = z.output<z.ZodObject<ReturnType<typeof flatAddress<Prefix>>>>

/** The form brands see: `ship_to_name1` and so on. */
export function flattenAddress<Prefix extends string>(prefix: Prefix, address: Address) {
  const named = { ...address, phone: address.phone1 }
  return Object.fromEntries(
    FLAT_NAMES.map((name) => [`${prefix}_${name}`, named[name]]),
  ) as FlatAddress<Prefix>
}

/** The address behind `ship_from_name1` and so on. */
export function readOrigin<Body extends { readonly [Name in FlatName as `ship_from_${Name}`]?: unknown }>(
  body: Body,
) {
  const fields = FLAT_NAMES.map((name) => [name === 'phone' ? 'phone1' : name, body[`ship_from_${name}`]])
  return Object.fromEntries(fields) as {
    [Name in FlatName as Name extends 'phone' ? 'phone1' : Name]: Body[`ship_from_${Name}`]
  }
}

// Rows as answers show them.

/** The fields that are columns: rows have milliseconds for times, and 1 or 0 for flags. */
type ColumnOf<Shown, Row> = {
  [Name in keyof Shown & keyof Row]: Row[Name] extends Shown[Name]
    ? Name
    : Row[Name] extends number | null
      ? Shown[Name] extends string | boolean | null
        ? Name
        : never
      : never
}[keyof Shown & keyof Row]

/** Converts a row to its contract form: the fields that are columns, and `otherFields`. Times become ISO text. */
export function createRowView<Schema extends z.ZodObject>({ shape }: Schema) {
  type Shown = z.output<Schema>
  const fields = Object.entries(shape).map(([name, field]) => {
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field
    return [name, FIELD_RULES.get(inner as z.ZodType)?.kind] as const
  })
  return <Row extends object>(row: Row, otherFields: Omit<Shown, ColumnOf<Shown, Row>>): Shown => {
    const show = (name: string, kind: FieldRule['kind'] | undefined): unknown => {
      if (name in otherFields) return otherFields[name as keyof typeof otherFields]
      const value = row[name as keyof Row] as unknown
      if (kind === 'dateTime') return isoTimeOrNull(value as number | null)
      return kind === 'boolean' ? value === 1 : value
    }
    return Object.fromEntries(fields.map(([name, kind]) => [name, show(name, kind)])) as Shown
  }
}

/** Null stays null. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}

/** Missing and null mean the same in a body. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
