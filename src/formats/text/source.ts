/** The text of a file, pulled piece by piece and only when asked for. */
import type { Problem } from '../../domain/problem.ts'
import { type Decoded, type Decoder, openDecoder } from './decoders.ts'
import { type Encoding, findEncoding } from './encoding.ts'
import { PIECE } from './limits.ts'
import { watchedDecoder, watchForUtf8 } from './misnamed.ts'

export interface TextSource {
  readonly encoding: Encoding
  /** The next text, of any length; undefined at the end, and then always. */
  next(): Promise<Decoded | undefined>
  /** Lets go of the input; may be repeated. */
  close(): Promise<void>
}

export type SourceOpened =
  | {
      readonly source: TextSource
      /** The first text of the file; the source gives what comes after it. */
      readonly head: Decoded
      /** Whether the head is the whole file. */
      readonly isWhole: boolean
    }
  | { readonly problem: Problem }

/** Takes the first piece of the input and finds out the encoding. */
export async function openSource(
  input: AsyncIterable<Uint8Array>,
  encodingTold: string | undefined,
): Promise<SourceOpened> {
  const pieces = cutPieces(input)
  const head: Uint8Array[] = []
  let size = 0
  let isWhole = false
  while (size < PIECE && !isWhole) {
    const { value, done } = await pieces.next()
    isWhole = done === true
    if (value !== undefined) head.push(value)
    size += value?.length ?? 0
  }
  const bytes = Buffer.concat(head)
  const result = findEncoding(bytes, encodingTold)
  if ('problem' in result) {
    await pieces.return(undefined)
    return result
  }
  const { encoding } = result
  const plain = openDecoder(encoding.name)
  // A mark at the top has told what the file is.
  const watch = encoding.markLength > 0 ? undefined : watchForUtf8(encoding.name)
  if (watch?.look(bytes) === 'utf-8') {
    await pieces.return(undefined)
    return { problem: watch.problem() }
  }
  const decoder = watch === undefined ? plain : watchedDecoder(plain, watch)
  return {
    source: toTextSource(encoding, decoder, pieces),
    head: plain.write(bytes.subarray(encoding.markLength)),
    isWhole,
  }
}

function toTextSource(
  encoding: Encoding,
  decoder: Decoder,
  pieces: AsyncGenerator<Uint8Array, undefined>,
): TextSource {
  let ended = false
  return {
    encoding,
    async next() {
      if (ended) return undefined
      const { value, done } = await pieces.next()
      if (!done) return decoder.write(value)
      ended = true
      return decoder.end()
    },
    async close() {
      await pieces.return(undefined)
    },
  }
}

/** The bytes in pieces of bounded size, however large the chunks of the input are. */
async function* cutPieces(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; from += PIECE) yield chunk.subarray(from, from + PIECE)
  }
  return undefined
}
