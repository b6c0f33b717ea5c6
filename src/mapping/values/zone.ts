/** Local times of a zone as instants, with the hours that daylight saving skips or repeats decided. */
import { IANAZone } from 'luxon'

export interface Zone {
  /** The instant of a local time given as if it were UTC; the first of two; undefined when it was skipped. */
  toInstant(localMs: number): number | undefined
  /** The local time of an instant, as if it were UTC. */
  toLocal(instantMs: number): number
}

/** Zones change their offset at quarters of an hour only. */
const BUCKET_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000
const MAX_CACHED = 4096

export const UTC: Zone = { toInstant: (localMs) => localMs, toLocal: (instantMs) => instantMs }

/** The zone of this IANA name, such as `America/New_York`; undefined when there is none. */
export function zoneNamed(name: string): Zone | undefined {
  if (/^(utc|gmt|z)$/i.test(name)) return UTC
  if (!IANAZone.isValidZone(name)) return undefined
  const zone = IANAZone.create(name)
  const offsets = new Map<number, number>()
  const offsetAt = (instantMs: number) => {
    const bucket = Math.floor(instantMs / BUCKET_MS)
    const known = offsets.get(bucket)
    if (known !== undefined) return known
    if (offsets.size >= MAX_CACHED) offsets.clear()
    const offset = zone.offset(bucket * BUCKET_MS) * 60_000
    offsets.set(bucket, offset)
    return offset
  }
  return {
    toInstant(localMs) {
      const before = localMs - offsetAt(localMs - DAY_MS)
      const after = localMs - offsetAt(localMs + DAY_MS)
      // An offset is right when it is the one in force at the instant it leads to.
      const earlier = Math.min(before, after)
      if (earlier + offsetAt(earlier) === localMs) return earlier
      const later = Math.max(before, after)
      return later + offsetAt(later) === localMs ? later : undefined
    },
    toLocal: (instantMs) => instantMs + offsetAt(instantMs),
  }
}
