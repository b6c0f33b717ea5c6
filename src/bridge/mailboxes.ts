/** The mailboxes of a configuration, each opened as what it is. */
import type { Configuration } from '../config/configuration.ts'
import type { MailboxConfiguration } from '../config/mailboxes.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { directoryMailbox } from '../mailboxes/directory.ts'
import { sftpMailbox } from '../mailboxes/sftp/mailbox.ts'
import type { BridgeOptions } from './options.ts'

export type MailboxOptions = Pick<BridgeOptions, 'clock' | 'random' | 'newId'>

export function openMailboxes(
  { mailboxes }: Configuration,
  { wrap, ...options }: MailboxOptions & Pick<BridgeOptions, 'wrap'>,
): Map<string, Mailbox> {
  return new Map(
    Object.entries(mailboxes).map(([name, settings]) => {
      const mailbox = openMailbox(name, settings, options)
      return [name, wrap?.mailbox?.(mailbox) ?? mailbox]
    }),
  )
}

export function openMailbox(
  name: string,
  settings: MailboxConfiguration,
  { clock, random, newId }: MailboxOptions,
): Mailbox {
  if (settings.type === 'directory') return directoryMailbox({ root: settings.path, clock })
  const { type: _, ...sftp } = settings
  return sftpMailbox({ ...sftp, mailbox: name, clock, random, newId })
}
