/** Whether the folders of a configuration are there, and are what they are said to be. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import { isMountPoint } from '../support/mount-point.ts'

export interface FolderCheck {
  readonly warnings: readonly string[]
  readonly failures: readonly string[]
}

/** Those on this machine; whether a server is there is asked with `--online`. Never throws. */
export async function checkFolders({
  mailboxes,
  statusPage,
}: Pick<Configuration, 'mailboxes' | 'statusPage'>): Promise<FolderCheck> {
  const warnings: string[] = []
  const failures: string[] = []
  for (const [name, mailbox] of Object.entries(mailboxes)) {
    if (mailbox.type !== 'directory') continue
    const { path, mounted = false } = mailbox
    const here = await whatIsAt(path)
    if (here === 'nothing') failures.push(`mailbox ${name}: the folder ${path} is not there`)
    if (here === 'a folder' && mounted) failures.push(`mailbox ${name}: nothing is mounted at ${path}`)
    if (here === 'a mount' && !mounted) {
      warnings.push(
        `mailbox ${name}: ${path} is where something is mounted; with "mounted: true" it counts as away, and not as empty, when that is gone`,
      )
    }
  }
  if (statusPage !== undefined) {
    const folder = dirname(statusPage)
    if ((await whatIsAt(folder)) === 'nothing')
      failures.push(`status page: the folder ${folder} is not there`)
  }
  return { warnings, failures }
}

async function whatIsAt(path: string): Promise<'nothing' | 'a folder' | 'a mount'> {
  try {
    return (await isMountPoint(await realpath(path))) ? 'a mount' : 'a folder'
  } catch {
    return 'nothing'
  }
}
