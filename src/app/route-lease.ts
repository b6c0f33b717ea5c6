/** Works on a route or an inbox under its lease, and opens its spool; pauses routes, and lets them go on. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Configuration, getSpoolFolder } from '../config/configuration.ts'
import type { Journal } from '../domain/journal.ts'
import { assertRoutesExist } from '../config/routes.ts'
import type { Decider } from '../domain/decision.ts'
import { formatLeaseOwner, type Lease } from '../domain/lease.ts'
import { type Pause, PAUSE_DAYS_MAX } from '../domain/scheduled-run.ts'
import { createOwnerId, isOwnerAlive } from '../journal/heartbeat.ts'
import { DAY_MS, isoTime } from '../support/clock.ts'
import { BridgeError, hasCode, throwIfStopped, usageError } from '../support/errors.ts'
import { ignoreCodes } from '../support/files.ts'
import { openSpool, type Spool } from '../support/spool.ts'
import type { BridgeContext } from './context.ts'

/** A lease without renewal for this long is free for other bridges. It is renewed three times as often. */
const LEASE_MS = 15_000

/** `name` is that of a route, or the key of an inbox. Throws `lease-held` while another bridge works on it. */
export async function withRouteLease<Result>(
  { journal, journalGuard, options }: BridgeContext,
  name: string,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const { leaseMs = LEASE_MS } = options
  const owner = createOwnerId(options.newId())
  const lease = await journal.acquireLease(name, owner, leaseMs, isOwnerAlive)
  // A failed heartbeat needs no report: the next write finds out whether the lease is lost.
  const heartbeat = setInterval(() => {
    void journal.renewLease(lease).catch(() => undefined)
    void journalGuard.updateMark()
  }, leaseMs / 3)
  try {
    throwIfStopped(signal)
    return await work(lease)
  } catch (error) {
    throw await preferLeaseLost(journal, lease, error)
  } finally {
    clearInterval(heartbeat)
    await journal.releaseLease(lease).catch(() => undefined)
    await journalGuard.updateMark('now')
  }
}

/** A suspended process finds much changed when it wakes up. If its lease is lost, that is the cause of every other error. */
async function preferLeaseLost(journal: Journal, lease: Lease, error: unknown): Promise<unknown> {
  // A journal that failed cannot be asked either.
  const final = ['lease-lost', 'interrupted', 'journal-busy', 'journal-damaged', 'journal-unusable'] as const
  if (hasCode(error, ...final)) return error
  try {
    await journal.renewLease(lease)
    return error
  } catch (lost) {
    return hasCode(lost, 'lease-lost') ? new BridgeError('lease-lost', lost.message, { cause: error }) : error
  }
}

/** Opens the spool of the route or inbox that is leased. */
export async function openRouteSpool(
  { configuration, journal, options }: BridgeContext,
  lease: Lease,
): Promise<Spool> {
  const opened = await openSpool(getSpoolFolder(configuration, lease.route), () => journal.renewLease(lease))
  return options.wrap?.spool?.(opened) ?? opened
}

export async function isSpoolEmpty(configuration: Configuration, route: string): Promise<boolean> {
  const names = await readdir(getSpoolFolder(configuration, route)).catch(ignoreCodes('ENOENT'))
  return names === undefined || names.length === 0
}

/** The path of a file in the spool of a route or inbox. */
export function locateSpooled(configuration: Configuration, route: string, file: string): string {
  return join(getSpoolFolder(configuration, route), file)
}

// Pauses: no pass over a route begins while a person keeps it paused.

export interface PauseRequest extends Decider {
  readonly route: string
  /** When it ends by itself, milliseconds. */
  readonly until: number
}

export interface PauseResult {
  readonly pause: Pause
  /** Who works on the route now: that pass goes on to its end. */
  readonly owner?: string
}

type PauseContext = Pick<BridgeContext, 'journal' | 'configuration'> & {
  readonly options: Pick<BridgeContext['options'], 'clock'>
}

/** Needs no lease: a pass that is under way goes on, and no other one begins. Throws `usage-wrong`. */
export async function pauseRoute(
  { journal, configuration, options }: PauseContext,
  { route, ...asked }: PauseRequest,
): Promise<PauseResult> {
  assertRoutesExist(configuration.routes, [route])
  const now = options.clock.now()
  if (asked.until <= now)
    throw usageError(
      `a pause ends later than now, and ${isoTime(asked.until)} is over`,
      'Write a later time, or how long: `--until 2h`.',
    )
  if (asked.until > now + PAUSE_DAYS_MAX * DAY_MS)
    throw usageError(
      `a pause ends within ${PAUSE_DAYS_MAX} days`,
      'Write an earlier time; if it must go on then, pause the route again.',
    )
  const pause = await journal.pauseRoute(route, asked)
  const lease = await journal.getLeaseOwner(route)
  if (lease === undefined || !isOwnerAlive(lease.owner)) return { pause }
  return { pause, owner: formatLeaseOwner(lease.owner) }
}

/** Throws `usage-wrong` where the route is not paused. */
export async function resumeRoute(
  { journal, configuration }: PauseContext,
  { route, ...decided }: Decider & { readonly route: string },
) {
  assertRoutesExist(configuration.routes, [route])
  const resumed = await journal.resumeRoute(route, decided)
  if (resumed === undefined) {
    const fix = 'Nothing to do: runs take its files. `dropbridge status` shows what is paused.'
    throw new BridgeError('usage-wrong', `the route ${route} is not paused`, { fix })
  }
  return resumed
}
