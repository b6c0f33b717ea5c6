/** Folders of mailboxes as settings name them, the patterns of the files in them, and their defaults. */
import { z } from 'zod'
import { omitUndefined } from '../support/object-paths.ts'
import { toAlertIfNotEmptiedMs } from './alerts.ts'
import { Text } from './time-values.ts'

/** The names that people give to mailboxes, routes, partners and inboxes. */
export const Name = z.string().regex(/^[a-z0-9-]+$/)

export const MailboxName = Text.describe('One of the mailboxes.')

/** The mailbox refuses the same at run time; the check here knows the place of the error. */
export const Folder = z
  .string()
  .refine(
    isRelativeFolder,
    'must be a folder within the mailbox, such as inbox/orders: relative, with "/" and without ".."',
  )

export const FilePattern = Text.refine(
  (pattern) => !/[,;|]\s*\*/.test(pattern),
  'is one pattern: write one that fits all files, such as "*", or a route for each',
)
  .refine(
    (pattern) => !/[/\\\p{Cc}]/u.test(pattern),
    'matches names of files, with * and ? for any letters: it cannot hold "/" or "\\"',
  )
  .refine(
    (pattern) => !/^\^|\$$/.test(pattern),
    'is no regular expression: only * and ? stand for other letters, as in "*.csv"',
  )
  .refine(
    (pattern) => !/[[\]{}]/.test(pattern),
    'only * and ? stand for other letters: write ? for each letter of a choice such as [0-9], or several routes',
  )

/** A folder that the bridge leaves files in. */
export interface OutputFolder {
  readonly mailbox: string
  readonly folder: string
  /** Delivered files that stay for longer raise an alert; absent for never. */
  readonly alertIfNotEmptiedMs?: number
}

export function toOutputFolder(file: {
  mailbox: string
  folder: string
  alertIfNotEmptied: string
}): OutputFolder {
  return {
    mailbox: file.mailbox,
    folder: normalizeFolder(file.folder),
    ...omitUndefined({ alertIfNotEmptiedMs: toAlertIfNotEmptiedMs(file.alertIfNotEmptied) }),
  }
}

export const RESULT_DELIMITERS = [',', ';', '\t', '|'] as const

/** The same for result files, with what is written otherwise than by default. */
export interface ResultsFolder extends OutputFolder {
  readonly write?: { readonly delimiter?: string; readonly byteOrderMark?: boolean }
}

export function toResultsFolder(
  file: Parameters<typeof toOutputFolder>[0] & { delimiter: string; byteOrderMark: boolean },
): ResultsFolder {
  const { delimiter, byteOrderMark } = file
  const write = {
    ...(delimiter === ',' ? {} : { delimiter }),
    ...(byteOrderMark ? { byteOrderMark } : {}),
  }
  return { ...toOutputFolder(file), ...(Object.keys(write).length > 0 && { write }) }
}

function isRelativeFolder(text: string): boolean {
  const folder = normalizeFolder(text)
  if (folder === '.') return true
  return !/[\\\p{Cc}]|^[a-z]:/iu.test(folder) && folder.split('/').every(isFolderSegment)
}

function isFolderSegment(step: string): boolean {
  return step !== '' && step !== '.' && step !== '..' && step.toLowerCase() !== '.claimed'
}

/** Removes the `./` and `/` that people write around a folder. */
export function normalizeFolder(text: string): string {
  return text.replace(/^(?:\.\/)+(?=[^/])/, '').replace(/(?<=[^/])\/$/, '')
}

// Defaults that the schema, the checks of a perhaps broken configuration, and the routes share.

export const DEFAULT_MATCH = '*.csv'

/** Of an inbox of interchanges. */
export const DEFAULT_INTERCHANGE_MATCH = '*'

export const DEFAULT_RECEIPT = '{name}.ok'

export const DEFAULT_FOLDERS = { results: 'results', documents: 'documents' }

export function getDefaultArchive(route: string): string {
  return `archive/${route}`
}
