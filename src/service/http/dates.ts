/** The service's own clock, and times as headers carry them. */
import type { Clock } from '../../support/clock.ts'
import type { Switches } from './switches.ts'

/** The clock of the service, which is wrong by as much as the switch says at the moment it is read. */
export function skewed(clock: Clock, switches: Pick<Switches, 'clockSkewMs'>): Clock {
  return {
    now: () => clock.now() + switches.clockSkewMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}

/** `Sat, 21 Nov 2026 02:15:00 GMT`; the part of a second is dropped. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

/** The value of a Retry-After header. A date is never too early, although it has no parts of a second. */
export function retryAfter(seconds: number, form: Switches['retryAfter'], now: number): string {
  return form === 'seconds' ? String(seconds) : httpDate(Math.ceil(now / 1000) * 1000 + seconds * 1000)
}
