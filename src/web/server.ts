/** The server of the console: headers, host names, sessions and rights, and every page as HTML or JSON. */
import { setImmediate as letOthers } from 'node:timers/promises'
import formbody from '@fastify/formbody'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Console } from '../app/console/context.ts'
import type { Hand } from '../app/console/hand.ts'
import { type Activity, readActivity } from '../app/console/today.ts'
import { createSemaphore } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { compressAnswers, loadAssets } from './assets.ts'
import {
  BUSY,
  drawDocument,
  drawFailure,
  type Failure,
  FOREIGN,
  nameConfiguration,
  NOT_FOUND,
  PROXY_REFUSALS,
  SIGNED_OUT,
  toFailure,
  UNEXPECTED,
} from './frame.ts'
import { createLive } from './live.ts'
import { formatDisposition, type Page, type PageContent, type PageRequest } from './page.ts'
import { PAGES } from './pages.ts'
import { createThrottle } from './passwords.ts'
import type { People } from './people.ts'
import { createRights, type Permission } from './permissions.ts'
import { createOnce, createProxySessions, createSessions, type Proxy, type Session } from './sessions.ts'
import { createSignIn, drawSignIn } from './sign-in.ts'

const BODY_MAX_BYTES = 1024 * 1024
const REQUEST_TIMEOUT_MS = 10_000
const HEADER_LIMITS = { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 }

/** Of many that are asked for at once, so many are read at a time: the others wait in order, and take no memory meanwhile. */
const READ_AT_ONCE = 4

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types dropbridge',
  ].join('; '),
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers send `Origin: null` with own forms, and an own form could not be known by it.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
}

export interface ServerOptions {
  readonly opened: Console
  readonly people: People
  /** Carries out what people decide. */
  readonly hand: Hand
  readonly clock: Clock
  /** Host names beside localhost and the loopback addresses. */
  readonly names: readonly string[]
  /** PEM. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /** Signs people in, in place of passwords. */
  readonly proxy?: Proxy
  /** Reports sign-ins, and failures that no page can explain. */
  readonly say: (line: string) => void
  readonly pages?: readonly Page<unknown>[]
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly permission: Permission
  readonly handle: (request: FastifyRequest, reply: FastifyReply, session: Session | undefined) => unknown
}

export type ConsoleServer = FastifyInstance & {
  /** Every route with what it needs, for the proof that each is guarded. */
  readonly guardedRoutes: readonly Pick<Route, 'method' | 'path' | 'permission'>[]
}

