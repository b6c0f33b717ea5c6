/** Regular expressions of mappings: searched in a time that grows with the length of a text, and no faster. */

/** A compiled expression. */
export interface SearchPattern {
  readonly test: (text: string) => boolean
  /** What the first brackets hold, or without brackets all that matches; undefined where nothing does. */
  readonly find: (text: string) => string | undefined
}

const CHARACTERS_MAX = 500
const COUNT_MAX = 1000
/** Each character of a text is compared with as many steps at most. */
const STEPS_MAX = 2000

/** The expression, or a text that says why it is refused. */
export function compilePattern(pattern: string, flags: 'u' | 'iu' = 'u'): SearchPattern | string {
  if (pattern.length > CHARACTERS_MAX) return `a regular expression has at most ${CHARACTERS_MAX} characters`
  const tokens = tokenizePattern(pattern)
  // Node 24 takes flags for a part of an expression, such as (?i:a), and earlier ones do not.
  if (tokens.some((token, at) => token === '(' && tokens[at + 1]?.startsWith('?')))
    return 'behind "(?" must be a colon, "=", "!" or "<"'
  let native: RegExp
  try {
    native = new RegExp(pattern, flags)
  } catch (error) {
    return `this is no regular expression: ${error instanceof Error ? error.message : String(error)}`
  }
  const refusal = findRefusal(tokens)
  if (refusal !== undefined) return refusal
  const steps: Step[] = []
  parseChoice({ tokens, at: 0, groups: 0, flags })(steps)
  steps.push({ kind: 'found' })
  if (steps.length > STEPS_MAX) return 'the expression is too large: its counts repeat too many characters'
  const isAnchored = tokens[0] === '^' && !tokens.includes('|')
  const hasGroup = tokens.some(isCapturing)
  const nativeLimit = measureNativeLimit(tokens, isAnchored)
  return {
    test: (text) =>
      text.length <= nativeLimit ? native.test(text) : search(steps, text, isAnchored) !== undefined,
    find(text) {
      if (text.length <= nativeLimit) {
        const found = native.exec(text)
        return found === null ? undefined : hasGroup ? (found[1] ?? '') : found[0]
      }
      const marks = search(steps, text, isAnchored)
      if (marks === undefined) return undefined
      const [from, to] = hasGroup ? [marks[2], marks[3]] : marks
      return text.slice(from, to)
    },
  }
}

// Tokens, and what is refused of them.

/** Escapes, classes, opening brackets, quantifiers with their `?`, and single characters. */
function tokenizePattern(pattern: string): string[] {
  return (
    pattern.match(
      /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|x.{2}|c.|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<[^>]+>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu,
    ) ?? []
  )
}

