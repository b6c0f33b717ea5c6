/** A set of ids that takes a bit for each: a hundred million records in twelve megabytes. */

export interface IdSet {
  has(id: number): boolean
  add(id: number): void
  remove(id: number): void
  /** How many there are. */
  size(): number
}

export function idSet(): IdSet {
  let bits = new Uint8Array(1024)
  let size = 0
  const isIn = (id: number) => ((bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0
  return {
    has: isIn,
    add(id) {
      if (isIn(id)) return
      const byte = id >>> 3
      if (byte >= bits.length) {
        const wider = new Uint8Array(Math.max(bits.length * 2, byte + 1))
        wider.set(bits)
        bits = wider
      }
      bits[byte] = (bits[byte] ?? 0) | (1 << (id & 7))
      size++
    },
    remove(id) {
      if (!isIn(id)) return
      bits[id >>> 3] = (bits[id >>> 3] ?? 0) & ~(1 << (id & 7))
      size--
    },
    size: () => size,
  }
}
