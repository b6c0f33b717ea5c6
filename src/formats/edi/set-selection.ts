/** What is kept of each set of a file: one bit, its length, or its control number. */
import { createHash } from 'node:crypto'

/** Ordinals that are counted from 1, one bit for each: a file may have millions of sets. */
export class OrdinalSet {
  #bits = new Uint8Array(0)

  add(ordinal: number): void {
    const at = ordinal >>> 3
    if (at >= this.#bits.length) {
      const bits = new Uint8Array(2 * at + 64)
      bits.set(this.#bits)
      this.#bits = bits
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (ordinal & 7))
  }

  has(ordinal: number): boolean {
    return ((this.#bits[ordinal >>> 3] ?? 0) & (1 << (ordinal & 7))) !== 0
  }
}

/** How many segments each set has, in the order of the file: a byte or two for most of them. */
export class SetLengths {
  readonly #chunks: Uint8Array[] = []
  #size = CHUNK_BYTES

  add(segments: number): void {
    let rest = segments
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#addByte((rest & 0x7f) | 0x80)
    this.#addByte(rest)
  }

  /** Returns a function that gives the lengths one after the other, and 0 behind the last. */
  read(): () => number {
    let at = 0
    const readByte = () => {
      const byte = this.#chunks[Math.floor(at / CHUNK_BYTES)]?.[at % CHUNK_BYTES] ?? 0
      at += 1
      return byte
    }
    return () => {
      let length = 0
      for (let factor = 1; ; factor *= 0x80) {
        const byte = readByte()
        length += (byte & 0x7f) * factor
        if (byte < 0x80) return length
      }
    }
  }

  #addByte(byte: number): void {
    if (this.#size === CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(CHUNK_BYTES))
      this.#size = 0
    }
    const chunk = this.#chunks.at(-1)
    if (chunk !== undefined) chunk[this.#size] = byte
    this.#size += 1
  }
}

const CHUNK_BYTES = 64 * 1024

// The control numbers of the sets of one group, to find those that are repeated.

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
