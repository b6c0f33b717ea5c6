/** The bytes of an EDI file, unpacked; a damaged archive ends early instead of failing, because its beginning may be sound. */
import { repeatable } from '../../support/async.ts'
import { BridgeError } from '../../support/errors.ts'
import { readUnpackedBytes } from '../../mapping-tools/translate-file.ts'
import { DamagedGzip } from '../../support/gunzip.ts'

export interface EdiSource {
  /** Each iteration begins at the start of the file. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Why the last iteration ended early. */
  getDamage(): string | undefined
}

export function openEdiSource(path: string): EdiSource {
  let damage: string | undefined
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* readUnpackedBytes(path)
    } catch (error) {
      if (!(error instanceof BridgeError && error.cause instanceof DamagedGzip)) throw error
      damage = error.message
    }
  }
  return { bytes: repeatable(read), getDamage: () => damage }
}
