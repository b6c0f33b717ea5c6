/** Items as mappings write them: attributes by their codes. On the wire they are a list of entries. */
import type { z } from 'zod'
import {
  ATTRIBUTES,
  type AttributeCode,
  type AttributeRule,
  isAttributeCode,
  checkAttributeValue,
} from './attributes.ts'
import type { AttributeEntry } from './variant.ts'
import { FIELD_RULES, type FieldRule, id, integer, measure, money, reference, text } from './fields.ts'
import { objectSchema, type Rule } from './object-schema.ts'

export type AttributeValues = Readonly<Record<string, string | number>>

function attributeField({ type, max, units }: AttributeRule) {
  switch (type) {
    case 'text':
    case 'image':
      return text(max)
    case 'integer':
      return integer(0)
    case 'money':
      return money(8)
    case 'decimal':
      return measure(units === 'pounds' ? 'pounds' : 'inches')
  }
}

const ATTRIBUTE_FIELDS = new Map(
  Object.entries<AttributeRule>(ATTRIBUTES).map(([code, rule]) => [code, attributeField(rule)]),
)

export function attributeFieldRule(code: AttributeCode): FieldRule {
  const field = ATTRIBUTE_FIELDS.get(code)
  return (field && FIELD_RULES.get(field)) ?? { kind: 'text' }
}

function attributeShape(leftOut: readonly AttributeCode[]) {
  const all = [...ATTRIBUTE_FIELDS].filter(([code]) => !leftOut.some((it) => it === code))
  return Object.fromEntries(all.map(([code, field]): [string, z.ZodType] => [code, field.nullish()]))
}

const validAttributeValues: Rule = (values) =>
  Object.entries(values).flatMap(([code, value]) => {
    if (!isAttributeCode(code) || (typeof value !== 'string' && typeof value !== 'number')) return []
    const wrong = checkAttributeValue(code, String(value))
    return wrong === undefined ? [] : [{ code: 'field-invalid', path: [code], message: `${code} ${wrong}` }]
  })

const atLeastOneAttribute: Rule = (values) =>
  Object.values(values).some((value) => value !== undefined && value !== null)
    ? []
    : [{ code: 'value-missing', path: [], message: 'no attribute is given' }]

/** Requires `retailer_id` for attributes with a value per retailer. */
const requireRetailer: Rule = ({ attributes, retailer_id: retailer }) => {
  if (retailer !== undefined && retailer !== null) return []
  if (typeof attributes !== 'object' || attributes === null) return []
  const own = Object.entries(attributes).filter(
    ([code, value]) =>
      isAttributeCode(code) && ATTRIBUTES[code].isPerRetailer && value !== undefined && value !== null,
  )
  return own.map(([code]) => ({
    code: 'value-missing',
    path: ['retailer_id'],
    message: `retailer_id is missing: ${code} is the value of one retailer`,
  }))
}

/** A new item. `retailer_id`: the owner of the values of per-retailer attributes. */
export const VariantFields = objectSchema(
  {
    retailer_id: id().nullish(),
    attributes: objectSchema(
      { identifier: text(128), ...attributeShape(['identifier']) },
      validAttributeValues,
    ),
  },
  requireRetailer,
)

/** Changes of an item. Spec: the identifier cannot be changed. */
export const VariantChanges = objectSchema(
  {
    variant_id: reference('variant'),
    retailer_id: id().nullish(),
    attributes: objectSchema(attributeShape(['identifier']), validAttributeValues, atLeastOneAttribute),
  },
  requireRetailer,
)

/** The list of entries that is sent, in the order of the attribute table. */
export function attributeEntries(values: AttributeValues, retailerId: number | undefined): AttributeEntry[] {
  return Object.entries<AttributeRule>(ATTRIBUTES).flatMap(([code, { isPerRetailer }]) => {
    const value = values[code]
    if (value === undefined) return []
    const retailer = isPerRetailer && retailerId !== undefined ? { retailer: { id: retailerId } } : {}
    return [{ attribute: { code }, value, ...retailer }]
  })
}
