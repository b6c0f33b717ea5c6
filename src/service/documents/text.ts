/** Prepares text for printing: removes control characters, breaks lines and formats addresses. */
import type { Address } from '../../contract/address.ts'

export type PrintedAddress = Pick<
  Address,
  'name1' | 'name2' | 'street1' | 'street2' | 'city' | 'province' | 'postal_code' | 'country' | 'phone1'
>

/** Longer texts are cut. Four times the longest text of the contract. */
const MAX_TEXT_LENGTH = 1024

const ELLIPSIS = '…'

/**
 * Makes text for one line. Line ends and control characters become spaces; invisible characters, such as those that change
 * the direction of writing, are removed, because on paper they only mislead.
 */
export function toPrintable(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .normalize('NFC')
}

export function addressLines(address: PrintedAddress): string[] {
  const { name1, name2, street1, street2, city, province, postal_code, country } = address
  const place = `${toPrintable(city)}, ${toPrintable(province)} ${toPrintable(postal_code)}`
  return [name1, name2, street1, street2, place, country]
    .map((line) => toPrintable(line ?? ''))
    .filter((line) => line !== '')
}

/** Formats the date of an ISO time. All times of the API are UTC, and the document says so. */
export function formatUtcDate(isoTime: string): string {
  return `${toPrintable(isoTime).slice(0, 10)} (UTC)`
}

interface LineLimits {
  /** Whether a text stays within the width of a line. */
  readonly fits: (text: string) => boolean
  readonly maxLines: number
}

/** Wraps a text into lines that fit, between words where possible. An ellipsis marks a cut text. */
export function wrapText(text: string, { fits, maxLines }: LineLimits): string[] {
  const lines: string[] = []
  let rest = toPrintable(text)
  while (rest !== '' && lines.length < maxLines - 1) {
    const length = findLineLength(rest, fits)
    lines.push(rest.slice(0, length).trimEnd())
    rest = rest.slice(length).trimStart()
  }
  if (rest !== '' && maxLines > 0) lines.push(cutText(rest, fits))
  return lines
}

function findLineLength(text: string, fits: LineLimits['fits']): number {
  if (fits(text)) return text.length
  const length = findFittingLength(text, fits)
  const space = text.lastIndexOf(' ', length)
  return space > 0 ? space : length
}

/** Returns at least one character, so that even a line that is too narrow makes progress. */
function findFittingLength(text: string, fits: LineLimits['fits']): number {
  const ends = findCharacterEnds(text)
  let fitting = 0
  let failing = ends.length
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2)
    if (fits(text.slice(0, ends[middle]))) fitting = middle
    else failing = middle
  }
  return ends[fitting] ?? text.length
}

/** Finds where a text may be cut: not between a letter and its accent, nor within a character of two code units. */
function findCharacterEnds(text: string): number[] {
  return [...text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)].map((match) => match.index + match[0].length)
}

function cutText(text: string, fits: LineLimits['fits']): string {
  if (fits(text)) return text
  const length = findFittingLength(text, (start) => fits(start + ELLIPSIS))
  return text.slice(0, length).trimEnd() + ELLIPSIS
}
