/** The folders that one gathering looks into: each is listed once, and one that fails is told instead of thrown. */
import type { Mailbox, Sighting } from '../../domain/mailbox.ts'
import { refuseToMakeAnew } from '../../pipelines/inbound/inbox-gone.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'

export interface FolderMeant {
  readonly mailbox: string
  readonly folder: string
}

export interface AwayFolder {
  readonly mailbox: string
  readonly place: string
  readonly why: string
  /** What to do about it, where the failure itself says so. */
  readonly cure?: string
}

export interface Look {
  /** Where nobody may list, the names that are wanted are asked for. */
  readonly only?: readonly string[] | undefined
  /** Asked where the folder is missing: with what it throws it is away, and otherwise empty. */
  readonly whenMissing?: () => Promise<void>
}

export interface Listings {
  /** Undefined when the folder cannot be looked into. */
  of(meant: FolderMeant, look?: Look): Promise<readonly Sighting[] | undefined>
  /** Another look at a mailbox. Undefined when the folder, or what is below it, cannot be looked into. */
  tried<Seen>(meant: FolderMeant, look: (mailbox: Mailbox) => Promise<Seen>): Promise<Seen | undefined>
  /** The folders that could not be. */
  away(): readonly AwayFolder[]
}

export function listingsOf(mailboxes: ReadonlyMap<string, Mailbox>): Listings {
  const known = new Map<string, readonly Sighting[] | undefined>()
  const failed = new Map<string, AwayFolder>()
  const tried: Listings['tried'] = async (meant, look) => {
    const fail = (why: string, cure?: string) => {
      const place = placeOf(meant)
      failed.set(place, { mailbox: meant.mailbox, place, why, ...(cure === undefined ? {} : { cure }) })
      return undefined
    }
    const mailbox = mailboxes.get(meant.mailbox)
    if (mailbox === undefined) return fail('there is no such mailbox')
    try {
      return await look(mailbox)
    } catch (error) {
      if (hasCode(error, 'mailbox-unreachable')) return fail(error.message)
      if (error instanceof BridgeError) return fail(error.message, error.cure)
      throw error
    }
  }
  return {
    async of(meant, look = {}) {
      const place = placeOf(meant)
      if (!known.has(place))
        known.set(place, await tried(meant, (mailbox) => listed(mailbox, meant.folder, look)))
      return known.get(place)
    },
    tried,
    away: () => [...failed.values()],
  }
}

/** `erp:inbox/orders`, as findings name a folder. */
export function placeOf({ mailbox, folder }: FolderMeant): string {
  return `${mailbox}:${folder}`
}

async function listed(
  mailbox: Mailbox,
  folder: string,
  { only, whenMissing }: Look,
): Promise<readonly Sighting[]> {
  // Whoever only looks makes no folder: on a share that is away it would stand in the place of the real one.
  if (await mailbox.has(folder)) return mailbox.list(folder, only, () => refuseToMakeAnew(folder))
  await whenMissing?.()
  return []
}
