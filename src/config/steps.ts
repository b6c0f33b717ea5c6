/** Further steps of a route on the same file, and how long records wait for their orders: `then`, `when` and `wait`. */
import { resolve } from 'node:path'
import { z } from 'zod'
import type { InboundOperationName } from '../contract/operations.ts'
import { assert } from '../support/errors.ts'
import { Wait, waitMs } from './duration.ts'

/** What is done to orders that exist, so that it can be one of several things done to them. */
export const ORDER_OPERATIONS = [
  'acknowledge-order',
  'create-shipment',
  'close-order',
  'reopen-order',
  'create-invoice',
] as const satisfies readonly InboundOperationName[]

/** These need no mapping: the order is all there is to say. */
export const ORDER_ACTS: readonly string[] = [
  'acknowledge-order',
  'close-order',
  'reopen-order',
] satisfies readonly InboundOperationName[]

/** These can wait for their order. */
export const WAITING_OPERATIONS: readonly string[] = [
  'close-order',
  'create-invoice',
] satisfies readonly InboundOperationName[]

export const waitShape = {
  when: z
    .literal('shipped')
    .optional()
    .describe('close-order: only orders of which every line is shipped or canceled; others are skipped.'),
  wait: Wait.optional().describe(
    'close-order and create-invoice: how long a record waits for its order to be shipped, and closed, from when the file was received; not at all when left out.',
  ),
}

export const StepFile = z.strictObject({
  operation: z.enum(ORDER_OPERATIONS).describe('What is done.'),
  mapping: z
    .string()
    .min(1)
    .optional()
    .describe('The mapping file; without one, the step is for each order of the step before.'),
  ...waitShape,
})

export interface Waiting {
  readonly when?: 'shipped'
  readonly waitMs?: number
}

export interface StepConfiguration extends Waiting {
  readonly operation: InboundOperationName
  readonly mappingPath?: string
}

export function toWaiting({
  when,
  wait,
}: {
  readonly when?: 'shipped' | undefined
  readonly wait?: string | undefined
}): Waiting {
  const ms = wait === undefined ? undefined : waitMs(wait)
  assert(wait === undefined || ms !== undefined, 'a text that is no time to wait passed the checks')
  return { ...(when === undefined ? {} : { when }), ...(ms === undefined ? {} : { waitMs: ms }) }
}

/** Relative paths are relative to `folder`. */
export function toStep(
  { operation, mapping, ...waiting }: z.output<typeof StepFile>,
  folder: string,
): StepConfiguration {
  const path = mapping === undefined ? {} : { mappingPath: resolve(folder, mapping) }
  return { operation, ...path, ...toWaiting(waiting) }
}
