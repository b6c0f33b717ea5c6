/** Previews what a run would make of a file and of its records. It sends nothing, and does not ask the API. */
import { type InboundOperationName, OPERATIONS } from '../contract/operations.ts'
import type { FileReading } from '../domain/format.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft } from '../domain/translator.ts'
import { createConflictProblem } from '../journal/duplicates.ts'
import { toExampleBody } from '../mapping/examples.ts'
import { identifyRecord, isNamedByKeys, type RecordIdentity } from '../operations/operations.ts'
import { addLine } from '../pipeline/inbound/report.ts'
import { findBodyWarnings } from '../pipeline/rules/check.ts'
import { groupBy } from '../support/collections.ts'

export interface FilePreview {
  /** Why nothing of the file would be sent. */
  readonly unusable: readonly Problem[]
  /** Keys of which the file has two versions, both of which would be refused; the first few. */
  readonly conflicts: readonly Problem[]
  /** The last line, where it has no line end and others have one. */
  readonly openLine: number | undefined
  /** There are no records, so there would be nothing to do. */
  readonly isEmpty: boolean
  /** How many records would end so. Without a journal, none is `known`. */
  readonly counts: OutcomeCounts
}

export type OutcomeCounts = Readonly<
  Record<'sent' | 'known' | 'repeated' | 'conflicting' | 'refused' | 'held' | 'skipped', number>
>

export interface PreviewedFile {
  readonly operation: InboundOperationName
  readonly bound: Pick<BoundTranslator, 'groupsByKeys' | 'listMismatches'>
  readonly reading: Pick<FileReading, 'getOpenLine'>
  /** Without it, records are compared within the file only. */
  readonly known?: { readonly journal: Journal; readonly account: string } | undefined
}

/** More conflicts than these add nothing. */
const CONFLICTS_MAX = 20

/** Beyond this many keys, records are not compared with them, so that memory stays bounded. */
const TRACKED_KEYS_MAX = 500_000

/** The first record of a key, or the first part of a record by its key cells. */
interface First extends Pick<Draft, 'keyValues'> {
  readonly line: number | undefined
  /** Absent for a part that is refused by itself. */
  readonly identity?: RecordIdentity
  outcome: 'sent' | 'known' | 'conflicting'
}

