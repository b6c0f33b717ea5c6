/** The address object. Spec: "Address object (sold_to, ship_to, bill_to, ship_from, remit_to)". */
import { z } from 'zod'
import { country, numberText, province, text } from './fields.ts'
import { objectSchema, type Rule, type RuleViolation } from './object-schema.ts'
import { isProvinceOf, exemplifyProvinces } from './places.ts'

/** A province must belong to the country of its address. The two field names differ by resource. */
export function provinceRule(countryField: string, provinceField: string): Rule {
  return (value) => provinceViolations(value, countryField, provinceField)
}

function provinceViolations(
  value: Readonly<Record<string, unknown>>,
  countryField: string,
  provinceField: string,
): RuleViolation[] {
  const countryCode = value[countryField]
  const provinceCode = value[provinceField]
  if (typeof countryCode !== 'string' || typeof provinceCode !== 'string') return []
  if (isProvinceOf(countryCode, provinceCode)) return []
  const message = `"${provinceCode}" is not a state or province of ${countryCode}, such as ${exemplifyProvinces(countryCode, provinceCode)}`
  return [{ code: 'province-unknown', path: [provinceField], message }]
}

/** Spec: sizes of address fields are not shown; this is our limit. */
const ADDRESS_MAX = 255
const addressText = () => text(ADDRESS_MAX)

/**
 * An address as it is sent. Spec: optional fields may be omitted or null; empty strings must not be sent; the country
 * and the province are validated, the postal code is not.
 */
export const AddressInput = objectSchema(
  {
    type: addressText().nullish(),
    name1: addressText(),
    name2: addressText().nullish(),
    street1: addressText(),
    street2: addressText().nullish(),
    city: addressText(),
    province: province(),
    postal_code: numberText(ADDRESS_MAX),
    country: country(),
    phone1: addressText().nullish(),
    phone2: addressText().nullish(),
    fax: addressText().nullish(),
    email: addressText().nullish(),
  },
  provinceRule('country', 'province'),
)
export type AddressInput = z.infer<typeof AddressInput>

const flatFields = {
  name1: text(),
  name2: text().nullable(),
  street1: text(),
  street2: text().nullable(),
  city: text(),
  province: text(),
  postal_code: text(),
  country: text(),
  phone: text().nullable(),
}

const { phone: _phone, ...placeFields } = flatFields

/** An address as the service shows it. Spec: "In responses every key is present, null when empty." */
export const Address = z.object({
  id: z.int(),
  type: text().nullable(),
  ...placeFields,
  phone1: text().nullable(),
  phone2: text().nullable(),
  fax: text().nullable(),
  email: text().nullable(),
})
export type Address = z.infer<typeof Address>

// An address among other fields, as brands see it.

export type FlatName = keyof typeof flatFields

export const FLAT_NAMES = Object.keys(flatFields) as readonly FlatName[]

/** `ship_to_name1` and so on. */
export function flatAddress<Prefix extends string>(prefix: Prefix) {
  return Object.fromEntries(FLAT_NAMES.map((name) => [`${prefix}_${name}`, flatFields[name]])) as {
    [Name in FlatName as `${Prefix}_${Name}`]: (typeof flatFields)[Name]
  }
}
