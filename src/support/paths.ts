/** Paths into nested objects, such as `shipping_method.carrier.code`. */

type Fields = Readonly<Record<string, unknown>>

/** What stands at the path; undefined where it leads nowhere. Lists are not entered. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = (value as Fields)[name]
  }
  return value
}

/** The object with the value at the path; objects on the way to it are made. */
export function withValueAt(object: Fields, path: string, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...object, [name]: value }
  const below = object[name]
  const inner = typeof below === 'object' && below !== null && !Array.isArray(below) ? (below as Fields) : {}
  return { ...object, [name]: withValueAt(inner, rest.join('.'), value) }
}
