/** Compiles the conversion of a cell's text to the value of a field, always in the same order. */
import type { FieldRule } from '../../contract/fields.ts'
import { findZoneCity } from '../../support/clock.ts'
import { compilePattern } from '../../support/search-pattern.ts'
import { type MappingErrors, nodeAt, type SourceNode } from '../source/source.ts'
import { padDigits, restoreUpc } from '../values/convert.ts'
import { compileDateFormat, compileOtherOrder, type DateFormat } from '../values/date-format.ts'
import { type DateOptions, findZone, UTC } from '../values/dates.ts'
import type { NumberOptions } from '../values/numbers.ts'
import {
  type Convert,
  FAILED,
  quoteText,
  type Refuse,
  splitEscaped,
  splitLines,
  wrapText,
} from '../values/text.ts'
import type { BodyLeaf } from './options.ts'

/** Text to text; an empty one is blank. */
type Step = (text: string, refuse: Refuse) => string | typeof FAILED

/** A step with its option, for explanations. */
export interface TextStep {
  readonly option: keyof BodyLeaf
  /** The option as the mapping writes it: `case upper`. */
  readonly does: string
  readonly apply: Step
}

/** The leaves of one object that take lines of the same text. The last leaf must take the last line. */
export interface LineOverflow {
  last: number
}

interface StepTarget {
  readonly rule: FieldRule
  readonly list: boolean
  readonly hasDefault: boolean
  readonly overflow: LineOverflow
  readonly note: (option: keyof BodyLeaf, message: string) => undefined
}

/** match → split or wrap, with at → case → pad → digits. */
export function compileTextSteps(options: BodyLeaf, target: StepTarget): readonly TextStep[] {
  const { match, split, wrap, at, pad, digits } = options
  const part = split === undefined ? `wrap ${wrap}` : `split ${JSON.stringify(split)}`
  const steps: readonly (readonly [keyof BodyLeaf, string, Step | undefined])[] = [
    ['match', `match ${match}`, createMatchStep(options, target)],
    [split === undefined ? 'wrap' : 'split', `${part} at ${at}`, createPartStep(options, target)],
    ['case', `case ${options.case}`, createCaseStep(options)],
    ['pad', `pad to ${pad?.to} with ${JSON.stringify(pad?.with)}`, createPadStep(options)],
    ['digits', `digits ${digits}`, createDigitsStep(options, target)],
  ]
  return steps.flatMap(([option, does, apply]) => (apply === undefined ? [] : [{ option, does, apply }]))
}

