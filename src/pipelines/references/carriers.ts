/** Carriers and their methods, read once a pass; and how a text picks one of several things with names. */
import type { Api, Resource } from '../../domain/api.ts'

/** Something with an id that people call by another name. */
export interface Named {
  readonly id: string
  /** Its names, those that count first first; the id is one of them, and counts last. */
  readonly names: readonly string[]
}

export interface Carrier extends Named {
  readonly methods: readonly Named[]
}

/** The carriers of the account, asked for at the first question of a pass. */
export type CarrierBook = () => Promise<readonly Carrier[]>

export function carrierBook(api: Api): CarrierBook {
  let asked: Promise<readonly Carrier[]> | undefined
  const ask = async () => {
    const carriers: Carrier[] = []
    for await (const page of api.list({ endpoint: 'listCarriers' })) carriers.push(...page.flatMap(carrierOf))
    return carriers
  }
  return () => {
    asked ??= ask()
    return asked
  }
}

function carrierOf(shown: Resource): Carrier[] {
  return namedOf([shown]).map((named) => ({ ...named, methods: namedOf(shown['shipping_methods']) }))
}

/** The items of a list that have an id: by nickname, code and name. */
export function namedOf(list: unknown): Named[] {
  if (!Array.isArray(list)) return []
  return (list as (Resource | null)[]).flatMap((item) => {
    const id = textOf(item?.['id'])
    if (id === undefined) return []
    const names = [item?.['nickname'], item?.['code'], item?.['name'], id]
    return [{ id, names: names.flatMap((name) => textOf(name) ?? []) }]
  })
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Those with the name, upper and lower case and blanks aside: by the kind of name that counts first and fits any. */
export function pick<Item extends Named>(items: readonly Item[], name: string): readonly Item[] {
  const wanted = plain(name)
  const places = Math.max(0, ...items.map(({ names }) => names.length))
  for (let place = 0; place < places; place++) {
    const found = items.filter(({ names }) => plain(names[place] ?? '') === wanted)
    if (found.length > 0) return found
  }
  return []
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** The names that messages suggest. */
export function callNames(items: readonly Named[]): string[] {
  return [...new Set(items.flatMap(({ id, names }) => names.filter((name) => name !== id)))]
}
