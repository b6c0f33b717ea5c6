/** The mailboxes of a configuration, each opened as what it is. */
import type { Configuration } from '../config/configuration.ts'
import type { MailboxConfiguration } from '../config/mailboxes.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { WorkingFiles } from '../domain/naming.ts'
import { directoryMailbox, unowned } from '../mailboxes/directory.ts'
import type { BridgeOptions } from './options.ts'

export type MailboxOptions = Pick<BridgeOptions, 'clock' | 'random' | 'isImpatient'> & {
  readonly newId: () => string
  /** The owner of the working files that a mailbox makes and sweeps. When left out, a mailbox sweeps none. */
  readonly working?: WorkingFiles
}

export async function openMailboxes(
  { mailboxes }: Configuration,
  { wrap, ...options }: MailboxOptions & Pick<BridgeOptions, 'wrap'>,
): Promise<Map<string, Mailbox>> {
  const opened = new Map<string, Mailbox>()
  for (const [name, settings] of Object.entries(mailboxes)) {
    const mailbox = await openMailbox(name, settings, options)
    opened.set(name, wrap?.mailbox?.(mailbox) ?? mailbox)
  }
  return opened
}

export async function openMailbox(
  name: string,
  settings: MailboxConfiguration,
  { clock, random, newId, isImpatient = false, working = unowned() }: MailboxOptions,
): Promise<Mailbox> {
  if (settings.type === 'directory') {
    const { path: root, mounted = false } = settings
    return directoryMailbox({ root, mounted, clock, working })
  }
  const { type: _, ...sftp } = settings
  // Loaded where there is such a mailbox: it is a fifth of what every start would take.
  const { sftpMailbox } = await import('../mailboxes/sftp/mailbox.ts')
  return sftpMailbox({ ...sftp, mailbox: name, clock, random, newId, isImpatient, working })
}
