/** Makes the ids that people read aloud: files, deliveries, instances. */
import { randomInt } from 'node:crypto'

const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Ten letters that are easy to read aloud: fifty random bits, behind the tag of the journal. */
export function newId(tag = ''): string {
  return tag + Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')
}
