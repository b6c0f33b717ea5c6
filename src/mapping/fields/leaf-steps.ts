/** What is done to the text of a cell before it is looked up and converted, always in this order. */
import type { FieldRule } from '../../contract/fields.ts'
import type { BodyLeaf } from '../options.ts'
import { restoredUpc, withZeros } from '../values/digits.ts'
import { compilePattern, LONGEST_SEARCHED } from '../values/pattern.ts'
import { linesOf, quoted, wrapped } from '../values/text.ts'
import type { Convert, FAILED, Refuse } from '../values/value.ts'

/** Text to text; an empty one is blank. */
type Step = (text: string, refuse: Refuse) => string | typeof FAILED

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
export function withSteps(convert: Convert, options: BodyLeaf, target: StepTarget): Convert {
  const steps = [
    matchStep(options, target),
    partStep(options, target),
    caseStep(options),
    padStep(options),
    digitsStep(options, target),
  ].filter((step) => step !== undefined)
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
  return (text, refuse) => {
    if (text.length > LONGEST_SEARCHED) {
      const message = `${quoted(text)} has ${text.length} characters; at most ${LONGEST_SEARCHED} are searched.`
      return refuse('value-too-long', message)
    }
    const found = expression.exec(text)
    if (found !== null) return (found.length > 1 ? (found[1] ?? '') : found[0]).trim()
    return hasDefault ? '' : refuse('text-unmatched', `${quoted(text)} does not match ${match}.`)
  }
}

function partStep({ split, wrap, at, long }: BodyLeaf, { list, spill }: StepTarget): Step | undefined {
  if (list || at === undefined) return undefined
  if (split !== undefined) return (text) => text.split(split, at)[at - 1]?.trim() ?? ''
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
