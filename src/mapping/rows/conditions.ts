/** Compiles conditions: which texts the columns of a row must have, for every `when`, `only` and `unless`. */
import { z } from 'zod'
import { compareDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'
import { isKeyOf } from '../../support/object-paths.ts'
import { compilePattern } from '../../support/search-pattern.ts'
import { didYouMean } from '../../support/text.ts'
import { checkPart, type KeyRow, optionalKeys, Text } from '../source/schema.ts'
import {
  getEntry,
  getEntryText,
  locateKey,
  type MappingErrors,
  type SourceNode,
  toPlain,
} from '../source/source.ts'
import {
  createNumberReader,
  type InvalidNumber,
  stripCurrency,
  suggestDecimalFix,
} from '../values/numbers.ts'
import { cleanCell } from '../values/text.ts'
import { foldColumnName } from './columns.ts'
import { checkKnownName, looksLikeKnownName } from './columns.ts'

// The tests of a column: the words, and the keys of the long form.

const Word = z.union([z.string(), z.number(), z.boolean()])
const Words = z.array(Word).min(1)
const CONDITION_KEYS = {
  not: {
    schema: z.union([Word, Words]),
    summary: 'is none of them',
    example: '{ Type: { not: [Return, Void] } }',
    holds: ['Sale', ''],
    fails: ['return', 'Void'],
  },
  matches: {
    schema: Text,
    summary: 'has such a text in it, by a regular expression',
    example: '{ Note: { matches: "^GIFT" } }',
    holds: ['Gift for Ada'],
    fails: ['no gift'],
  },
  above: {
    schema: z.number({ error: 'expected a number' }),
    summary: 'is a number above it',
    example: '{ Qty: { above: 0 } }',
    holds: ['1', '1,200.50'],
    fails: ['0', ''],
  },
  below: {
    schema: z.number({ error: 'expected a number' }),
    summary: 'is a number below it',
    example: '{ Weight: { below: 70 } }',
    holds: ['69.9', '-1'],
    fails: ['70', ''],
  },
  equals: {
    schema: Text,
    summary: 'holds the text of another column of the same row or record',
    example: '{ Line PO: { equals: PO Number } }',
    beside: { 'PO Number': 'HV-1' },
    holds: ['HV-1', 'hv-1'],
    fails: ['HV-2', ''],
  },
  differs: {
    schema: Text,
    summary: 'holds another text than that column',
    example: '{ Line PO: { differs: PO Number } }',
    beside: { 'PO Number': 'HV-1' },
    holds: ['HV-2', ''],
    fails: ['HV-1'],
  },
} as const satisfies Readonly<Record<string, KeyRow & ConditionForm>>

/** Words with a meaning of their own, and the texts for which they hold. */
const CONDITION_WORDS = {
  filled: {
    summary: 'is not blank',
    example: '{ Tracking: filled }',
    holds: ['1Z999'],
    fails: [''],
    test: (text: string): boolean => text !== '',
  },
  blank: {
    summary: 'is blank',
    example: '{ Tracking: blank }',
    holds: [''],
    fails: ['1Z999'],
    test: (text: string): boolean => text === '',
  },
} as const satisfies Readonly<Record<string, ConditionForm & { readonly test: (text: string) => boolean }>>

const WORDS = [...Object.keys(CONDITION_WORDS), ...Object.keys(CONDITION_KEYS)].map((name) => `\`${name}\``)

const ConditionTest = z.union([Word, Words, z.strictObject(optionalKeys(CONDITION_KEYS))], {
  error: `expected a text, a list of texts, or one of ${WORDS.slice(0, -1).join(', ')} and ${WORDS.at(-1) ?? ''}`,
})

const EXPECTED_COLUMNS =
  'expected columns, each with what it must be, such as { Status: Ready } or { Note: filled }'

export const ConditionFrame = z
  .record(Text, ConditionTest, { error: ({ input }) => (input === undefined ? undefined : EXPECTED_COLUMNS) })
  .refine((tests) => Object.keys(tests).length > 0, 'a condition names at least one column')

const RULE_KEYS = { when: ConditionFrame.optional(), unless: ConditionFrame.optional() }

const BOTH_CONDITIONS =
  'a check has one of `when` and `unless`: put both into `when` with the second turned round, as in `when: { Type: Gift, Zip: blank }` for `unless: { Zip: filled }`'

const hasBothConditions = ({ when, unless }: { when?: unknown; unless?: unknown }) =>
  when !== undefined && unless !== undefined

const hasNoCondition = ({ when, unless }: { when?: unknown; unless?: unknown }) =>
  when === undefined && unless === undefined

/** A rule that holds records for a person. */
export const HoldFrame = z
  .strictObject({ ...RULE_KEYS, say: Text })
  .refine((rule) => !hasNoCondition(rule), 'a check has `say` and one of `when` and `unless`')
  .refine((rule) => !hasBothConditions(rule), BOTH_CONDITIONS)

/** A rule that refuses records, or with `warn` only says what is odd; or a total and what it should be. */
export const CheckFrame = z
  .strictObject({
    ...RULE_KEYS,
    say: Text.optional(),
    warn: z.literal(true, { error: 'expected `true`' }).optional(),
    total: Text.optional(),
    is: z
      .union([Text, z.array(Text).min(1)], { error: 'expected a calculation, or a list of them' })
      .optional(),
  })
  .superRefine((rule, context) => {
    const note = (key: keyof typeof rule, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message })
    const { total, is, say, warn } = rule
    if (total !== undefined) {
      if (is === undefined) note('total', '`is` is missing: the calculation that gives the same number')
      if (!hasNoCondition(rule)) note('total', 'a total is always compared: leave `when` and `unless` out')
      if (warn !== undefined)
        note('warn', 'a wrong total is a warning, unless the `rules` of the route say otherwise')
      return
    }
    if (is !== undefined) note('is', 'this is for `total`')
    if (say === undefined) note('say', 'say is missing')
    if (hasNoCondition(rule))
      context.addIssue({
        code: 'custom',
        message: 'a check has `say` and one of `when` and `unless`, or `total` and `is`',
      })
    if (hasBothConditions(rule)) context.addIssue({ code: 'custom', message: BOTH_CONDITIONS })
  })

