/** The folders that one gathering looks into: each is listed once, and one that fails is told instead of thrown. */
import type { Mailbox, Sighting } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'

export interface FolderMeant {
  readonly mailbox: string
  readonly folder: string
}

export interface AwayFolder {
  readonly mailbox: string
  readonly place: string
  readonly why: string
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
  /** The folders that could not be. */
  away(): readonly AwayFolder[]
}

export function listingsOf(mailboxes: ReadonlyMap<string, Mailbox>): Listings {
  const known = new Map<string, readonly Sighting[] | undefined>()
  const failed = new Map<string, AwayFolder>()
  return {
    async of(meant, look = {}) {
      const place = placeOf(meant)
      if (known.has(place)) return known.get(place)
      const listed = await listFolder(mailboxes.get(meant.mailbox), meant.folder, look)
      if ('why' in listed) failed.set(place, { mailbox: meant.mailbox, place, why: listed.why })
      known.set(place, 'files' in listed ? listed.files : undefined)
      return known.get(place)
    },
    away: () => [...failed.values()],
  }
}

/** `erp:inbox/orders`, as findings name a folder. */
export function placeOf({ mailbox, folder }: FolderMeant): string {
  return `${mailbox}:${folder}`
}

type Listed = { readonly files: readonly Sighting[] } | { readonly why: string }

async function listFolder(
  mailbox: Mailbox | undefined,
  folder: string,
  { only, whenMissing }: Look,
): Promise<Listed> {
  if (mailbox === undefined) return { why: 'there is no such mailbox' }
  try {
    // Whoever only looks makes no folder: on a share that is away it would stand in the place of the real one.
    if (!(await mailbox.has(folder))) {
      await whenMissing?.()
      return { files: [] }
    }
    return { files: await mailbox.list(folder, only, () => gone(folder)) }
  } catch (error) {
    if (error instanceof BridgeError) return { why: error.message }
    throw error
  }
}

function gone(folder: string): Promise<never> {
  return Promise.reject(new BridgeError('mailbox-unreachable', `The folder ${folder} has just gone.`))
}
