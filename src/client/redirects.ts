/** A redirect is never followed: the token must not leave the origin it is for. */
import { BridgeError } from '../support/errors.ts'
import type { Base } from './requests.ts'
import { type Exchange, headerOf } from './wire.ts'

/** Throws `api-redirected` naming no more than the origin, because the rest of an address may hold secrets. */
export function refuseRedirect(exchange: Exchange, resource: string, { origin }: Base): void {
  if (exchange.ended !== 'answer' || exchange.status < 300 || exchange.status >= 400) return
  const location = headerOf(exchange, 'location') ?? ''
  const target = URL.canParse(location, origin)
    ? new URL(location, origin).origin
    : 'an address that cannot be read'
  throw new BridgeError('api-redirected', `${resource} redirects to ${target} (HTTP ${exchange.status})`)
}