/** All of its tests must hold. */
export interface Condition {
  readonly tests: readonly ColumnTest[]
  /** The condition as the mapping writes it. */
  readonly written: Readonly<Record<string, unknown>>
}

/** Reads another column of the row or record that is tested. */
export type ReadOther = (column: string) => string

export interface ColumnTest {
  /** The column, or in an export the path, whose text is tested. */
  readonly column: string
  /** Whether a text without outer blanks passes; blank is the empty text. `read` gives the texts of `others`. */
  readonly holds: (text: string, read: ReadOther) => boolean
  /** The columns that the text is compared with. */
  readonly others: readonly string[]
  /** For people, after the name of the column: `is Ready or New`. */
  readonly description: string
  /** Returns why the text cannot be compared with a number: it is not a number, or it is ambiguous. */
  readonly unclear?: (text: string, read: ReadOther) => InvalidNumber | undefined
}

export interface Check {
  readonly condition: Condition
  /** Whether the rule is broken when the condition holds, or when it does not. */
  readonly brokenWhen: boolean
  readonly say: string
  /** The record is sent with a warning. */
  readonly warns: boolean
}

export interface ConditionContext {
  readonly errors: MappingErrors
  /** The columns that may be named here, where the mapping defines them. */
  readonly columns?: readonly string[] | undefined
  /** Whether it tests a row or a record; also allows the values known without a column. */
  readonly of?: 'row' | 'record'
  /** The decimal mark of the numbers in the file. */
  readonly decimal?: '.' | ',' | undefined
  /** In a document of X12 or EDIFACT: says why a path cannot be tested. */
  readonly checkPath?: ((path: string) => string | undefined) | undefined
}

