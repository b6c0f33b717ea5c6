/** The forms of a number in an export: what stands before the decimals, between thousands, how many are implied, whether zeros are cut. */
import { type Decimal, formatDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'
import { quoted } from '../values/text.ts'
import type { RefuseCell } from './paper.ts'

export interface NumberForm {
  readonly decimal?: '.' | ',' | undefined
  readonly implied?: number | undefined
  readonly grouping?: string | undefined
  readonly zeros?: 'cut' | undefined
}

/** The options that say how a number is written. */
export const NUMBER_OPTIONS = ['decimal', 'implied', 'grouping', 'zeros'] as const

export function hasNumberForm(form: NumberForm): boolean {
  return NUMBER_OPTIONS.some((option) => form[option] !== undefined)
}

/** A number as the API writes it; undefined after refusing. */
export function readNumber(value: unknown, refuse: RefuseCell): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const number = parseDecimal(text)
  if (number === undefined)
    refuse('decimal-expected', `${quoted(text)} is not a number as the API writes it.`)
  return number
}

/** The text of a number in this form. */
export function numberText(number: Decimal, form: NumberForm, refuse: RefuseCell): string {
  const { decimal = '.', implied, grouping, zeros } = form
  if (implied === undefined) {
    const text = formatDecimal(number)
    const short = zeros === 'cut' && text.includes('.') ? text.replace(/\.?0+$/, '') : text
    if (decimal === '.' && grouping === undefined) return short
    const [whole = '', decimals] = short.split('.')
    const thousands = grouping === undefined ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, grouping)
    return decimals === undefined ? thousands : `${thousands}${decimal}${decimals}`
  }
  const exact = rescaleExactly(number, implied)
  if (exact !== undefined) return formatDecimal({ units: exact.units, scale: 0 })
  const message = `${formatDecimal(number)} has more than the ${implied} decimals that the column implies.`
  return refuse('decimal-expected', message)
}

/** Notes the forms of a number that do not go together. */
export function checkNumberForm(
  { decimal, implied, grouping, zeros }: NumberForm,
  note: (option: (typeof NUMBER_OPTIONS)[number], message: string) => void,
): void {
  if (implied !== undefined && (decimal ?? zeros) !== undefined) {
    note(
      'implied',
      'with `implied` no point is written, so there is no `decimal` and there are no `zeros` to cut',
    )
  }
  if (grouping === undefined) return
  if (implied !== undefined) return note('grouping', 'with `implied` nothing but digits is written')
  if (grouping === (decimal ?? '.')) {
    note('grouping', `${quoted(grouping)} stands before the decimals already; say with \`decimal\` what does`)
  }
}
