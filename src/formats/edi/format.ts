/** Reads documents of X12 or EDIFACT as rows, and copies their sets. */
import type { Format, ReadOptions } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { FAULTS } from '../../edi/faults.ts'
import type { Syntax } from '../../edi/segment.ts'
import { BridgeError } from '../../support/errors.ts'
import { copySets } from './copy-sets.ts'
import { emptyFileProblem } from '../text/encoding.ts'
import { findForeignBytes } from './cut.ts'
import { type Inspection, inspectInterchanges } from './inspection.ts'
import { readDocuments } from './reader.ts'
import { compileReading } from './reading-plan.ts'

/** Throws `configuration-invalid` for a document that has no grammar, and for paths that lead nowhere in it. */
export function createEdiFormat(syntax: Syntax): Pick<Format, 'read' | 'copyRecords'> {
  return {
    async read(input, options) {
      const plan = compileReading(syntax, getEdiOptions(options))
      const foreign = await findForeign(input)
      if (foreign !== undefined) return { problems: [foreign] }
      const inspection = await inspectInterchanges(input)
      const missing = findMissing(inspection)
      if (missing !== undefined) return { problems: [missing] }
      return readDocuments(input, plan, inspection)
    },
    copyRecords: (input, options) =>
      copySets(input, compileReading(syntax, getEdiOptions(options.read)), options.ranges),
  }
}

function getEdiOptions({ edi }: ReadOptions): NonNullable<ReadOptions['edi']> {
  if (edi !== undefined) return edi
  throw new BridgeError('configuration-invalid', 'A document of X12 or EDIFACT needs the name of its kind.')
}

/** Says why the bytes can hold no interchange that is readable. */
async function findForeign(input: AsyncIterable<Uint8Array>): Promise<Problem | undefined> {
  let head: Uint8Array = Buffer.alloc(0)
  for await (const chunk of input) {
    head = Buffer.concat([head, chunk.subarray(0, 3)])
    if (head.length >= 3) break
  }
  if (head.length === 0) return emptyFileProblem()
  const kind = findForeignBytes(head)
  if (kind === undefined) return undefined
  const message =
    kind === 'ebcdic'
      ? 'The file is in EBCDIC, the code of mainframes. Have it converted to ASCII or UTF-8.'
      : 'The file is packed with gzip.'
  return problem('edi-not-found', {}, message)
}

/** Why no interchange of the file can be read. */
function findMissing({ notFound, interchanges, ofFile }: Inspection): Problem | undefined {
  if (notFound !== undefined) {
    const message = `The file begins with "${notFound.text}" and not with ISA, UNA or UNB.`
    return problem('edi-not-found', {}, message)
  }
  if (interchanges > 0) return undefined
  const [fault] = ofFile
  if (fault === undefined) return problem('edi-not-found', {}, 'The file holds nothing but blank lines.')
  return problem(FAULTS[fault.kind].problem, {}, fault.message)
}
