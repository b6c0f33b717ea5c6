/** The control numbers of the sets of one group, to find those that are repeated. */
import { createHash } from 'node:crypto'

/** Numbers that are compared besides the run; beyond it, repeated ones are not found. */
const MAX_COMPARED = 1_000_000

const DIGITS = /^\d{1,15}$/

/** Texts that are longer are compared by their hashes, because they may be as long as a segment. */
const MAX_KEPT_LENGTH = 24

/** Most senders count up, so the numbers that follow each other are kept as a run, and only the others one by one. */
export class SetNumbers {
  readonly #others = new Set<string | number>()
  #first = 0
  #last = -1
  /** How many digits the first number of the run has. */
  #width = 0

  /** False when the number is there already. Numbers are the same when their texts are. */
  add(text: string): boolean {
    const number = DIGITS.test(text) ? Number(text) : undefined
    if (number !== undefined && this.#last === -1) {
      this.#width = text.length
      this.#first = number
      this.#last = number
      return true
    }
    const isOfRun = number !== undefined && text === String(number).padStart(this.#width, '0')
    if (isOfRun && number >= this.#first && number <= this.#last) return false
    // A small number takes less room than its text.
    const key = isOfRun ? number : shortenNumber(text)
    if (this.#others.has(key)) return false
    if (isOfRun && number === this.#last + 1) {
      this.#last = number
      return true
    }
    if (this.#others.size < MAX_COMPARED) this.#others.add(key)
    return true
  }
}

/** The text, or its hash where it is long: texts are the same where these are. */
export function shortenNumber(text: string): string {
  if (text.length <= MAX_KEPT_LENGTH) return text
  return createHash('sha256')
    .update(text, 'latin1')
    .digest('base64')
    .slice(0, MAX_KEPT_LENGTH + 1)
}
