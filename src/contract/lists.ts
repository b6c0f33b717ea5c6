/** What the list behind an export can be asked for, and what its records say. */
import { z } from 'zod'
import { type Endpoint, type EndpointName, ENDPOINTS } from './endpoints.ts'
import type { Filters } from './filters.ts'
import { OPERATIONS, type OutboundOperationName } from './operations.ts'
import type { OutboundOperation } from './outbound-operations.ts'

export function filtersOf(name: OutboundOperationName): Filters {
  const endpoint: Endpoint = ENDPOINTS[OPERATIONS[name].list]
  return endpoint.filters ?? {}
}

/** Whether a record of the list can be read by its id alone. */
export function isReadById(name: OutboundOperationName): boolean {
  const operation: OutboundOperation = OPERATIONS[name]
  return operation.get !== undefined
}

/** The placeholder of a path that is not the party's: `{id}`, or `{carrier_id}` of carriers. */
export function idParameter(name: EndpointName): string | undefined {
  const { path, context } = ENDPOINTS[name]
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, placeholder]) => placeholder)
  return names.find((placeholder) => placeholder !== `${context}_id`)
}

/** The path of a record's purchase order number; cancels and what is no trade have none. */
function purchaseOrderPath(name: OutboundOperationName): readonly string[] | undefined {
  const { shape } = OPERATIONS[name].record
  if ('purchase_order_number' in shape) return ['purchase_order_number']
  const order = 'order' in shape ? shape.order : undefined
  const isThere = order instanceof z.ZodObject && 'purchase_order_number' in order.shape
  return isThere ? ['order', 'purchase_order_number'] : undefined
}

/** Reads the purchase order number of a list's records; undefined when they say nothing of it. */
export function purchaseOrderReader(
  name: OutboundOperationName,
): ((record: Readonly<Record<string, unknown>>) => string | undefined) | undefined {
  const path = purchaseOrderPath(name)
  if (path === undefined) return undefined
  return (record) => {
    const found = path.reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null
          ? (value as Readonly<Record<string, unknown>>)[step]
          : undefined,
      record,
    )
    return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
  }
}
