/** The orders in which what lies in a folder is told. */

interface Named {
  readonly name: string
}

export function oldestFirst(
  one: Named & { readonly modifiedAt: number },
  other: Named & { readonly modifiedAt: number },
): number {
  return one.modifiedAt - other.modifiedAt || byName(one, other)
}

export function byName(one: Named, other: Named): number {
  return one.name < other.name ? -1 : 1
}
