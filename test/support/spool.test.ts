/** Blobs that are on the disk before the bridge relies on them. */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSpool } from '../../src/support/spool.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const bytes = (text: string) => [Buffer.from(text)]

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

test('a blob comes back byte for byte, with its size and its hash', async () => {
  const spool = await openSpool(join(await tempFolder(), 'not', 'there', 'yet'))

  const blob = await spool.put('a.in', [Buffer.from('one,'), Buffer.from(''), Buffer.from('zwölf\r\n')])

  expect(blob).toEqual({
    bytes: 12,
    sha256: createHash('sha256').update('one,zwölf\r\n').digest('hex'),
  })
  expect(await textOf(spool.read('a.in'))).toBe('one,zwölf\r\n')
})

test('a blob that is not flushed comes back like any other, is whole or not there, and takes the place of an earlier one', async () => {
  const folder = await tempFolder()
  const spool = await openSpool(folder)
  async function* breaking() {
    yield Buffer.from('half')
    await Promise.reject(new Error('the share is gone'))
  }

  const blob = await spool.putUnflushed('a.results', bytes('first'))
  await expect(spool.putUnflushed('a.results', breaking())).rejects.toThrow('the share is gone')

  expect(blob).toEqual({ bytes: 5, sha256: createHash('sha256').update('first').digest('hex') })
  expect(await textOf(spool.read('a.results'))).toBe('first')
  await spool.putUnflushed('a.results', bytes('second'))
  expect(await textOf(spool.read('a.results'))).toBe('second')
  expect(await readdir(folder)).toEqual(['a.results'])
})

test('has reports whether a blob is there', async () => {
  const spool = await openSpool(await tempFolder())
  await spool.put('a.in', bytes('x'))

  expect([await spool.has('a.in'), await spool.has('b.in')]).toEqual([true, false])
})

test('a second blob of the same name takes the place of the first', async () => {
  const spool = await openSpool(await tempFolder())
  await spool.put('a.in', bytes('a long first text'))

  await spool.put('a.in', bytes('second'))

  expect(await textOf(spool.read('a.in'))).toBe('second')
  expect(await spool.list()).toEqual(['a.in'])
})

test('a blob whose source breaks off is not there, and the earlier one still is', async () => {
  const folder = await tempFolder()
  const spool = await openSpool(folder)
  await spool.put('a.in', bytes('whole'))
  async function* breaking() {
    yield Buffer.from('half')
    await Promise.reject(new Error('the share is gone'))
  }

  await expect(spool.put('a.in', breaking())).rejects.toThrow('the share is gone')

  expect(await textOf(spool.read('a.in'))).toBe('whole')
  expect(await readdir(folder)).toEqual(['a.in'])
})

test('a half-written blob of a crash is never listed, and is gone when the spool is opened again', async () => {
  const folder = await tempFolder()
  const first = await openSpool(folder)
  await first.put('a.in', bytes('whole'))
  await writeFile(join(folder, 'b.out.writing'), 'half')

  const listed = await first.list()
  await openSpool(folder)

  expect(listed).toEqual(['a.in'])
  expect(await readdir(folder)).toEqual(['a.in'])
})

test.each(['../a', 'a/b', String.raw`a\b`, '.hidden', '', '..', 'a b', 'a\0b'])(
  'the name %j is refused, because it could lead out of the folder',
  async (name) => {
    const folder = await tempFolder()
    const spool = await openSpool(join(folder, 'spool'))

    expect(() => spool.put(name, bytes('x'))).toThrow('not a spool name')
    expect(await readdir(folder)).toEqual(['spool'])
  },
)

test('a blob that is gone when it is read is reported to its reader, and to no caller before', async () => {
  const spool = await openSpool(await tempFolder())
  const reading = spool.read('gone')
  await new Promise((resolve) => setTimeout(resolve, 50)) // an error without a listener would fail the whole run

  await expect(reading[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a blob is removed, and removing it again is fine', async () => {
  const spool = await openSpool(await tempFolder())
  await spool.put('a.in', bytes('x'))

  await spool.remove('a.in')
  await spool.remove('a.in')

  expect(await spool.list()).toEqual([])
})

test('a folder that cannot be made or written is reported with the exit code for disks', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'file'), 'in the way')

  await expect(openSpool(join(folder, 'file', 'spool'))).rejects.toMatchObject({
    code: 'cannot-write',
    exit: 74,
  })

  // Root may write anywhere.
  if (process.getuid?.() === 0) return
  await mkdir(join(folder, 'closed'))
  const spool = await openSpool(join(folder, 'closed'))
  await chmod(join(folder, 'closed'), 0o500)
  await expect(spool.put('a.in', bytes('x'))).rejects.toMatchObject({ code: 'cannot-write' })
})

test('the path of a blob is where its bytes are', async () => {
  const spool = await openSpool(await tempFolder())

  await spool.put('a.in', bytes('here'))

  expect(await readFile(spool.path('a.in'), 'utf8')).toBe('here')
})

test('a spool that is opened after its lease was lost keeps what its successor is writing', async () => {
  const folder = await tempFolder()
  const successor = await openSpool(folder)
  let goOn = (): void => undefined
  const waits = new Promise<void>((resolve) => (goOn = resolve))
  async function* slowly() {
    yield Buffer.from('a,')
    await waits
    yield Buffer.from('b\n')
  }
  const writing = successor.put('f1.in', slowly())
  while ((await readdir(folder)).length === 0) await new Promise((resolve) => setImmediate(resolve))

  await expect(openSpool(folder, () => Promise.reject(new Error('taken over')))).rejects.toThrow('taken over')
  goOn()

  expect(await writing).toMatchObject({ bytes: 4 })
  expect(await successor.list()).toEqual(['f1.in'])
})
