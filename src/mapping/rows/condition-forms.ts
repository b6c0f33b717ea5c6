/** What a condition may say of a column: the words, and the keys of the long form. */
import { z } from 'zod'
import { type KeyRow, optionalKeys } from '../key-table.ts'

const Text = z.string().min(1)
const Word = z.union([z.string(), z.number(), z.boolean()])
const Words = z.array(Word).min(1)

/** A form as it is documented, with texts for which it holds and some for which it does not. */
export interface ConditionForm {
  readonly summary: string
  readonly example: string
  readonly holds: readonly string[]
  readonly fails: readonly string[]
}

/** Words that are no text to compare with, and which texts they are for. */
export const CONDITION_WORDS = {
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

/** The keys of the long form. */
export const CONDITION_KEYS = {
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
} as const satisfies Readonly<Record<string, KeyRow & ConditionForm>>

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

const names = [...Object.keys(CONDITION_WORDS), ...Object.keys(CONDITION_KEYS)].map((name) => `\`${name}\``)

/** What stands behind the name of a column. */
export const ConditionTest = z.union([Word, Words, z.strictObject(optionalKeys(CONDITION_KEYS))], {
  error: `expected a text, a list of texts, or one of ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`,
})
