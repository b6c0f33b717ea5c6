/** Renames that survive a power cut, on folders of every kind. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renameDurably, syncFolder } from '../../src/support/durable.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

test('a file is moved to another folder whole, and is in one place only', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'to'))
  await writeFile(join(folder, 'a'), 'text')

  await renameDurably(join(folder, 'a'), join(folder, 'to', 'b'))

  expect(await readdir(folder)).toEqual(['to'])
  expect(await readFile(join(folder, 'to', 'b'), 'utf8')).toBe('text')
})

test('a file that is not there, or a folder that is not, is said with the code of the system', async () => {
  const folder = await tempFolder()

  await expect(renameDurably(join(folder, 'a'), join(folder, 'b'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(syncFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
})
