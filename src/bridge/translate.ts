/** Translating a file without sending anything: what `dropbridge translate`, the checks and the bench use. */
import { basename, dirname, resolve } from 'node:path'
import { isUnreadable, type Reading } from '../domain/document.ts'
import type { Format } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, FileSource, Translator } from '../domain/translator.ts'
import { BridgeError, hasSystemCode } from '../support/errors.ts'
import { DamagedArchive, unpacked } from '../support/unpack.ts'
import { fileBytes } from '../support/file-bytes.ts'

/** The drafts of a file, batch by batch; `unusable` when the file as a whole cannot be read. */
export type Translation =
  | { readonly unusable: readonly Problem[] }
  | {
      readonly drafts: AsyncGenerator<readonly Draft[]>
      /** Columns that only the mapping, or only the file, names. */
      readonly columns: { readonly absent: readonly string[]; readonly unused: readonly string[] }
      /** How many lines were left out so far because the mapping says so. */
      readonly ignored: () => number
      /** What of the file does not agree with itself, once the drafts have been walked. */
      readonly disagreements: () => readonly Problem[]
    }

/** Reads and maps a file in bounded memory. Throws only when the file cannot be opened. */
export async function translateFile(
  path: string,
  format: Format,
  translator: Translator,
): Promise<Translation> {
  const reading = await format.read(bytesOf(path), translator.read)
  if (isUnreadable(reading)) return { unusable: reading.problems }
  const bound = translator.bind(reading.layouts, sourceAt(path))
  if (!('keyColumns' in bound)) {
    await reading.close()
    return { unusable: bound }
  }
  const columns = { absent: bound.absentColumns, unused: bound.unusedColumns }
  return {
    drafts: draftsOf(reading, bound),
    columns,
    ignored: () => reading.ignored(),
    disagreements: () => bound.disagreements(),
  }
}

/** What a mapping may know of a file besides its rows. */
export function sourceAt(path: string): FileSource {
  return { file: basename(path), folder: basename(dirname(resolve(path))) }
}

async function* draftsOf(reading: Reading, bound: BoundTranslator): AsyncGenerator<readonly Draft[]> {
  for await (const rows of reading.batches) yield bound.push(rows)
  yield bound.end()
}

/** The bytes of a file that a command names, unpacked. */
export async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked(fileBytes(path))
  } catch (error) {
    if (error instanceof DamagedArchive) {
      throw new BridgeError('usage-wrong', `${path} is packed with gzip, and ${error.message}`, {
        cause: error,
      })
    }
    if (!hasSystemCode(error, 'ENOENT', 'EISDIR', 'EACCES')) throw error
    throw new BridgeError('usage-wrong', `there is no file ${path} that can be read`, { cause: error })
  }
}
