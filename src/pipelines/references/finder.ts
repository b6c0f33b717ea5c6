/** Finding resources of one kind by what a file calls them: in the journal, else at the API, and never twice in vain. */
import type { Call } from '../../domain/api.ts'
import type { KnownResource } from '../../domain/journal.ts'
import { accountOf } from '../../domain/route.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'
import type { SeenKind } from './kinds.ts'
import { sweepOf } from './sweeps.ts'

/** How many keys of one file are asked for one by one where the API can be asked so; more are swept. */
const SINGLES_MAX = 50

/** How many such questions are under way at once. */
const SINGLES_IN_FLIGHT = 8

export type FinderParts = Pick<InboundParts, 'api' | 'journal' | 'route' | 'signal'>

/** What is known by each key; a key that nobody knows is not there. */
export type Found = ReadonlyMap<string, readonly KnownResource[]>

export type ResourceFinder = (keys: Iterable<string>) => Promise<Found>

/** The finder of one file and kind: each call costs one query, and all of them together at most one reading of each list. */
export function resourceFinder(parts: FinderParts, kind: SeenKind): ResourceFinder {
  const sweep = sweepOf(kind, parts.route.party)
  const unread = [...sweep.lists]
  let singlesLeft = sweep.single === undefined ? 0 : SINGLES_MAX
  return async (asked) => {
    const keys = [...new Set(asked)]
    if (keys.length === 0) return new Map()
    const found = new Map<string, KnownResource[]>()
    const missing = () => keys.filter((key) => !found.has(key))
    const search = async () => {
      for (const [key, known] of await knownByKey(parts, kind, missing())) found.set(key, known)
    }
    await search()
    const single = missing()
    if (sweep.single && single.length > 0 && single.length <= singlesLeft && unread.length > 0) {
      singlesLeft -= single.length
      await askSingly(parts, single.map(sweep.single))
      await search()
      return found
    }
    while (unread.length > 0 && missing().length > 0) {
      const [list] = unread.splice(0, 1)
      if (list !== undefined) await readWhole(parts, list)
      await search()
    }
    return found
  }
}

async function knownByKey(
  { journal, route }: FinderParts,
  kind: SeenKind,
  keys: readonly string[],
): Promise<Map<string, KnownResource[]>> {
  const found = new Map<string, KnownResource[]>()
  for (const { key, ...known } of await journal.findResources(accountOf(route.party), kind, keys)) {
    found.set(key, [...(found.get(key) ?? []), known])
  }
  return found
}

async function askSingly(parts: FinderParts, calls: readonly Call[]): Promise<void> {
  for (let start = 0; start < calls.length; start += SINGLES_IN_FLIGHT) {
    const some = calls.slice(start, start + SINGLES_IN_FLIGHT)
    await Promise.all(some.map((call) => readWhole(parts, call)))
  }
}

/** What a list shows is remembered while it goes by. */
export async function readWhole({ api, signal }: FinderParts, call: Call): Promise<void> {
  for await (const _ of api.list(call)) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  }
}
