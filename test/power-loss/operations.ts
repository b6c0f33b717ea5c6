/** The log of the recorder: every call that changed the folder under test, in the order in which they were carried out. */
import { existsSync, readFileSync } from 'node:fs'

/** The change time that the inode has after the call, in nanoseconds. */
interface Timed {
  readonly changed: bigint
}

export type Operation = Timed & Call

type Call =
  | {
      readonly kind: 'create' | 'mkdir'
      readonly path: string
      readonly inode: number
      readonly mode: number
    }
  | { readonly kind: 'write'; readonly inode: number; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly inode: number; readonly size: number }
  | { readonly kind: 'sync'; readonly inode: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink' | 'rmdir'; readonly path: string }
  /** The reader copied a file and removed it; `synced` when it flushed the folder too. */
  | { readonly kind: 'take'; readonly path: string; readonly copy: string; readonly synced: boolean }

/** The numbers of recorder.c; 11 is a call that it cannot record. */
const KINDS = [
  undefined,
  'create',
  'write',
  'truncate',
  'sync',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
  'take',
] as const
const UNSUPPORTED = 11
const HEADER_BYTES = 48

/** A record that was cut short at the end of the log is of a call that was not carried out. */
export function readOperations(log: string): Operation[] {
  const bytes = existsSync(log) ? readFileSync(log) : Buffer.alloc(0)
  const operations: Operation[] = []
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const [first, second, data] = [4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset))
    const parts = [first ?? 0, second ?? 0, data ?? 0].reduce<number[]>(
      (ends, length) => [...ends, (ends.at(-1) ?? 0) + length],
      [at + HEADER_BYTES],
    )
    const [one = 0, two = 0, three = 0, end = 0] = parts
    if (end > bytes.length) break
    operations.push({
      ...callOf({
        number: bytes.readUInt32LE(at),
        inode: Number(bytes.readBigUInt64LE(at + 16)),
        value: Number(bytes.readBigUInt64LE(at + 24)),
        first: bytes.toString('utf8', one, two),
        second: bytes.toString('utf8', two, three),
        data: bytes.subarray(three, end),
      }),
      changed: bytes.readBigUInt64LE(at + 32) * 1_000_000_000n + bytes.readBigUInt64LE(at + 40),
    })
    at = end
  }
  return operations
}

interface Entry {
  readonly number: number
  readonly inode: number
  readonly value: number
  readonly first: string
  readonly second: string
  readonly data: Buffer
}

function callOf({ number, inode, value, first, second, data }: Entry): Call {
  if (number === UNSUPPORTED) {
    throw new Error(`the recorder does not know call ${value} of ${first || 'a file'} ${second}`)
  }
  const kind = KINDS[number]
  switch (kind) {
    case 'create':
    case 'mkdir':
      return { kind, path: first, inode, mode: value }
    case 'write':
      return { kind, inode, offset: value, data }
    case 'truncate':
      return { kind, inode, size: value }
    case 'sync':
      return { kind, inode }
    case 'rename':
    case 'link':
      return { kind, from: first, to: second }
    case 'unlink':
    case 'rmdir':
      return { kind, path: first }
    case 'take':
      return { kind, path: first, copy: second, synced: value === 1 }
    case undefined:
      throw new Error(`the log holds an operation ${number}`)
  }
}
