/** The mappings of a configuration's routes. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import { loadMapping, type Mapping } from '../mapping/load.ts'
import { BridgeError } from '../support/errors.ts'

/** Loads the mapping of every route; the mistakes of all of them are thrown together. */
export async function loadMappings({ routes }: Configuration): Promise<Map<string, Mapping>> {
  const mappings = new Map<string, Mapping>()
  const mistakes: string[] = []
  for (const route of routes.flatMap(stepsOf)) {
    try {
      const mapping = await loadMapping(route.mappingPath)
      mappings.set(route.key, mapping)
      if (mapping.operation !== route.operation) {
        mistakes.push(
          `route ${route.name} does ${route.operation}, but ${route.mappingPath} is for ${mapping.operation}`,
        )
      }
      if (
        isReport(route) &&
        mapping.direction === 'outbound' &&
        mapping.composer.recordsPerFile !== undefined
      ) {
        mistakes.push(
          `route ${route.name} is a report, which is one file; take \`file\` out of ${route.mappingPath}`,
        )
      }
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'mapping-invalid') throw error
      mistakes.push(...(error.details.length > 0 ? error.details : [error.message]))
    }
  }
  if (mistakes.length === 0) return mappings
  throw new BridgeError(
    'mapping-invalid',
    mistakes.length === 1
      ? 'there is a mistake in a mapping'
      : `there are ${mistakes.length} mistakes in the mappings`,
    {
      details: [...new Set(mistakes)],
    },
  )
}

type MappedStep = Route & {
  /** Under which its mapping is found. */
  readonly key: string
}

/** Each step of a route that has a mapping, as if it were a route of its own. */
export function stepsOf(route: Route): MappedStep[] {
  const first = { ...route, key: route.name }
  if (route.direction === 'outbound') return [first]
  const further = (route.next ?? []).flatMap(({ operation, mappingPath }): MappedStep[] =>
    mappingPath === undefined
      ? []
      : [{ ...route, operation, mappingPath, key: stepKey(route.name, operation) }],
  )
  return [first, ...further]
}

/** The names of routes have no slash. */
export function stepKey(route: string, operation: string): string {
  return `${route}/${operation}`
}

function isReport(route: Route): boolean {
  return route.direction === 'outbound' && route.report !== undefined
}
