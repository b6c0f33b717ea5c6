/** Two records of one order may explain the same effect: it is the one's that has its id, and proves nothing of the other. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import type { Finding } from '../operations/operation.ts'
import type { InboundParts } from '../parts.ts'

interface Sent extends Pick<SendingRecord, 'id' | 'lane' | 'operation'> {
  /** The id of its file. */
  readonly file: string
  /** When it was first sent, milliseconds. */
  readonly since: number
}

/** The finding, or that it tells nothing. `given` are the ids found for others just now. */
export async function unlessAnothers(
  { journal, route }: InboundParts,
  { file, id, lane, operation, since }: Sent,
  finding: Finding,
  given: Set<string> = new Set(),
): Promise<Finding> {
  // What may be repeated has the id of what it changes, which others change too.
  if (finding.found !== 'accepted' || OPERATIONS[route.operation].repeatable) return finding
  const { apiId } = finding
  const asked = { id, operation, account: accountOf(route.party), lane, since }
  const isTaken =
    (apiId !== undefined && given.has(apiId)) ||
    (await journal.mayBeAnothers(file, apiId === undefined ? asked : { ...asked, apiId }))
  if (isTaken) {
    return { found: 'unclear', why: 'what the API shows may be what another record of the same order did' }
  }
  if (apiId !== undefined) given.add(apiId)
  return finding
}
