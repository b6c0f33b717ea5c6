/** Groups lists, keeps what is made once, and finds what comes twice in very long lists. */

/** The items of each key, in the order they came. Node 20 has no `Map.groupBy`. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** Makes a value when it is first asked for, and keeps it. */
export function makeOnDemand<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Calls a function once for the same arguments, and keeps what it returned. */
export function rememberByArguments<Args extends readonly (string | number | undefined)[], Value>(
  find: (...args: Args) => Value,
) {
  const found = new Map<string, { readonly value: Value }>()
  return (...args: Args): Value => {
    const key = JSON.stringify(args)
    const known = found.get(key) ?? { value: find(...args) }
    found.set(key, known)
    return known.value
  }
}

/** The first size of its table, in keys; it doubles as it fills. */
const FIRST_SLOTS = 1024

/**
 * Finds whether a text came before, in 16 to 32 bytes a text, so that millions fit in memory: it keeps 64 bits of a hash of
 * each. It never misses a text that came before; one in some 10^19 pairs of other texts counts as a repeat.
 */
export function createRepeatFinder() {
  let slots = new Uint32Array(2 * FIRST_SLOTS)
  let count = 0
  /** The place of the pair, or of the free slot for it, which has a pair of zeros. */
  const findPlace = (table: Uint32Array, [low, high]: Pair): number => {
    const mask = table.length / 2 - 1
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const [first, second] = [table[2 * at], table[2 * at + 1]]
      if ((first === low && second === high) || (first === 0 && second === 0)) return 2 * at
    }
  }
  const isFree = (table: Uint32Array, place: number) => table[place] === 0 && table[place + 1] === 0
  const insert = (table: Uint32Array, pair: Pair): boolean => {
    const place = findPlace(table, pair)
    if (!isFree(table, place)) return false
    table.set(pair, place)
    return true
  }
  const grow = () => {
    const larger = new Uint32Array(2 * slots.length)
    for (let at = 0; at < slots.length; at += 2) {
      const [low = 0, high = 0] = [slots[at], slots[at + 1]]
      if (low !== 0 || high !== 0) insert(larger, [low, high])
    }
    slots = larger
  }
  return {
    /** Notes the text; true where it, or by a rare chance another one, was noted before. */
    isRepeat(text: string): boolean {
      if (!insert(slots, hashText(text))) return true
      count++
      if (2 * count > slots.length / 2) grow()
      return false
    },
    /** Whether the text was noted; it is not noted now. */
    has: (text: string): boolean => !isFree(slots, findPlace(slots, hashText(text))),
  }
}

/** The two halves of a hash of 64 bits; the first is never 0. */
type Pair = readonly [low: number, high: number]

function hashText(text: string): Pair {
  // Two runs of FNV-1a over the letters, with other starts and other primes, each mixed at its end.
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995)
    high ^= high >>> 13
  }
  return [mixBits(low) || 1, mixBits(high ^ text.length)]
}

/** Spreads the bits of a number of 32 bits, so that similar texts fall into other slots. */
function mixBits(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
