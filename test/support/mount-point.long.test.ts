import { execFile } from 'node:child_process'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isMountPoint } from '../../src/support/files.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const command = promisify(execFile)

test('a folder is a mount point while something is mounted there, whatever its name', async () => {
  const folder = join(await realpath(await tempFolder()), 'a share,\tand \\ more')
  const disk = await smallDisk(folder)
  await mkdir(join(folder, 'within'))

  expect([await isMountPoint(folder), await isMountPoint(join(folder, 'within'))]).toEqual([true, false])
  await disk.unmount()
  expect(await isMountPoint(folder)).toBe(false)
  expect(await isMountPoint('/')).toBe(true)
})

test('a part of the same disk that is mounted once more is seen, also with spaces in its name', async () => {
  const base = await realpath(await tempFolder())
  const [source, target] = [join(base, 'source'), join(base, 'the target')]
  for (const folder of [source, target]) await mkdir(folder)
  await command('mount', ['--bind', source, target])
  onTestFinished(async () => void (await command('umount', ['--lazy', target])))

  expect([await isMountPoint(target), await isMountPoint(source)]).toEqual([true, false])
})
