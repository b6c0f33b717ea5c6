/** What a mapping may know of a file besides its rows. */
import { basename } from 'node:path'
import type { FileEntry } from '../../domain/journal.ts'
import type { FileSource } from '../../domain/translator.ts'
import type { InboundParts } from '../parts.ts'

export function fileSource({ route }: Pick<InboundParts, 'route'>, file: FileEntry): FileSource {
  return { file: file.name, folder: basename(route.folder) }
}
