/** Says whether the owner of a lease or a watch is alive: the lease of a dead process can be taken over at once. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Journal } from '../domain/journal.ts'
import type { Watcher } from '../domain/lease.ts'
import type { Clock } from '../support/clock.ts'
import { hasSystemCode } from '../support/errors.ts'

/** `place/pid/nonce`. The nonce distinguishes two bridges of one process. */
export function createOwnerId(nonce: string): string {
  return `${getMachineId()}/${process.pid}/${nonce}`
}

/** False only when the owner ran on this host, boot and process namespace and its process is gone; any other counts as alive. */
export function isOwnerAlive(owner: string): boolean {
  const [place, pid] = owner.split('/')
  if (place !== getMachineId() || !pid || !/^\d+$/.test(pid)) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return !hasSystemCode(error, 'ESRCH')
  }
}

/** Containers may share a host name and still number their processes separately, and a restart numbers them anew. */
function getMachineId(): string {
  const boot = readIfPresent(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8))
  const processes = readIfPresent(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))
  return [hostname(), boot, processes].filter((part) => part !== '').join('+')
}

/** Only Linux has these files. */
function readIfPresent(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

// Heartbeats of watches: a watch that ends without unregistering becomes an alert.

const HEARTBEAT_INTERVAL_MS = 60_000

/** A busy machine or a busy journal may delay heartbeats by some minutes. */
const STALE_AFTER_MS = 10 * HEARTBEAT_INTERVAL_MS

interface Heartbeat {
  readonly journal: Journal
  readonly clock: Clock
  readonly owner: string
  readonly routes: readonly string[]
  readonly signal: AbortSignal
}

/** Runs until the signal. A failed heartbeat is ignored: the other calls of the journal report the failure. */
export async function sendHeartbeats({ journal, clock, owner, routes, signal }: Heartbeat): Promise<void> {
  while (!signal.aborted) {
    await journal
      .saveHeartbeat(owner, routes)
      .then(() => removeReplacedWatches(journal, clock))
      .catch(() => undefined)
    await clock.sleep(HEARTBEAT_INTERVAL_MS, signal)
  }
}

async function removeReplacedWatches(journal: Journal, clock: Clock): Promise<void> {
  const { stale, unreplaced } = classifyWatches(await journal.listWatchers(), clock.now())
  const missing = new Set(unreplaced)
  await journal.removeWatchers(stale.filter((each) => !missing.has(each)).map(({ owner }) => owner))
}

/** `stale`: watches that did not unregister and send no heartbeats any more; `unreplaced`: with a route that no live watch has. */
export function classifyWatches(watches: readonly Watcher[], now: number) {
  const isThere = ({ owner, seenAt }: Watcher) => isOwnerAlive(owner) && now - seenAt < STALE_AFTER_MS
  const alive = watches.filter(isThere)
  const stale = watches.filter((each) => !isThere(each))
  const live = new Set(alive.flatMap(({ routes }) => routes))
  return { alive, stale, unreplaced: stale.filter(({ routes }) => !routes.every((route) => live.has(route))) }
}
