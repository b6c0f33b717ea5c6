/** The types the spec's field tables name, written down apart from the contract so that one checks the other. */
import { z } from 'zod'

/** Integer (11), from 1. */
export const id = z.int().min(1).max(2_147_483_647)

export const integer = z.int().min(0).max(2_147_483_647)

export const boolean = z.boolean()

export const text = (max = 10_000) => z.string().min(1).max(max)

export const oneOf = (...values: [string, ...string[]]) => z.enum(values)

/** Decimal with two decimals as text; at most six digits before the point where the size is (8,2). */
export const money = z.string().regex(/^\d{1,8}\.\d{2}$/)
export const money82 = z.string().regex(/^\d{1,6}\.\d{2}$/)

/** Decimal of no shown size, as text. */
export const decimal = z.string().regex(/^\d+(\.\d+)?$/)

/** ISO 8601 in UTC. */
export const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/)

export const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

export const list = (...keys: string[]) => z.array(having(...keys))

/** An object in which every named key is present, null or not. */
export const having = (...keys: string[]) =>
  z.record(z.string(), z.unknown()).refine((value) => keys.every((key) => key in value), {
    error: `lacks one of ${keys.join(', ')}`,
  })

export const party = z.object({ id, name: text(), code: text() })

export const address = having(
  'id',
  'type',
  'name1',
  'name2',
  'street1',
  'street2',
  'city',
  'province',
  'postal_code',
  'country',
  'phone1',
  'phone2',
  'fax',
  'email',
)

export const carrier = z.object({ id, name: text(), code: text() })

export const method = having('id', 'name', 'code', 'type', 'carrier', 'generic_shipping_method')

export const variantSummary = having(
  'id',
  'name',
  'description',
  'brand',
  'identifier',
  'upc',
  'media',
  'attributes',
)
