/** What nobody foresaw, as a failure. */
import { BridgeError } from '../support/errors.ts'

/** What nobody foresaw is a bug of ours; the next pass goes on from where the journal stands. */
export function asFailure(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  const details = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return new BridgeError('bug', `something unexpected happened: ${String(error)}`, { cause: error, details })
}

/** The words for those who see nothing else of it. What is said of a place that is away includes what to do about it. */
export function inFull({ code, message, details }: BridgeError): string {
  return code === 'mailbox-unreachable' ? [message, ...details].join(' ') : message
}
