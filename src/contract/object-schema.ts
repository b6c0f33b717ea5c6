/** Object schemas of the contract, with the rules that span several fields. */
import { z } from 'zod'

/** A broken rule. The codes are among those of `domain/problem.ts`. */
export interface RuleViolation {
  readonly code:
    | 'province-unknown'
    | 'item-missing'
    | 'item-repeated'
    | 'shipment-mode-unclear'
    | 'value-missing'
    | 'field-invalid'
  /** The field, from the object that has the rule. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Checks several fields together. A field with a problem of its own holds an object: check the type first. */
export type Rule = (value: Readonly<Record<string, unknown>>) => readonly RuleViolation[]

/** The rules of object schemas. Filled only while the contract's modules load. */
export const OBJECT_RULES = z.registry<{ readonly rules: readonly Rule[] }>()

/** An object schema with rules. Unknown keys are dropped when reading; the mapping refuses them when compiling. */
export function objectSchema<Shape extends z.core.$ZodShape>(shape: Shape, ...rules: Rule[]) {
  const schema = z.object(shape)
  if (rules.length === 0) return schema
  const checked = schema.check((context) => {
    for (const rule of rules) {
      for (const { code, path, message } of rule(context.value as Record<string, unknown>)) {
        const where: PropertyKey[] = [...path]
        context.issues.push({
          code: 'custom',
          message,
          path: where,
          params: { violation: code },
          input: context.value,
        })
      }
    }
  })
  return checked.register(OBJECT_RULES, { rules })
}
