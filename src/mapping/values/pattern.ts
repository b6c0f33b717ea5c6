/** Regular expressions that a mapping may use: none can take too long on any text. */

/** Every accepted expression can search texts of this length. */
const MIN_SEARCH_LENGTH = 250

/** The most unbounded repetitions; each multiplies the time by the length of the text. */
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

/** The most paths through a text that a failing match may try. */
const MAX_WAYS = 20_000_000

/** Returns how long a text the expression can search in bounded time: the more repetitions, the shorter. */
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

/** Capturing brackets save their text at every step, which costs as much as several steps. */
const CAPTURE_COST = 4

function isCapturing(token: string): boolean {
  return token === '(' || /^\(\?<\w/.test(token)
}

/** Counts unbounded repetitions; an unanchored expression counts one more for its start. */
function countRepetitions(tokens: readonly string[]): number {
  const start = tokens[0] === '^' && !tokens.includes('|') ? 0 : 1
  return start + tokens.filter((token) => /^(?:[*+]|\{\d+,\})/.test(token)).length
}

/** The contents of brackets, kept until a quantifier behind them is known. */
interface Group {
  /** Whether it has alternatives, so that one text can match in several ways. */
  varies: boolean
}

function findDanger(tokens: readonly string[]): string | undefined {
  const open: Group[] = []
  let closed: Group | undefined
  for (const token of tokens) {
    if (/^\\[1-9k]/.test(token)) return 'the expression may not refer back to its own brackets'
    const isQuantifier = /^(?:[*+?]|\{\d)/.test(token)
    if (isQuantifier && closed?.varies === true && isRepetition(token)) {
      return 'the expression nests repetitions or alternatives in a repetition, which can run forever'
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
