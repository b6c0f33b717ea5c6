/** Translating a file without sending anything: what `dropbridge translate`, the checks and the bench use. */
import { createReadStream } from 'node:fs'
import { isUnreadable, type Reading } from '../domain/document.ts'
import type { Format } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, Translator } from '../domain/translator.ts'
import { BridgeError, hasSystemCode } from '../support/errors.ts'

/** The drafts of a file, batch by batch; `unusable` when the file as a whole cannot be read. */
export type Translation =
  | { readonly unusable: readonly Problem[] }
  | {
      readonly drafts: AsyncGenerator<readonly Draft[]>
      /** Columns that only the mapping, or only the file, names. */
      readonly columns: { readonly absent: readonly string[]; readonly unused: readonly string[] }
    }

/** Reads and maps a file in bounded memory. Throws only when the file cannot be opened. */
export async function translateFile(
  path: string,
  format: Format,
  translator: Translator,
): Promise<Translation> {
  const reading = await format.read(bytesOf(path), translator.read)
  if (isUnreadable(reading)) return { unusable: reading.problems }
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) return { unusable: bound }
  const columns = { absent: bound.absentColumns, unused: bound.unusedColumns }
  return { drafts: draftsOf(reading, bound), columns }
}

async function* draftsOf(reading: Reading, bound: BoundTranslator): AsyncGenerator<readonly Draft[]> {
  for await (const rows of reading.batches) yield bound.push(rows)
  yield bound.end()
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT', 'EISDIR', 'EACCES')) throw error
    throw new BridgeError('usage-wrong', `there is no file ${path} that can be read`, { cause: error })
  }
}
