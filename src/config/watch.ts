/** How `dropbridge watch` goes about its work. */
import { z } from 'zod'
import { checkedMs, DURATION_PATTERN, durationMs } from './duration.ts'

const SCAN = '30s'

/** At most so many routes are worked on at once; their calls share the connections to the API. */
const AT_ONCE = 4

export const WatchFile = z.strictObject({
  scan: z
    .string()
    .refine(
      (text) => (durationMs(text) ?? 0) >= 1000,
      'must be a time from 1s to a day, such as 10s, 30s or 5m',
    )
    .meta({ pattern: DURATION_PATTERN })
    .default(SCAN)
    .describe('How often each inbox is looked through. Where the system tells of new files, it is at once.'),
  atOnce: z.int().min(1).max(32).default(AT_ONCE).describe('How many routes are worked on at once.'),
})

export interface WatchConfiguration {
  readonly scanMs: number
  readonly atOnce: number
}

export const WATCH_DEFAULTS: WatchConfiguration = toWatch(WatchFile.parse({}))

export function toWatch({ scan, atOnce }: z.output<typeof WatchFile>): WatchConfiguration {
  return { scanMs: checkedMs(scan), atOnce }
}
