/** Reads a file piece by piece, in as little memory as it needs. */
import { execFile } from 'node:child_process'
import { appendFile, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBytes, readFileBytes } from '../../src/support/files.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts)
}

async function fileOf(contents: Uint8Array | string): Promise<string> {
  const path = join(await tempFolder(), 'a.csv')
  await writeFile(path, contents)
  return path
}

test('any stretch of a file comes back byte for byte, over all its pieces', async () => {
  const contents = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * 7919) % 251))
  const file = await open(await fileOf(contents))
  const place = fc.integer({ min: 0, max: 600_010 })
  try {
    await fc.assert(
      fc.asyncProperty(place, fc.option(place, { nil: undefined }), async (from, until) => {
        const stretch = until === undefined ? { from } : { from, until: Math.max(from, until) }

        const found = await whole(readBytes(file, stretch))

        expect(found.equals(contents.subarray(stretch.from, stretch.until))).toBe(true)
      }),
    )
  } finally {
    await file.close()
  }
})

test('bytes that are written to the file while it is read come too', async () => {
  const path = await fileOf('one,')
  const found: string[] = []

  for await (const piece of readFileBytes(path)) {
    found.push(piece.toString())
    if (found.length < 3) await appendFile(path, 'more,')
  }

  expect(found.join('')).toBe('one,more,more,')
})

test('an empty file has no pieces, and a missing one throws when it is read and not before', async () => {
  expect(await whole(readFileBytes(await fileOf('')))).toHaveLength(0)

  const pieces = readFileBytes(join(await tempFolder(), 'gone.csv'))
  await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a small file takes little room, and a large one no more than a quarter of a megabyte at a time', async () => {
  const roomFor = async (size: number) => {
    const rooms: number[] = []
    for await (const { buffer } of readFileBytes(await fileOf(Buffer.alloc(size))))
      rooms.push(buffer.byteLength)
    return Math.max(...rooms)
  }

  // Node cuts small pieces out of a pool that all of them share: 8 KiB on Node 20, 64 KiB and a little more on Node 26.
  expect(await roomFor(300)).toBeLessThan(Buffer.poolSize * 2)
  expect(await roomFor(3_000_000)).toBe(256 * 1024)
})

test.skipIf(process.platform === 'win32')('a pipe is read to its end', async () => {
  const path = join(await tempFolder(), 'pipe')
  const run = promisify(execFile)
  await run('mkfifo', [path])

  const [found] = await Promise.all([
    whole(readFileBytes(path)),
    run('sh', ['-c', `printf 'a,b\\n' > '${path}'`]),
  ])

  expect(found.toString()).toBe('a,b\n')
})
