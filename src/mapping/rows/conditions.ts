/** Conditions: which texts the columns of a row must have. One notation for every `when`, `only`, `unless`. */
import { z } from 'zod'
import { didYouMean } from '../../support/nearest.ts'
import { checkPart } from '../source/check.ts'
import { foldedName } from './columns.ts'
import { CONDITION_WORDS, ConditionTest } from './condition-forms.ts'
import { knownMistake, looksKnown } from './known.ts'
import { comparison, numberOf } from './number-tests.ts'
import { keyPlace, type Mistakes, type SourceNode } from '../source/source.ts'
import type { NoNumber } from '../values/number-text.ts'
import { textOf } from '../values/text.ts'
import { compilePattern, longestSearched } from '../values/pattern.ts'

const Text = z.string().min(1)
/** A map of column to test. */
export const ConditionFrame = z
  .record(Text, ConditionTest, {
    error: ({ input }) =>
      input === undefined
        ? undefined
        : 'expected columns, each with what it must be, such as { Status: Ready }',
  })
  .refine((tests) => Object.keys(tests).length > 0, 'a condition names at least one column')

/** A rule of the user's own, with what to say when it is broken. */
export const CheckFrame = z
  .strictObject({ when: ConditionFrame.optional(), unless: ConditionFrame.optional(), say: Text })
  .refine(
    ({ when, unless }) => when !== undefined || unless !== undefined,
    'a check has `say` and one of `when` and `unless`',
  )
  .refine(
    ({ when, unless }) => when === undefined || unless === undefined,
    'a check has one of `when` and `unless`: put both into `when` with the second turned round, as in `when: { Type: Gift, Zip: blank }` for `unless: { Zip: filled }`',
  )

/** All of its tests must hold. */
export interface Condition {
  readonly tests: readonly ColumnTest[]
}

export interface ColumnTest {
  /** The column, or in an export the path, whose text is tested. */
  readonly column: string
  /** Whether a text without outer blanks passes; blank is the empty text. */
  readonly holds: (text: string) => boolean
  /** In words, after the name of the column: `is Ready or New`. */
  readonly words: string
  /** Why nothing can be said of a text that is to be compared with a number, and is none or may be two. */
  readonly unclear?: (text: string) => NoNumber | undefined
}

export interface Check {
  readonly condition: Condition
  /** Whether the rule is broken when the condition holds, or when it does not. */
  readonly brokenWhen: boolean
  readonly say: string
}

export interface ConditionContext {
  readonly mistakes: Mistakes
  /** The columns that can be named here, where the mapping itself says which there are. */
  readonly columns?: readonly string[] | undefined
  /** Whether it looks at a row or a record, and may ask for what is known of it without a column. */
  readonly of?: 'row' | 'record'
  /** What stands before the decimals of the numbers in the file. */
  readonly decimal?: '.' | ',' | undefined
}

/** The condition, or undefined after its mistakes were noted. */
export function compileCondition(node: SourceNode, context: ConditionContext): Condition | undefined {
  const { mistakes, of } = context
  const before = mistakes.count()
  if (checkPart(ConditionFrame, node, mistakes) === undefined || node.kind !== 'map') return undefined
  const tests: ColumnTest[] = []
  for (const [column, { node: written }] of node.entries) {
    const place = keyPlace(node, column)
    const mistake = of !== undefined && looksKnown(column) ? knownMistake(column, of === 'row') : undefined
    if (mistake !== undefined) mistakes.add(place, mistake)
    else if (of === undefined || !looksKnown(column)) checkColumn(column, place, context)
    tests.push({ column, ...compileTest(written, context) })
  }
  return mistakes.count() > before ? undefined : { tests }
}

/** Where the mapping itself says which columns there are, it may name no others. */
export function checkColumn(
  name: string,
  place: Parameters<Mistakes['add']>[0],
  { mistakes, columns }: ConditionContext,
): void {
  if (columns === undefined || columns.some((column) => foldedName(column) === foldedName(name))) return
  mistakes.add(place, `there is no column "${name}" that can be used here.${didYouMean(name, columns)}`)
}

