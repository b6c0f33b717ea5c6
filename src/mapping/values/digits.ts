/** Numbers that are names, such as postal codes and UPCs: their leading zeros and their check digits. */
import { quoted } from './text.ts'
import type { Refuse } from './value.ts'

/** The lengths of the numbers GS1 gives out: EAN-8, UPC, EAN-13 and GTIN-14. */
export const GS1_WIDTHS: readonly number[] = [8, 12, 13, 14]

/** A text of digits only, with the zeros in front that it should have; other texts are what they are. */
export function withZeros(text: string, width: number): string {
  return /^\d+$/.test(text) ? text.padStart(width, '0') : text
}

/** A UPC with its zeros, when its check digit proves that no other digit is missing. */
export function restoredUpc(text: string, width: number, refuse: Refuse) {
  // What spreadsheets made of it is the field's own to refuse.
  if (!/^\d+$/.test(text)) return text
  if (text.length > width) {
    return refuse('check-digit-wrong', `${quoted(text)} has ${text.length} digits; a UPC has ${width} here.`)
  }
  const upc = text.padStart(width, '0')
  if (checkDigit(upc.slice(0, -1)) === upc.slice(-1)) return upc
  const message = `The check digit of ${quoted(text)} does not fit its other digits.`
  return refuse('check-digit-wrong', message)
}

/** The GS1 check digit of the digits before it. */
export function checkDigit(digits: string): string {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const fromRight = digits.length - index
    sum += Number(digits.charAt(index)) * (fromRight % 2 === 1 ? 3 : 1)
  }
  return String((10 - (sum % 10)) % 10)
}
