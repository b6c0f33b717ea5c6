/** How a route treats records: rules for odd ones, the circuit breaker, and further steps on the same file. */
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  findTargetField,
  hasBodyField,
  INBOUND_OPERATIONS,
  type InboundOperationName,
  partiesOf,
} from '../contract/operations.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { toMs, WaitTime } from './time-values.ts'

// Further steps, and how long records wait for their orders: `steps`, `when` and `waitFor`.

/** What a supplier does to existing orders, which may be steps. */
export const ORDER_OPERATIONS = INBOUND_OPERATIONS.filter(
  (name) =>
    partiesOf(name).includes('brand') &&
    (hasBodyField(name, 'order_id') || hasBodyField(name, 'purchase_order_number')),
)

/** These operations need no mapping, because they only name the order. */
export const ORDER_ACTIONS = ORDER_OPERATIONS.filter((name) => findTargetField(name) !== undefined)

/** These operations can wait for their order. */
export const WAITING_OPERATIONS: readonly string[] = [
  'close-order',
  'create-invoice',
] satisfies readonly InboundOperationName[]

export const waitShape = {
  when: z
    .literal('shipped')
    .optional()
    .describe('close-order: only orders of which every line is shipped or canceled; others are skipped.'),
  waitFor: WaitTime.optional().describe(
    'close-order and create-invoice: how long a record waits for its order to be shipped, and closed, from when the file was received; not at all when left out.',
  ),
}

const WaitSettings = z.object(waitShape)

export const StepSettings = z.strictObject(
  {
    operation: z.enum(ORDER_OPERATIONS).describe('What is done.'),
    mapping: z
      .string()
      .min(1)
      .optional()
      .describe('The mapping file; without one, the step is for each order of the step before.'),
    ...waitShape,
  },
  {
    error: ({ code }) =>
      code === 'invalid_type' ? 'must hold keys and values, such as { operation: close-order }' : undefined,
  },
)

export interface WaitRules {
  readonly when?: 'shipped'
  readonly waitMs?: number
}

export interface StepConfiguration extends WaitRules {
  readonly operation: InboundOperationName
  readonly mappingPath?: string
}

export function toWaitRules({ when, waitFor }: z.output<typeof WaitSettings>): WaitRules {
  return omitUndefined({ when, waitMs: waitFor === undefined ? undefined : toMs(waitFor) })
}

/** Relative paths are relative to `folder`. */
export function toStep({ operation, mapping, ...waiting }: z.output<typeof StepSettings>, folder: string) {
  return {
    operation,
    ...omitUndefined({ mappingPath: mapping && resolve(folder, mapping) }),
    ...toWaitRules(waiting),
  }
}

// When a route stops sending a file: `circuitBreaker`.

/** The largest number of refusals that is tracked while a file is sent. */
const RECORDS_MAX = 1000
const off = z.literal('off')

const Records = z.union([z.int().min(1).max(RECORDS_MAX), off], {
  error: `must be a number of records from 1 to ${RECORDS_MAX}, or off`,
})

/** A number alone could be meant as 30 or as 0.3. */
const Share = z
  .union([z.string().meta({ pattern: '^\\d{1,2}(\\.\\d{1,2})?%$|^off$|\\$\\{' }), z.number()])
  .refine(
    (share) => share === 'off' || parseShare(share) !== undefined,
    'must be a share such as 30%, or off',
  )

export const CircuitBreakerFile = z.strictObject({
  sameRefusal: Records.default(20).describe(
    'When so many records, the first of a file to be answered, are all refused for the same reason, the rest is held; or off.',
  ),
  refusedShare: Share.default('off').describe(
    'When more than this share of the answered records was refused, the rest is held; counts from 50 answers on. off when left out.',
  ),
  canary: Records.default('off').describe(
    'So many records are sent alone; the others go once one of them was accepted, and are held when all are refused. off when left out.',
  ),
})

/** A rule that is off is left out. `refusedShare` is of 1. */
export type CircuitBreaker = ReturnType<typeof toCircuitBreaker>

export function toCircuitBreaker({ sameRefusal, refusedShare, canary }: z.output<typeof CircuitBreakerFile>) {
  return omitUndefined({
    sameRefusal: sameRefusal === 'off' ? undefined : sameRefusal,
    refusedShare: parseShare(refusedShare),
    canary: canary === 'off' ? undefined : canary,
  })
}

/** 0.3 of `30%`. */
function parseShare(written: string | number): number | undefined {
  const [, number] = /^(\d{1,2}(?:\.\d{1,2})?)%$/.exec(String(written)) ?? []
  const share = Number(number)
  return share > 0 ? share / 100 : undefined
}

// Policies for doubtful records: `rules`.

const RulePolicy = z.enum(['warn', 'refuse', 'off'], { error: 'must be warn, refuse or off' })

export const RuleSettings = z.strictObject({
  totals: RulePolicy.default('warn').describe(
    'When the total of an invoice is not the sum of its lines, or a total that the mapping compares (`total` under `check`) is wrong: the record is sent with a warning in its result row, refused, or left alone.',
  ),
  dates: RulePolicy.default('warn').describe(
    'When a date makes no sense: an order or a parcel of the future, an order of more than a year ago, a parcel older than its order, a due date that has passed.',
  ),
  prices: RulePolicy.default('warn').describe(
    'When the net price of an order line or invoice line is 0, or above the price of the consumer, where that is known.',
  ),
  stock: RulePolicy.default('off').describe(
    'When more is ordered of an item than the brand had when it was last seen. Needs the items: export them whole once.',
  ),
  addresses: RulePolicy.default('warn').describe(
    'When the postal code of an address in the US or Canada has not the form of that country.',
  ),
  numbers: RulePolicy.default('warn').describe(
    'When a shipment or an invoice of another order has the tracking number or invoice number, as far as the bridge has seen them.',
  ),
  closings: RulePolicy.default('warn').describe(
    'When an order is closed of which nothing was shipped or canceled.',
  ),
})

export type Rules = z.output<typeof RuleSettings>