/** The checks of a list; those with mistakes are left out. */
export function compileChecks(node: SourceNode | undefined, context: ConditionContext): Check[] {
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    if (item.kind !== 'map') return []
    const brokenWhen = item.entries.has('when')
    const written = item.entries.get(brokenWhen ? 'when' : 'unless')?.node
    const say = item.entries.get('say')?.node
    const condition = written && compileCondition(written, context)
    return condition && say?.kind === 'text' ? [{ condition, brokenWhen, say: say.text }] : []
  })
}

/** The condition on the values of a row; a column without a position is blank. */
export function rowCondition(
  { tests }: Condition,
  positionOf: (column: string) => number | undefined,
  blanks: ReadonlySet<string>,
): (values: readonly string[]) => boolean {
  const bound = tests.map(({ column, holds }) => ({ position: positionOf(column) ?? -1, holds }))
  return (values) => bound.every(({ position, holds }) => holds(textOf(values[position] ?? '', blanks)))
}

/** The condition for people: `Status is Ready or New, and Qty is above 0`. */
export function conditionInWords({ tests }: Condition): string {
  return tests.map(({ column, words }) => `${column} ${words}`).join(', and ')
}

type Tested = Pick<ColumnTest, 'holds' | 'words' | 'unclear'>

interface Written extends Pick<ConditionContext, 'mistakes' | 'decimal'> {
  readonly node: SourceNode
}

function compileTest(node: SourceNode, { mistakes, decimal }: ConditionContext): Tested {
  if (node.kind !== 'map') return oneOf(node)
  const tests: Tested[] = []
  for (const [name, { node: written }] of node.entries) {
    const text = written.kind === 'text' ? written.text : ''
    if (name === 'not') tests.push(not(oneOf(written)))
    else if (name === 'matches') tests.push(matching(text, { node: written, mistakes }))
    else if (name === 'above') tests.push(compared(text, 1, { node: written, mistakes, decimal }))
    else tests.push(compared(text, -1, { node: written, mistakes, decimal }))
  }
  if (tests.length === 0) mistakes.add(node, 'say what the column must be')
  const unclear = tests.find((test) => test.unclear !== undefined)?.unclear
  const others = tests.filter((test) => test.unclear === undefined)
  return {
    holds: (text) => tests.every(({ holds }) => holds(text)),
    words: tests.map(({ words }) => words).join(' and '),
    // A text that the other tests turn down need not be a number.
    ...(unclear && {
      unclear: (text: string) => (others.every(({ holds }) => holds(text)) ? unclear(text) : undefined),
    }),
  }
}

function not({ holds, words }: Tested): Tested {
  return {
    holds: (text) => !holds(text),
    words: words === 'is blank' ? 'is filled' : words.replace(/^is /, 'is not '),
  }
}

/** One of several texts, without regard to case; `filled` and `blank` by themselves are tests of their own. */
function oneOf(node: SourceNode): Tested {
  if (node.kind === 'text') {
    const word = node.text
    if (isWord(word)) return { holds: CONDITION_WORDS[word].test, words: `is ${word}` }
  }
  const texts = (node.kind === 'list' ? node.items : [node]).map((item) =>
    item.kind === 'text' ? item.text.trim() : '',
  )
  const allowed = new Set(texts.map((text) => text.toLowerCase()))
  const words = `is ${texts.map((text) => (text === '' ? 'blank' : text)).join(' or ')}`
  return { holds: (text) => allowed.has(text.toLowerCase()), words }
}

function isWord(text: string): text is keyof typeof CONDITION_WORDS {
  return Object.hasOwn(CONDITION_WORDS, text)
}

function matching(pattern: string, { node, mistakes }: Written): Tested {
  const words = `matches ${pattern}`
  const expression = compilePattern(pattern, 'iu')
  if (typeof expression !== 'string') {
    const longest = longestSearched(pattern)
    return { holds: (text) => expression.test(text.slice(0, longest)), words }
  }
  mistakes.add(node, expression)
  return { holds: () => false, words }
}

function compared(limit: string, sign: 1 | -1, { node, mistakes, decimal }: Written): Tested {
  const number = numberOf(limit)
  if (number !== undefined) return comparison([number, sign], limit, decimal)
  mistakes.add(node, 'expected a number with digits only, such as 12.50')
  return { holds: () => false, words: '' }
}
