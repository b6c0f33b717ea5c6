/** Renames that survive a power cut, on folders of every kind. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolderDurably, renameDurably, syncFolder } from '../../src/support/files.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

test('a file is moved to another folder whole, and is in one place only', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'to'))
  await writeFile(join(folder, 'a'), 'text')

  await renameDurably(join(folder, 'a'), join(folder, 'to', 'b'))

  expect(await readdir(folder)).toEqual(['to'])
  expect(await readFile(join(folder, 'to', 'b'), 'utf8')).toBe('text')
})

test('a missing file or folder is reported with the code of the system', async () => {
  const folder = await tempFolder()

  await expect(renameDurably(join(folder, 'a'), join(folder, 'b'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(syncFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a folder is made with all that are missing above it, and one that is there stays as it is', async () => {
  const folder = await tempFolder()

  makeFolderDurably(join(folder, 'a', 'b', 'c'))
  await writeFile(join(folder, 'a', 'b', 'c', 'kept'), 'text')
  makeFolderDurably(join(folder, 'a', 'b', 'c'))

  expect(await readdir(join(folder, 'a', 'b', 'c'))).toEqual(['kept'])
})

test('a folder below a file is not made, and the code of the system is the reason', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'a'), 'text')

  expect(() => makeFolderDurably(join(folder, 'a', 'b'))).toThrow(
    expect.objectContaining({ code: 'ENOTDIR' }),
  )
})
