/** Files that are replaced as a whole, such as the copy of a configuration. */
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { replaceFile } from '../../src/support/files.ts'
import { watchFlushes } from '../fixtures/flushes.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

test('the text is flushed before it gets the name of the file', async () => {
  const path = join(await tempFolder(), 'mark')
  await writeFile(path, 'old')
  const flushes = await watchFlushes()

  await replaceFile(path, 'new')

  // The file with this name now is the one that was flushed.
  expect(await flushes.count(path)).toBe(1)
  expect(await readFile(path, 'utf8')).toBe('new')
})

test('the file gets the permissions that are named, whatever it and a file that a crash left had', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'copy')
  await writeFile(path, 'old', { mode: 0o644 })
  const left = join(folder, `.copy.${process.pid}.writing`)
  await writeFile(left, 'half')
  await chmod(left, 0o644)

  await replaceFile(path, 'new', 0o600)

  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['copy'])
})

test('the old file stays when the new one cannot be written', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'folder-instead')
  await expect(replaceFile(join(path, 'copy'), 'new')).rejects.toThrow('ENOENT')

  await writeFile(join(folder, 'copy'), 'old')
  await expect(replaceFile(join(folder, 'copy', 'within'), 'new')).rejects.toThrow('ENOTDIR')
  expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('old')
})
