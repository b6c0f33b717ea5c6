/** The spec as data: a row for every statement, so that a test can name the rows that it proves. */
import type { z } from 'zod'

export interface Row {
  /** Readable and lasting, such as `order.gift_message`. */
  readonly id: string
  /** The heading of the spec above the statement. */
  readonly section: string
  /** The text of the spec, shortened. */
  readonly says: string
  /** The spec leaves this open; the statement is the choice of the service. */
  readonly ours?: true
}

/** A field of a resource as answers show it. */
export interface FieldRow extends Row {
  readonly resource: string
  readonly key: string
  readonly shape: z.ZodType
  /** Whether the value may be null for "nothing there". */
  readonly empty: boolean
  /** The only view that has the field; both have it when left out. */
  readonly view?: View
}

export type View = 'retailer' | 'brand'

/** A field of a body: values that are refused with the name of the field, and values that are accepted. */
export interface BodyRow extends Row {
  readonly body: BodyName
  /** From the body down to the field: `order_lines.0.quantity`. */
  readonly path: string
  readonly required: boolean
  readonly wrong: readonly unknown[]
  readonly right: readonly unknown[]
}

export type BodyName = 'order' | 'cancel' | 'shipment' | 'label' | 'invoice' | 'variant'

/** A filter of a list; four rows of a time filter differ in the operator. */
export interface FilterRow extends Row {
  readonly list: string
  readonly filter: string
}

type StatementText = readonly [id: string, says: string]

/** Statements of one section, their ids under one prefix. */
export function statements(section: string, prefix: string, texts: readonly StatementText[]): Row[] {
  return texts.map(([id, says]) => ({ id: `${prefix}.${id}`, section, says }))
}

/** Places that the spec leaves open, with the choice of the service. */
export function choices(section: string, prefix: string, texts: readonly StatementText[]): Row[] {
  return statements(section, prefix, texts).map((row) => ({ ...row, ours: true }))
}

export interface Resource {
  readonly section: string
  readonly resource: string
}

type Field = readonly [key: string, type: string, notes: string, shape: z.ZodType, extra?: FieldExtra]

export interface FieldExtra {
  readonly empty?: true
  readonly view?: View
  /** A field that the service adds to the spec. */
  readonly ours?: true
}

export function fieldsOf({ section, resource }: Resource, fields: readonly Field[]): FieldRow[] {
  return fields.map(([key, type, notes, shape, { empty = false, ...extra } = {}]) => ({
    id: `${resource}.${key}`,
    section,
    says: notes === '' ? `${type}.` : `${type}. ${notes}`,
    resource,
    key,
    shape,
    empty,
    ...extra,
  }))
}

type BodyField = readonly [
  path: string,
  says: string,
  values: { required?: true; wrong: readonly unknown[]; right: readonly unknown[]; ours?: true },
]

export function bodyOf(body: BodyName, section: string, fields: readonly BodyField[]): BodyRow[] {
  return fields.map(([path, says, { required = false, ...values }]) => ({
    id: `${body}-create.${path.replaceAll('.0.', '.')}`,
    section,
    says: `${required ? 'Required' : 'Optional'}: ${says}`,
    body,
    path,
    required,
    ...values,
  }))
}

const OPERATORS = [
  ['lt', 'less than'],
  ['lte', 'less than or equal'],
  ['gt', 'greater than'],
  ['gte', 'greater than or equal'],
] as const

/** `ordered_at_{op}` stands for four filters. */
export function filtersOf(list: string, section: string, texts: readonly StatementText[]): FilterRow[] {
  return texts.flatMap(([name, says]) => {
    if (!name.endsWith('_{op}')) return [{ id: `filter.${list}.${name}`, section, says, list, filter: name }]
    return OPERATORS.map(([operator, meaning]) => {
      const filter = name.replace('{op}', operator)
      return { id: `filter.${list}.${filter}`, section, says: `${says}: ${meaning}`, list, filter }
    })
  })
}
