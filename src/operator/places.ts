/** Where files lie, for people: by the configuration alone, without looking. */
import { join } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { FileEntry } from '../domain/journal.ts'

export interface Place {
  /** Of a file on this machine or a share mounted here. */
  readonly path?: string
  readonly words: string
}

/** The result file of a file that was reported; undefined while it was not, or where its route is gone. */
export function resultsPlace({ routes, mailboxes }: Configuration, file: FileEntry): Place | undefined {
  const route = routes.find(({ name }) => name === file.route)
  if (route?.direction !== 'inbound' || file.reportName === undefined) return undefined
  const { mailbox, folder } = route.results
  const name = `${file.reportName}.results.csv`
  const settings = mailboxes[mailbox]
  if (settings?.type !== 'directory') return { words: `${mailbox}:${folder}/${name}` }
  const path = join(settings.path, folder, name)
  return { path, words: path }
}
