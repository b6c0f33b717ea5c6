/** Turns the bytes of a value into text. */
import { isUtf8 } from 'node:buffer'

/** A character that stands for a byte which the character set does not have. */
export const UNDECODABLE = '\uFFFD'

const NOT_ASCII = /[\x80-\xFF]/

/** Text of UTF-8. Bytes that are none become U+FFFD, which is refused as damaged text. */
export function decodeText(latin1: string): string {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1.replace(/[\x80-\xFF]/g, UNDECODABLE)
}

/** Text for people: bytes that are no UTF-8 are shown as Latin-1. */
export function decodeForPeople(latin1: string): string {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1
}
