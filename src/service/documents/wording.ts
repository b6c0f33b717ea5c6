/** Text made fit for paper: without what would harm a page, broken into lines, with addresses as they are written. */
import type { Address } from '../../contract/address.ts'

/** The parts of an address that are printed. */
export type PrintedAddress = Pick<
  Address,
  'name1' | 'name2' | 'street1' | 'street2' | 'city' | 'province' | 'postal_code' | 'country' | 'phone1'
>

/** No single text on a page is longer; what comes after is cut. Four times the longest text of the contract. */
const LONGEST_TEXT = 1024

const ELLIPSIS = '…'

/**
 * Text on one line. Line ends and control characters become spaces; invisible ones, among them those that turn the
 * direction of writing, are taken out: on paper they can only mislead.
 */
export function printable(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .normalize('NFC')
}

/** The lines of an address, from the name to the country. */
export function addressLines(address: PrintedAddress): string[] {
  const { name1, name2, street1, street2, city, province, postal_code, country } = address
  const place = `${printable(city)}, ${printable(province)} ${printable(postal_code)}`
  return [name1, name2, street1, street2, place, country]
    .map((line) => printable(line ?? ''))
    .filter((line) => line !== '')
}

/** The date of an ISO time. All times of the API are UTC, and the paper says so. */
export function dateOf(isoTime: string): string {
  return `${printable(isoTime).slice(0, 10)} (UTC)`
}

export interface Measure {
  /** Whether a text stays within the width of a line. */
  readonly fits: (text: string) => boolean
  readonly maxLines: number
}

/**
 * A text as lines that fit, broken between words, and within a word only where it is longer than a line. What does not
 * go into the last line is cut, and an ellipsis says so.
 */
export function wrap(text: string, { fits, maxLines }: Measure): string[] {
  const lines: string[] = []
  let rest = printable(text)
  while (rest !== '' && lines.length < maxLines - 1) {
    const length = lengthOfLine(rest, fits)
    lines.push(rest.slice(0, length).trimEnd())
    rest = rest.slice(length).trimStart()
  }
  if (rest !== '' && maxLines > 0) lines.push(cut(rest, fits))
  return lines
}

function lengthOfLine(text: string, fits: Measure['fits']): number {
  if (fits(text)) return text.length
  const length = lengthThatFits(text, fits)
  const space = text.lastIndexOf(' ', length)
  return space > 0 ? space : length
}

/** At least one character, so that a line that is too narrow for anything still gets on. */
function lengthThatFits(text: string, fits: Measure['fits']): number {
  const ends = endsOfCharacters(text)
  let fitting = 0
  let failing = ends.length
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2)
    if (fits(text.slice(0, ends[middle]))) fitting = middle
    else failing = middle
  }
  return ends[fitting] ?? text.length
}

/** Where a text may be cut: not between a letter and its accent, nor within a character of two code units. */
function endsOfCharacters(text: string): number[] {
  return [...text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)].map((match) => match.index + match[0].length)
}

function cut(text: string, fits: Measure['fits']): string {
  if (fits(text)) return text
  const length = lengthThatFits(text, (start) => fits(start + ELLIPSIS))
  return text.slice(0, length).trimEnd() + ELLIPSIS
}
