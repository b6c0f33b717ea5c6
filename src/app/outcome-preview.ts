/** Previews what a run would make of the records of a file. It sends nothing. */
import { type InboundOperationName, OPERATIONS } from '../contract/operations.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft } from '../domain/translator.ts'
import { judgeRecords, type KeyOwner } from '../journal/duplicates.ts'
import { toExampleBody } from '../mapping/examples.ts'
import { identifyRecord, type RecordIdentity } from '../operations/operations.ts'
import { groupBy } from '../support/collections.ts'

// Checks of the whole file.

export interface FileVerdict {
  /** Why nothing of the file would be sent. */
  readonly unusable: readonly Problem[]
  /** Keys of which the file has two versions, both of which would be refused; the first few. */
  readonly conflicts: readonly Problem[]
  /** There are no records, so there would be nothing to do. */
  readonly isEmpty: boolean
}

/** More conflicts than these add nothing. */
const CONFLICTS_MAX = 20

/** Beyond this many keys, the first records are no longer compared, so that memory stays bounded. */
const COMPARED_KEYS_MAX = 500_000

export function previewFile(operation: InboundOperationName, bound: Pick<BoundTranslator, 'listMismatches'>) {
  const owners = new Map<string, KeyOwner>()
  const conflicts: Problem[] = []
  let records = 0
  return {
    /** Adds a record; the order of the file matters. */
    add(draft: Draft): void {
      records += 1
      if (draft.body === undefined || draft.problems.length > 0) return
      const { number, lines, keyValues } = draft
      const identity = identifyRecord(operation, fillReferences(draft), keyValues)
      const record = { number, lines, keyValues, problems: [], operation, account: '', ...identity }
      const [verdict] = judgeRecords([record], owners)
      if (verdict?.state === 'rejected' && conflicts.length < CONFLICTS_MAX) {
        conflicts.push(...verdict.problems)
      }
      const [oldest = ''] = owners.keys()
      if (owners.size > COMPARED_KEYS_MAX) owners.delete(oldest)
    },
    end: (): FileVerdict => ({ unusable: bound.listMismatches(), conflicts, isEmpty: records === 0 }),
  }
}

// Outcomes of single records, from the journal alone; the API is not asked.

export type OutcomeCounts = Readonly<
  Record<'sent' | 'known' | 'repeated' | 'conflicting' | 'refused' | 'held' | 'skipped', number>
>

/** Beyond this many keys, repetitions within the file are not found, so that memory stays bounded. */
const TRACKED_KEYS_MAX = 500_000

export function previewOutcomes(journal: Journal, operation: InboundOperationName, account: string) {
  const count = { sent: 0, known: 0, repeated: 0, conflicting: 0, refused: 0, held: 0, skipped: 0 }
  const firsts = new Map<string, { readonly bodyHash: string; outcome: 'sent' | 'known' | 'conflicting' }>()
  const findKnownKeys = async (identities: readonly RecordIdentity[]) => {
    // Repeatable records are the same only within their file.
    if (OPERATIONS[operation].repeatable) return new Set<string>()
    const keys = identities.map(({ naturalKey }) => naturalKey)
    return new Set(await journal.findActiveKeys({ operation, account, keys }))
  }
  const countIdentity = ({ naturalKey, bodyHash }: RecordIdentity, isKnown: boolean) => {
    const first = firsts.get(naturalKey)
    if (first === undefined) {
      const outcome = isKnown ? 'known' : 'sent'
      count[outcome]++
      if (firsts.size < TRACKED_KEYS_MAX) firsts.set(naturalKey, { bodyHash, outcome })
    } else if (first.outcome === 'known') count.known++
    else if (first.bodyHash === bodyHash && first.outcome === 'sent') count.repeated++
    else {
      // The bridge cannot know which of them is right, so it refuses the first with the others.
      if (first.outcome === 'sent') {
        count.sent--
        count.conflicting++
        first.outcome = 'conflicting'
      }
      count.conflicting++
    }
  }
  return {
    async add(drafts: readonly Draft[]): Promise<void> {
      const good: Draft[] = []
      for (const draft of drafts) {
        const preview = getUnsentOutcome(draft)
        if (preview === undefined) good.push(draft)
        else count[preview]++
      }
      const ids = await findReferencedIds(journal, account, good)
      const identities = good.map((draft) =>
        identifyRecord(operation, fillReferences(draft, ids), draft.keyValues),
      )
      const known = await findKnownKeys(identities)
      for (const identity of identities) countIdentity(identity, known.has(identity.naturalKey))
    },
    count: (): OutcomeCounts => count,
  }
}

function getUnsentOutcome({ skipped, held, problems, body }: Draft) {
  if (skipped !== undefined) return 'skipped'
  if (held !== undefined) return 'held'
  return problems.length > 0 || body === undefined ? 'refused' : undefined
}

/** The ids of the records' references, where the journal knows exactly one resource of that name. */
async function findReferencedIds(journal: Journal, account: string, drafts: readonly Draft[]) {
  const references = drafts.flatMap((draft) => draft.references)
  const found: [string, string][] = []
  for (const kind of new Set(references.map((reference) => reference.kind))) {
    const keys = references.flatMap((reference) => (reference.kind === kind ? reference.key : []))
    const known = await journal.findResourcesByKey(account, kind, keys)
    for (const { key, id } of known) found.push([`${kind} ${key}`, id])
  }
  return new Map(
    [...groupBy(found, ([name]) => name)].flatMap(([name, [[, id], another]]) =>
      another === undefined ? [[name, Number(id)] as const] : [],
    ),
  )
}

/** Fills in references by their ids; a reference without a known id stays in the key by its name. */
function fillReferences(draft: Draft, ids: ReadonlyMap<string, number> = new Map()): Record<string, unknown> {
  const named = draft.references.map(({ field, kind, key }) => {
    const name = `${kind} ${key}`
    return [field, ids.get(name) ?? name] as const
  })
  return { ...toExampleBody(draft), ...Object.fromEntries(named) }
}
