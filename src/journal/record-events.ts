/** Events about records that all came to one state. */
import type { Kysely } from 'kysely'
import type { EventKind } from '../domain/audit.ts'
import type { RecordState } from '../domain/record.ts'
import { chain } from './chain.ts'
import { type Ids, idsOf } from './ids.ts'
import type { Tables } from './schema.ts'

interface Told {
  readonly kind: EventKind
  readonly route?: string
  /** The id of the file or delivery. */
  readonly subject?: string
  readonly state: RecordState
  readonly ids: Ids
  /** Null where what an earlier attempt was answered counts no more; left out where it stays. */
  readonly http?: null
}

/** Nothing when there are none. */
export async function chainState(tables: Kysely<Tables>, now: number, told: Told): Promise<void> {
  const { state, ids, http, ...event } = told
  if (ids.length === 0) return
  const single = ids.filter((id) => typeof id === 'number')
  const runs = single.length === ids.length ? idsOf(single) : ids
  const mention = http === undefined ? { state, ids: runs } : { state, ids: runs, http }
  await chain(tables, now, { ...event, detail: { records: [mention] } })
}
