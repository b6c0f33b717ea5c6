/**
 * Opens the journal for reading, and refuses to work with a journal that is older than the mailboxes show.
 * The mark beside the journal and the files in the mailboxes reveal a restored backup or a second copy.
 */
import { existsSync } from 'node:fs'
import type { Configuration } from '../config/configuration.ts'
import { createSequenceReader } from '../config/file-name.ts'
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
import type { ChainHead } from '../domain/audit.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { findMarkMismatch, markPath, writeMark } from '../journal/mark.ts'
import { openJournal } from '../journal/open.ts'
import { parseArchivedId } from '../mailboxes/names.ts'
import { type Clock, DAY_MS } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'

/** While a route is worked on, the mark is written no more often than this. */
const MARK_INTERVAL_MS = 5_000

export type JournalGuard = ReturnType<typeof createJournalGuard>

interface JournalGuardContext extends EvidenceContext {
  readonly configuration: Configuration
  readonly clock: Clock
}

export function createJournalGuard(guarded: JournalGuardContext) {
  const { configuration, journal, clock } = guarded
  const { path } = configuration.journal
  // A journal in memory is never older.
  const marked = path === ':memory:' ? undefined : markPath(path)
  const seen = new Set<string>()
  let isCurrent = false
  let writing: Promise<void> = Promise.resolve()
  let last = { event: -1, at: -Infinity }

  const look = async (route: Route) => {
    if (seen.has(route.name)) return
    const witness = await findNewerEvidence(guarded, route)
    if (witness !== undefined) {
      isCurrent = false
      throw journalOlderError(witness)
    }
    seen.add(route.name)
  }
  const isLocal = (route: Route) => {
    const name = route.direction === 'inbound' ? route.from.mailbox : route.to.mailbox
    return configuration.mailboxes[name]?.type === 'directory'
  }
  const write = async () => {
    if (marked === undefined) return
    const head = await journal.getHead()
    if (head.event !== last.event) last = { event: await writeMark(journal, marked), at: clock.now() }
  }
  return {
    /** Before any work. Throws `journal-older`. Mailboxes that are away tell nothing. */
    async checkJournal(): Promise<void> {
      if (isCurrent || marked === undefined) return
      const why = await findMarkMismatch(journal, marked)
      if (why !== undefined) throw journalOlderError(why)
      for (const route of configuration.routes) if (isLocal(route)) await look(route)
      isCurrent = true
      await write().catch(() => undefined)
    },
    /** Before the first pass over a route: looks into its mailboxes on servers, which others should not wait for. */
    checkRoute: async (route: Route) => {
      if (marked !== undefined) await look(route)
    },
    /** Writes the mark when it is due, and at the end of a pass (`isDue`). Does nothing while the journal was not found to be as new as the world. */
    updateMark(isDue?: 'now'): Promise<void> {
      if (!isCurrent || (isDue === undefined && clock.now() - last.at < MARK_INTERVAL_MS))
        return Promise.resolve()
      // A mark that cannot be written lags behind, which is no harm.
      writing = writing.then(write).catch(() => undefined)
      return writing
    },
    /** A person declared that the journal was restored. */
    async replaceMark(): Promise<void> {
      if (marked !== undefined) await writeMark(journal, marked)
    },
  }
}

/** What tells by its mark that the journal is older than what was done, for those who only look; undefined when nothing does. */
export async function explainOlderJournal({ journal: { path } }: Configuration, journal: Journal) {
  return path === ':memory:' ? undefined : findMarkMismatch(journal, markPath(path))
}

function journalOlderError(why: string): BridgeError {
  return new BridgeError('journal-older', `The journal is older than what it kept a record of: ${why}.`)
}

// Finds files that only a newer journal, or a copy of it at work elsewhere, can know.

interface EvidenceContext {
  readonly journal: Journal
  readonly mailboxes: ReadonlyMap<string, Mailbox>
}

/** So many days of an archive are looked into, the newest first. */
const ARCHIVE_DAYS_MAX = 31

/** In words; undefined where nothing tells, or the mailbox is away. */
async function findNewerEvidence(witnessed: JournalGuardContext, route: Route): Promise<string | undefined> {
  const head = await witnessed.journal.getHead()
  try {
    return route.direction === 'inbound'
      ? await findUnknownFile(witnessed, route, head, witnessed.clock.now())
      : await findUnknownDelivery(witnessed, route, head)
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
}

/** A file that was taken under an id of this journal, which the journal does not know. */
async function findUnknownFile(
  witnessed: EvidenceContext,
  { from }: InboundRoute,
  head: ChainHead,
  now: number,
): Promise<string | undefined> {
  const { journal } = witnessed
  const mailbox = getMailbox(witnessed, from.mailbox)
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

/** As the archive calls them, from today back to the day of the last event; a clock may be a day off. */
function listArchiveDays(now: number, last: number): string[] {
  const days = Math.floor(now / DAY_MS) - Math.floor(last / DAY_MS) + 1
  return Array.from({ length: Math.min(ARCHIVE_DAYS_MAX, Math.max(1, days)) }, (_, back) =>
    new Date(now - back * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '/'),
  )
}

/** A file with a later number than the journal gave, written after its last event, under a name that it never gave. */
async function findUnknownDelivery(witnessed: EvidenceContext, route: OutboundRoute, head: ChainHead) {
  const { journal } = witnessed
  const last = await journal.getLastSequence(route.name)
  if (last === 0) return undefined
  const mailbox = getMailbox(witnessed, route.to.mailbox)
  for (const { name, sequence, modifiedAt } of await listNumberedFiles(mailbox, route)) {
    if (sequence <= last || modifiedAt <= head.at) continue
    if ((await journal.findDeliveriesByName(name, 1)).length > 0) continue
    return `${mailbox.describe(route.to.folder, name)} has the number ${sequence}, and the last one that the journal gave is ${last}`
  }
  return undefined
}

/** The highest sequence number among the files at the target; undefined where names hold none, or the mailbox is away. */
export async function findHighestSequence(witnessed: EvidenceContext, route: OutboundRoute) {
  try {
    const files = await listNumberedFiles(getMailbox(witnessed, route.to.mailbox), route)
    return files.length === 0 ? undefined : Math.max(...files.map(({ sequence }) => sequence))
  } catch (error) {
    if (error instanceof BridgeError) return undefined
    throw error
  }
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

// Commands that only read need no route, mapping or lease.

/** Undefined while there is no journal: looking makes none. */
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
