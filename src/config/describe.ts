/** The configuration as it may be shown to anybody. */
import type { Configuration } from './configuration.ts'

/** A copy as plain data with every secret masked. */
export function describeConfiguration(configuration: Configuration): unknown {
  return JSON.parse(
    JSON.stringify(configuration, (key, value: unknown) => (key === 'clientSecret' ? '***' : value)),
  )
}
