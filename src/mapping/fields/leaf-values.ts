/** Lists of texts, and values that the mapping itself writes. */
import type { FieldRule } from '../../contract/fields.ts'
import type { BodyLeaf } from '../options.ts'
import { type Convert, FAILED } from '../values/value.ts'
import { separated } from '../values/separated.ts'
import { linesOf, wrapped } from '../values/text.ts'

/** Where a text is cut into items. */
type Cuts = Pick<BodyLeaf, 'split' | 'escape' | 'wrap'>

/** Splits a text into a list. An empty item is kept only between others, and only where the API gives it a meaning. */
export function listConverter(convert: Convert, rule: FieldRule, options: Cuts): Convert {
  const itemsOf = cutter(options)
  const keepsBlanks = rule.kind === 'text' && rule.blankAllowed === true
  return (text, refuse) => {
    const items = itemsOf(text)
    const kept = keepsBlanks ? items : items.filter((item) => item !== '')
    const values = kept.map((item) => (item === '' ? '' : convert(item, refuse)))
    return values.includes(FAILED) ? FAILED : values
  }
}

function cutter({ split, escape, wrap }: Cuts): (text: string) => string[] {
  if (split === undefined) return wrap === undefined ? linesOf : (text) => wrapped(text, wrap)
  const partsOf = (text: string) => separated(text, split, escape).map((part) => part.trim())
  return wrap === undefined ? partsOf : (text) => partsOf(text).flatMap((part) => wrapped(part, wrap))
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
