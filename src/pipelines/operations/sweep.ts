/** Looking up by sweeping a list that has no filter for what is looked for: however many are sought, it is read once. */
import type { Api, Call, Resource } from '../../domain/api.ts'
import { type Finding, idOf, type SentRecord, sweptSince } from './operation.ts'

export interface Sweep {
  readonly list: Pick<Call, 'endpoint' | 'params'>
  /** The filter by the time when a resource was made. */
  readonly since: string
  /** What a record and the resource it makes have in common. */
  readonly nameOfRecord: (record: SentRecord) => string
  readonly nameOf: (resource: Resource) => string
}

/** A finding for each record, in their order. */
export async function sweepFor(
  api: Api,
  records: readonly SentRecord[],
  { list, since, nameOfRecord, nameOf }: Sweep,
): Promise<readonly Finding[]> {
  const names = records.map(nameOfRecord)
  const sought = new Set(names)
  const found = new Map<string, Finding>()
  for await (const page of api.list({ ...list, query: { [since]: sweptSince(api, records) } })) {
    for (const resource of page) {
      const name = nameOf(resource)
      if (!sought.has(name) || found.has(name)) continue
      const apiId = idOf(resource)
      found.set(name, { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) })
    }
    if (found.size === sought.size) break
  }
  return names.map((name) => found.get(name) ?? { found: 'absent' })
}
