/** Refuses to work with a journal that its mark or the mailboxes show to be restored, a second copy or lost. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Configuration, getSpoolFolder } from '../config/configuration.ts'
import { readKeptJournalId } from '../config/kept.ts'
import { createSequenceReader } from '../config/file-name.ts'
import {
  listScannedInboxes,
  type OutboundRoute,
  type Route,
  type ScannedInbox,
  toScannedInbox,
} from '../config/routes.ts'
import type { ChainHead } from '../domain/audit.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { findMarkMismatch, hasForeignMark, markPath, writeMark } from '../journal/mark.ts'
import { openJournal } from '../journal/open.ts'
import { CLAIMED_FOLDER, parseArchivedId } from '../mailboxes/names.ts'
import { runInParallel } from '../support/async.ts'
import { type Clock, DAY_MS } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { ignoreCodes } from '../support/files.ts'

/** Folders of shares answer slowly, and a bridge may have hundreds. */
const PLACES_AT_ONCE = 32

/** While the bridge works on a route, it writes the mark no more often than this. */
const MARK_INTERVAL_MS = 5_000

export type JournalGuard = ReturnType<typeof createJournalGuard>

/** `isReadOnly`: for commands that only read. The guard judges as for a run, and writes no mark. */
export function createJournalGuard(context: JournalContext & { readonly isReadOnly?: boolean }) {
  const { configuration, journal, clock } = context
  const { path } = configuration.journal
  // A journal in memory is never older.
  const marked = path === ':memory:' ? undefined : markPath(path)
  const checked = new Set<string>()
  let isCurrent = false
  // Until the end of this process, because other routes may receive files before a route is checked.
  let isNew = false
  let writing: Promise<void> = Promise.resolve()
  let last = { event: -1, at: -Infinity }

  const findEvidence = async (work: PlaceOfWork) => {
    const key = isInbox(work) ? work.key : work.name
    if (checked.has(key) || marked === undefined) return undefined
    const failure = await findPlaceFailure(context, work, isNew)
    if (failure === undefined) checked.add(key)
    return failure
  }
  const checkEvidence = async (work: PlaceOfWork) => {
    const failure = await findEvidence(work)
    if (failure === undefined) return
    isCurrent = false
    throw failure
  }
  const findFailure = async () => {
    if (isCurrent || marked === undefined) return undefined
    const failure = await findMarkFailure(context)
    if (failure !== undefined) return failure
    isNew ||= (await journal.getBeginning()).isUnused
    const failures = await runInParallel(listLocalPlaces(configuration), PLACES_AT_ONCE, findEvidence)
    return failures.find((each) => each !== undefined)
  }
  const write = async () => {
    if (marked === undefined || context.isReadOnly === true) return
    const head = await journal.getHead()
    if (head.event !== last.event) last = { event: await writeMark(journal, marked), at: clock.now() }
  }
  return {
    /** Called before any work. Throws `journal-older` or `journal-missing`. A mailbox that is away proves nothing. */
    async checkJournal(): Promise<void> {
      if (isCurrent || marked === undefined) return
      const failure = await findFailure()
      if (failure !== undefined) throw failure
      isCurrent = true
      await write().catch(() => undefined)
    },
    /** Called before the first pass over a route: checks its mailboxes on servers, which other routes should not wait for. */
    checkRoute: async (route: Route) => {
      const place = route.direction === 'inbound' ? toScannedInbox(route) : route
      if (place !== undefined) await checkEvidence(place)
    },
    /** The same of an inbox, which may be one of interchanges. */
    checkInbox: (inbox: ScannedInbox) => checkEvidence(inbox),
    /** Writes the mark when it is due, and at the end of a pass (`isDue`). Does nothing before the journal passed its check. */
    updateMark(isDue?: 'now'): Promise<void> {
      if (!isCurrent || (isDue === undefined && clock.now() - last.at < MARK_INTERVAL_MS))
        return Promise.resolve()
      // A mark that cannot be written only lags behind, which does no harm.
      writing = writing.then(write).catch(() => undefined)
      return writing
    },
    /** Why a run would refuse to work, as `checkJournal` judges. Undefined once it has passed. */
    findFailure,
    /** A person declared that the journal was restored. */
    async replaceMark(): Promise<void> {
      if (marked !== undefined) await writeMark(journal, marked)
    },
  }
}

/** Where files come from or go to: what lies there shows which journal was at work. */
type PlaceOfWork = ScannedInbox | OutboundRoute

function isInbox(place: PlaceOfWork): place is ScannedInbox {
  return 'key' in place
}

function listLocalPlaces({ routes, edi, mailboxes }: Configuration): PlaceOfWork[] {
  const all: readonly PlaceOfWork[] = [
    ...listScannedInboxes({ routes, ...(edi && { edi }) }),
    ...routes.filter((route) => route.direction === 'outbound'),
  ]
  return all.filter((place) => {
    const { mailbox } = isInbox(place) ? place.from : place.to
    return mailboxes[mailbox]?.type === 'directory'
  })
}

