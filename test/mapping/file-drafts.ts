/** Translates the text of a whole file, as a bridge reads it. */
import { isUnreadable } from '../../src/domain/format.ts'
import type { Draft } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { inChunks } from '../suites/format.suite.ts'
import { translatorOf } from './sheet.ts'

/** Translates the file. Throws the messages of a file that is refused as a whole. */
export async function draftsOfFile(mapping: string, file: string): Promise<readonly Draft[]> {
  const translator = await translatorOf(mapping)
  const reading = await createFormats().read(inChunks(Buffer.from(file)), translator.read)
  if (isUnreadable(reading)) throw new Error(reading.problems.map(({ message }) => message).join('\n'))
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) throw new Error(bound.map(({ message }) => message).join('\n'))
  const drafts: Draft[] = []
  for await (const rows of reading.batches) drafts.push(...bound.translateRows(rows))
  drafts.push(...bound.finish())
  const mismatches = bound.listMismatches()
  if (mismatches.length > 0) throw new Error(mismatches.map(({ message }) => message).join('\n'))
  return drafts
}