export async function createConsoleServer(options: ServerOptions): Promise<ConsoleServer> {
  const { opened, people, hand, clock, names, tls, proxy, say, pages = PAGES } = options
  const app = fastify({
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    http: HEADER_LIMITS,
    ...(tls && { https: { ...tls, ...HEADER_LIMITS } }),
  }) as unknown as FastifyInstance
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  compressAnswers(app)

  const assets = loadAssets()
  const live = createLive(opened, hand)
  const { zone = 'UTC' } = opened.configuration
  const sections = new Set(pages.map(({ path }) => path.split('/')[1] ?? ''))
  const onArrival = (name: string, address: string) => {
    say(`console: ${JSON.stringify(name)} came by the proxy at ${address}`)
    people.noteAccess({ what: 'signed-in', name, address })
  }
  const ofProxy = proxy && createProxySessions(proxy, { clock, onArrival })
  const sessions = ofProxy ?? createSessions(people, tls !== undefined)
  const signIn = createSignIn({ people, throttle: createThrottle(clock), say })
  const once = createOnce()
  const readings = createSemaphore(READ_AT_ONCE)
  const readState = createStateReader(opened)
  const rights = createRights(opened.configuration.console)

  /** The page that says that people cannot be read is drawn without them. */
  const findIfReadable = (request: FastifyRequest) => {
    try {
      return sessions.find(request)
    } catch (error) {
      if (error instanceof BridgeError) return undefined
      throw error
    }
  }
  const sendPage = async (request: FastifyRequest, reply: FastifyReply, content: PageContent) => {
    const session = findIfReadable(request)
    const activity = session && (await readState())
    const frame = { assets, name: nameConfiguration(opened.configuration), sections, path: getPath(request) }
    const signedIn = session && { ...session, canSignOut: !sessions.isOfProxy }
    const document = drawDocument({ ...frame, zone, now: clock.now(), activity, signedIn }, content)
    return reply.type('text/html; charset=utf-8').send(document)
  }
  const refuse = async (request: FastifyRequest, reply: FastifyReply, failure: Failure) => {
    reply.code(failure.status)
    const { status: _, ...words } = failure
    return wantsJson(request) ? reply.send({ error: words }) : sendPage(request, reply, drawFailure(failure))
  }

  const toAsked = (request: FastifyRequest, { person, csrf }: Session) => {
    const { params, query } = readAddress(request)
    return {
      params,
      query,
      person,
      audience: rights.audienceOf(person),
      may: (permission: Permission) => rights.isAllowed(person, permission),
      zone,
      now: clock.now(),
      csrf,
      once: once.create(),
      people,
    }
  }
  const showPage = async (
    page: Page<unknown>,
    request: FastifyRequest,
    reply: FastifyReply,
    own: Pick<PageRequest, 'typed' | 'refusal'> & { readonly session: Session },
  ) => {
    const { session, ...refused } = own
    const { findWork, findRun } = hand
    const asked: PageRequest = { ...toAsked(request, session), ...refused, findWork, findRun }
    const context = await opened.getContext()
    const seen = live.mark()
    const data = await readings.run(async () => {
      // SQLite gives no turn to anything else: short requests are answered between two pages.
      await letOthers()
      return page.load(context, asked)
    })
    if (data === undefined) return refuse(request, reply, NOT_FOUND)
    // Noted before anything is sent, so that nothing is seen that is not noted.
    if (rights.recordsViews && !asked.audience.isMasked && page.listViews !== undefined)
      people.noteViews(session.person.name, page.listViews(data, asked), request.ip)
    if (wantsJson(request)) return reply.send(data)
    const file = page.download?.(data, asked)
    if (file !== undefined) {
      void reply.header('content-disposition', formatDisposition(file.name))
      return reply.header('content-type', file.type).send(file.contents)
    }
    const target = page.findTarget?.(data)
    if (target !== undefined) return reply.redirect(target, 303)
    return sendPage(request, reply, { ...page.draw(data, asked), seen })
  }
  /** What was done stays done and is said, also where it cannot be noted. */
  const noteAct = (request: FastifyRequest, { person: { name, role } }: Session) => {
    const target = getPath(request)
    try {
      people.noteAccess({ what: 'acted', name, role, target, address: request.ip })
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      say(`console: ${name} acted by ${target}, which could not be noted: ${error.message}`)
    }
  }
  const actOn = async (
    page: Page<unknown>,
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
  ) => {
    const form = readForm(request)
    if (!once.isOnce(form['once'])) return refuse(request, reply, FOREIGN)
    const key = `${session.person.name} ${request.url} ${form['once']}`
    const outcome = await once.run(key, async () => {
      const done = await page.act?.(await opened.getContext(), { ...toAsked(request, session), form, hand })
      if (done !== undefined && 'to' in done) noteAct(request, session)
      return done
    })
    if (outcome === undefined) return refuse(request, reply, NOT_FOUND)
    if ('to' in outcome)
      return wantsJson(request) ? reply.send({ to: outcome.to }) : reply.redirect(outcome.to, 303)
    if ('again' in outcome) return showPage(page, request, reply, { session, typed: form })
    const { refusal } = outcome
    reply.code(refusal.status)
    if (wantsJson(request)) return reply.send({ error: refusal })
    return showPage(page, request, reply, { session, typed: form, refusal })
  }
  const signInRoutes: readonly Route[] = [
    {
      method: 'GET',
      path: '/sign-in',
      permission: 'everybody',
      handle: (request, reply, session) => {
        const { query } = readAddress(request)
        const to = toOwnPath(query['to'])
        if (session !== undefined) return reply.redirect(to, 303)
        const state = people.isEmpty() ? 'empty' : query['returned'] === 'yes' ? 'cookie-lost' : 'plain'
        return sendPage(request, reply, drawSignIn({ to, state }))
      },
    },
    {
      method: 'POST',
      path: '/sign-in',
      permission: 'everybody',
      handle: async (request, reply) => {
        const form = readForm(request)
        const to = toOwnPath(form['to'])
        const { name = '', password = '' } = form
        const result = await signIn({ name, password, address: request.ip })
        if (result.kind === 'signed-in') {
          reply.header('set-cookie', sessions.cookieOf(result.token))
          const query = new URLSearchParams({ returned: 'yes', to })
          return reply.redirect(`/sign-in?${query.toString()}`, 303)
        }
        if (result.kind === 'wait') reply.header('retry-after', String(result.seconds))
        reply.code(result.kind === 'wait' ? 429 : 401)
        return sendPage(request, reply, drawSignIn({ to, name, state: result }))
      },
    },
    {
      method: 'POST',
      path: '/sign-out',
      permission: 'read',
      handle: (request, reply, session) => {
        if (session !== undefined) {
          people.endSession(session.token)
          people.noteAccess({ what: 'signed-out', name: session.person.name, address: request.ip })
        }
        return reply.header('set-cookie', sessions.endedCookie).redirect('/sign-in', 303)
      },
    },
  ]
  const routes: readonly Route[] = [
    ...pages.map((page): Route => ({
      method: 'GET',
      path: page.path,
      permission: page.permission,
      handle: (request, reply, session) =>
        session === undefined
          ? redirectToSignIn(request, reply)
          : showPage(page, request, reply, { session }),
    })),
    ...pages.flatMap((page): Route[] => {
      const { path, permission } = page
      if (page.act === undefined) return []
      const handle: Route['handle'] = (request, reply, session) =>
        session === undefined ? redirectToSignIn(request, reply) : actOn(page, request, reply, session)
      return [{ method: 'POST', path, permission, handle }]
    }),
    // The proxy signs people in and out.
    ...(proxy === undefined ? signInRoutes : []),
    {
      method: 'GET',
      path: '/live',
      permission: 'read',
      handle: (request, reply, session) => {
        if (live.isFull()) return refuse(request, reply, BUSY)
        reply.hijack()
        const head = { ...HEADERS, 'content-type': 'text/event-stream', connection: 'keep-alive' }
        reply.raw.writeHead(200, head)
        const isStanding = () => session !== undefined && sessions.isStanding(session)
        live.add({ response: reply.raw, isStanding })
        return undefined
      },
    },
  ]

  const isOwnHost = createNameCheck(names)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS)
    if (tls !== undefined) void reply.header('strict-transport-security', 'max-age=31536000')
    // Against pages of other sites whose name was made to lead here.
    if (!isOwnHost(request.headers.host)) return reply.code(421).send()
    if (ofProxy !== undefined) {
      const person = ofProxy.identify(request)
      if (typeof person === 'string') {
        if (person === 'not-the-proxy') say(`console: a request from ${request.ip} did not come by the proxy`)
        return refuse(request, reply, PROXY_REFUSALS[person])
      }
      ofProxy.noteSeen(person, request.ip)
    }
    if (request.is404 && sessions.find(request) === undefined && !wantsJson(request))
      return redirectToSignIn(request, reply)
    return undefined
  })
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.path !== '/live',
      handler: (request, reply) => {
        const session = sessions.find(request)
        const isChange = route.method === 'POST'
        if (isChange && !sessions.isFromOwnPage(request)) return refuse(request, reply, FOREIGN)
        if (route.permission !== 'everybody') {
          if (session === undefined)
            return wantsJson(request) ? refuse(request, reply, SIGNED_OUT) : redirectToSignIn(request, reply)
          if (!rights.isAllowed(session.person, route.permission))
            return refuse(request, reply, {
              status: 403,
              ...rights.explain(session.person, route.permission),
            })
          if (isChange && !sessions.hasToken(session, readForm(request)['csrf']))
            return refuse(request, reply, FOREIGN)
        }
        return route.handle(request, reply, session)
      },
    })
  }
  for (const { path, type, bytes } of assets.byPath.values()) {
    app.get(path, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(bytes),
    )
  }
  app.setNotFoundHandler((request, reply) => refuse(request, reply, NOT_FOUND))
  app.setErrorHandler(async (error: Error & { readonly statusCode?: number }, request, reply) => {
    if (error instanceof BridgeError && error.code.startsWith('journal-')) await opened.closeJournal()
    const failure = toFailure(error)
    if (failure === UNEXPECTED) say(`console: ${getPath(request)}: ${error.stack ?? error.message}`)
    return refuse(request, reply, failure)
  })
  app.addHook('preClose', () => {
    live.close()
  })
  return Object.assign(app, { guardedRoutes: routes })
}