export function compileCondition(node: SourceNode, context: ConditionContext): Condition | undefined {
  const { errors, of } = context
  const before = errors.count()
  if (checkPart(ConditionFrame, node, errors) === undefined || node.kind !== 'map') return undefined
  const tests: ColumnTest[] = []
  for (const [column, { node: written }] of node.entries) {
    const place = locateKey(node, column)
    const error =
      of !== undefined && looksLikeKnownName(column) ? checkKnownName(column, of === 'row') : undefined
    if (error !== undefined) errors.add(place, error)
    else if (of === undefined || !looksLikeKnownName(column)) checkColumn(column, place, context)
    const test = compileTest(written, context)
    for (const other of test.others) checkColumn(other, written, context)
    tests.push({ column, ...test })
  }
  return errors.count() > before ? undefined : { tests, written: toPlain(node) as Condition['written'] }
}

/** Notes a column that is missing from the mapping's own list of columns. */
export function checkColumn(
  name: string,
  place: Parameters<MappingErrors['add']>[0],
  { errors, columns, checkPath }: ConditionContext,
): void {
  const error = checkPath?.(name)
  if (error !== undefined) errors.add(place, error)
  if (columns?.some((column) => foldColumnName(column) === foldColumnName(name)) ?? true) return
  errors.add(place, `there is no column "${name}" that can be used here.${didYouMean(name, columns ?? [])}`)
}

/** The checks of a list but those of totals; those with errors are left out. */
export function compileChecks(node: SourceNode | undefined, context: ConditionContext): Check[] {
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    if (item.kind !== 'map' || item.entries.has('total')) return []
    const brokenWhen = item.entries.has('when')
    const written = getEntry(item, brokenWhen ? 'when' : 'unless')
    const say = getEntryText(item, 'say')
    const condition = written && compileCondition(written, context)
    const warns = item.entries.has('warn')
    return condition && say !== undefined ? [{ condition, brokenWhen, say, warns }] : []
  })
}

/** The condition on the values of a row; a column without a position is blank. */
export function createRowCondition(
  { tests }: Condition,
  positionOf: (column: string) => number | undefined,
  blanks: ReadonlySet<string>,
): (values: readonly string[]) => boolean {
  const names = tests.flatMap(({ column, others }) => [column, ...others])
  const positions = new Map(names.map((name) => [name, positionOf(name) ?? -1]))
  return (values) => {
    const read = (column: string) => cleanCell(values[positions.get(column) ?? -1] ?? '', blanks)
    return tests.every(({ column, holds }) => holds(read(column), read))
  }
}

/** Formats the condition for people: `Status is Ready or New, and Qty is above 0`. */
export function formatCondition({ tests }: Condition): string {
  return tests.map(({ column, description }) => `${column} ${description}`).join(', and ')
}

type CompiledTest = Omit<ColumnTest, 'column'>

function compileTest(node: SourceNode, context: ConditionContext): CompiledTest {
  if (node.kind !== 'map') return compileOneOf(node)
  const tests: CompiledTest[] = []
  for (const [name, { node: written }] of node.entries) {
    const text = written.kind === 'text' ? written.text : ''
    if (name === 'not') tests.push(negateTest(compileOneOf(written)))
    else if (name === 'matches') tests.push(compileMatch(text, written, context))
    else if (name === 'equals') tests.push(compileEquality(text))
    else if (name === 'differs') tests.push(negateTest(compileEquality(text)))
    else tests.push(compileComparison(text, name === 'above' ? 1 : -1, written, context))
  }
  if (tests.length === 0) context.errors.add(node, 'say what the column must be')
  const unclear = tests.find((test) => test.unclear !== undefined)?.unclear
  const otherTests = tests.filter((test) => test.unclear === undefined)
  const [only] = tests
  return {
    holds:
      tests.length === 1 && only !== undefined
        ? only.holds
        : (text, read) => tests.every(({ holds }) => holds(text, read)),
    others: tests.flatMap(({ others }) => others),
    description: tests.map(({ description }) => description).join(' and '),
    // A text that fails another test need not be a number.
    ...(unclear && {
      unclear: (text: string, read: ReadOther) =>
        otherTests.every(({ holds }) => holds(text, read)) ? unclear(text, read) : undefined,
    }),
  }
}

function negateTest({ holds, others, description }: CompiledTest): CompiledTest {
  return {
    holds: (text, read) => !holds(text, read),
    others,
    description: description === 'is blank' ? 'is filled' : description.replace(/^is /, 'is not '),
  }
}

