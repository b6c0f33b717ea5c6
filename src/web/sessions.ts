/** Knows requests by the cookie of their session or by what a proxy says, whether a form comes from an own page, and which form came before. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../support/clock.ts'
import type { ActionOutcome } from './page.ts'
import { type People, toPersonName } from './people.ts'
import { type Person, ROLES, type Role } from './permissions.ts'

export interface Session {
  readonly person: Person
  /** The secret of the cookie; empty when a proxy signed the person in. */
  readonly token: string
  /** What each form of the session carries, masked anew for each answer. */
  readonly csrf: string
}

/** Browsers take a cookie of this name only from https or this machine, for this host alone and for every path. */
const COOKIE = '__Host-dropbridge'

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax'

const TOKEN = /^[\w-]{43}$/

export function createSessions(people: People, isTls: boolean) {
  return {
    isOfProxy: false,
    /** Undefined when the request is not signed in. */
    find(request: FastifyRequest): Session | undefined {
      const token = readCookie(request.headers.cookie)
      const person = token === undefined ? undefined : people.findSession(token)
      return token === undefined || person === undefined ? undefined : { person, token, csrf: toCsrf(token) }
    },
    isStanding: ({ token }: Session) => people.isStanding(token),
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
    hasToken: ({ csrf }: Session, given = '') => isSame(unmask(csrf), unmask(given)),
  }
}

/** Hashed, so that neither the length nor the time says anything. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [expected, given].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

// People who sign in at a proxy: each request says who it is.

/** How the proxy says who a person is. Header names are in small letters. */
export interface Proxy {
  /** The addresses from which it connects. */
  readonly from: readonly string[]
  readonly secret: string
  readonly secretHeader: string
  readonly user: string
  readonly groups: string
  readonly roles: Readonly<Record<Role, readonly string[]>>
}

export type ProxyRefusal = 'not-the-proxy' | 'no-name' | 'no-role'

/** An open page asks each minute for what it shows; without that, its stream ends. */
const STANDING_MS = 150_000

/** A person who asked for nothing for this long has come anew. */
const ARRIVAL_MS = 30 * 60_000

/** A group that everybody is in. */
const EVERYBODY = '*'

export function createProxySessions(
  proxy: Proxy,
  {
    clock,
    onArrival,
  }: { readonly clock: Clock; readonly onArrival: (name: string, address: string) => void },
) {
  // Forms of before a restart are refused; nothing of them was done.
  const key = randomBytes(32).toString('base64url')
  const seen = new Map<string, number>()
  const from = new Set(proxy.from.map(toPlainAddress))
  const identify = (request: FastifyRequest): Person | ProxyRefusal => {
    const read = (name: string) => readHeader(request, name)
    const [secrets, users, groups] = [read(proxy.secretHeader), read(proxy.user), read(proxy.groups)]
    // A header that comes twice may be that of a person beside that of the proxy.
    const isProxy =
      from.has(toPlainAddress(request.ip)) &&
      secrets.length === 1 &&
      isSame(proxy.secret, secrets[0] ?? '') &&
      users.length <= 1 &&
      groups.length <= 1
    if (!isProxy) return 'not-the-proxy'
    const name = toPersonName(decodeHeader(users[0] ?? ''))
    if (name === undefined) return 'no-name'
    const own = decodeHeader(groups[0] ?? '').split(',')
    const all = new Set([
      ...own.map((group) => group.trim()).filter((group) => group !== EVERYBODY),
      EVERYBODY,
    ])
    const role = ROLES.findLast((each) => proxy.roles[each].some((group) => all.has(group)))
    return role === undefined ? 'no-role' : { name, role }
  }
  return {
    ...NO_COOKIES,
    isOfProxy: true,
    identify,
    /** Notes that a person who may come in asks for something. */
    noteSeen({ name }: Person, address: string): void {
      const now = clock.now()
      if (now - (seen.get(name) ?? -ARRIVAL_MS) >= ARRIVAL_MS) onArrival(name, address)
      seen.set(name, now)
    },
    find(request: FastifyRequest): Session | undefined {
      const person = identify(request)
      return typeof person === 'string'
        ? undefined
        : { person, token: '', csrf: toCsrf(`${key} ${person.name}`) }
    },
    isStanding: ({ person }: Session) => clock.now() - (seen.get(person.name) ?? 0) < STANDING_MS,
    /** The proxy may be what answers by https. */
    isFromOwnPage({ headers }: FastifyRequest): boolean {
      const { origin, host = '', 'sec-fetch-site': site } = headers
      if (site !== undefined && site !== 'same-origin') return false
      if (origin === undefined) return site === 'same-origin'
      const isHere = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)
      const schemes = isHere ? ['https', 'http'] : ['https']
      return schemes.some((scheme) => origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`)
    },
    hasToken: ({ csrf }: Session, given = '') => isSame(unmask(csrf), unmask(given)),
  }
}

const NO_COOKIES = { cookieOf: () => '', endedCookie: '' }

/** An IPv4 address within IPv6 is the same one. */
function toPlainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
}

/** Each value of a header: `headers` has them joined. */
function readHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}

/** Node reads headers as single bytes, and proxies write UTF-8. */
function decodeHeader(text: string): string {
  return Buffer.from(text, 'latin1').toString()
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
  return mask(createHash('sha256').update(`csrf ${token}`).digest())
}

/** Another text each time: the length of a compressed page that repeats what was asked would say a fixed one, letter by letter. */
function mask(secret: Buffer): string {
  const pad = randomBytes(secret.length)
  return Buffer.concat([pad, combine(secret, pad)]).toString('base64url')
}

/** Empty for what is no masked text. */
function unmask(text: string): string {
  if (!MASKED.test(text)) return ''
  const bytes = Buffer.from(text, 'base64url')
  const half = bytes.length / 2
  return combine(bytes.subarray(half), bytes.subarray(0, half)).toString('base64url')
}

/** 64 bytes. */
const MASKED = /^[\w-]{86}$/

function combine(bytes: Buffer, pad: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)))
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
