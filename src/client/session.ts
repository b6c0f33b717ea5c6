/** One attempt with a valid token: the answers that concern the account and not the call end here. */
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { describeAnswer, judge, type Judged } from './certainty.ts'
import { refuseRedirect } from './redirects.ts'
import type { Base, Request } from './requests.ts'
import type { Token, Tokens } from './tokens.ts'
import type { Exchange, Wire } from './wire.ts'

export interface SessionOptions {
  readonly wire: Wire
  readonly tokens: Tokens
  readonly clock: Clock
  readonly base: Base
  readonly userAgent: string
}

/**
 * A function that makes one attempt, and a second one when the token was refused: a 401 comes before anything is done.
 * Throws what getting a token throws, `credentials-refused` and `api-redirected`.
 */
export function createSession(options: SessionOptions): (request: Request) => Promise<Judged> {
  const { wire, tokens, clock, base } = options
  const headersFor = createHeaders(options.userAgent)

  return async (request) => {
    let token = tokens.current()
    if (token instanceof Promise) token = await token
    let exchange = await wire.exchange(request, headersFor(token, request))
    if (hasStatus(exchange, 401)) {
      tokens.drop(token)
      token = await tokens.current()
      exchange = await wire.exchange(request, headersFor(token, request))
    }
    refuseRedirect(exchange, request.resource, base)
    refuseAccount(exchange, request)
    return judge(request.method, exchange, clock.now())
  }
}

function hasStatus(exchange: Exchange, status: number): boolean {
  return exchange.ended === 'answer' && exchange.status === status
}

function refuseAccount(exchange: Exchange, { party, resource, isList }: Request): void {
  if (exchange.ended !== 'answer') return
  if (exchange.status === 401) {
    throw new BridgeError(
      'credentials-refused',
      `The API refuses even a fresh token for ${party} at ${resource}: ${describeAnswer(exchange)}`,
    )
  }
  // About a record it may mean the record; about a list it can only mean the account.
  if (exchange.status === 403 && isList) {
    throw new BridgeError(
      'credentials-refused',
      `The API does not let this account act for ${party} at ${resource}: ${describeAnswer(exchange)}`,
    )
  }
}

/** The same headers for every call with one token, made once per token. */
function createHeaders(userAgent: string): (token: Token, request: Request) => string[] {
  let of: Token | undefined
  let bare: string[] = []
  let withBody: string[] = []
  let forFile: string[] = []
  return (token, request) => {
    if (token !== of) {
      of = token
      bare = ['accept', 'application/json', 'user-agent', userAgent, 'authorization', `Bearer ${token.value}`]
      withBody = [...bare, 'content-type', 'application/json']
      forFile = ['accept', '*/*', ...bare.slice(2)]
    }
    if (request.wantsFile) return forFile
    return request.body === undefined ? bare : withBody
  }
}
