import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeNewFile } from '../../src/support/files.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text))
}

test('a new file holds all chunks, and nothing else is left beside it', async () => {
  const folder = await tempFolder()

  await writeNewFile(join(folder, 'a.csv'), chunks('A,B\n', '', '1,2\n'))

  expect(await readdir(folder)).toEqual(['a.csv'])
  expect(await readFile(join(folder, 'a.csv'), 'utf8')).toBe('A,B\n1,2\n')
})

test('a file that is there already is left as it is, even when it came while the new one was written', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'a.csv')
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('ours')
    await writeFile(path, 'theirs')
  }

  await expect(writeNewFile(path, slow())).rejects.toMatchObject({
    code: 'cannot-write',
    message: `${path} is there already, and nothing is overwritten`,
  })
  await expect(writeNewFile(path, chunks('ours'))).rejects.toMatchObject({ code: 'cannot-write' })
  expect(await readFile(path, 'utf8')).toBe('theirs')
  expect(await readdir(folder)).toEqual(['a.csv'])
})

test('an error while the chunks are made leaves no file, and passes through', async () => {
  const folder = await tempFolder()
  async function* breaking(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half')
    await Promise.reject(new Error('the list broke off'))
  }

  await expect(writeNewFile(join(folder, 'a.csv'), breaking())).rejects.toThrow('the list broke off')
  expect(await readdir(folder)).toEqual([])
})

test('a missing folder is reported as a failure to write', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'missing', 'a.csv')

  await expect(writeNewFile(path, chunks('x'))).rejects.toMatchObject({
    code: 'cannot-write',
    message: `cannot write ${path}`,
  })
})
