/** What makes a body the record it is: the same within one account, whichever file it comes in. */
import { hash } from 'node:crypto'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Change } from '../../domain/record.ts'
import type { InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'

export interface Identity {
  readonly naturalKey: string
  /** Records with the same lane are sent one after the other. */
  readonly lane: string
  readonly body: string
  readonly bodyHash: string
  /** Only of what may be repeated. */
  readonly change?: Change
}

export function identityOf(
  operation: InboundOperationName,
  body: Readonly<Record<string, unknown>>,
  keyValues: readonly string[],
): Identity {
  const rules: InboundRules = INBOUND_RULES[operation]
  const change = rules.change?.(body)
  const text = JSON.stringify(body)
  return {
    naturalKey: rules.naturalKey(body, keyValues),
    lane: rules.lane(body),
    body: text,
    bodyHash: hash('sha256', text),
    ...(change === undefined ? {} : { change }),
  }
}
