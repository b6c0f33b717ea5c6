/** What `run` makes of a file beside what each record says itself, for those who look at files without sending anything. */
import type { InboundOperationName } from '../contract/operations.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft } from '../domain/translator.ts'
import { type Holder, judge } from '../journal/repeats.ts'
import { exampleBody } from '../mapping/example-records.ts'
import { identityOf } from '../pipelines/inbound/identity.ts'

export interface WholeFile {
  /** A record of the file, in its order. */
  add(draft: Draft): void
  /** What is to be said once the last record was added. */
  end(): FileVerdict
}

export interface FileVerdict {
  /** Why nothing of the file would be sent. */
  readonly unusable: readonly Problem[]
  /** Keys of which the file has two versions, both of which would be refused; the first few. */
  readonly conflicts: readonly Problem[]
  /** There are no records, so there would be nothing to do. */
  readonly isEmpty: boolean
}

/** So many conflicts tell all there is to know. */
const MOST_CONFLICTS = 20

/** Beyond so many keys those of the first records are no longer compared, so that memory stays bounded. */
const MOST_KEYS = 500_000

export function wholeFile(
  operation: InboundOperationName,
  bound: Pick<BoundTranslator, 'disagreements'>,
): WholeFile {
  const holders = new Map<string, Holder>()
  const conflicts: Problem[] = []
  let records = 0
  return {
    add(draft) {
      records += 1
      if (draft.body === undefined || draft.problems.length > 0) return
      const { number, lines, keyValues } = draft
      const { naturalKey, bodyHash } = identityOf(operation, withNames(draft), keyValues)
      const [verdict] = judge(
        [{ number, lines, keyValues, problems: [], operation, account: '', naturalKey, bodyHash }],
        holders,
      )
      if (verdict?.state === 'rejected' && conflicts.length < MOST_CONFLICTS) {
        conflicts.push(...verdict.problems)
      }
      if (holders.size <= MOST_KEYS) return
      for (const [oldest] of holders) {
        holders.delete(oldest)
        break
      }
    },
    end: () => ({ unusable: bound.disagreements(), conflicts, isEmpty: records === 0 }),
  }
}

/** What is still to be found stands in the key by its name. */
function withNames(draft: Draft): Record<string, unknown> {
  const names = draft.references.map(({ field, kind, key }) => [field, `${kind} ${key}`])
  return { ...exampleBody(draft), ...Object.fromEntries(names) }
}
