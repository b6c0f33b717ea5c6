/** Unpacks gzip files, recognized by their first bytes, as a stream and within bounds. */
import { createGunzip } from 'node:zlib'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'

/** The bytes are packed and cannot be unpacked whole; the message says why. */
export class DamagedGzip extends Error {}

/** Text packs to a tenth or a twentieth; a file that grows more than this is made to fill the disk. */
const GROWTH_MAX = 250

/** Below this size the growth is not checked. */
const UNCHECKED_BYTES = 16 * 1024 * 1024

/** Whether the first bytes of a file are those of gzip. */
export function isGzipped(head: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, index) => head[index] === byte)
}

/** Yields the bytes unchanged, or unpacked. Throws `DamagedGzip`; rethrows errors of the input. */
export async function* gunzipIfNeeded(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let size = 0
  let done = false
  while (size < GZIP_MAGIC.length && !done) {
    const next = await chunks.next()
    done = next.done === true
    if (next.done !== true) {
      head.push(next.value)
      size += next.value.length
    }
  }
  const first = Buffer.concat(head)
  const all = prependHead(first, chunks)
  yield* isGzipped(first) ? gunzipStream(all) : all
}

/** The magic number of gzip, and its only compression method. */
const GZIP_MAGIC = [0x1f, 0x8b, 0x08] as const

async function* prependHead(first: Uint8Array, rest: AsyncIterator<Uint8Array>) {
  try {
    if (first.length > 0) yield first
    for (;;) {
      const { value, done } = await rest.next()
      if (done === true) return undefined
      yield value
    }
  } finally {
    await rest.return?.()
  }
}

async function* gunzipStream(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let packed = 0
  let unpackedBytes = 0
  let inputFailure: { readonly cause: unknown } | undefined
  async function* counted() {
    try {
      for await (const chunk of input) {
        packed += chunk.length
        yield chunk
      }
    } catch (cause) {
      inputFailure = { cause }
      throw cause
    }
  }
  const gunzip = createGunzip()
  const fed = pipeline(Readable.from(counted(), { objectMode: true }), gunzip)
  // The loop below reports the same failure.
  fed.catch(() => undefined)
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      unpackedBytes += chunk.length
      if (unpackedBytes > UNCHECKED_BYTES && unpackedBytes > packed * GROWTH_MAX) {
        throw new DamagedGzip(`it grows to more than ${GROWTH_MAX} times its size`)
      }
      yield chunk
    }
    await fed
  } catch (error) {
    if (inputFailure !== undefined) throw inputFailure.cause
    if (error instanceof DamagedGzip) throw error
    throw new DamagedGzip('it is cut off or damaged', { cause: error })
  } finally {
    gunzip.destroy()
  }
}