/** Why no work is done, as the mark and the folders on this machine show. Only reads. */
export function findJournalFailure(context: JournalContext): Promise<BridgeError | undefined> {
  return createJournalGuard({ ...context, isReadOnly: true }).findFailure()
}

async function findPlaceFailure(context: JournalContext, place: PlaceOfWork, isNew: boolean) {
  const evidence = await unlessAway(() => findNewerEvidence(context, place))
  if (evidence !== undefined) return journalOlderError(evidence)
  return isNew ? findLostWork(context, place, await context.journal.getIdTag()) : undefined
}

async function findFirst<Item, Value>(
  items: readonly Item[],
  find: (item: Item) => Promise<Value | undefined>,
) {
  for (const item of items) {
    const found = await find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** What the mark shows. A new journal beside the mark of another one has taken its place. */
export async function findMarkFailure({
  configuration,
  journal,
}: Pick<JournalContext, 'configuration' | 'journal'>) {
  const { path } = configuration.journal
  if (path === ':memory:') return undefined
  const mark = markPath(path)
  if ((await journal.getBeginning()).isUnused && (await hasForeignMark(journal, mark)))
    return journalMissingError(path, `its mark ${mark} belongs to an earlier journal`)
  const why = await findMarkMismatch(journal, mark)
  if (why !== undefined) return journalOlderError(why)
  if (!(await journal.getBeginning()).isUnused) return undefined
  return findStateEvidence(configuration, await journal.getIdentity())
}

function journalOlderError(why: string): BridgeError {
  return new BridgeError('journal-older', `The journal is older than the work done with it: ${why}.`)
}

function journalMissingError(path: string, why: string): BridgeError {
  const state = existsSync(path) ? 'is new' : 'is not there'
  return new BridgeError('journal-missing', `The journal ${path} ${state}, but ${why}.`)
}

// Finds files that only another journal can have taken, where this one is new.

/** Why the bridge would refuse to work with the journal that it would create. */
export async function findAbsentJournalFailure(context: AbsentJournalContext) {
  const { path } = context.configuration.journal
  const mark = markPath(path)
  if (existsSync(mark)) return journalMissingError(path, `its mark ${mark} belongs to an earlier journal`)
  return (
    (await findStateEvidence(context.configuration)) ??
    findFirst(listLocalPlaces(context.configuration), (place) => findLostWork(context, place))
  )
}

/** The folder of the state knows which journal was at work, also where nothing of its work is left. */
async function findStateEvidence({ journal: { path }, stateFolder }: Configuration, ownId?: string) {
  const known = await readKeptJournalId(stateFolder, path)
  if (known === undefined || known === ownId) return undefined
  return journalMissingError(path, `work was done with another one, as ${stateFolder} shows`)
}

/** `ownTag`: of the journal, if it exists; another bridge may be working with it. */
async function findLostWork(
  { configuration, mailboxes }: AbsentJournalContext,
  place: PlaceOfWork,
  ownTag?: string,
) {
  if (!isInbox(place)) return undefined
  const { journal } = configuration
  const isOther = (id: string | undefined) =>
    id !== undefined && (ownTag === undefined || !id.startsWith(ownTag))
  const mailbox = getMailbox({ mailboxes }, place.from.mailbox)
  const file = await unlessAway(() => findTakenFile(mailbox, place, isOther))
  if (file !== undefined) return journalMissingError(journal.path, `${file} was taken with another journal`)
  const spool = getSpoolFolder(configuration, place.key)
  const blob = (await readdir(spool).catch(ignoreCodes('ENOENT', 'ENOTDIR')))?.find(isOther)
  if (blob === undefined) return undefined
  return journalMissingError(journal.path, `${join(spool, blob)} is of a file that another journal knows`)
}

type IdFilter = (id: string | undefined) => boolean

/** A file of the inbox that a bridge claimed, or archived: the newest of the archive. */
async function findTakenFile(mailbox: Mailbox, { from }: ScannedInbox, isOther: IdFilter) {
  const claimed = (await mailbox.listClaims(from.folder)).find(isOther)
  if (claimed !== undefined) return `the file ${claimed} in ${mailbox.describe(from.folder, CLAIMED_FOLDER)}`
  return mailbox.claimsInPlace ? undefined : findArchivedFile(mailbox, from.archive, isOther)
}

/** The folders of an archive are its years, months and days. */
const ARCHIVE_LEVELS = 3

async function findArchivedFile(
  mailbox: Mailbox,
  folder: string,
  isOther: IdFilter,
  levels = ARCHIVE_LEVELS,
): Promise<string | undefined> {
  const names = [...((await mailbox.listNames(folder)) ?? [])]
  if (levels === 0) {
    const name = names.find((each) => isOther(parseArchivedId(each)))
    return name === undefined ? undefined : mailbox.describe(folder, name)
  }
  const steps = names.filter((name) => /^\d{2,4}$/.test(name)).toSorted()
  return findFirst(steps.toReversed(), (name) =>
    findArchivedFile(mailbox, `${folder}/${name}`, isOther, levels - 1),
  )
}

// Finds files that only a newer journal, or a copy of it in use elsewhere, can know.

interface JournalContext {
  readonly configuration: Configuration
  readonly journal: Journal
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
}

type AbsentJournalContext = Pick<JournalContext, 'configuration' | 'mailboxes'>

type EvidenceContext = Pick<JournalContext, 'journal' | 'mailboxes'>

/** How many days of an archive are searched, the newest first. */
const ARCHIVE_DAYS_MAX = 31

async function findNewerEvidence(context: JournalContext, place: PlaceOfWork): Promise<string | undefined> {
  const head = await context.journal.getHead()
  return isInbox(place)
    ? findUnknownFile(context, place, head, context.clock.now())
    : findUnknownDelivery(context, place, head)
}

/** Undefined where the mailbox is away, which proves nothing. */
export async function unlessAway<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
}

/** Finds a file that was taken under an id of this journal, and that the journal does not know. */
async function findUnknownFile(
  context: EvidenceContext,
  { from }: ScannedInbox,
  head: ChainHead,
  now: number,
): Promise<string | undefined> {
  const { journal } = context
  const mailbox = getMailbox(context, from.mailbox)
  const tag = await journal.getIdTag()
  const unknownOf = async (ids: readonly string[]) => {
    const own = ids.filter((id) => id.startsWith(tag))
    return own.length === 0 ? undefined : (await journal.findUnknownFiles(own))[0]
  }
  const claimed = await unknownOf(await mailbox.listClaims(from.folder))
  if (claimed !== undefined)
    return `the file ${claimed} was taken from ${mailbox.describe(from.folder, claimed)}, and the journal does not know it`
  if (mailbox.claimsInPlace) return undefined
  for (const day of listArchiveDays(now, head.at)) {
    const folder = `${from.archive}/${day}`
    const names = [...((await mailbox.listNames(folder)) ?? [])]
    const unknown = await unknownOf(names.map(parseArchivedId).filter((id) => id !== undefined))
    const name = names.find((each) => unknown !== undefined && parseArchivedId(each) === unknown)
    if (name !== undefined)
      return `${mailbox.describe(folder, name)} was taken by it, and the journal does not know it`
  }
  return undefined
}

/** The archive's folders of each day, from today back to the day of the last event; a clock may be a day off. */
function listArchiveDays(now: number, last: number): string[] {
  const days = Math.floor(now / DAY_MS) - Math.floor(last / DAY_MS) + 1
  return Array.from({ length: Math.min(ARCHIVE_DAYS_MAX, Math.max(1, days)) }, (_, back) =>
    new Date(now - back * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '/'),
  )
}

/** Finds a file with a later number than the journal gave, written after its last event, under a name that it never gave. */
async function findUnknownDelivery(context: EvidenceContext, route: OutboundRoute, head: ChainHead) {
  const { journal } = context
  const last = await journal.getLastSequence(route.name)
  if (last === 0) return undefined
  const mailbox = getMailbox(context, route.to.mailbox)
  for (const { name, sequence, modifiedAt } of await listNumberedFiles(mailbox, route)) {
    if (sequence <= last || modifiedAt <= head.at) continue
    if ((await journal.findDeliveriesByName(name, 1)).length > 0) continue
    return `${mailbox.describe(route.to.folder, name)} has the number ${sequence}, and the last one that the journal gave is ${last}`
  }
  return undefined
}

/** The highest sequence number among the delivered files; undefined where names have none, or the mailbox is away. */
export async function findHighestSequence(context: EvidenceContext, route: OutboundRoute) {
  const mailbox = getMailbox(context, route.to.mailbox)
  const files = (await unlessAway(() => listNumberedFiles(mailbox, route))) ?? []
  return files.length === 0 ? undefined : Math.max(...files.map(({ sequence }) => sequence))
}

async function listNumberedFiles(mailbox: Mailbox, { name, to }: OutboundRoute) {
  const numberOf = createSequenceReader(to.name, name)
  if (numberOf === undefined || !(await mailbox.hasFolder(to.folder))) return []
  const files = await mailbox.list(to.folder)
  return files.flatMap((file) => {
    const sequence = numberOf(file.name)
    return sequence === undefined ? [] : [{ ...file, sequence }]
  })
}

export function getMailbox({ mailboxes }: Pick<EvidenceContext, 'mailboxes'>, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}

/** Undefined while there is no journal: a command that only reads creates none. */
export async function withExistingJournal<Result>(
  { journal: { path } }: Configuration,
  clock: Clock,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result | undefined> {
  if (!existsSync(path)) return undefined
  const journal = await openJournal({ path, clock })
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}
