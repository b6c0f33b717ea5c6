/** The bytes of a file, piece by piece. */
import { createReadStream } from 'node:fs'

/**
 * Opened when the first piece is wanted: a stream that nobody listens to yet would end the program when its file is gone. What
 * keeps it from being read is thrown while it is read.
 */
export async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}
