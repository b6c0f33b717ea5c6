/** Makes one attempt with a valid token. Throws for answers about the account instead of the call. */
import type { LeaseCheck } from '../domain/api.ts'
import { BridgeError } from '../support/errors.ts'
import { classifyExchange, type ClientResult, describeAnswer, findEnding } from './certainty.ts'
import { type BaseUrl, refuseRedirect, type Request } from './requests.ts'
import type { ApiContext, Token, TokenSource } from './tokens.ts'
import type { Exchange } from './transport.ts'

/** Makes one attempt, and a second one after a refused token. Throws for answers about the whole account. */
export function createAttempt(context: ApiContext, tokens: TokenSource) {
  const { wire, clock, base, host, trusts503 } = context
  const exchangeWithPermit = async (request: Request, token: Token, permit?: LeaseCheck) => {
    const headers = selectHeaders(token, request)
    if (permit === undefined) return wire.exchange(request, headers)
    if (!permit.isValid()) await permit.renew()
    return wire.exchange({ ...request, maySend: () => permit.isValid() }, headers)
  }

  return async (request: Request, permit?: LeaseCheck): Promise<ClientResult> => {
    const rest = host.getPauseReason()
    if (rest !== undefined) {
      return { certainty: 'not-applied', detail: `the request was not sent: ${rest}`, resting: true }
    }
    let token = tokens.current()
    if (token instanceof Promise) token = await token
    let exchange = await exchangeWithPermit(request, token, permit)
    if (findEnding(exchange, { isList: request.isList, hasRetryAfter: false }) === 'token-refused') {
      tokens.invalidate(token)
      token = await tokens.current()
      exchange = await exchangeWithPermit(request, token, permit)
    }
    host.observe(exchange)
    throwAccountErrors(exchange, request, base)
    const { method, isRepeatable } = request
    return classifyExchange(exchange, { method, now: clock.now(), trusts503: isRepeatable || trusts503 })
  }
}

/** Throws for answers that concern all calls of the account, and not only this one. */
function throwAccountErrors(exchange: Exchange, request: Request, base: BaseUrl): void {
  if (exchange.ended !== 'answer') return
  const { party, resource, isList, method } = request
  const ending = findEnding(exchange, { isList, hasRetryAfter: false })
  if (ending !== 'sent-elsewhere' || method === 'GET') refuseRedirect(exchange, resource, base)
  const why = () => `for ${party} at ${resource}: ${describeAnswer(exchange)}`
  if (ending === 'token-refused') {
    throw new BridgeError('credentials-refused', `The API refuses even a fresh token ${why()}`)
  }
  if (ending === 'account-refused') {
    const fix = `Check that the account of ${party} may act for it: \`dropbridge check --online\`.`
    throw new BridgeError('credentials-refused', `The API does not let this account act ${why()}`, { fix })
  }
}

function selectHeaders({ headers }: Token, { wantsFile, body }: Request): string[] {
  if (wantsFile) return headers.forFile
  return body === undefined ? headers.bare : headers.withBody
}
