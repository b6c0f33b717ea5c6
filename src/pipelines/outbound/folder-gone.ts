/** A folder of deliveries that is gone: most likely it is on a share that is not mounted. */
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { placeOf } from './pick-ups.ts'

/**
 * Of a folder that is not there: may it be made? Throws `mailbox-unreachable` where files were left in it before. Made anew, it
 * would take the next ones on a disk where nobody looks for them, and their records would be acknowledged.
 */
export async function assertNeverLeftIn(
  { journal, target, route }: OutboundParts,
  folder: string,
): Promise<void> {
  if (!(await journal.wasLeftIn(route.name, placeOf(target, folder)))) return
  throw new BridgeError(
    'mailbox-unreachable',
    `The folder of route ${route.name} is gone: earlier files were left in ${folder} of the mailbox, and there is no such folder now.`,
    {
      details: [
        'Perhaps a share is not mounted. Nothing is left there, and nothing acknowledged, until the folder is back.',
        'If it was removed on purpose, make it again.',
      ],
    },
  )
}

/** While the folder of the deliveries is away nothing else may be made in its place. */
export async function assertFolderThere(parts: OutboundParts): Promise<void> {
  const { target, route } = parts
  if (!(await target.has(route.folder))) await assertNeverLeftIn(parts, route.folder)
}
