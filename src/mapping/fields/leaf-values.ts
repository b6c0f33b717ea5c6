/** Lists of texts, and values that the mapping itself writes. */
import type { FieldRule } from '../../contract/fields.ts'
import type { BodyLeaf } from '../options.ts'
import { type Convert, FAILED } from '../values/value.ts'
import { separated } from '../values/separated.ts'
import { linesOf, wrapped } from '../values/text.ts'

/** Splits a text into a list. An empty item is kept only between others, and only where the API gives it a meaning. */
export function listConverter(
  convert: Convert,
  rule: FieldRule,
  options: Pick<BodyLeaf, 'split' | 'escape' | 'wrap'>,
): Convert {
  const { split, escape, wrap } = options
  const keepsBlanks = rule.kind === 'text' && rule.blankAllowed === true
  return (text, refuse) => {
    const parts =
      split === undefined ? linesOf(text) : separated(text, split, escape).map((part) => part.trim())
    const items = wrap === undefined ? parts : parts.flatMap((part) => wrapped(part, wrap))
    const kept = keepsBlanks ? items : items.filter((item) => item !== '')
    const values = kept.map((item) => (item === '' ? '' : convert(item, refuse)))
    return values.includes(FAILED) ? FAILED : values
  }
}

/** Converts a text of the mapping itself. */
export function convertNow(
  convert: Convert,
  text: string,
): { readonly value?: unknown; readonly refused?: string } {
  const refusals: string[] = []
  const value = convert(text, (_code, message) => {
    refusals.push(message)
    return FAILED
  })
  return refusals.length === 0 ? { value } : { refused: refusals.join(' ') }
}
