/** Routes that could not do their work: only who tried them knows, and the journal keeps it for whoever asks. */
import type { Configuration } from '../../config/configuration.ts'
import type { Concern, Tried } from '../../domain/attention.ts'
import { FAILURES, type FailureCode } from '../../support/errors.ts'

export function failingConcerns({ failures }: Tried, now: number): Concern[] {
  return failures.map(({ route, code, message }) => ({
    code: 'route-failing',
    route,
    subject: code,
    since: now,
    message,
    cure: code in FAILURES ? FAILURES[code as FailureCode].cure : `see \`dropbridge explain ${code}\``,
  }))
}

/** Whether what was found before is as it was, since nobody has tried the route again; one that is gone fails no more. */
export function isUntried(
  { code, route }: Concern,
  { routes }: Tried,
  configuration: Configuration,
): boolean {
  if (code !== 'route-failing' || route === undefined || routes.includes(route)) return false
  return configuration.routes.some(({ name }) => name === route)
}
