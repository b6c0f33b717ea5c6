/** The control numbers of the sets of one group, to find those that are repeated. */

/** Numbers that are compared besides the run; beyond it, repeated ones are not found. */
const MAX_COMPARED = 1_000_000

const DIGITS = /^\d{1,15}$/

/** Most senders count up, so the numbers that follow each other are kept as a run, and only the others one by one. */
export class SetNumbers {
  readonly #others = new Set<string>()
  #first = 0
  #last = -1
  /** How many digits the first number of the run has. */
  #width = 0

  /** False when the number is there already. Numbers are the same when their texts are. */
  add(text: string): boolean {
    if (this.#others.has(text)) return false
    const number = DIGITS.test(text) ? Number(text) : undefined
    if (number !== undefined && this.#last === -1) {
      this.#first = number
      this.#last = number
      this.#width = text.length
      return true
    }
    if (number !== undefined && text === String(number).padStart(this.#width, '0')) {
      if (number >= this.#first && number <= this.#last) return false
      if (number === this.#last + 1) {
        this.#last = number
        return true
      }
    }
    if (this.#others.size < MAX_COMPARED) this.#others.add(text)
    return true
  }
}
