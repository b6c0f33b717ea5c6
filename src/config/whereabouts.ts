/** Where a folder of a mailbox is. */
import { resolve } from 'node:path'

interface Meant {
  readonly mailbox: string
  readonly folder: string
}

/** What may be known of a mailbox: one on this machine has a path. */
type Mailboxes = Readonly<Record<string, unknown>>

/**
 * The same for the same folder: one of this machine is one place, by whichever mailbox it is reached. Paths that are not
 * absolute are relative to `base`.
 */
export function whereIs(mailboxes: Mailboxes, { mailbox, folder }: Meant, base = ''): string {
  const meant = mailboxes[mailbox]
  const isOnDisk = typeof meant === 'object' && meant !== null && 'path' in meant
  if (!isOnDisk || typeof meant.path !== 'string') return JSON.stringify([mailbox, folder])
  return resolve(base, meant.path, folder)
}
