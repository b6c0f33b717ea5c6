/** Bytes over a connection: many requests under way at once, in order, and counted. */
import type { FileHandle } from 'node:fs/promises'
import { bytesOf } from '../../support/file-bytes.ts'
import type { Calls, Handle } from './calls.ts'

/** With its header it fits the packets that every server must take; the library would split more into two requests. */
const CHUNK_BYTES = 31 * 1024

/** How many requests are under way at once, at first. */
export const WIDTH = 64

/** After a connection was lost: not every server can take that many. */
export function narrower(width: number): number {
  return Math.max(1, width >> 2)
}

/** The bytes from `from` to `size`, and what comes behind that, if anything does. */
export async function* download(
  calls: Calls,
  handle: Handle,
  { from, size, width = WIDTH }: { readonly from: number; readonly size: number; readonly width?: number },
): AsyncGenerator<Buffer, void, undefined> {
  const underWay: Promise<Buffer>[] = []
  let asked = from
  try {
    while (asked < size || underWay.length > 0) {
      while (asked < size && underWay.length < width) {
        const chunk = fully(calls, handle, { position: asked, length: Math.min(CHUNK_BYTES, size - asked) })
        chunk.catch(() => {}) // looked at when its turn comes, and not at all when an earlier one failed
        underWay.push(chunk)
        asked += CHUNK_BYTES
      }
      const next = await underWay.shift()
      if (next === undefined || next.length === 0) return
      yield next
    }
    const beyond = await fully(calls, handle, { position: Math.max(from, size), length: 1 })
    if (beyond.length > 0) yield beyond
  } finally {
    await Promise.allSettled(underWay)
  }
}

/** Servers may give less than they are asked for; only nothing at all is the end. */
async function fully(
  calls: Calls,
  handle: Handle,
  { position, length }: { readonly position: number; readonly length: number },
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let got = 0
  while (got < length) {
    const count = await calls.read(handle, got === 0 ? buffer : buffer.subarray(got), position + got)
    if (count === 0) break
    got += count
  }
  return got === length ? buffer : buffer.subarray(0, got)
}

export interface Outgoing {
  readonly file: FileHandle
  readonly from: number
  readonly width: number
  readonly reached: (bytes: number) => void
}

/** Writes the local file from `from` on; `reached` is told up to where the server has everything. */
export async function upload(calls: Calls, handle: Handle, local: Outgoing): Promise<void> {
  const underWay: { readonly end: number; readonly written: Promise<void> }[] = []
  const settleFirst = async () => {
    const first = underWay.shift()
    await first?.written
    if (first !== undefined) local.reached(first.end)
  }
  try {
    for await (const { position, bytes } of chunksOf(local.file, local.from)) {
      if (underWay.length >= local.width) await settleFirst()
      const written = calls.write(handle, bytes, position)
      written.catch(() => {}) // looked at when its turn comes
      underWay.push({ end: position + bytes.length, written })
    }
    while (underWay.length > 0) await settleFirst()
  } finally {
    await Promise.allSettled(underWay.map(({ written }) => written))
  }
}

/** How many chunks are read from the disk at once. */
const PIECE_CHUNKS = 32

async function* chunksOf(file: FileHandle, from: number) {
  let position = from
  for await (const piece of bytesOf(file, { from, pieceBytes: CHUNK_BYTES * PIECE_CHUNKS })) {
    for (let start = 0; start < piece.length; start += CHUNK_BYTES) {
      yield { position: position + start, bytes: piece.subarray(start, start + CHUNK_BYTES) }
    }
    position += piece.length
  }
}
