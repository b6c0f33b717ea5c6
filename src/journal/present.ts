/** What is null in a row is left out of what is made of it. */

type Present<T> = { [K in keyof T]?: Exclude<T[K], null> }

export function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Present<T>
}
