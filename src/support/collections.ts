/** Groups and compares lists. */

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
