/** Each field of each schema is personal or not, and somebody has decided it. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { classifyField, classifyPath } from '../../src/contract/personal.ts'

const contract = new URL('../../src/contract/', import.meta.url)

/** The schema below options, defaults and conversions. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  if ('innerType' in def) return unwrap(def.innerType as z.core.$ZodType)
  return def.type === 'pipe' ? unwrap((def as unknown as { in: z.core.$ZodType }).in) : schema
}

function holdsObjects(given: z.core.$ZodType): boolean {
  const schema = unwrap(given)
  if (schema instanceof z.ZodArray) return holdsObjects(schema.element)
  if (schema instanceof z.ZodUnion) return schema.options.some(holdsObjects)
  return schema instanceof z.ZodObject
}

/** The names of all fields that hold no object. */
function listFields(
  given: z.core.$ZodType,
  found: Set<string>,
  above: readonly z.core.$ZodType[] = [],
): Set<string> {
  const schema = unwrap(given)
  if (above.includes(schema)) return found
  const within = [...above, schema]
  if (schema instanceof z.ZodObject) {
    for (const [name, value] of Object.entries(schema.shape as Record<string, z.core.$ZodType>)) {
      if (holdsObjects(value)) listFields(value, found, within)
      else found.add(name)
    }
  } else if (schema instanceof z.ZodArray) listFields(schema.element, found, within)
  else if (schema instanceof z.ZodUnion)
    for (const option of schema.options) listFields(option, found, within)
  return found
}

test('somebody has decided of each field of the contract whether it is personal', async () => {
  const fields = new Set<string>()
  for (const name of readdirSync(contract)) {
    const exported = (await import(new URL(name, contract).href)) as Record<string, unknown>
    for (const value of Object.values(exported)) if (value instanceof z.ZodType) listFields(value, fields)
  }
  expect(fields.size).toBeGreaterThan(150)
  expect([...fields].filter((name) => classifyField(name) === 'unknown')).toEqual([])
})

test('a path is personal by any of its names', () => {
  expect(classifyPath('ship_to.name1')).toBe('personal')
  expect(classifyPath('gift_message[2]')).toBe('personal')
  expect(classifyPath('order_lines[0].quantity')).toBe('other')
  expect(classifyPath('order_lines[0].favourite_song')).toBe('unknown')
})
