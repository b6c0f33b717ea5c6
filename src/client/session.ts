/** One attempt with a valid token: the answers that concern the account and not the call end here. */
import type { Permit } from '../domain/api.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { describeAnswer, judge, type Judged } from './certainty.ts'
import { endingOf } from './endings.ts'
import type { Host } from './host.ts'
import { refuseRedirect } from './redirects.ts'
import type { Base, Request } from './requests.ts'
import type { Token, Tokens } from './tokens.ts'
import type { Exchange, Wire } from './wire.ts'

export interface SessionOptions {
  readonly wire: Wire
  readonly tokens: Tokens
  readonly clock: Clock
  readonly base: Base
  readonly host: Host
  readonly userAgent: string
  /** Whether the API promises that it did nothing when it answers 503 with a time to come back. */
  readonly trusts503: boolean
}

/**
 * A function that makes one attempt, and a second one when the token was refused: a 401 comes before anything is done.
 * Throws what getting a token and renewing the permit throw, `credentials-refused` and `api-redirected`.
 */
export function createSession(
  options: SessionOptions,
): (request: Request, permit?: Permit) => Promise<Judged> {
  const { wire, tokens, clock, base, host, trusts503 } = options
  const headersFor = createHeaders(options.userAgent)

  const leave = async (request: Request, token: Token, permit?: Permit): Promise<Exchange> => {
    const headers = headersFor(token, request)
    if (permit === undefined) return wire.exchange(request, headers)
    if (!permit.holds()) await permit.renew()
    return wire.exchange({ ...request, mayLeave: () => permit.holds() }, headers)
  }

  return async (request, permit) => {
    const rest = host.resting()
    if (rest !== undefined) {
      return { certainty: 'not-applied', detail: `the request was not sent: ${rest}`, resting: true }
    }
    let token = tokens.current()
    if (token instanceof Promise) token = await token
    let exchange = await leave(request, token, permit)
    if (endingOf(exchange, { isList: request.isList, toWait: false }) === 'token-refused') {
      tokens.drop(token)
      token = await tokens.current()
      exchange = await leave(request, token, permit)
    }
    host.look(exchange)
    refuse(exchange, request, base)
    const { method, isRepeatable } = request
    return judge(exchange, { method, now: clock.now(), trusts503: isRepeatable || trusts503 })
  }
}

/** Throws what concerns all calls of the account, and not this one. */
function refuse(exchange: Exchange, request: Request, base: Base): void {
  if (exchange.ended !== 'answer') return
  const { party, resource, isList, method } = request
  const ending = endingOf(exchange, { isList, toWait: false })
  if (ending !== 'sent-elsewhere' || method === 'GET') refuseRedirect(exchange, resource, base)
  const why = () => `for ${party} at ${resource}: ${describeAnswer(exchange)}`
  if (ending === 'token-refused') {
    throw new BridgeError('credentials-refused', `The API refuses even a fresh token ${why()}`)
  }
  if (ending === 'account-refused') {
    throw new BridgeError('credentials-refused', `The API does not let this account act ${why()}`)
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
