/** Gives a file of the spool its name in the outbox exactly once, also after a crash. */
import {
  type NamingOutcome,
  type StagedFile,
  toNaming,
  NAMES_MAX,
  namesTakenError,
} from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { assertOutboxUnused } from './outbox.ts'

/** A file to be named, and what the journal notes of it. */
export interface NameableFile {
  /** The journal notes the naming under this id. */
  readonly id: string
  readonly folder: string
  readonly name: string
  /** Its name in the spool. */
  readonly spooled: string
  /** Whether no earlier pass can have begun to name it. */
  readonly isNew: boolean
  /** Makes the file in the spool when it is missing. */
  readonly compose: () => Promise<void>
  /** Notes another name, because that of the n-th try is taken; returns it. */
  readonly rename: (tries: number) => Promise<string>
  /** Notes that it is in place; returns what is reported after that. */
  readonly finish: (name: string) => Promise<() => void>
  /** Notes that it is not known whether it got its name. */
  readonly hold: (why: string) => Promise<void>
}

export type NamingContext = Pick<OutboundContext, 'journal' | 'lease' | 'spool' | 'target'> & {
  readonly route: Pick<OutboundContext['route'], 'name'>
}

/** Stages the file, notes its name and gives it the name, or continues from what an earlier pass noted. */
export async function deliverOnce(context: NamingContext, file: NameableFile): Promise<void> {
  const { target, spool, journal } = context
  const [earlier] = file.isNew ? [] : await journal.listNamings(file.id)
  if (earlier !== undefined) {
    const naming = await target.inspectNaming(file.folder, earlier)
    if (naming === 'named') return noteNamed(context, file, earlier)
    if (naming !== 'not-named') return file.hold(naming.unclear)
  }
  if (!file.isNew) await file.compose()
  const staged = await target.stage(spool.path(file.spooled), file.folder, {
    name: file.name,
    beforeCreate: () => assertOutboxUnused(context, file.folder),
    ...(earlier === undefined ? {} : { earlier }),
  })
  await nameFile(context, file, staged)
}

async function nameFile(context: NamingContext, file: NameableFile, staged: StagedFile): Promise<void> {
  const { journal, lease, target } = context
  let { name } = file
  for (let tries = 1; tries < NAMES_MAX; tries++) {
    const outcome = await tryName(context, file, staged, name)
    if (outcome === 'delivered') return noteNamed(context, file, { ...staged, name })
    if (outcome === 'lost') return failLostFile(context, file, staged, name)
    if (outcome !== 'occupied') return file.hold(outcome.unclear)
    name = await file.rename(tries)
  }
  await journal.saveNamings(lease, file.id, [])
  await target.removeStaged(staged)
  throw namesTakenError(target.describe(file.folder, file.name))
}

/** The name and the evidence are durable before the file gets its name. */
async function tryName(
  { journal, lease, target }: NamingContext,
  { id }: NameableFile,
  staged: StagedFile,
  name: string,
): Promise<NamingOutcome> {
  const note = (evidence = staged.evidence) =>
    journal.saveNamings(lease, id, [toNaming({ ...staged, evidence }, name)])
  await note()
  return target.giveName(staged, name, { note })
}

/** The working file is removed last: until the journal knows that the file is in place, it is the evidence. */
async function noteNamed(
  { target }: NamingContext,
  { folder, finish }: NameableFile,
  { working, name }: Pick<StagedFile, 'working'> & { readonly name: string },
): Promise<void> {
  const report = await finish(name)
  await target.removeStaged({ folder, working })
  report()
}

/** Clears the note of a file that got no name. A file staged by an earlier pass may have got it: then the note stays. */
async function failLostFile(
  { journal, lease, target }: NamingContext,
  { id, folder }: NameableFile,
  staged: StagedFile,
  name: string,
): Promise<never> {
  if (staged.isEarlier !== true) await journal.saveNamings(lease, id, [])
  const why = `${target.describe(folder, name)} gets no name: another program removed its working file`
  throw new BridgeError('cannot-write', why)
}
