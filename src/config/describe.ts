/** The configuration as it may be shown to anybody. */
import type { Configuration } from './configuration.ts'

/** An address that notices are posted to often holds a secret in its path. */
const SECRETS: readonly string[] = ['clientSecret', 'password', 'secret', 'url']

/** A copy as plain data with every secret masked. */
export function describeConfiguration(configuration: Configuration): unknown {
  return JSON.parse(
    JSON.stringify(configuration, (key, value: unknown) => (SECRETS.includes(key) ? '***' : value)),
  )
}