export function previewFile({ operation, bound, reading, known }: PreviewedFile) {
  const counts = { sent: 0, known: 0, repeated: 0, conflicting: 0, refused: 0, held: 0, skipped: 0 }
  const conflicts: Problem[] = []
  const firsts = new Map<string, First>()
  const parts = new Map<string, First>()
  const isNamed = isNamedByKeys(operation, bound)
  const keep = (map: Map<string, First>, key: string, first: First) => {
    if (map.size < TRACKED_KEYS_MAX && !map.has(key)) map.set(key, first)
  }
  /** The bridge cannot know which of two versions is right, so it refuses both. */
  const refuse = (own: First, other: First, isBroken: boolean) => {
    const naturalKey = own.identity?.naturalKey ?? ''
    const problem = createConflictProblem(
      { operation, naturalKey, keyValues: own.keyValues, line: own.line },
      { keyValues: other.keyValues, line: other.line, file: undefined, isBroken },
    )
    if (conflicts.length < CONFLICTS_MAX) conflicts.push(problem)
  }
  const refuseFirst = (first: First | undefined) => {
    if (first?.outcome !== 'sent') return
    counts.sent -= 1
    counts.conflicting += 1
    first.outcome = 'conflicting'
  }
  const addBroken = (part: First) => {
    const key = JSON.stringify(part.keyValues)
    const other = parts.get(key)
    if (other?.identity !== undefined) {
      refuse(other, part, true)
      refuseFirst(firsts.get(other.identity.naturalKey))
    }
    keep(parts, key, part)
  }
  const addGood = (record: First, { naturalKey, bodyHash }: RecordIdentity) => {
    const cells = JSON.stringify(record.keyValues)
    const part = isNamed ? parts.get(cells) : undefined
    const first = firsts.get(naturalKey)
    if (first?.outcome === 'known' || (first === undefined && record.outcome === 'known')) counts.known += 1
    else if (part !== undefined && part.identity === undefined) {
      refuse(record, part, true)
      counts.conflicting += 1
    } else if (first === undefined) counts.sent += 1
    else if (first.identity?.bodyHash === bodyHash && first.outcome === 'sent') counts.repeated += 1
    else {
      if (first.identity?.bodyHash !== bodyHash) refuse(record, first, false)
      refuseFirst(first)
      counts.conflicting += 1
    }
    keep(firsts, naturalKey, record)
    if (isNamed) keep(parts, cells, record)
  }
  return {
    /** Adds records; the order of the file matters. */
    async add(drafts: readonly Draft[]): Promise<void> {
      const good = drafts.filter((draft) => getUnsentOutcome(draft) === undefined)
      const ids = known === undefined ? new Map() : await findReferencedIds(known, good)
      const identities = new Map(
        good.map((draft) => [draft, identifyRecord(operation, fillReferences(draft, ids), draft.keyValues)]),
      )
      const active = await findActiveKeys({ operation, known }, [...identities.values()])
      for (const draft of drafts) {
        const { keyValues, lines } = draft
        const unsent = getUnsentOutcome(draft)
        if (unsent !== undefined) counts[unsent] += 1
        const identity = identities.get(draft)
        const record: First = { keyValues, line: lines[0]?.[0], outcome: 'sent' }
        if (identity === undefined) {
          if (unsent === 'refused' && isNamed) addBroken(record)
          continue
        }
        const outcome = active.has(identity.naturalKey) ? 'known' : 'sent'
        addGood({ ...record, identity, outcome }, identity)
      }
    },
    end(): FilePreview {
      const isEmpty = Object.values(counts).every((count) => count === 0)
      const openLine = reading.getOpenLine()
      return { unusable: bound.listMismatches(), conflicts, openLine, isEmpty, counts }
    },
  }
}

/** Adds the warnings of a run that need neither the API nor the journal, such as those of prices and totals. */
export function addBodyWarnings(
  draft: Draft,
  about: Parameters<typeof findBodyWarnings>[1] & Parameters<typeof addLine>[2],
): Draft {
  const found = findBodyWarnings(draft, about).map((each) => addLine(each, draft, about))
  return found.length === 0 ? draft : { ...draft, warnings: [...(draft.warnings ?? []), ...found] }
}

/** The keys that the journal knows. Repeatable records are the same only within their file. */
async function findActiveKeys(
  { operation, known }: Pick<PreviewedFile, 'operation' | 'known'>,
  identities: readonly RecordIdentity[],
): Promise<ReadonlySet<string>> {
  if (known === undefined || OPERATIONS[operation].repeatable) return new Set()
  const keys = identities.map(({ naturalKey }) => naturalKey)
  return new Set(await known.journal.findActiveKeys({ operation, account: known.account, keys }))
}

function getUnsentOutcome({ skipped, held, problems, body }: Draft) {
  if (skipped !== undefined) return 'skipped'
  if (held !== undefined) return 'held'
  return problems.length > 0 || body === undefined ? 'refused' : undefined
}

/** The ids of the records' references, where the journal knows exactly one resource of that name. */
async function findReferencedIds(
  { journal, account }: NonNullable<PreviewedFile['known']>,
  drafts: readonly Draft[],
) {
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
function fillReferences(draft: Draft, ids: ReadonlyMap<string, number>): Record<string, unknown> {
  const named = draft.references.map(({ field, kind, key }) => {
    const name = `${kind} ${key}`
    return [field, ids.get(name) ?? name] as const
  })
  return { ...toExampleBody(draft), ...Object.fromEntries(named) }
}