const isCapturing = (token: string) => token === '(' || /^\(\?<[^=!]/.test(token)
const isLookaround = (token: string) => /^\(\?<?[=!]/.test(token)
const isQuantifier = (token: string) => /^(?:[*+?]|\{\d)/.test(token)
const isUnbounded = (token: string) => /^(?:[*+]|\{\d+,\})/.test(token)

function findRefusal(tokens: readonly string[]): string | undefined {
  if (tokens.some((token) => /^\\[1-9k]/.test(token)))
    return 'the expression may not refer back to its own brackets'
  if (tokens.some((token) => isQuantifier(token) && readCounts(token).some((count) => count > COUNT_MAX)))
    return `the expression may count to ${COUNT_MAX} at most`
  for (const [at, token] of tokens.entries()) {
    if (!isLookaround(token)) continue
    const inside = tokens.slice(at + 1, findClosing(tokens, at))
    // Each place of a text tries it anew.
    if (inside.some((each) => isCapturing(each) || isUnbounded(each)) || countWays(inside) > LOOKAROUND_WAYS)
      return 'what the expression looks ahead or behind for may have no *, no + and no capturing brackets'
  }
  return undefined
}

const LOOKAROUND_WAYS = 1000

function findClosing(tokens: readonly string[], opening: number): number {
  let depth = 0
  for (let at = opening; at < tokens.length; at += 1) {
    const token = tokens[at] ?? ''
    if (token.startsWith('(')) depth += 1
    else if (token === ')' && --depth === 0) return at
  }
  return tokens.length
}

/** The least and the most repetitions of a quantifier; the most is left out where there is no bound. */
function readCounts(quantifier: string): number[] {
  const [, least = '', comma, most = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
  if (least !== '')
    return comma === '' ? [Number(least), Number(least)] : [least, most].filter(Boolean).map(Number)
  if (quantifier.startsWith('?')) return [0, 1]
  return quantifier.startsWith('*') ? [0] : [1]
}

// The built-in engine is faster where it cannot try many ways through a text.

const NATIVE_WAYS_MAX = 5000
/** Capturing brackets save their text at every step, which costs as much as several steps. */
const CAPTURE_COST = 4

/** Returns how long a text may be for the built-in engine; 0 where it must not be used. */
function measureNativeLimit(tokens: readonly string[], isAnchored: boolean): number {
  const repetitions = tokens.filter(isUnbounded).length + (isAnchored ? 0 : 1)
  const ways = countWays(tokens)
  if (ways > NATIVE_WAYS_MAX || repeatsChoice(tokens)) return 0
  if (repetitions === 0) return Number.POSITIVE_INFINITY
  const orders = Array.from({ length: repetitions }, (_, index) => index + 1).reduce((a, b) => a * b)
  return Math.floor(((NATIVE_WAYS_MAX * orders) / ways) ** (1 / repetitions))
}

/** In how many ways the tokens can be read, whatever the length of the text. */
function countWays(tokens: readonly string[]): number {
  return tokens.reduce((ways, token) => {
    if (token === '|') return ways * 2
    if (isCapturing(token)) return ways * CAPTURE_COST
    if (!isQuantifier(token)) return ways
    const [least = 0, most = least] = readCounts(token)
    return ways * (most - least + 1)
  }, 1)
}

/** Whether brackets with choices in them are repeated, so that the ways multiply with each repetition. */
function repeatsChoice(tokens: readonly string[]): boolean {
  return tokens.some((token, at) => {
    if (!token.startsWith('(')) return false
    const closing = findClosing(tokens, at)
    const quantifier = tokens[closing + 1] ?? ''
    if (!isQuantifier(quantifier) || quantifier.startsWith('?')) return false
    return tokens.slice(at + 1, closing).some((each) => each === '|' || isQuantifier(each))
  })
}

// The steps of an expression, which are followed for all places of a text at once.

type Step =
  | { readonly kind: 'take'; readonly takes: (code: number) => boolean }
  | { readonly kind: 'check'; readonly holds: (text: string, at: number) => boolean }
  /** Goes on at both, the first of them before. */
  | { kind: 'fork'; first: number; second: number }
  | { readonly kind: 'mark'; readonly slot: 2 | 3 }
  /** Clears what the first brackets held in an earlier repetition. */
  | { readonly kind: 'clear' }
  | { readonly kind: 'found' }

/** Adds the steps of a part of the expression. */
type Part = (steps: Step[]) => void

interface PatternReader {
  readonly tokens: readonly string[]
  readonly flags: 'u' | 'iu'
  at: number
  /** The capturing brackets so far. */
  groups: number
}

function parseChoice(reader: PatternReader): Part {
  const parts = [parseSequence(reader)]
  while (reader.tokens[reader.at] === '|') {
    reader.at += 1
    parts.push(parseSequence(reader))
  }
  return parts.reduceRight((rest, part) => (steps) => {
    const fork = addFork(steps)
    fork.first = steps.length
    part(steps)
    const jump = addFork(steps)
    fork.second = steps.length
    rest(steps)
    jump.first = jump.second = steps.length
  })
}

function addFork(steps: Step[]) {
  const fork = { kind: 'fork' as const, first: 0, second: 0 }
  steps.push(fork)
  return fork
}

function parseSequence(reader: PatternReader): Part {
  const parts: Part[] = []
  for (;;) {
    const token = reader.tokens[reader.at]
    if (token === undefined || token === '|' || token === ')') break
    const groups = reader.groups
    const part = parseItem(reader, token)
    const quantifier = reader.tokens[reader.at] ?? ''
    if (!isQuantifier(quantifier)) {
      parts.push(part)
      continue
    }
    reader.at += 1
    parts.push(repeatPart(part, quantifier, groups === 0 && reader.groups > 0))
  }
  return (steps) => {
    for (const part of parts) part(steps)
  }
}

function parseItem(reader: PatternReader, token: string): Part {
  const opening = reader.at
  reader.at += 1
  if (isLookaround(token)) {
    reader.at = findClosing(reader.tokens, opening) + 1
    return addCheck(reader.tokens.slice(opening, reader.at).join(''), reader.flags)
  }
  if (token.startsWith('(')) {
    if (isCapturing(token)) reader.groups += 1
    const isFirst = isCapturing(token) && reader.groups === 1
    const inside = parseChoice(reader)
    reader.at += 1 // the closing bracket
    if (!isFirst) return inside
    return (steps) => {
      steps.push({ kind: 'mark', slot: 2 })
      inside(steps)
      steps.push({ kind: 'mark', slot: 3 })
    }
  }
  if (token === '^') return (steps) => steps.push({ kind: 'check', holds: (_, at) => at === 0 })
  if (token === '$') return (steps) => steps.push({ kind: 'check', holds: (text, at) => at === text.length })
  if (token === String.raw`\b` || token === String.raw`\B`) return addCheck(token, reader.flags)
  const takes = compileCharacter(token, reader.flags)
  return (steps) => steps.push({ kind: 'take', takes })
}

function addCheck(source: string, flags: string): Part {
  const expression = new RegExp(source, `${flags}y`)
  const holds = (text: string, at: number) => {
    expression.lastIndex = at
    return expression.test(text)
  }
  return (steps) => steps.push({ kind: 'check', holds })
}

/** One character, class or escape; the answers for the first 128 characters are kept. */
function compileCharacter(token: string, flags: string): (code: number) => boolean {
  const expression = new RegExp(`^${token}$`, flags)
  const test = (code: number) => expression.test(String.fromCodePoint(code))
  const known = Array.from({ length: 128 }, (_, code) => test(code))
  return (code) => known[code] ?? test(code)
}

function repeatPart(part: Part, quantifier: string, hasFirstGroup: boolean): Part {
  const [least = 0, most] = readCounts(quantifier)
  const isLazy = quantifier.length > 1 && quantifier.endsWith('?')
  const addOnce = (steps: Step[]) => {
    if (hasFirstGroup) steps.push({ kind: 'clear' })
    part(steps)
  }
  /** A fork into the part or past it; what is past it is set later. */
  const addOptional = (steps: Step[]) => {
    const fork = addFork(steps)
    const inside = steps.length
    addOnce(steps)
    return (past: number) => {
      fork.first = isLazy ? past : inside
      fork.second = isLazy ? inside : past
    }
  }
  return (steps) => {
    const isFull = () => steps.length > STEPS_MAX
    for (let count = 0; count < least && !isFull(); count += 1) addOnce(steps)
    if (most === undefined) {
      const start = steps.length
      const close = addOptional(steps)
      const back = addFork(steps)
      back.first = back.second = start
      close(steps.length)
      return
    }
    const closes: ((past: number) => void)[] = []
    for (let count = least; count < most && !isFull(); count += 1) closes.push(addOptional(steps))
    for (const close of closes) close(steps.length)
  }
}

/** Begin and end of what matches, then of the first brackets; both are 0 where these take no part. */
type Marks = readonly [number, number, number, number]

interface Thread {
  readonly step: number
  readonly marks: Marks
}

/** Follows all ways through the text at once, the preferred first. Two that meet at a step go on as one. */
function search(steps: readonly Step[], text: string, isAnchored: boolean): Marks | undefined {
  /** The place at which each step was reached last. */
  const reached = new Int32Array(steps.length).fill(-1)
  const follow = (threads: Thread[], at: number, first: number, marks: Marks): void => {
    const open: Thread[] = [{ step: first, marks }]
    for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
      const { step: number } = thread
      const step = steps[number]
      if (step === undefined || reached[number] === at) continue
      reached[number] = at
      const [from, to, begin, end] = thread.marks
      const next = number + 1
      if (step.kind === 'fork') {
        open.push({ step: step.second, marks: thread.marks }, { step: step.first, marks: thread.marks })
      } else if (step.kind === 'mark') {
        const changed: Marks = step.slot === 2 ? [from, to, at, end] : [from, to, begin, at]
        open.push({ step: next, marks: changed })
      } else if (step.kind === 'clear') open.push({ step: next, marks: [from, to, 0, 0] })
      else if (step.kind === 'check') {
        if (step.holds(text, at)) open.push({ step: next, marks: thread.marks })
      } else threads.push(thread)
    }
  }
  let threads: Thread[] = []
  let found: Marks | undefined
  for (let at = 0; at <= text.length;) {
    if (found === undefined && (at === 0 || !isAnchored)) follow(threads, at, 0, [at, at, 0, 0])
    else if (threads.length === 0) break
    const code = text.codePointAt(at)
    const after = at + (code !== undefined && code > 0xffff ? 2 : 1)
    const next: Thread[] = []
    for (const { step: number, marks } of threads) {
      const step = steps[number]
      if (step?.kind === 'found') {
        found = [marks[0], at, marks[2], marks[3]]
        break
      }
      if (code !== undefined && step?.kind === 'take' && step.takes(code))
        follow(next, after, number + 1, marks)
    }
    threads = next
    at = after
  }
  return found
}
