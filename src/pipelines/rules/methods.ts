/** Rules about the method an order asks for: it is one of those that some supplier may ship by for the retailer. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, partyParams } from '../operations/operation.ts'
import type { Broken } from './rule.ts'

/** A method by its code and that of its carrier: `UPSN UPS_GROUND`. */
export type MethodBook = () => Promise<ReadonlySet<string>>

/** The methods of the active connections of a retailer, asked for at the first question of a pass. */
export function methodBook(api: Api, party: Party): MethodBook {
  let asked: Promise<ReadonlySet<string>> | undefined
  const ask = async () => {
    const methods = new Set<string>()
    const call = { endpoint: 'listConnections', params: partyParams(party) }
    for await (const page of api.list(call)) {
      for (const connection of page.filter(isActive))
        for (const name of methodsOf(connection)) methods.add(name)
    }
    return methods
  }
  return () => {
    asked ??= ask()
    return asked
  }
}

function isActive(connection: Resource): boolean {
  return String(connection['status']).toLowerCase() === 'active'
}

function methodsOf(connection: Resource): string[] {
  const methods = connection['shipping_methods']
  return Array.isArray(methods)
    ? (methods as (Resource | null)[]).flatMap((method) => nameOf(method) ?? [])
    : []
}

function nameOf(method: unknown): string | undefined {
  if (typeof method !== 'object' || method === null || !('code' in method)) return undefined
  const carrier = 'carrier' in method ? method.carrier : undefined
  const carrierCode =
    typeof carrier === 'object' && carrier !== null && 'code' in carrier ? carrier.code : undefined
  return typeof carrierCode === 'string' ? `${carrierCode} ${String(method.code)}` : undefined
}

/** Spec: "Allowed methods come from the connection lookup." A retailer that sees none is told nothing. */
export function connectionRules(body: Body, allowed: ReadonlySet<string>): Broken[] {
  const name = nameOf(body['shipping_method'])
  if (name === undefined || allowed.size === 0 || allowed.has(name)) return []
  const [carrier = '', ...code] = name.split(' ')
  const message = `no active connection has the method ${code.join(' ')} of carrier ${carrier}; there are ${[...allowed].join(', ')}`
  return [{ code: 'method-not-allowed', field: 'shipping_method.code', message }]
}
