/** Checks of when a route has its turns. */
import type { Mistake } from './mistakes.ts'

/** What is there of a route, however broken the rest is. */
export interface ScheduleGlance {
  readonly every?: unknown
  readonly cron?: unknown
  readonly daily?: unknown
}

/** What does not go together; the paths begin within the route. */
export function checkSchedule(route: ScheduleGlance, zone: unknown): Mistake[] {
  const said = (['every', 'cron', 'daily'] as const).filter((key) => route[key] !== undefined)
  const [first, second] = said
  if (first !== undefined && second !== undefined) {
    const message = `a route has its turns by \`${first}\` or by \`${second}\`, not by both.`
    return [{ path: [second], at: 'key', message }]
  }
  if (first === undefined || first === 'every' || zone !== undefined) return []
  if (namesZone(route[first])) return []
  const message = `says a time of day and no zone: add "zone: Europe/Berlin" (or yours)${
    first === 'cron' ? ' as in cron: { expression: "0 6 * * 1-5", zone: Europe/Berlin }' : ''
  }, or one \`zone\` for the whole file.`
  return [{ path: [first], at: 'key', message }]
}

function namesZone(said: unknown): boolean {
  return typeof said === 'object' && said !== null && 'zone' in said && said.zone !== undefined
}
