/** The forms of a number in an export: what stands before the decimals, how many are implied, whether zeros are cut. */
import { type Decimal, formatDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'
import { quoted } from '../values/text.ts'
import type { RefuseCell } from './paper.ts'

export interface NumberForm {
  readonly decimal?: '.' | ',' | undefined
  readonly implied?: number | undefined
  readonly zeros?: 'cut' | undefined
}

/** The options that say how a number is written. */
export const NUMBER_OPTIONS = ['decimal', 'implied', 'zeros'] as const

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
  const { decimal = '.', implied, zeros } = form
  if (implied === undefined) {
    const text = formatDecimal(number)
    const short = zeros === 'cut' && text.includes('.') ? text.replace(/\.?0+$/, '') : text
    return decimal === '.' ? short : short.replace('.', decimal)
  }
  const exact = rescaleExactly(number, implied)
  if (exact !== undefined) return formatDecimal({ units: exact.units, scale: 0 })
  const message = `${formatDecimal(number)} has more than the ${implied} decimals that the column implies.`
  return refuse('decimal-expected', message)
}
