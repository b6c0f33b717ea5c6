/** The bytes of a file, piece by piece. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** So much at a time: few calls for a large file, and little memory. */
const PIECE_BYTES = 1 << 18

/** The least room a read is given: a file may say that it is empty and hold something. */
const ROOM_BYTES = 1 << 10

/**
 * Opened when the first piece is wanted, and closed when nobody wants another. What keeps it from being read is thrown while it
 * is read.
 */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    yield* bytesOf(file)
  } finally {
    await file.close()
  }
}

/** Which bytes of a file; to its end where `until` is left out. */
export interface Stretch {
  readonly from: number
  readonly until?: number
  /** No piece is larger. */
  readonly pieceBytes?: number
}

/**
 * From where the file stands, or a stretch of it. No more room is taken than there are bytes: large pieces for each of many small
 * files are memory that is cleaned up again and again, and was half of all the work with them.
 */
export async function* bytesOf(file: FileHandle, stretch?: Stretch): AsyncGenerator<Buffer> {
  const found = await file.stat()
  // A pipe stands where it stands, and nobody knows what is still to come.
  let position = stretch?.from
  let left = found.size - (position ?? 0)
  const { until, pieceBytes = PIECE_BYTES } = stretch ?? {}
  const least = found.isFile() ? ROOM_BYTES : pieceBytes
  for (;;) {
    const wanted = until === undefined ? Infinity : until - (position ?? 0)
    const piece = Buffer.allocUnsafe(Math.min(Math.max(left, least), pieceBytes, wanted))
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) return
    left -= bytesRead
    if (position !== undefined) position += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** As 64 hexadecimal digits. */
export async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}
