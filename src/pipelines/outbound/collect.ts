/** Collecting what nobody has acknowledged: all pages first, because the list shrinks as it is acknowledged. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { Resource } from '../../domain/api.ts'
import { accountOf } from '../../domain/route.ts'
import { BridgeError } from '../../support/errors.ts'
import { idOf } from '../operations/operation.ts'
import { listCall } from './calls.ts'
import type { OutboundParts } from '../parts.ts'
import { keepOf } from '../references/kept.ts'

/** Notes every record of the list in the journal; those it knows already are skipped. Gives how many were new. */
export async function collectRecords(parts: OutboundParts): Promise<number> {
  const { api, journal, lease, route, signal } = parts
  const { list, query } = OPERATIONS[route.operation]
  const account = accountOf(route.party)
  let added = 0
  let done = 0
  for await (const page of api.list({ ...listCall(route), query })) {
    const records = page.map((resource) => ({
      operation: route.operation,
      account,
      apiId: requiredId(resource, list),
      body: JSON.stringify(resource),
    }))
    await keepOf(parts, page)
    added += await journal.collect(lease, records)
    done += page.length
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    parts.notify({ kind: 'progress', route: route.name, file: '', phase: 'collecting', done })
  }
  await journal.noteListed(lease)
  return added
}

/** A record without an id could never be acknowledged, and would go out again and again. */
function requiredId(resource: Resource, list: string): string {
  const id = idOf(resource)
  if (id === undefined)
    throw new BridgeError('api-answer-unusable', `${list} answered a record without an id`)
  return id
}
