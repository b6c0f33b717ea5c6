/** Packed files: recognised by their first bytes, unpacked as they come, never beyond bounds. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isGzipped, gunzipIfNeeded } from '../../src/support/gunzip.ts'

const TEXT = Buffer.from('PO,SKU\n'.repeat(2000))

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size)
    yield await Promise.resolve(bytes.subarray(from, from + size))
}

async function whole(bytes: Uint8Array, size = 1000): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of gunzipIfNeeded(inChunks(bytes, size))) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

test.each([1, 7, 100_000])('packed bytes that come %i at a time are unpacked', async (size) => {
  expect(await whole(gzipSync(TEXT), size)).toBe(TEXT.toString())
})

test('archives that follow each other are one text, as gzip has it', async () => {
  expect(await whole(Buffer.concat([gzipSync('PO\n'), gzipSync('1\n')]))).toBe('PO\n1\n')
})

test.each([
  ['text', TEXT],
  ['nothing', Buffer.alloc(0)],
  ['the beginning of the mark', Buffer.from([0x1f, 0x8b])],
])('%s passes as it is', async (_, bytes) => {
  expect(isGzipped(bytes)).toBe(false)
  expect(await whole(bytes, 1)).toBe(bytes.toString())
})

test.each([
  ['cut off', gzipSync(TEXT).subarray(0, -9)],
  ['cut off right behind its mark', gzipSync(TEXT).subarray(0, 4)],
  ['of another text than it says', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)])],
])('an archive that is %s is reported as damaged', async (_, bytes) => {
  await expect(whole(bytes)).rejects.toThrow('it is cut off or damaged')
})

test('an archive made to grow without end is stopped', async () => {
  await expect(whole(gzipSync(Buffer.alloc(64 * 1024 * 1024)))).rejects.toThrow(
    'it grows to more than 250 times its size',
  )
})

test('an error of the input itself passes through', async () => {
  async function* broken() {
    yield await Promise.resolve(gzipSync(TEXT).subarray(0, 30))
    throw new Error('the disk is gone')
  }
  const read = async () => {
    for await (const _ of gunzipIfNeeded(broken())) continue
  }
  await expect(read()).rejects.toThrow('the disk is gone')
})

test('the input is released when its reader stops early', async () => {
  let released = false
  async function* input() {
    try {
      for (;;) yield await Promise.resolve(gzipSync(TEXT))
    } finally {
      released = true
    }
  }
  for await (const _ of gunzipIfNeeded(input())) break
  await new Promise((resolve) => setImmediate(resolve))
  expect(released).toBe(true)
})
