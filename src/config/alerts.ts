/** The settings of alerts: expected files, folders that a consumer must empty, and overdue deliveries. */
import { z } from 'zod'
import { DaysOfWeek, resolveZone, timeOfDay, toIsoDays, zoneOf } from './schedule.ts'
import { parseRetention, RETENTION_PATTERN, toMs, WaitTime } from './time-values.ts'

export const ExpectedFileSettings = z.strictObject({
  by: timeOfDay('07:00').describe('By this time of day a file of the route should have come, that same day.'),
  zone: zoneOf('time and of the day'),
  days: DaysOfWeek,
})

const NOT_EMPTIED_RULE = 'must be a number of days or weeks, such as 3d or 2w, or never'
export const AlertIfNotEmptied = z
  .string(NOT_EMPTIED_RULE)
  .refine((text) => text === 'never' || parseRetention(text) !== undefined, NOT_EMPTIED_RULE)
  .meta({ pattern: `${RETENTION_PATTERN}|^never$` })
  .default('30d') // long enough to cause no alerts where files are read at all
  .describe(
    'Files that stay in the folder for longer than this raise an alert, because they are not fetched; or never.',
  )

/** Of the disks of this machine; small disks need less. */
export const DISK_ALERT_BYTES = 1e9

const SIZE_RULE = 'must be a size such as 500MB or 2GB'
const SIZE_PATTERN = /^(\d{1,6})(MB|GB)$/

export const AlertIfDiskBelow = z
  .string(SIZE_RULE)
  .refine((text) => SIZE_PATTERN.test(text), SIZE_RULE)
  .meta({ pattern: '^\\d{1,6}(MB|GB)$|\\$\\{' })
  .default('1GB')
  .describe(
    'A disk of this machine with less room than this raises an alert before it is full; on a small disk, with less than a tenth of it.',
  )

export function toBytes(text: string): number {
  const [, digits, unit] = SIZE_PATTERN.exec(text) ?? []
  return Number(digits) * (unit === 'GB' ? 1e9 : 1e6)
}

export interface ExpectedFile {
  /** `07:00`. */
  readonly by: string
  readonly zone: string
  /** Days of the week by ISO: 1 is Monday. */
  readonly days: readonly number[]
}

export function toExpectedFile(
  { by, zone, days }: z.output<typeof ExpectedFileSettings>,
  ofFile: string | undefined,
): ExpectedFile {
  return { by, zone: resolveZone(zone, ofFile), days: toIsoDays(days) }
}

/** Undefined for never. */
export function toAlertIfNotEmptiedMs(text: string): number | undefined {
  return text === 'never' ? undefined : parseRetention(text)
}

export const LateSettings = z.strictObject({
  acknowledge: WaitTime.optional().describe(
    'So long before `acknowledge_by` of an order that is not acknowledged.',
  ),
  ship: WaitTime.optional().describe(
    'So long before `fulfill_by` of an order of which units are not shipped.',
  ),
})

/** How long before its deadlines an order raises an alert; left out for never. */
export interface LateRules {
  readonly acknowledgeMs?: number
  readonly shipMs?: number
}

export function toLateRules({ acknowledge, ship }: z.output<typeof LateSettings>): LateRules {
  return {
    ...(acknowledge !== undefined && { acknowledgeMs: toMs(acknowledge) }),
    ...(ship !== undefined && { shipMs: toMs(ship) }),
  }
}

export const OverdueSettings = z.strictObject({
  within: WaitTime.default('24h').describe(
    'A delivered file that is not picked up or confirmed for so long raises an alert: minutes, hours or days, such as 30m, 4h or 2d.',
  ),
  before: WaitTime.default('2h').describe(
    'Also raises an alert this long before `acknowledge_by` of one of its records.',
  ),
})

export interface OverdueRules {
  /** How long after its delivery a file may wait. */
  readonly withinMs: number
  /** How long before `acknowledge_by` of its records the file is reported. */
  readonly beforeMs: number
}

export function toOverdueRules(overdue?: z.output<typeof OverdueSettings>): OverdueRules {
  const { within, before } = overdue ?? OverdueSettings.parse({})
  return { withinMs: toMs(within), beforeMs: toMs(before) }
}
