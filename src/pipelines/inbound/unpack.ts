/** A file that came packed is unpacked in the spool, so that all that follows sees its text. */
import type { FileEntry } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { DamagedArchive, isPacked, unpacked } from '../../support/unpack.ts'
import type { InboundParts } from '../parts.ts'
import { spoolName } from './pick-up.ts'

/**
 * Why the file cannot be unpacked, if it cannot. Unpacked before anything is read, a file that is cut off is known for
 * it before its first record is planned. May be repeated: what is unpacked is left as it is.
 */
export async function unpackFile({ spool }: InboundParts, file: FileEntry): Promise<readonly Problem[]> {
  const name = spoolName(file.id)
  let head: Uint8Array = Buffer.alloc(0)
  for await (const chunk of spool.read(name)) {
    head = chunk
    break
  }
  if (!isPacked(head)) return []
  try {
    await spool.put(name, unpacked(spool.read(name)))
    return []
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error
    return [problem('file-damaged', {}, `The file is packed with gzip, and ${error.message}.`)]
  }
}
