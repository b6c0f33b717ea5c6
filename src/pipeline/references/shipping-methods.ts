/** Reads the carriers and shipping methods of the account once a pass, and picks one of them by name. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { createPartyParams, type RequestBody } from '../../operations/operation.ts'
import { getAtPath } from '../../support/object-paths.ts'
import type { RuleViolation } from '../rules/rule.ts'

/** Something with an id that people call by other names. */
export interface NamedItem {
  readonly id: string
  /** Its names, the strongest first; the id is the last of them. */
  readonly names: readonly string[]
}

export interface Carrier extends NamedItem {
  readonly methods: readonly NamedItem[]
}

/** The carriers of the account, read at the first question of a pass. */
export type CarrierLoader = () => Promise<readonly Carrier[]>

export function createCarrierLoader(api: Api): CarrierLoader {
  return askOnce(async () => {
    const carriers: Carrier[] = []
    for await (const page of api.list({ endpoint: 'listCarriers' })) carriers.push(...page.flatMap(toCarrier))
    return carriers
  })
}

function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined
  return () => (asked ??= ask())
}

function toCarrier(shown: Resource): Carrier[] {
  const methods = toNamedItems(shown['shipping_methods'])
  return toNamedItems([shown]).map((named) => ({ ...named, methods }))
}

/** The items of a list that have an id, with their nickname, code and name. */
export function toNamedItems(list: unknown): NamedItem[] {
  if (!Array.isArray(list)) return []
  return (list as (Resource | null)[]).flatMap((item) => {
    const id = toText(item?.['id'])
    if (id === undefined) return []
    const names = [item?.['nickname'], item?.['code'], item?.['name'], id]
    return [{ id, names: names.flatMap((name) => toText(name) ?? []) }]
  })
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** The items with this name, ignoring case and blanks; only the strongest kind of name that fits any item counts. */
export function pickByName<Item extends NamedItem>(items: readonly Item[], name: string): readonly Item[] {
  const wanted = normalizeName(name)
  const places = Math.max(0, ...items.map(({ names }) => names.length))
  for (let place = 0; place < places; place++) {
    const found = items.filter(({ names }) => normalizeName(names[place] ?? '') === wanted)
    if (found.length > 0) return found
  }
  return []
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** The names for suggestions in messages. */
export function listNames(items: readonly NamedItem[]): string[] {
  return [...new Set(items.flatMap(({ id, names }) => names.filter((name) => name !== id)))]
}

// An order may ask only for methods of an active connection between the retailer and a brand.

/** Methods by carrier code and method code: `UPSN UPS_GROUND`. */
export type MethodLoader = () => Promise<ReadonlySet<string>>

/** The methods of a retailer's active connections, read at the first question of a pass. */
export function createMethodLoader(api: Api, party: Party): MethodLoader {
  return askOnce(async () => {
    const methods = new Set<string>()
    for await (const page of api.list({ endpoint: 'listConnections', params: createPartyParams(party) })) {
      for (const name of page.filter(isActive).flatMap(listMethods)) methods.add(name)
    }
    return methods
  })
}

function isActive(connection: Resource): boolean {
  return String(connection['status']).toLowerCase() === 'active'
}

function listMethods({ shipping_methods: methods }: Resource): string[] {
  return Array.isArray(methods) ? methods.flatMap((method) => formatMethod(method) ?? []) : []
}

function formatMethod(method: unknown): string | undefined {
  if (typeof method !== 'object' || method === null || !('code' in method)) return undefined
  const carrier = getAtPath(method, 'carrier.code')
  return typeof carrier === 'string' ? `${carrier} ${String(method.code)}` : undefined
}

/** Spec: "Allowed methods come from the connection lookup." A retailer without any methods is not checked. */
export function checkConnectionMethod(body: RequestBody, allowed: ReadonlySet<string>): RuleViolation[] {
  const name = formatMethod(body['shipping_method'])
  if (name === undefined || allowed.size === 0 || allowed.has(name)) return []
  const [carrier = '', ...code] = name.split(' ')
  const message = `no active connection has the method ${code.join(' ')} of carrier ${carrier}; there are ${[...allowed].join(', ')}`
  return [{ code: 'method-not-allowed', field: 'shipping_method.code', message }]
}
