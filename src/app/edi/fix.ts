/** Writes a copy of an EDI file with right envelopes. */
import { openEdiSource } from '../../mapping-tools/translate-file.ts'
import { type Repair, repairEnvelopes } from '../../formats/edi/repair.ts'
import { BridgeError } from '../../support/errors.ts'
import { writeNewFile } from '../../support/files.ts'

export interface FixedFile {
  /** The first ones, in the order of the file. */
  readonly repairs: readonly Repair[]
  readonly more: number
  /** How many sets got the trailer that they lacked: segments before it may be missing too. */
  readonly incomplete: number
}

const MAX_LISTED = 1000

/**
 * Writes the copy, also where nothing was wrong. Throws `cannot-write` where a file has its name, and
 * `not-repairable` where the file is no EDI or was cut.
 */
export async function fixEdiFile(path: string, out: string): Promise<FixedFile> {
  const repairs: Repair[] = []
  let more = 0
  let incomplete = 0
  const source = openEdiSource(path)
  async function* repair(): AsyncGenerator<Uint8Array> {
    yield* repairEnvelopes(refuseUtf16(source.bytes), (each) => {
      if (each.mayLackSegments === true) incomplete += 1
      if (repairs.length < MAX_LISTED) repairs.push(each)
      else more += 1
    })
    const damage = source.getDamage()
    if (damage !== undefined) throw new BridgeError('not-repairable', damage)
  }
  await writeNewFile(out, repair())
  return { repairs, more, incomplete }
}

/** It would be written as UTF-8. */
async function* refuseUtf16(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = Buffer.alloc(0)
  for await (const chunk of input) {
    if (head.length < 2) {
      head = Buffer.concat([head, chunk.subarray(0, 2)])
      const [first, second] = head
      if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
        throw new BridgeError('not-repairable', 'the file is in UTF-16', { fix: 'Save it as UTF-8 first.' })
    }
    yield chunk
  }
}
