/** The context of one evaluation of alerts: folder listings, cached checks and limits, shared by all sources. */
import type { Configuration } from '../config/configuration.ts'
import { resolvePlace } from '../config/mailboxes.ts'
import { type Alert, alertKey } from '../domain/alert.ts'
import type { Journal } from '../domain/journal.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import type { BridgeVersion } from '../domain/lease.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import type { FileReaders } from '../pipeline/inbound/wrong-inbox.ts'
import type { Clock } from '../support/clock.ts'
import { groupBy } from '../support/collections.ts'
import { BridgeError, FAILURES } from '../support/errors.ts'

export interface AlertContext {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
  /** The alerts of folders that change slowly, and when they were found; empty at first. */
  readonly folderCache: Map<string, { readonly at: number; readonly alerts: readonly Alert[] }>
  /** Reads which configuration and mappings are on the disk now, or why they cannot be used. */
  readonly readDisk?: (() => Promise<DiskState>) | undefined
  /** The routes whose mappings read a file of this machine, at this path, in a mailbox of this name. */
  readonly findReaders?: ReaderFinder
  /** Why a run would refuse to work with the journal. */
  readonly findJournalFailure?: () => Promise<BridgeError | undefined>
}

export type ReaderFinder = (path: string, mailbox: string) => Promise<FileReaders | undefined>

type DiskState = { readonly version: BridgeVersion } | { readonly failure: BridgeError }

export interface EvaluationContext extends AlertContext {
  readonly now: number
  readonly listings: ReturnType<typeof createListings>
  /** The keys of alerts that cannot be checked now: the active ones among them stay active. */
  readonly unverified: Set<string>
}

/** Folders that change slowly need no check each minute. */
const CACHE_MS = 15 * 60_000

/** The cached alerts of a folder, or those found now. A folder that cannot be read has none, and is tried again next time. */
export async function findWithCache(
  { folderCache, now }: EvaluationContext,
  key: string,
  find: () => Promise<readonly Alert[] | undefined>,
): Promise<readonly Alert[]> {
  const before = folderCache.get(key)
  if (before !== undefined && now >= before.at && now - before.at < CACHE_MS) return before.alerts
  const alerts = await find()
  if (alerts !== undefined) folderCache.set(key, { at: now, alerts })
  return alerts ?? []
}

// Lists each folder once. An unreachable folder is recorded instead of thrown.

export interface FolderRef {
  readonly mailbox: string
  readonly folder: string
}

export interface UnreachableFolder {
  readonly mailbox: string
  readonly place: string
  readonly why: string
  /** The fix, where the failure itself has one. */
  readonly fix?: string
}

interface ListingOptions {
  /** The wanted names, which are asked for where listing is forbidden. */
  readonly only?: readonly string[] | undefined
  /** Called when the folder is missing: if it throws, the folder counts as unreachable, otherwise as empty. */
  readonly whenMissing?: () => Promise<void>
}

export function createListings(mailboxes: ReadonlyMap<string, Mailbox>) {
  const known = new Map<string, readonly FileInfo[] | undefined>()
  const failed = new Map<string, UnreachableFolder>()
  const tryMailbox = async <Seen>(
    ref: FolderRef,
    read: (mailbox: Mailbox) => Promise<Seen>,
  ): Promise<Seen | undefined> => {
    const fail = (why: string, fix?: string) => {
      const place = formatFolder(ref)
      failed.set(place, { mailbox: ref.mailbox, place, why, ...(fix === undefined ? {} : { fix }) })
      return undefined
    }
    const mailbox = mailboxes.get(ref.mailbox)
    if (mailbox === undefined) return fail('there is no such mailbox')
    try {
      return await read(mailbox)
    } catch (error) {
      // Without a fix of its own, the alert has one that names the folder.
      if (error instanceof BridgeError && error.fix === FAILURES['mailbox-unreachable'].fix)
        return fail(error.message)
      if (error instanceof BridgeError) return fail(error.message, error.fix)
      throw error
    }
  }
  return {
    /** Undefined when the folder cannot be read. */
    async list(ref: FolderRef, options: ListingOptions = {}) {
      const place = formatFolder(ref)
      if (!known.has(place))
        known.set(place, await tryMailbox(ref, (mailbox) => listFolder(mailbox, ref.folder, options)))
      return known.get(place)
    },
    /** Reads something else of a mailbox. Undefined when the folder, or what is below it, cannot be read. */
    tryMailbox,
    listUnreachable: () => [...failed.values()],
  }
}

/** `erp:inbox/orders`, as alerts name a folder. */
export function formatFolder({ mailbox, folder }: FolderRef): string {
  return `${mailbox}:${folder}`
}

async function listFolder(mailbox: Mailbox, folder: string, { only, whenMissing }: ListingOptions) {
  // A check creates no folder: on a share that is away it would take the place of the real one.
  if (await mailbox.hasFolder(folder)) return mailbox.list(folder, only, () => refuseToCreateFolder(folder))
  await whenMissing?.()
  return []
}

// Folders that several routes share.

/** Files that belong together may come one after the other. The file's own date is accurate enough for this. */
export const GRACE_MS = 15 * 60_000

/** The pattern of names that are made of another name. */
export function toNamePattern(template: string): string {
  return template.replace(/\{(?:name|stem)\}/g, '*')
}

/** Groups items by their folder, also where mailboxes name the same folder differently. */
export function groupByFolder<Each>(
  { configuration }: EvaluationContext,
  all: readonly Each[],
  folderOf: (each: Each) => FolderRef,
) {
  return [...groupBy(all, (each) => resolvePlace(configuration.mailboxes, folderOf(each))).values()]
}

// Limits the alerts of one kind and place: a thousand files would hide everything else.

const ALERTS_PER_PLACE_MAX = 20

/** Returns the first of these alerts, and one alert that counts the rest at this place. */
export function limitAlerts({ unverified }: EvaluationContext, alerts: readonly Alert[], place: string) {
  const next = alerts[ALERTS_PER_PLACE_MAX]
  if (next === undefined) return alerts
  const more = alerts.length - ALERTS_PER_PLACE_MAX
  // An alert that was reported before others came in front of it is not over.
  for (const each of alerts.slice(ALERTS_PER_PLACE_MAX)) unverified.add(alertKey(each))
  const message = `${place}: ${more} more like ${ALERTS_PER_PLACE_MAX} others that are listed`
  const fix = 'Resolve the listed ones first: all of them may have one cause.'
  return [...alerts.slice(0, ALERTS_PER_PLACE_MAX), { ...next, subject: `${place}: more`, message, fix }]
}
