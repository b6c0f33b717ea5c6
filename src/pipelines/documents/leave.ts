/** Leaving documents in their mailbox: copied, noted with their names, and then named, so that a crash makes no second copy. */
import { namingOf, type StagedFile } from '../../domain/naming.ts'
import { namingSubject, type ShippingDocument } from '../../domain/shipping-document.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { keepLease } from '../lease-keeper.ts'
import { numberedName } from '../names.ts'
import { missing, withoutBytes } from './fetch.ts'
import type { DocumentParts } from './parts.ts'
import { nameValues } from './shipment.ts'
import type { TroubleWatch } from './trouble.ts'

/** How many names are tried when others stand there already. */
const NAMES_MAX = 1000

/** A document whose bytes are in the spool. */
export interface Ready {
  readonly document: ShippingDocument
  readonly spooled: string
  readonly extension: string
  /** The name that was reserved before a crash. */
  readonly reserved?: string
}

export interface Staged extends Ready {
  readonly staged: StagedFile
}

export interface Named extends Staged {
  readonly name: string
  /** Which of the possible names it is; 0 for one that was reserved before. */
  readonly turn: number
}

/** What came of a document, and its working file, which goes when that is noted. */
export interface Left {
  readonly document: ShippingDocument
  readonly working?: Pick<StagedFile, 'folder' | 'working'>
}

export function isHere(
  documents: DocumentParts['documents'],
  { mailbox, folder }: ShippingDocument,
): boolean {
  return mailbox === documents.mailboxName && folder === documents.folder
}

/** One that got its name before a crash, and perhaps has its reader by now. */
export async function leftBefore(
  parts: DocumentParts,
  document: ShippingDocument,
  trouble: TroubleWatch,
): Promise<Left | undefined> {
  const { journal, documents } = parts
  const { folder } = document
  if (document.name === undefined || !isHere(documents, document)) return undefined
  const [earlier] = await journal.namingsOf(namingSubject(document))
  if (earlier === undefined) return undefined
  return inMailbox(document, trouble, async (): Promise<Left | undefined> => {
    if ((await documents.mailbox.settleNaming(folder, earlier)) !== 'named') return undefined
    const { problem: _, ...rest } = document
    return {
      document: { ...rest, name: earlier.name, state: 'delivered' },
      working: { folder, working: earlier.working },
    }
  })
}

/** One that cannot be copied has its name reserved all the same: then its bytes are kept in the spool. */
export async function stageDocument(
  parts: DocumentParts,
  ready: Ready,
  trouble: TroubleWatch,
): Promise<Staged | Left> {
  const { spool, documents, journal, lease } = parts
  const name = ready.reserved ?? nameAt(documents, ready, 1)
  const staged = await inMailbox(ready.document, trouble, async () => ({
    ...ready,
    staged: await documents.mailbox.stage(spool.path(ready.spooled), documents.folder, { name }),
  }))
  if (!('staged' in staged) && ready.reserved === undefined)
    await journal.nameDocuments(lease, [reservation(parts, ready, 1)])
  return staged
}

function nameAt(documents: DocumentParts['documents'], { document, extension }: Ready, turn: number): string {
  return numberedName(documents.nameFor(nameValues(document, document.kind)) + extension, turn)
}

/** Renews the lease: a process that wakes up late must not leave a file next to its successor's. */
export async function nameThem(parts: DocumentParts, staged: readonly Staged[]): Promise<Named[]> {
  const { journal, lease } = parts
  const named: Named[] = []
  for (const each of staged) {
    if (each.reserved === undefined) continue
    await journal.noteNamings(lease, namingSubject(each.document), [namingOf(each.staged, each.reserved)])
    named.push({ ...each, name: each.reserved, turn: 0 })
  }
  const unnamed = staged.filter(({ reserved }) => reserved === undefined)
  const names = await journal.nameDocuments(
    lease,
    unnamed.map((each) => reservation(parts, each, 1)),
  )
  return [
    ...named,
    ...unnamed.flatMap((each, index) => {
      const name = names[index]
      return name === undefined ? [] : [{ ...each, ...name }]
    }),
  ]
}

function reservation({ documents }: DocumentParts, ready: Ready | Staged, fromTurn: number) {
  const { recordId, kind } = ready.document
  const { mailboxName: mailbox, folder } = documents
  const nameFor = (turn: number) => nameAt(documents, ready, turn)
  const staged = 'staged' in ready ? { staged: ready.staged } : {}
  return { recordId, kind, mailbox, folder, fromTurn, nameFor, ...staged }
}

/** Never over another file: where one stands, the next name is reserved and tried. */
export async function giveItsName(parts: DocumentParts, named: Named, trouble: TroubleWatch): Promise<Left> {
  const { journal, lease, documents } = parts
  const { mailbox, mailboxName, folder } = documents
  const { staged } = named
  const { problem: _, ...document } = named.document
  const { fresh } = keepLease(parts)
  let current: { readonly name: string; readonly turn: number } | undefined = named
  return inMailbox(named.document, trouble, async () => {
    for (let tries = 0; tries < NAMES_MAX && current !== undefined; tries++) {
      const { name, turn } = current
      await fresh()
      const outcome = await mailbox.giveName(staged, name, {
        note: (evidence) =>
          journal.noteNamings(lease, namingSubject(document), [namingOf({ ...staged, evidence }, name)]),
      })
      if (outcome === 'delivered') {
        const place = { mailbox: mailboxName, folder, name, state: 'delivered' } as const
        return { document: { ...document, ...place }, working: staged }
      }
      if (outcome !== 'occupied') {
        await journal.noteNamings(lease, namingSubject(document), [])
        throw new BridgeError('cannot-write', `${mailbox.describe(folder, name)} was taken away half-written`)
      }
      ;[current] = await journal.nameDocuments(lease, [reservation(parts, named, turn + 1)])
    }
    throw new BridgeError('cannot-write', `${NAMES_MAX} names like ${named.name} are taken in ${folder}`)
  })
}

/** What the mailbox refuses is noted with the document, and stops no other. */
async function inMailbox<Result>(
  document: ShippingDocument,
  trouble: TroubleWatch,
  work: () => Promise<Result>,
): Promise<Result | Left> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'mailbox-unreachable', 'cannot-write')) throw error
    trouble.ofMailbox(error.message)
    return { document: withoutBytes(document, missing(document.kind, error.message)) }
  }
}
