/** Plain objects: paths into nested ones, such as `shipping_method.carrier.code`, and copies without empty members. */

type Fields = Readonly<Record<string, unknown>>

/** Whether the value is an object and not a list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the object itself has the key. */
export function isKeyOf<T extends object>(object: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(object, key)
}

/** Returns the value at the path; undefined where there is none. Does not enter lists. */
export function getAtPath(object: unknown, path: string): unknown {
  if (!path.includes('.')) return isObject(object) ? object[path] : undefined
  let value = object
  for (const name of path.split('.')) {
    if (!isObject(value)) return undefined
    value = value[name]
  }
  return value
}

/** Copies the object with the value at the path; creates objects on the way. */
export function replaceAtPath(object: Fields, path: string, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...object, [name]: value }
  const below = object[name]
  return { ...object, [name]: replaceAtPath(isObject(below) ? below : {}, rest.join('.'), value) }
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A copy without the members that are undefined. */
export function omitUndefined<T extends object>(object: T): Defined<T> {
  // A loop, because every record of a file passes here several times.
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object) as Extract<keyof T, string>[]) {
    const value = object[key]
    if (value !== undefined) copy[key] = value
  }
  return copy as Defined<T>
}

/** For an object that is made field by field: to spread one record into the next costs more than its mapping. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
