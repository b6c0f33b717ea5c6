/** What makes a body the record it is: the same within one account, whichever file it comes in. */
import { hash } from 'node:crypto'
import type { InboundOperationName } from '../../contract/operations.ts'
import { INBOUND_RULES } from '../operations/operations.ts'

export interface Identity {
  readonly naturalKey: string
  /** Records with the same lane are sent one after the other. */
  readonly lane: string
  readonly body: string
  readonly bodyHash: string
}

export function identityOf(
  operation: InboundOperationName,
  body: Readonly<Record<string, unknown>>,
): Identity {
  const rules = INBOUND_RULES[operation]
  const text = JSON.stringify(body)
  return {
    naturalKey: rules.naturalKey(body),
    lane: rules.lane(body),
    body: text,
    bodyHash: hash('sha256', text),
  }
}
