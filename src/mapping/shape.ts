/** The contract's schemas as a plain tree of objects, lists and fields, for the mapping compiler. */
import { z } from 'zod'
import { ATTRIBUTE_CODES } from '../contract/attributes.ts'
import { describeReference, FIELD_RULES, type FieldRule, REFERENCES } from '../contract/fields.ts'
import { AttributeList, AttributesByCode } from '../contract/variant.ts'
import { attributeFieldRule } from '../contract/variant-fields.ts'
import { OBJECT_RULES, type Rule } from '../contract/object-schema.ts'

export interface FieldShape {
  readonly kind: 'field'
  /** The values that the field takes; absent for values that the API only shows. */
  readonly rule?: FieldRule
  readonly required: boolean
}

export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: ReadonlyMap<string, Shape>
  readonly rules: readonly Rule[]
  readonly required: boolean
}

export interface ListShape {
  readonly kind: 'list'
  readonly item: Shape
  readonly required: boolean
}

/** An object with any keys, or a value of unknown type. */
export interface OpenShape {
  readonly kind: 'open'
  readonly required: boolean
}

export type Shape = FieldShape | ObjectShape | ListShape | OpenShape

/** The contract's schemas never change, and routes of one operation need the same shape. */
const knownShapes = new WeakMap<z.ZodType, Shape>()

/** Returns the shape of a required value; the same object for the same schema. */
export function toShape(schema: z.ZodType): Shape {
  const shape = knownShapes.get(schema) ?? createShape(schema)
  knownShapes.set(schema, shape)
  return shape
}

function createShape(schema: unknown, required = true): Shape {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return createShape(schema.unwrap(), false)
  }
  if (schema instanceof z.ZodObject) {
    const fields = new Map<string, Shape>()
    for (const [name, field] of Object.entries(schema.shape)) fields.set(name, createShape(field))
    return { kind: 'object', fields, rules: OBJECT_RULES.get(schema)?.rules ?? [], required }
  }
  if (schema === AttributesByCode || schema === AttributeList) return createAttributesShape(required)
  if (schema instanceof z.ZodArray) return { kind: 'list', item: createShape(schema.element), required }
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown) return { kind: 'open', required }
  const rule = schema instanceof z.ZodType ? FIELD_RULES.get(schema) : undefined
  return { kind: 'field', required, ...(rule === undefined ? {} : { rule }) }
}

/** Attributes by their codes, however a view shows them: `attributes.cost` is the value itself. */
function createAttributesShape(required: boolean): ObjectShape {
  const fields = ATTRIBUTE_CODES.map((code): [string, FieldShape] => [
    code,
    { kind: 'field', rule: attributeFieldRule(code), required: false },
  ])
  return { kind: 'object', fields: new Map(fields), rules: [], required }
}

/** A constant that fits the field, as a mapping writes it. */
export function showConstant(rule: FieldRule): string {
  const examples: Readonly<Record<Exclude<FieldRule['kind'], 'choice'>, string>> = {
    text: 'TEXT',
    integer: '1',
    money: '12.50',
    decimal: '2.5',
    dateTime: '2026-03-01T12:00:00Z',
    date: '2026-03-01',
    boolean: 'true',
    country: 'US',
    province: 'NY',
  }
  return `{ const: ${rule.kind === 'choice' ? rule.values[0] : examples[rule.kind]} }`
}

/** `a date and time`, for messages and documentation. */
export function describeRule(rule: FieldRule): string {
  switch (rule.kind) {
    case 'text':
      return rule.max === undefined ? 'text' : `text of at most ${rule.max} characters`
    case 'integer':
      if (rule.reference !== undefined) {
        const { called } = REFERENCES[rule.reference]
        return `the id of ${describeReference(rule.reference)}, or with \`find: ${rule.reference}\` ${called}`
      }
      return `a whole number from ${rule.min}`
    case 'money':
      return 'US dollars, such as 12.50'
    case 'decimal':
      return `a number of ${rule.unit} above zero`
    case 'dateTime':
      return 'a date and time'
    case 'date':
      return 'a date'
    case 'boolean':
      return 'true or false'
    case 'choice':
      return `one of ${rule.values.join(', ')}`
    case 'country':
      return 'a country'
    case 'province':
      return 'a state or province'
  }
}
