/** An inbox in which files lay before, and which is gone: most likely it is on a share that is not mounted. */
import type { Journal } from '../../domain/journal.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'

interface Inbox {
  /** Of the route. */
  readonly name: string
  readonly folder: string
}

/**
 * Of an inbox that is not there: may it be made? Throws `mailbox-unreachable` where files lay in it before, since it would be
 * made on a disk where nobody looks for it.
 */
export async function assertNeverTakenFrom(
  journal: Pick<Journal, 'wasTakenFrom'>,
  { name, folder }: Inbox,
): Promise<void> {
  if (!(await journal.wasTakenFrom(name, folder))) return
  throw new BridgeError(
    'mailbox-unreachable',
    `The inbox of route ${name} is gone: earlier files came from ${folder} of the mailbox, and there is no such folder now.`,
    {
      details: [
        'Perhaps a share is not mounted. Nothing is taken, and no report is left, until the folder is back.',
        'If it was removed on purpose, make it again.',
      ],
    },
  )
}

/** While its inbox is away nothing that belongs to a file may be left anywhere for the first time. */
export async function assertInboxThere(
  parts: Pick<InboundParts, 'route' | 'source' | 'journal'>,
): Promise<void> {
  if (!(await parts.source.has(parts.route.folder))) await assertNeverTakenFrom(parts.journal, parts.route)
}

/** For a folder that was there a moment ago: whoever only looks makes none. */
export function refuseToMakeAnew(folder: string): Promise<never> {
  return Promise.reject(new BridgeError('mailbox-unreachable', `The folder ${folder} has just gone.`))
}
