/** The calls of an export: its list, and single records of it. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import { idParameter } from '../../contract/lists.ts'
import { OPERATIONS, type OutboundOperationName } from '../../contract/operations.ts'
import type { Call } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { assert } from '../../support/errors.ts'
import { partyParams } from '../operations/operation.ts'

/** What is listed, and for whom. */
export interface Listing {
  readonly operation: OutboundOperationName
  readonly party: Party
}

/** The call for the list, without a query. */
export function listCall({ operation, party }: Listing): Call {
  const { list } = OPERATIONS[operation]
  return { endpoint: list, params: ownerParams(list, party) }
}

/** A call about one record of the list. */
export function recordCall({ party }: Listing, endpoint: EndpointName, id: string): Call {
  const name = idParameter(endpoint)
  assert(name !== undefined, `${endpoint} is not about one record`)
  return { endpoint, params: { ...ownerParams(endpoint, party), [name]: id } }
}

/** The account's own lists have nobody's id in their path. */
function ownerParams(name: EndpointName, party: Party): Record<string, number> {
  const { context }: Endpoint = ENDPOINTS[name]
  return context === party.kind ? partyParams(party) : {}
}
