/** An API whose every answer is remembered: what a list, a read or a call of ours shows, later files can name. */
import { type Endpoint, ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import type { Api, Call, Resource } from '../../domain/api.ts'
import type { Journal, SeenResource } from '../../domain/journal.ts'
import { accountOf, type Party } from '../../domain/route.ts'
import { batchWriter } from '../../support/batches.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { type SeenKind, sightingOf, SHOWS } from './kinds.ts'

/** Answers to single calls are remembered together; one that is lost in a crash is seen again when it is needed. */
const SIGHTINGS = { atMost: 250, afterMs: 100 }

export interface RememberingApi extends Api {
  /** Makes what was seen so far findable. Rejects when something could not be written. */
  settled(): Promise<void>
}

interface Seen {
  readonly kind: SeenKind
  readonly resource: SeenResource
}

export interface MemoryParts {
  readonly api: Api
  readonly journal: Journal
  readonly party: Party
  readonly clock: Clock
  /** Endpoints whose answers nobody will ask for. */
  readonly unasked?: readonly EndpointName[]
}

export function rememberingApi({ api, journal, party, clock, unasked = [] }: MemoryParts): RememberingApi {
  const account = accountOf(party)
  const answers = batchWriter<Seen>(SIGHTINGS, async (batch) => {
    for (const kind of new Set(batch.map((each) => each.kind))) {
      const resources = batch.filter((each) => each.kind === kind).map(({ resource }) => resource)
      await journal.rememberResources(account, kind, resources)
    }
  })
  let failure: Error | undefined
  const note = (error: unknown) => {
    failure ??=
      error instanceof Error
        ? error
        : new BridgeError('bug', 'something that is no error was thrown', { cause: error })
  }
  const see = (call: Call, resource: unknown) => {
    const kind = kindShown(call)
    if (kind === undefined) return
    for (const each of sightingOf(kind, resource)) void answers.add({ kind, resource: each }).catch(note)
  }

  return {
    ...api,
    async send(call, permit) {
      const answer = await api.send(call, permit)
      const isDone = answer.certainty === 'answered' && answer.status < 300
      if (isDone && !unasked.includes(call.endpoint as EndpointName)) see(call, answer.body)
      return answer
    },
    async get(call) {
      const resource = await api.get(call)
      see(call, resource)
      return resource
    },
    async *list(call) {
      const kind = kindShown(call)
      const startedAt = clock.now()
      for await (const page of api.list(call)) {
        if (kind !== undefined) await journal.rememberResources(account, kind, sightings(call, kind, page))
        yield page
      }
      if (kind !== undefined && isWhole(call)) await journal.noteListRead(account, kind, startedAt)
    },
    async settled() {
      await answers.flush().catch(note)
      if (failure !== undefined) throw failure
    },
  }
}

function kindShown({ endpoint }: Call): SeenKind | undefined {
  return SHOWS[endpoint as EndpointName]
}

/** A list that shows less of each resource does not show all its names. */
function sightings({ query = {} }: Call, kind: SeenKind, page: readonly Resource[]): SeenResource[] {
  const seen = page.flatMap((resource) => sightingOf(kind, resource))
  return query['short'] === 1 ? seen.map((each) => ({ ...each, some: true })) : seen
}

/** Whether the list is asked for everything there is, which is so when nothing is left out by a filter. */
function isWhole({ endpoint, query = {} }: Call): boolean {
  const known: Endpoint = ENDPOINTS[endpoint as EndpointName]
  const { filters = {} } = known
  return Object.keys(query).every((name) => name === 'limit' || filters[name]?.kind === 'view')
}
