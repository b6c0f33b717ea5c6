/** Which of the user's columns feeds a field: for the messages of the API, which knows only its own names. */
import { isUnreadable } from '../../domain/document.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { BoundTranslator } from '../../domain/translator.ts'
import type { InboundParts } from '../parts.ts'
import { fileSource } from './file-source.ts'
import { spoolName } from './pick-up.ts'

/** Reads the file's header at the first question only: most files never ask. */
export function columnFinder(
  parts: InboundParts,
  file: FileEntry,
): (field: string) => Promise<string | undefined> {
  const { format, spool, translator } = parts
  let binding: Promise<BoundTranslator | undefined> | undefined
  const bind = async () => {
    const reading = await format.read(spool.read(spoolName(file.id)), translator.read)
    if (isUnreadable(reading)) return undefined
    await reading.close()
    const bound = translator.bind(reading.layouts, fileSource(parts, file))
    return 'keyColumns' in bound ? bound : undefined
  }
  return async (field) => {
    binding ??= bind()
    return (await binding)?.columnOf(field)
  }
}
