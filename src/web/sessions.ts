/** Knows requests by the cookie of their session, whether a form comes from an own page, and which form came before. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ActionOutcome } from './page.ts'
import type { People } from './people.ts'
import type { Person } from './permissions.ts'

export interface Session {
  readonly person: Person
  /** The secret of the cookie. */
  readonly token: string
  /** What each form of the session carries. */
  readonly csrf: string
}

/** Browsers take a cookie of this name only from https or this machine, for this host alone and for every path. */
const COOKIE = '__Host-dropbridge'

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax'

const TOKEN = /^[\w-]{43}$/

export function createSessions(people: People, isTls: boolean) {
  return {
    /** Undefined when the request is not signed in. */
    find(request: FastifyRequest): Session | undefined {
      const token = readCookie(request.headers.cookie)
      const person = token === undefined ? undefined : people.findSession(token)
      return token === undefined || person === undefined ? undefined : { person, token, csrf: toCsrf(token) }
    },
    cookieOf: (token: string) => `${COOKIE}=${token}; ${ATTRIBUTES}`,
    endedCookie: `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`,
    /** What browsers say of the page that sent a form. Programs that say neither are none of ours. */
    isFromOwnPage({ headers }: FastifyRequest): boolean {
      const site = headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin') return false
      const { origin, host = '' } = headers
      if (origin === undefined) return site === 'same-origin'
      return origin.toLowerCase() === `${isTls ? 'https' : 'http'}://${host.toLowerCase()}`
    },
    hasToken({ csrf }: Session, given = ''): boolean {
      const [expected, found] = [Buffer.from(csrf), Buffer.from(given)]
      return expected.length === found.length && timingSafeEqual(expected, found)
    },
  }
}

/** Of two cookies of the name, neither counts. */
function readCookie(header = ''): string | undefined {
  const values = header.split(';').flatMap((each) => {
    const [name = '', value = ''] = each.trim().split('=')
    return name === COOKIE && TOKEN.test(value) ? [value] : []
  })
  return values.length === 1 ? values[0] : undefined
}

/** Derived, so that it ends with its session; the cookie cannot be computed from it. */
function toCsrf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url')
}

// Forms that are sent twice.

const ONCE_BYTES = 16

const ONCE = /^[\w-]{22}$/

/** More are not remembered: the oldest are removed, and their records have changed since. */
const REMEMBERED_MAX = 1_000

/** Carries out a form once, however often it is sent: the second answer is the first one's. */
export function createOnce() {
  const outcomes = new Map<string, Promise<ActionOutcome | undefined>>()
  return {
    create: () => randomBytes(ONCE_BYTES).toString('base64url'),
    isOnce: (text = '') => ONCE.test(text),
    run(key: string, work: () => Promise<ActionOutcome | undefined>): Promise<ActionOutcome | undefined> {
      const known = outcomes.get(key)
      if (known !== undefined) return known
      const outcome = work()
      outcomes.set(key, outcome)
      const [oldest] = outcomes.keys()
      if (outcomes.size > REMEMBERED_MAX && oldest !== undefined) outcomes.delete(oldest)
      // What was refused may be mended and sent again.
      void outcome.then(
        (done) => {
          if (done === undefined || !('to' in done)) outcomes.delete(key)
        },
        () => outcomes.delete(key),
      )
      return outcome
    },
  }
}
