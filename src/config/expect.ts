/** What a person expects of folders: that a file has come by a time of day, and that somebody empties them. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { KEEP_PATTERN, keepMs } from './duration.ts'
import { DAYS, TIME, Zone } from './schedule.ts'

/** Long enough to be annoying to nobody whose files are read at all. */
const EMPTIED = '30d'

export const ExpectFile = z.strictObject({
  by: z
    .string()
    .regex(TIME, 'must be a time of day such as "07:00"')
    .describe('By this time of day a file of the route should have come, that same day.'),
  zone: Zone.optional().describe(
    'The zone of the time and of the day; the `zone` of the file when left out.',
  ),
  days: z.array(z.enum(DAYS)).min(1).optional().describe('Days of the week; every day when left out.'),
})

export const EmptiedFile = z
  .string()
  .refine(
    (text) => text === 'never' || keepMs(text) !== undefined,
    'must be a number of days or weeks, such as 3d or 2w, or never',
  )
  .meta({ pattern: `${KEEP_PATTERN}|^never$` })
  .default(EMPTIED)
  .describe(
    'Files that lie in the folder for longer than this are told, because nobody takes them away; or never.',
  )

export interface Expect {
  /** `07:00`. */
  readonly by: string
  readonly zone: string
  /** Days of the week by ISO: 1 is Monday. */
  readonly days: readonly number[]
}

export function toExpect(
  { by, zone: own, days }: z.output<typeof ExpectFile>,
  ofFile: string | undefined,
): Expect {
  const zone = own ?? ofFile
  assert(zone !== undefined, 'a time of day without a zone passed the checks')
  return {
    by,
    zone,
    days: [...new Set((days ?? DAYS).map((day) => DAYS.indexOf(day) + 1))].toSorted((a, b) => a - b),
  }
}

/** Undefined for never. */
export function emptiedMs(text: string): number | undefined {
  return text === 'never' ? undefined : keepMs(text)
}
