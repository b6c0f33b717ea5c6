/** Whether the bridge turns and does its work: what /livez and /readyz say. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import { type Clock, isoTime } from '../support/clock.ts'
import type { Verdict } from './health-server.ts'
import { isNobodysFault } from './nobodys-fault.ts'

export interface Pulse {
  readonly observe: Observer
  /** The program turns; told every few seconds. */
  readonly beat: () => void
  readonly live: () => Verdict
  readonly ready: () => Promise<Verdict>
}

/** A loop that has not come round for so long hangs. */
const STILL_MS = 120_000

/** Below this the journal may soon have no room. */
const FREE_BYTES_MIN = 20 * 1024 * 1024

interface LastPass {
  readonly at: number
  readonly failure?: string
}

export function createPulse({
  clock,
  journalPath,
  routes,
}: {
  readonly clock: Clock
  readonly journalPath: string
  readonly routes: readonly string[]
}): Pulse {
  let beatAt = clock.now()
  const passes = new Map<string, LastPass>()
  return {
    observe: (event: BridgeEvent) => {
      // Its next pass may be a while.
      if (event.kind === 'route-recovered') passes.set(event.route, { at: clock.now() })
      if (event.kind !== 'pass-ended') return
      const { route, failure } = event
      passes.set(route, { at: clock.now(), ...(failure === undefined ? {} : { failure }) })
    },
    beat: () => {
      beatAt = clock.now()
    },
    live: () => {
      const stillMs = clock.now() - beatAt
      return { ok: stillMs <= STILL_MS, details: { live: stillMs <= STILL_MS, lastTurn: isoTime(beatAt) } }
    },
    ready: async () => {
      const journal = await troubleWith(journalPath)
      const failing = [...passes].filter(
        ([, { failure }]) => failure !== undefined && !isNobodysFault(failure),
      )
      const ok = journal === undefined && failing.length === 0
      const told = routes.map((route) => [route, toldPass(passes.get(route))])
      return { ok, details: { ready: ok, journal: journal ?? 'ok', routes: Object.fromEntries(told) } }
    },
  }
}

function toldPass(pass: LastPass | undefined): unknown {
  if (pass === undefined) return { lastPass: null }
  const { at, failure } = pass
  return { lastPass: isoTime(at), ...(failure === undefined ? {} : { failure }) }
}

/** What keeps the journal from being written; undefined when nothing is known to. */
async function troubleWith(path: string): Promise<string | undefined> {
  if (path === ':memory:') return undefined
  try {
    await access(path, constants.W_OK)
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize < FREE_BYTES_MIN ? 'the disk is full' : undefined
  } catch {
    return 'it cannot be written'
  }
}
