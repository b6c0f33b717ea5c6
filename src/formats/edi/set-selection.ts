/** What is kept of each set of a file by its ordinal: one bit, or its length. */

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