/** One of several texts, without regard to case; `filled` and `blank` by themselves are tests of their own. */
function compileOneOf(node: SourceNode): CompiledTest {
  const word = node.kind === 'text' ? node.text : ''
  if (isKeyOf(CONDITION_WORDS, word))
    return { holds: CONDITION_WORDS[word].test, others: [], description: `is ${word}` }
  const items = node.kind === 'list' ? node.items : [node]
  const texts = items.map((item) => (item.kind === 'text' ? item.text.trim() : ''))
  const allowed = new Set(texts.map((text) => text.toLowerCase()))
  const description = `is ${texts.map((text) => (text === '' ? 'blank' : text)).join(' or ')}`
  const spelled = new Set(texts)
  // Most texts are spelled as in the mapping.
  return { holds: (text) => spelled.has(text) || allowed.has(text.toLowerCase()), others: [], description }
}

/** Whether the text is that of another column, without regard to case. */
function compileEquality(other: string): CompiledTest {
  return {
    holds: (text, read) => text.toLowerCase() === read(other).toLowerCase(),
    others: [other],
    description: `is the same as ${other}`,
  }
}

function compileMatch(pattern: string, node: SourceNode, { errors }: ConditionContext): CompiledTest {
  const description = `matches ${pattern}`
  const expression = compilePattern(pattern, 'iu')
  if (typeof expression !== 'string') return { holds: expression.test, others: [], description }
  errors.add(node, expression)
  return { holds: () => false, others: [], description }
}

/** Tests for a number above (1) or below (-1) another. A blank is neither; any other or ambiguous text is unclear. */
function compileComparison(
  shown: string,
  sign: 1 | -1,
  node: SourceNode,
  { errors, decimal }: ConditionContext,
): CompiledTest {
  const limit = parseNumber(shown)
  if (limit === undefined) {
    errors.add(node, 'expected a number with digits only, such as 12.50')
    return { holds: () => false, others: [], description: '' }
  }
  const read = createNumberReader({ decimal })
  const otherFix = suggestDecimalFix({ decimal })
  return {
    holds(text) {
      const number = read(stripCurrency(text))
      return !('why' in number) && compareDecimals(number, limit) === sign
    },
    others: [],
    description: `is ${sign === 1 ? 'above' : 'below'} ${shown}`,
    unclear(text: string) {
      const number = read(stripCurrency(text))
      if (text === '' || !('why' in number)) return undefined
      const fix = number.fix ?? otherFix
      return fix === undefined ? number : { ...number, fix }
    },
  }
}

const WRITTEN_NUMBER = /^[+-]?(?:\d{1,30}|\d{1,3}(?:,\d{3}){1,9})(?:\.\d{1,20})?$/

/** Parses a number as people write it, with commas and perhaps a dollar sign, or with the mapping's decimal mark. */
export function parseNumber(text: string, decimal?: '.' | ','): Decimal | undefined {
  const plain = stripCurrency(text)
  if (decimal !== undefined) {
    const number = createNumberReader({ decimal })(plain)
    return 'why' in number ? undefined : number
  }
  return WRITTEN_NUMBER.test(plain) ? parseDecimal(plain.replaceAll(',', '')) : undefined
}

/** A form as it is documented, with texts for which it holds and some for which it does not. */
interface ConditionForm {
  readonly summary: string
  readonly example: string
  readonly holds: readonly string[]
  readonly fails: readonly string[]
  /** The other cells of the row. */
  readonly beside?: Readonly<Record<string, string>>
}

/** Every form, for the documentation. */
export const CONDITION_FORMS: readonly ConditionForm[] = [
  { summary: 'is that text', example: '{ Status: Ready }', holds: ['Ready', 'ready'], fails: ['New', ''] },
  {
    summary: 'is one of them',
    example: '{ Status: [Ready, New] }',
    holds: ['Ready', 'New'],
    fails: ['Void'],
  },
  ...Object.values(CONDITION_WORDS),
  ...Object.values(CONDITION_KEYS),
]
