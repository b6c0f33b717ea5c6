/** Regular expressions that a mapping may use: those that cannot run away on a text somebody sends. */

/** Longer texts are not searched. */
export const LONGEST_SEARCHED = 250

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
  return dangerOf(tokensOf(pattern)) ?? expression
}

/** What brackets hold, once it is known whether they are repeated. */
interface Group {
  /** Whether there is a choice in it, so that one text can be read in several ways. */
  varies: boolean
}

function dangerOf(tokens: readonly string[]): string | undefined {
  const open: Group[] = []
  let closed: Group | undefined
  let repetitions = tokens[0] === '^' && !tokens.includes('|') ? 0 : 1
  for (const token of tokens) {
    if (/^\\[1-9k]/.test(token)) return 'the expression may not refer back to its own brackets'
    const isQuantifier = /^(?:[*+?]|\{\d)/.test(token)
    if (isQuantifier && closed?.varies === true && isRepetition(token)) {
      return 'the expression repeats something that repeats or varies itself; such a one can run for ever'
    }
    if (/^(?:[*+]|\{\d+,\})/.test(token)) repetitions += 1
    if (isQuantifier ? !/^\{\d+\}/.test(token) : token === '|') for (const group of open) group.varies = true
    closed = token.startsWith(')') ? open.pop() : undefined
    if (closed?.varies === true) for (const group of open) group.varies = true
    if (token.startsWith('(')) open.push({ varies: false })
  }
  return repetitions > MAX_REPETITIONS
    ? `the expression repeats too often: at most ${MAX_REPETITIONS} of * and +, one less when it does not begin with ^`
    : undefined
}

/** A `?` only makes something optional. */
function isRepetition(token: string): boolean {
  return !token.startsWith('?') && !/^\{[01]?(?:,1)?\}/.test(token)
}

/** Escapes, classes, opening brackets, quantifiers with their `?`, and single characters. */
function tokensOf(pattern: string): string[] {
  return (
    pattern.match(
      /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<\w+>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu,
    ) ?? []
  )
}
