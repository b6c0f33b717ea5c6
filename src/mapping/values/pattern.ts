/** Regular expressions that a mapping may use: those that cannot run away on a text somebody sends. */

/** Every expression that is taken searches texts of this length. */
const MIN_SEARCH_LENGTH = 250

/** How many repetitions without an upper bound there may be; each multiplies the time by the length of the text. */
const MAX_REPETITIONS = 4

/** The expression, with the flags, or a text that says why it is refused. */
export function compilePattern(pattern: string, flags = 'u'): RegExp | string {
  let expression: RegExp
  try {
    expression = new RegExp(pattern, flags)
  } catch (error) {
    return `this is no regular expression: ${error instanceof Error ? error.message : String(error)}`
  }
  return findDanger(tokenizePattern(pattern)) ?? expression
}

/** So many ways through a text may be tried, one after the other, before it is said that it does not match. */
const MAX_WAYS = 20_000_000

/**
 * How long the texts are that the expression searches in bounded time: what repeats often takes the longer the more
 * characters there are, and what hardly repeats may search a whole page.
 */
export function measureSearchLimit(pattern: string): number {
  const tokens = tokenizePattern(pattern)
  const repetitions = countRepetitions(tokens)
  if (repetitions === 0) return Number.POSITIVE_INFINITY
  const orders = Array.from({ length: repetitions }, (_, index) => index + 1).reduce((a, b) => a * b)
  const ways = tokens.reduce((product, token) => product * countWays(token), 1)
  return Math.max(MIN_SEARCH_LENGTH, Math.floor(((MAX_WAYS * orders) / ways) ** (1 / repetitions)))
}

/** In how many ways a token can be read, however long the text is. */
function countWays(token: string): number {
  const [, least, most] = /^\{(\d+),(\d+)\}/.exec(token) ?? []
  if (most !== undefined) return Number(most) - Number(least) + 1
  if (isCapturing(token)) return CAPTURE_COST
  return token.startsWith('?') || token === '|' ? 2 : 1
}

/** What brackets hold is noted at every step, which takes as long as several steps. */
const CAPTURE_COST = 4

function isCapturing(token: string): boolean {
  return token === '(' || /^\(\?<\w/.test(token)
}

/** The repetitions without an upper bound; an expression that may begin anywhere repeats that, too. */
function countRepetitions(tokens: readonly string[]): number {
  const start = tokens[0] === '^' && !tokens.includes('|') ? 0 : 1
  return start + tokens.filter((token) => /^(?:[*+]|\{\d+,\})/.test(token)).length
}

/** What brackets hold, once it is known whether they are repeated. */
interface Group {
  /** Whether there is a choice in it, so that one text can be read in several ways. */
  varies: boolean
}

function findDanger(tokens: readonly string[]): string | undefined {
  const open: Group[] = []
  let closed: Group | undefined
  for (const token of tokens) {
    if (/^\\[1-9k]/.test(token)) return 'the expression may not refer back to its own brackets'
    const isQuantifier = /^(?:[*+?]|\{\d)/.test(token)
    if (isQuantifier && closed?.varies === true && isRepetition(token)) {
      return 'the expression repeats something that repeats or varies itself; such a one can run for ever'
    }
    if (isQuantifier ? !/^\{\d+\}/.test(token) : token === '|') for (const group of open) group.varies = true
    closed = token.startsWith(')') ? open.pop() : undefined
    if (closed?.varies === true) for (const group of open) group.varies = true
    if (token.startsWith('(')) open.push({ varies: false })
  }
  return countRepetitions(tokens) > MAX_REPETITIONS
    ? `the expression repeats too often: at most ${MAX_REPETITIONS} of * and +, one less when it does not begin with ^`
    : undefined
}

/** A `?` only makes something optional. */
function isRepetition(token: string): boolean {
  return !token.startsWith('?') && !/^\{[01]?(?:,1)?\}/.test(token)
}

/** Escapes, classes, opening brackets, quantifiers with their `?`, and single characters. */
function tokenizePattern(pattern: string): string[] {
  return (
    pattern.match(
      /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<\w+>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu,
    ) ?? []
  )
}