/** Whether a bridge works, read again when the journal changed or after some seconds. */
function createStateReader(opened: Console): () => Promise<Activity | undefined> {
  let known: { version: string | undefined; at: number; activity: Activity } | undefined
  return async () => {
    const version = opened.readVersion()
    const now = opened.clock.now()
    if (known !== undefined && known.version === version && now - known.at < STATE_MS) return known.activity
    try {
      const activity = await readActivity(await opened.getContext())
      known = { version: opened.readVersion(), at: now, activity }
      return activity
    } catch (error) {
      if (error instanceof BridgeError) return undefined
      throw error
    }
  }
}

/** A process that died changes nothing in the journal. */
const STATE_MS = 5_000

function redirectToSignIn(request: FastifyRequest, reply: FastifyReply) {
  const to = request.method === 'GET' ? toOwnPath(request.url) : '/'
  const query = to === '/' ? '' : `?${new URLSearchParams({ to }).toString()}`
  return reply.redirect(`/sign-in${query}`, 303)
}

/** The path and query of an own page; `/` for anything else. */
function toOwnPath(text = '/'): string {
  const base = 'http://own.invalid'
  if (!text.startsWith('/') || !URL.canParse(text, base)) return '/'
  const { origin, pathname, search } = new URL(text, base)
  // `//` at the start of what was parsed would lead elsewhere once more.
  return origin === base && !pathname.startsWith('//') ? pathname + search : '/'
}

function getPath({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url
}

function readAddress({ params, query }: FastifyRequest) {
  return { params: toTexts(params), query: toTexts(query) }
}

function readForm({ body }: FastifyRequest): Readonly<Record<string, string>> {
  return toTexts(body)
}

/** The first value of each name. */
function toTexts(values: unknown): Record<string, string> {
  if (typeof values !== 'object' || values === null) return {}
  const entries = Object.entries(values as Record<string, unknown>).flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'string' ? [[name, first] as const] : []
  })
  return Object.fromEntries(entries)
}

function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/html')
}

/** Addresses of the network are none of these names: who listens there names the host. */
function createNameCheck(names: readonly string[]): (header: string | undefined) => boolean {
  const own = new Set(['localhost', '127.0.0.1', '[::1]', ...names.map((name) => name.toLowerCase())])
  return (header = '') => own.has(header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, ''))
}
