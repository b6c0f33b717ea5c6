/** What is done to the text of a cell before it is looked up and converted, always in this order. */
import type { FieldRule } from '../../contract/fields.ts'
import type { BodyLeaf } from '../options.ts'
import { restoredUpc, withZeros } from '../values/digits.ts'
import { compilePattern, longestSearched } from '../values/pattern.ts'
import { separated } from '../values/separated.ts'
import { linesOf, quoted, wrapped } from '../values/text.ts'
import type { Convert, FAILED, Refuse } from '../values/value.ts'

/** Text to text; an empty one is blank. */
type Step = (text: string, refuse: Refuse) => string | typeof FAILED

/** A step with its option, for those who show what becomes of a text. */
export interface TextStep {
  readonly option: keyof BodyLeaf
  /** In the words of the mapping: `case upper`. */
  readonly does: string
  readonly apply: Step
}

/** The leaves of one object that take lines of the same text: the last of them must not leave any over. */
export interface Spill {
  last: number
}

export interface StepTarget {
  readonly rule: FieldRule
  readonly list: boolean
  readonly hasDefault: boolean
  readonly spill: Spill
  readonly note: (option: keyof BodyLeaf, message: string) => void
}

/** match → split or wrap, with at → case → pad → digits. */
export function textSteps(options: BodyLeaf, target: StepTarget): readonly TextStep[] {
  const { match, split, wrap, at, pad, digits } = options
  const part = split === undefined ? `wrap ${wrap}` : `split ${JSON.stringify(split)}`
  const steps: readonly (readonly [keyof BodyLeaf, string, Step | undefined])[] = [
    ['match', `match ${match}`, matchStep(options, target)],
    [split === undefined ? 'wrap' : 'split', `${part} at ${at}`, partStep(options, target)],
    ['case', `case ${options.case}`, caseStep(options)],
    ['pad', `pad to ${pad?.to} with ${JSON.stringify(pad?.with)}`, padStep(options)],
    ['digits', `digits ${digits}`, digitsStep(options, target)],
  ]
  return steps.flatMap(([option, does, apply]) => (apply === undefined ? [] : [{ option, does, apply }]))
}

/** The conversion of what the steps make of a text. */
export function withSteps(convert: Convert, texts: readonly Pick<TextStep, 'apply'>[]): Convert {
  const steps = texts.map(({ apply }) => apply)
  if (steps.length === 0) return convert
  return (text, refuse) => {
    let current = text
    for (const step of steps) {
      const next = step(current, refuse)
      if (typeof next !== 'string') return next
      if (next === '') return undefined
      current = next
    }
    return convert(current, refuse)
  }
}

function matchStep({ match }: BodyLeaf, { hasDefault, note }: StepTarget): Step | undefined {
  if (match === undefined) return undefined
  const expression = compilePattern(match)
  if (typeof expression === 'string') {
    note('match', expression)
    return undefined
  }
  const longest = longestSearched(match)
  return (text, refuse) => {
    if (text.length > longest) {
      const message = `${quoted(text)} has ${text.length} characters; ${match} searches at most ${longest}.`
      return refuse('value-too-long', message)
    }
    const found = expression.exec(text)
    if (found !== null) return (found.length > 1 ? (found[1] ?? '') : found[0]).trim()
    return hasDefault ? '' : refuse('text-unmatched', `${quoted(text)} does not match ${match}.`)
  }
}

function partStep(
  { split, escape, wrap, at, long }: BodyLeaf,
  { list, spill }: StepTarget,
): Step | undefined {
  if (list || at === undefined) return undefined
  if (split !== undefined) return (text) => separated(text, split, escape)[at - 1]?.trim() ?? ''
  const width = wrap ?? 0
  spill.last = Math.max(spill.last, at)
  return (text, refuse) => {
    const lines = wrapped(linesOf(text).join(' '), width)
    if (lines.length <= at || at < spill.last || long === 'cut') return lines[at - 1] ?? ''
    const message = `${quoted(text)} makes ${lines.length} lines of ${width} characters; the mapping takes ${at}.`
    return refuse('value-too-long', message)
  }
}

function caseStep(options: BodyLeaf): Step | undefined {
  if (options.case === undefined) return undefined
  return options.case === 'upper' ? (text) => text.toUpperCase() : (text) => text.toLowerCase()
}

function padStep({ pad }: BodyLeaf): Step | undefined {
  return pad && ((text) => text.padStart(pad.to, pad.with))
}

function digitsStep({ digits }: BodyLeaf, { rule }: StepTarget): Step | undefined {
  if (digits === undefined) return undefined
  return rule.kind === 'text' && rule.code === 'upc'
    ? (text, refuse) => restoredUpc(text, digits, refuse)
    : (text) => withZeros(text, digits)
}
