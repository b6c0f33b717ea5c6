/** What a leaf names: its field in the record being built, and things whose ids are found later. */
import type { ReferenceKind } from '../../contract/references.ts'
import type { Place } from '../../domain/problem.ts'
import type { LeafPlan } from '../fields/plan.ts'
import { AWAITED } from '../values/value.ts'
import type { Building } from './building.ts'

export function fieldOf({ field }: LeafPlan, { index }: Building): string {
  return field.replace('[]', `[${index}]`)
}

interface Name {
  readonly kind: ReferenceKind
  readonly key: string
  readonly field: string
  readonly place: Place
}

/** Notes what is named; its id is filled in where the API can be asked. */
export function refer(building: Building, { kind, key, field, place }: Name): typeof AWAITED {
  const { line = 0, column = '' } = place
  building.references.push({ kind, key, field, line, column })
  return AWAITED
}
