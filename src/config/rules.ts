/** What a route does about records that are only odd: the `rules` of the configuration. */
import { z } from 'zod'

const Policy = z.enum(['warn', 'refuse', 'off'], { error: 'must be warn, refuse or off' })

export const RulesFile = z.strictObject({
  totals: Policy.default('warn').describe(
    'When the total of an invoice is not the sum of its lines: the record is sent with a warning in its result row, refused, or left alone.',
  ),
  dates: Policy.default('warn').describe(
    'When a date makes no sense: an order or a parcel of the future, an order of more than a year ago, a parcel older than its order, a due date that has passed.',
  ),
  stock: Policy.default('off').describe(
    'When more is ordered of an item than the supplier had when it was last seen. Needs the items: export them whole once.',
  ),
})

export type Rules = z.output<typeof RulesFile>
