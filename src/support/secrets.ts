/** Secrets of the environment, for words of other programs, which may repeat what they were given. */

const NAMED_LIKE_ONE = /secret|password|passphrase|token|key|credential/i
/** Shorter ones would be found in ordinary words. */
const SHORTEST = 6

/** The text with `***` for the values of all variables that are named like a secret. */
export function withoutSecrets(text: string, environment: Readonly<NodeJS.ProcessEnv> = process.env): string {
  return Object.entries(environment)
    .filter(([name, value = '']) => NAMED_LIKE_ONE.test(name) && value.length >= SHORTEST)
    .map(([, value = '']) => value)
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
