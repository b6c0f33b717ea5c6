/** The mailboxes of the configuration: what may be said of them, and what the program makes of it. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { type SftpConfiguration, SftpFile, toSftp } from './sftp.ts'

const DirectoryFile = z.strictObject({
  type: z.literal('directory'),
  path: z.string().min(1).describe('A folder on this machine, or on a share mounted here.'),
  mounted: z
    .boolean()
    .default(false)
    .describe(
      'The folder is where a share is mounted: while nothing is, the mailbox is away and not empty, and nothing is left in the folder below.',
    ),
})

export const MailboxFile = z.discriminatedUnion('type', [DirectoryFile, SftpFile])

export type MailboxConfiguration = DirectoryConfiguration | SftpConfiguration

interface DirectoryConfiguration {
  readonly type: 'directory'
  readonly path: string
  /** A folder where nothing is mounted is not the mailbox. False when left out. */
  readonly mounted?: boolean
}

/** Paths on this machine are relative to `folder`. */
export function toMailbox(mailbox: z.output<typeof MailboxFile>, folder: string): MailboxConfiguration {
  if (mailbox.type === 'sftp') return toSftp(mailbox, folder)
  const { type, path, mounted } = mailbox
  return { type, path: resolve(folder, path), ...(mounted ? { mounted } : {}) }
}
