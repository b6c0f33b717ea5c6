/** Translating a file without sending anything: what `dropbridge translate`, the checks and the bench use. */
import { createReadStream } from 'node:fs'
import { isUnreadable, type Reading } from '../domain/document.ts'
import type { Format } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, Translator } from '../domain/translator.ts'
import { BridgeError } from '../support/errors.ts'

/** The drafts of a file, batch by batch; `unusable` when the file as a whole cannot be read. */
export type Translation =
  { readonly unusable: readonly Problem[] } | { readonly drafts: AsyncGenerator<readonly Draft[]> }

/** Reads and maps a file in bounded memory. Throws only when the file cannot be opened. */
export async function translateFile(
  path: string,
  format: Format,
  translator: Translator,
): Promise<Translation> {
  const reading = await format.read(bytesOf(path), translator.read)
  if (isUnreadable(reading)) return { unusable: reading.problems }
  const bound = translator.bind(reading.layouts)
  return 'keyColumns' in bound ? { drafts: draftsOf(reading, bound) } : { unusable: bound }
}

async function* draftsOf(reading: Reading, bound: BoundTranslator): AsyncGenerator<readonly Draft[]> {
  for await (const rows of reading.batches) yield bound.push(rows)
  yield bound.end()
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new BridgeError('mailbox-unreachable', `cannot read ${path}`, { cause: error })
  }
}