export function prependSteps(convert: Convert, texts: readonly Pick<TextStep, 'apply'>[]): Convert {
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

function createMatchStep({ match }: BodyLeaf, { hasDefault, note }: StepTarget): Step | undefined {
  if (match === undefined) return undefined
  const expression = compilePattern(match)
  if (typeof expression === 'string') return note('match', expression)
  return (text, refuse) => {
    const found = expression.find(text)
    if (found !== undefined) return found.trim()
    return hasDefault ? '' : refuse('text-unmatched', `${quoteText(text)} does not match ${match}.`)
  }
}

function createPartStep(options: BodyLeaf, { list, overflow }: StepTarget): Step | undefined {
  const { split, escape, wrap, at, long } = options
  if (list || at === undefined) return undefined
  if (split !== undefined) return (text) => splitEscaped(text, split, escape)[at - 1]?.trim() ?? ''
  const width = wrap ?? 0
  overflow.last = Math.max(overflow.last, at)
  return (text, refuse) => {
    const lines = wrapText(splitLines(text).join(' '), width)
    if (lines.length <= at || at < overflow.last || long === 'cut') return lines[at - 1] ?? ''
    const message = `${quoteText(text)} makes ${lines.length} lines of ${width} characters; the mapping takes ${at}.`
    return refuse('value-too-long', message)
  }
}

function createCaseStep(options: BodyLeaf): Step | undefined {
  if (options.case === undefined) return undefined
  return options.case === 'upper' ? (text) => text.toUpperCase() : (text) => text.toLowerCase()
}

function createPadStep({ pad }: BodyLeaf): Step | undefined {
  return pad && ((text) => text.padStart(pad.to, pad.with))
}

function createDigitsStep({ digits }: BodyLeaf, { rule }: StepTarget): Step | undefined {
  if (digits === undefined) return undefined
  return rule.kind === 'text' && rule.code === 'upc'
    ? (text, refuse) => restoreUpc(text, digits, refuse)
    : (text) => padDigits(text, digits)
}

// Lists of texts, and values that the mapping itself writes.

/** Splits a text into a list. Keeps an empty item only between two items, and only where the API gives it a meaning. */
export function createListConverter(convert: Convert, rule: FieldRule, options: BodyLeaf): Convert {
  const itemsOf = createSplitter(options)
  const keepsBlanks = rule.kind === 'text' && rule.blankAllowed === true
  return (text, refuse) => {
    const items = itemsOf(text)
    const kept = keepsBlanks ? items : items.filter((item) => item !== '')
    const values = kept.map((item) => (item === '' ? '' : convert(item, refuse)))
    return values.includes(FAILED) ? FAILED : values
  }
}

function createSplitter({ split, escape, wrap }: BodyLeaf): (text: string) => string[] {
  if (split === undefined) return wrap === undefined ? splitLines : (text) => wrapText(text, wrap)
  const partsOf = (text: string) => splitEscaped(text, split, escape).map((part) => part.trim())
  return wrap === undefined ? partsOf : (text) => partsOf(text).flatMap((part) => wrapText(part, wrap))
}

/** Converts a text that the mapping itself holds. */
export function convertText(convert: Convert, text: string): { value?: unknown; refused?: string } {
  const refusals: string[] = []
  const value = convert(text, (_code, message) => {
    refusals.push(message)
    return FAILED
  })
  return refusals.length === 0 ? { value } : { refused: refusals.join(' ') }
}

// Compiles `format` and `zone`.

/** Notes errors in the options; the rest can be used. */
export function compileDates(
  node: SourceNode,
  options: { readonly format?: string | string[] | undefined; readonly zone?: string | undefined },
  errors: MappingErrors,
  use: 'read' | 'write',
): DateOptions {
  const names = typeof options.format === 'string' ? [options.format] : (options.format ?? [])
  const formats: DateFormat[] = []
  for (const name of names) {
    const format = compileDateFormat(name)
    if (typeof format === 'string') {
      errors.add(nodeAt(node, 'format'), format)
      continue
    }
    formats.push(format)
    if (use === 'write' || format.missing.length === 0) continue
    const missing = format.missing.join(' and no ')
    errors.add(nodeAt(node, 'format'), `"${name}" names no ${missing}, so it is no date`)
  }
  const zone = options.zone === undefined ? UTC : findZone(options.zone)
  const city = findZoneCity(options.zone ?? '')
  if (city !== undefined) {
    const message = `"${options.zone}" has no daylight saving time; write the zone of a city, such as ${city}`
    errors.add(nodeAt(node, 'zone'), message)
  } else if (zone === undefined) {
    const message = `there is no time zone "${options.zone}"; write one such as America/New_York`
    errors.add(nodeAt(node, 'zone'), message)
  }
  const otherOrders = use === 'write' ? [] : names.map(compileOtherOrder)
  return { formats, names, zone: zone ?? UTC, otherOrders }
}

/** Returns the options of the leaf, with those of the file as defaults. */
export function resolveNumberOptions(
  { decimal, implied, round, table }: BodyLeaf,
  ofFile: '.' | ',' | undefined,
): NumberOptions {
  // The numbers of a table are in the mapping, so the file's decimal mark does not apply.
  const mark = decimal ?? (implied === undefined && table === undefined ? ofFile : undefined)
  return { decimal: mark, implied, round }
}
