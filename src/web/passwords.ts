/** Hashes and checks passwords with scrypt, and slows down who guesses them. */
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createSemaphore } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import { usageError } from '../support/errors.ts'

const PASSWORD_MIN = 12
const PASSWORD_MAX = 1024

interface HashCost {
  readonly log2N: number
  readonly r: number
  readonly p: number
}

const COST: HashCost = { log2N: 15, r: 8, p: 3 }
const HASH_BYTES = 32

/** A hash takes 32 MiB and a fifth of a second of one processor. */
const AT_ONCE = 2

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const slots = createSemaphore(AT_ONCE)

/** The hash with its parameters, as it is stored. Throws `usage-wrong` for a password that is too short. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  if (Array.from(password).length < PASSWORD_MIN || password.length > PASSWORD_MAX)
    throw usageError(`A password has at least ${PASSWORD_MIN} and at most ${PASSWORD_MAX} characters.`)
  const salt = randomBytes(16)
  const hash = await deriveHash(password, salt, cost)
  return ['scrypt', cost.log2N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Whether it is the password. Without a stored hash the same work is done, so that the time says nothing about the name. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, log2N, r, p, salt, hash] = (stored ?? UNKNOWN).split('$')
  const expected = Buffer.from(hash ?? '', 'base64')
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) }
  const found = await deriveHash(password.slice(0, PASSWORD_MAX), Buffer.from(salt ?? '', 'base64'), cost)
  return stored !== undefined && found.length === expected.length && timingSafeEqual(found, expected)
}

const UNKNOWN = ['scrypt', COST.log2N, COST.r, COST.p, Buffer.alloc(16).toString('base64'), ''].join('$')

function deriveHash(password: string, salt: Buffer, { log2N, r, p }: HashCost) {
  const options = { N: 2 ** log2N, r, p, maxmem: 64 * 2 ** 20 }
  return slots.run(() => derive(password.normalize('NFKC'), salt, HASH_BYTES, options))
}

// Throttling: a wait that doubles with each failure, never a lock for ever.

/** How many failures are free, and the longest wait after more of them. */
const LIMITS = {
  /** Of one name from one address. */
  both: { free: 5, longestMs: 15 * 60_000 },
  /** Of all names from one address. */
  address: { free: 20, longestMs: 15 * 60_000 },
  /** Of one name from all addresses: short, because the right person must still get in. */
  name: { free: 50, longestMs: 10_000 },
} as const

const REMEMBERED_MAX = 10_000

export type Throttle = ReturnType<typeof createThrottle>

export function createThrottle(clock: Clock) {
  const failures = new Map<string, { count: number; until: number }>()
  const keysOf = (name: string, address: string) =>
    [
      { key: `both ${address} ${name}`, limit: LIMITS.both },
      { key: `address ${address}`, limit: LIMITS.address },
      { key: `name ${name}`, limit: LIMITS.name },
    ] as const
  return {
    /** How long this sign-in still has to wait; 0 when it may be tried. */
    computeWaitMs(name: string, address: string): number {
      const waits = keysOf(name, address).map(({ key }) => (failures.get(key)?.until ?? 0) - clock.now())
      return Math.max(0, ...waits)
    },
    /** Before the password is checked: tries that come at once must not all be free. */
    noteFailure(name: string, address: string): void {
      for (const { key, limit } of keysOf(name, address)) {
        const count = (failures.get(key)?.count ?? 0) + 1
        const beyond = count - limit.free
        const waitMs = beyond < 0 ? 0 : Math.min(1000 * 2 ** Math.min(beyond, 20), limit.longestMs)
        // The latest failures are the last to be dropped.
        failures.delete(key)
        failures.set(key, { count, until: clock.now() + waitMs })
      }
      for (const key of failures.keys()) {
        if (failures.size <= REMEMBERED_MAX) break
        failures.delete(key)
      }
    },
    /** Takes back the failure that was noted before the try. */
    noteSuccess(name: string, address: string): void {
      const [both, ...others] = keysOf(name, address)
      failures.delete(both.key)
      for (const { key } of others) {
        const { count = 1 } = failures.get(key) ?? {}
        if (count === 1) failures.delete(key)
        else failures.set(key, { count: count - 1, until: 0 })
      }
    },
  }
}
