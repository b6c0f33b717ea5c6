/** What the options of `run` ask of it: when, how long, how many, and which exit codes a scheduler understands. */
import type { RunOptions } from '../bridge/run.ts'
import { addDays, dateIn, momentOf } from '../bridge/schedule/zone-time.ts'
import { durationMs } from '../config/duration.ts'
import { BridgeError, EXIT, type ExitCode } from '../support/errors.ts'

export interface RunFlags {
  readonly due: boolean
  readonly again: boolean
  readonly ifBusy: 'fail' | 'skip' | 'wait'
  readonly waitAtMost?: string | undefined
  readonly until?: string | undefined
  readonly maxRecords?: number | undefined
}

const WAIT_AT_MOST = '10m'

/** `zone` is the one of a time of day. Throws `usage-wrong` for what makes no sense. */
export function boundsOf(
  flags: RunFlags,
  { now, zone }: { readonly now: number; readonly zone: string },
): RunOptions {
  const { due, again, until, maxRecords } = flags
  if (due && again)
    throw wrong('--due runs what its schedule asks for, and --again what it does not: choose one')
  if (maxRecords !== undefined && !(Number.isSafeInteger(maxRecords) && maxRecords >= 1)) {
    throw wrong('--max-records must be a whole number from 1 on')
  }
  return {
    turns: due ? 'due' : again ? 'again' : 'now',
    ifBusy: busyOf(flags),
    ...(until === undefined ? {} : { until: untilOf(until, { now, zone }) }),
    ...(maxRecords === undefined ? {} : { maxRecords }),
  }
}

function busyOf({ ifBusy, waitAtMost }: RunFlags): NonNullable<RunOptions['ifBusy']> {
  if (ifBusy !== 'wait') {
    if (waitAtMost === undefined) return ifBusy
    throw wrong('--wait-at-most goes with --if-busy wait')
  }
  const waitAtMostMs = durationMs(waitAtMost ?? WAIT_AT_MOST)
  if (waitAtMostMs === undefined)
    throw wrong('--wait-at-most must be a time of at most a day, such as 10m or 1h')
  return { waitAtMostMs }
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/
const TIME_WITH_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970; a time of day is the next one. */
function untilOf(text: string, { now, zone }: { readonly now: number; readonly zone: string }): number {
  const lasts = durationMs(text)
  if (lasts !== undefined) return now + lasts
  if (TIME_OF_DAY.test(text)) {
    const today = dateIn(zone, now)
    const at = momentOf(today, text, zone)
    return at > now ? at : momentOf(addDays(today, 1), text, zone)
  }
  const at = TIME_WITH_DATE.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) {
    throw wrong(
      '--until must be a time of day such as 06:30, a length of time such as 2h, or 2026-11-21T06:30Z',
    )
  }
  return at
}

export type ExitMap = ReadonlyMap<ExitCode, number>

/** `2=0,75=0`: what the program ends with instead. */
export function exitMapOf(text: string | undefined): ExitMap {
  const map = new Map<ExitCode, number>()
  for (const pair of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const [, from, to] = /^\s*(\d{1,3})\s*=\s*(\d{1,3})\s*$/.exec(pair) ?? []
    const known = Object.values(EXIT).find((code) => String(code) === from)
    if (known === undefined || to === undefined) {
      throw wrong(`--exit-map "${pair.trim()}" names no exit code of the program: write it as 2=0,75=0`)
    }
    if (Number(to) > 255) throw wrong(`--exit-map "${pair.trim()}": an exit code is at most 255`)
    if (map.has(known)) throw wrong(`--exit-map names ${known} twice`)
    map.set(known, Number(to))
  }
  return map
}

function wrong(message: string): BridgeError {
  return new BridgeError('usage-wrong', message)
}
