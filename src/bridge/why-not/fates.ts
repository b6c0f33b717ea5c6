/** What would become of the records of a file, by what the journal knows; nothing is asked of the API. */
import { type InboundOperationName, OPERATIONS } from '../../contract/operations.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Draft } from '../../domain/translator.ts'
import { exampleBody } from '../../mapping/example-records.ts'
import { type Identity, identityOf } from '../../pipelines/inbound/identity.ts'

/** How many there are of each. */
export type Fates = Readonly<
  Record<'sent' | 'known' | 'repeated' | 'conflicting' | 'refused' | 'held' | 'skipped', number>
>

/** Beyond so many keys repetitions within the file are no longer found, so that memory stays bounded. */
const MOST_KEYS = 500_000

interface First {
  readonly bodyHash: string
  fate: 'sent' | 'known' | 'conflicting'
}

export function fateFinder(journal: Journal | undefined, operation: InboundOperationName, account: string) {
  const count = { sent: 0, known: 0, repeated: 0, conflicting: 0, refused: 0, held: 0, skipped: 0 }
  const firsts = new Map<string, First>()
  const remembered = async (identities: readonly Identity[]) => {
    // What may be repeated is the same record only within its file.
    if (journal === undefined || OPERATIONS[operation].repeatable) return new Set<string>()
    const keys = identities.map(({ naturalKey }) => naturalKey)
    return new Set(await journal.heldKeys({ operation, account, keys }))
  }
  const look = ({ naturalKey, bodyHash }: Identity, isKnown: boolean) => {
    const first = firsts.get(naturalKey)
    if (first === undefined) {
      const fate = isKnown ? 'known' : 'sent'
      count[fate]++
      if (firsts.size < MOST_KEYS) firsts.set(naturalKey, { bodyHash, fate })
    } else if (first.fate === 'known') count.known++
    else if (first.bodyHash === bodyHash && first.fate === 'sent') count.repeated++
    else {
      // Nobody can know which of them is right, so the first is refused with the others.
      if (first.fate === 'sent') {
        count.sent--
        count.conflicting++
        first.fate = 'conflicting'
      }
      count.conflicting++
    }
  }
  return {
    async add(drafts: readonly Draft[]): Promise<void> {
      const good: Draft[] = []
      for (const draft of drafts) {
        const fate = unsent(draft)
        if (fate === undefined) good.push(draft)
        else count[fate]++
      }
      const ids = journal === undefined ? new Map<string, number>() : await idsOf(journal, account, good)
      const identities = good.map((draft) => identityOf(operation, bodyOf(draft, ids), draft.keyValues))
      const known = await remembered(identities)
      for (const identity of identities) look(identity, known.has(identity.naturalKey))
    },
    count: (): Fates => count,
  }
}

function unsent({ skipped, held, problems, body }: Draft): 'skipped' | 'held' | 'refused' | undefined {
  if (skipped !== undefined) return 'skipped'
  if (held !== undefined) return 'held'
  return problems.length > 0 || body === undefined ? 'refused' : undefined
}

/** The ids of what the records name, as far as the journal has seen them, and has one of that name. */
async function idsOf(
  journal: Journal,
  account: string,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, number>> {
  const references = drafts.flatMap((draft) => draft.references)
  const found = new Map<string, string[]>()
  for (const kind of new Set(references.map((reference) => reference.kind))) {
    const keys = references.flatMap((reference) => (reference.kind === kind ? reference.key : []))
    for (const { key, id } of await journal.findResources(account, kind, keys)) {
      const name = `${kind} ${key}`
      found.set(name, [...(found.get(name) ?? []), id])
    }
  }
  return new Map(
    [...found].flatMap(([name, [id, another]]) =>
      id === undefined || another !== undefined ? [] : [[name, Number(id)] as const],
    ),
  )
}

/** What nobody has seen yet stands in it by its name. */
function bodyOf(draft: Draft, ids: ReadonlyMap<string, number>): Record<string, unknown> {
  const named = draft.references.map(({ field, kind, key }) => {
    const name = `${kind} ${key}`
    return [field, ids.get(name) ?? name] as const
  })
  return { ...exampleBody(draft), ...Object.fromEntries(named) }
}
