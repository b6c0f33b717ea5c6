/**
 * The context of one evaluation of alerts: folder listings, cached checks and limits, shared by all sources
 * of alerts.
 */
import type { Configuration } from '../config/configuration.ts'
import { resolvePlace } from '../config/mailboxes.ts'
import { type Alert, alertKey } from '../domain/alert.ts'
import type { Journal } from '../domain/journal.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError, hasCode } from '../support/errors.ts'

export interface AlertContext {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
  /** What was seen of folders that change slowly, and when; empty at first. */
  readonly folderLooks: Map<string, { readonly at: number; readonly alerts: readonly Alert[] }>
}

export interface EvaluationContext extends AlertContext {
  readonly now: number
  readonly listings: ReturnType<typeof createListings>
  /** The keys of alerts of which nobody can say now whether they stand: those that stood before stand on. */
  readonly unverified: Set<string>
}

/** What changes slowly need not be looked at each minute. */
const CACHE_MS = 15 * 60_000

/** What was found in the folder the last time, or is found now; nothing where it cannot be read, and next time again. */
export async function findWithCache(
  { folderLooks, now }: EvaluationContext,
  key: string,
  look: () => Promise<readonly Alert[] | undefined>,
): Promise<readonly Alert[]> {
  const before = folderLooks.get(key)
  if (before !== undefined && now >= before.at && now - before.at < CACHE_MS) return before.alerts
  const alerts = await look()
  if (alerts !== undefined) folderLooks.set(key, { at: now, alerts })
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
  /** What to do about it, where the failure itself says so. */
  readonly fix?: string
}

interface ListingOptions {
  /** Where nobody may list, the names that are wanted are asked for. */
  readonly only?: readonly string[] | undefined
  /** Asked where the folder is missing: with what it throws it is away, and otherwise empty. */
  readonly whenMissing?: () => Promise<void>
}

export function createListings(mailboxes: ReadonlyMap<string, Mailbox>) {
  const known = new Map<string, readonly FileInfo[] | undefined>()
  const failed = new Map<string, UnreachableFolder>()
  const tryMailbox = async <Seen>(
    meant: FolderRef,
    look: (mailbox: Mailbox) => Promise<Seen>,
  ): Promise<Seen | undefined> => {
    const fail = (why: string, fix?: string) => {
      const place = formatFolder(meant)
      failed.set(place, { mailbox: meant.mailbox, place, why, ...(fix === undefined ? {} : { fix }) })
      return undefined
    }
    const mailbox = mailboxes.get(meant.mailbox)
    if (mailbox === undefined) return fail('there is no such mailbox')
    try {
      return await look(mailbox)
    } catch (error) {
      if (hasCode(error, 'mailbox-unreachable')) return fail(error.message)
      if (error instanceof BridgeError) return fail(error.message, error.fix)
      throw error
    }
  }
  return {
    /** Undefined when the folder cannot be read. */
    async list(meant: FolderRef, look: ListingOptions = {}) {
      const place = formatFolder(meant)
      if (!known.has(place))
        known.set(place, await tryMailbox(meant, (mailbox) => listFolder(mailbox, meant.folder, look)))
      return known.get(place)
    },
    /** Another look at a mailbox. Undefined when the folder, or what is below it, cannot be read. */
    tryMailbox,
    /** The folders that could not be. */
    listUnreachable: () => [...failed.values()],
  }
}

/** `erp:inbox/orders`, as alerts name a folder. */
export function formatFolder({ mailbox, folder }: FolderRef): string {
  return `${mailbox}:${folder}`
}

async function listFolder(mailbox: Mailbox, folder: string, { only, whenMissing }: ListingOptions) {
  // Whoever only looks makes no folder: on a share that is away it would stand in the place of the real one.
  if (await mailbox.hasFolder(folder)) return mailbox.list(folder, only, () => refuseToCreateFolder(folder))
  await whenMissing?.()
  return []
}

// Folders that several routes share.

/** What belongs together may come one after the other. The file's own date is good enough for this. */
export const GRACE_MS = 15 * 60_000

/** The pattern of a name that is made of another one. */
export function toNamePattern(template: string): string {
  return template.replace(/\{(?:name|stem)\}/g, '*')
}

/** Those of each folder, together, however their mailboxes call it. */
export function groupByFolder<Each>(
  { configuration }: EvaluationContext,
  all: readonly Each[],
  folderOf: (each: Each) => FolderRef,
) {
  const groups = new Map<string, [Each, ...Each[]]>()
  for (const each of all) {
    const place = resolvePlace(configuration.mailboxes, folderOf(each))
    const group = groups.get(place)
    if (group) group.push(each)
    else groups.set(place, [each])
  }
  return [...groups.values()]
}

// Limits the alerts of one kind and place: a thousand files would hide everything else.

const ALERTS_PER_PLACE_MAX = 20

/** The first of these as they are; that there are more of them at this place is one alert. */
export function limitAlerts({ unverified }: EvaluationContext, alerts: readonly Alert[], place: string) {
  const next = alerts[ALERTS_PER_PLACE_MAX]
  if (next === undefined) return alerts
  const more = alerts.length - ALERTS_PER_PLACE_MAX
  // Those that were reported before others came in front of them are not over.
  for (const each of alerts.slice(ALERTS_PER_PLACE_MAX)) unverified.add(alertKey(each))
  const message = `${place}: ${more} more like ${ALERTS_PER_PLACE_MAX} others that are listed`
  const fix = 'resolve the listed ones first; all of them may have one cause'
  return [...alerts.slice(0, ALERTS_PER_PLACE_MAX), { ...next, subject: `${place}: more`, message, fix }]
}
