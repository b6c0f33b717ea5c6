/** An inbox in which files lay before, and which is gone: most likely it is on a share that is not mounted. */
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'

/**
 * Of an inbox that is not there: may it be made? Throws `mailbox-unreachable` where files lay in it before, since it would be
 * made on a disk where nobody looks for it.
 */
export async function mayMakeInbox({
  journal,
  route,
}: Pick<InboundParts, 'route' | 'journal'>): Promise<void> {
  if (!(await journal.wasTakenFrom(route.name, route.folder))) return
  throw new BridgeError(
    'mailbox-unreachable',
    `The inbox of route ${route.name} is gone: earlier files came from ${route.folder} of the mailbox, and there is no such folder now.`,
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
  if (!(await parts.source.has(parts.route.folder))) await mayMakeInbox(parts)
}
