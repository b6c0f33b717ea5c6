/** What is wrong with a file besides its sets: why it holds no interchange, and the faults that stand in no set. */
import { type Problem, problem } from '../../domain/problem.ts'
import { FAULTS } from '../../edi/faults.ts'
import { emptyFileProblem } from '../text/encoding.ts'
import { findForeignBytes } from './findings.ts'
import type { Inspection } from './inspection.ts'

/** How many bytes at the beginning of a file show whether it may hold an interchange. */
export const HEAD_BYTES = 3

/** Says why the bytes can hold no interchange that is readable. `head`: the first three bytes, or all where there are fewer. */
export function findForeignProblem(head: Uint8Array): Problem | undefined {
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
export function findMissingProblem({ notFound, interchanges, ofFile }: Inspection): Problem | undefined {
  if (notFound !== undefined) {
    const message = `The file begins with "${notFound.text}" and not with ISA, UNA or UNB.`
    return problem('edi-not-found', {}, message)
  }
  if (interchanges > 0) return undefined
  const [fault] = ofFile
  if (fault === undefined) return problem('edi-not-found', {}, 'The file holds nothing but blank lines.')
  return problem(FAULTS[fault.kind].problem, {}, fault.message)
}
