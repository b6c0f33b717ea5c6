/** Attributes as items show them. Spec: "attributes", keyed by code for brands and an array for retailers. */
import { type AttributeCode, attributeRule } from '../../contract/attributes.ts'
import type { Attribute } from '../../contract/variant.ts'

/** A value; with the retailer it is for where it is not for all. */
export interface AttributeValueRow {
  readonly value: string
  readonly retailerId?: number
}

export function toAttribute(code: AttributeCode, values: readonly AttributeValueRow[]): Attribute {
  const { id, name, grouping, description, type, units } = attributeRule(code)
  return {
    id,
    code,
    name,
    grouping,
    description,
    type,
    units,
    // Spec: what numbers a value is not shown; here it is counted within its attribute
    values: values.map(({ value, retailerId }, index) => ({
      id: index + 1,
      value,
      ...(retailerId === undefined ? {} : { retailer: { id: retailerId } }),
    })),
  }
}

export function byCode(attributes: readonly Attribute[]): Record<string, Attribute> {
  return Object.fromEntries(attributes.map((attribute) => [attribute.code, attribute]))
}
