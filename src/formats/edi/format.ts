/** Reads documents of X12 or EDIFACT as rows, copies their sets, and writes rows as sets. */
import type { Format, ReadOptions } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Syntax } from '../../edi/segment.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import { copySets } from './copy-sets.ts'
import { inspectInterchanges } from './inspection.ts'
import { findForeignProblem, findMissingProblem, HEAD_BYTES } from './findings.ts'
import { readDocuments } from './reader.ts'
import { compileReading } from './reading-plan.ts'
import { listSets } from './set-list.ts'
import { createInterchangeWriter } from './writer.ts'

/** Throws `configuration-invalid` for a document that has no grammar, and for paths that lead nowhere in it. */
export function createEdiFormat(syntax: Syntax): Format {
  return {
    async read(input, options) {
      const edi = getEdiOptions(options)
      const plan = compileReading(syntax, edi)
      const foreign = await findForeign(input)
      if (foreign !== undefined) return { problems: [foreign] }
      const inspection = await inspectInterchanges(input, plan.findGrammar)
      const missing = findMissingProblem(inspection)
      if (missing !== undefined) return { problems: [missing] }
      return readDocuments(input, plan, inspection, edi.sets)
    },
    createWriter(_columns, { edi }, envelope) {
      assert(edi && envelope, 'A document was to be written without an envelope.')
      return createInterchangeWriter(edi, envelope)
    },
    copyRecords: (input, options) =>
      copySets(input, compileReading(syntax, getEdiOptions(options.read)), options.ranges),
    listSets(input, options) {
      const edi = getEdiOptions(options)
      return listSets(input, compileReading(syntax, edi).findGrammar, edi.sets)
    },
  }
}

function getEdiOptions({ edi }: ReadOptions): NonNullable<ReadOptions['edi']> {
  if (edi !== undefined) return edi
  throw new BridgeError('configuration-invalid', 'A document of X12 or EDIFACT needs the name of its kind.')
}

/** Says by its first bytes why the file can hold no interchange. */
async function findForeign(input: AsyncIterable<Uint8Array>): Promise<Problem | undefined> {
  let head: Uint8Array = Buffer.alloc(0)
  for await (const chunk of input) {
    head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)])
    if (head.length >= HEAD_BYTES) break
  }
  return findForeignProblem(head)
}
