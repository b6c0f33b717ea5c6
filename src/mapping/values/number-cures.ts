/** What to do about a text that is no number, in the way the mapping says numbers are written. */
import type { NumberOptions } from './number-text.ts'

type Written = Pick<NumberOptions, 'decimal' | 'implied'>

/** Undefined where nothing but the usual is to be said. */
export function decimalCure(written: Written): string | undefined {
  const { decimal, implied } = written
  if (implied !== undefined) return impliedCure(implied)
  return decimal === ',' ? 'Write digits with a comma, such as 12,50.' : undefined
}

export function wholeCure({ decimal, implied }: Written): string | undefined {
  if (implied !== undefined) return impliedCure(implied)
  return decimal === undefined
    ? undefined
    : `Write a whole number, such as 2 or ${decimal === ',' ? '2.000' : '2,000'}.`
}

/** What to do about decimals that the API does not keep. */
export function shorterCure(decimals: number): string {
  return decimals === 0
    ? 'Write a whole number; or let the mapping round it with `round`.'
    : `Write ${decimals} decimals at most; or let the mapping round it with \`round\`.`
}

/** What to do about an amount in another currency; undefined for a text that names none. */
export function currencyCure(text: string): string | undefined {
  const isForeign = /\p{Sc}/u.test(text) || /^[A-Z]{3}\b|\b[A-Z]{3}$/.test(text.trim())
  return isForeign ? 'Amounts are US dollars: take the sign away, or do not send this record.' : undefined
}

function impliedCure(implied: number): string {
  const digits = `125${'0'.repeat(Math.max(0, implied - 1))}`
  const shown = `${digits.slice(0, -implied) || '0'}.${digits.slice(-implied)}`
  return `Write digits only, such as ${digits} for ${shown}.`
}
