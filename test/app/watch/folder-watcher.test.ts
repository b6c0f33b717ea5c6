import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolderWatcher } from '../../../src/app/watch/folder-watcher.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

async function aBell() {
  const path = join(await tempFolder(), 'inbox')
  const troubles: string[] = []
  let rings = 0
  const onChange = () => void rings++
  const bell = createFolderWatcher({
    path,
    onChange,
    onStarted: onChange,
    onUnavailable: (why) => void troubles.push(why),
  })
  onTestFinished(() => bell.close())
  const nextRing = async (act: () => Promise<unknown>) => {
    const before = rings
    await act()
    while (rings === before) await new Promise((resolve) => setTimeout(resolve, 10))
    // What belongs to it may ring on for a moment.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { path, bell, troubles, nextRing, rings: () => rings }
}

test('a bell rings when it hangs, when a file comes, grows or is renamed in, and not for nothing', async () => {
  const { path, bell, nextRing, rings, troubles } = await aBell()
  await mkdir(path)
  await nextRing(() => bell.ensureStarted())
  await nextRing(() => writeFile(join(path, 'a.csv'), 'one'))
  await nextRing(() => writeFile(join(path, 'a.csv'), 'another'))
  await writeFile(join(path, '..', 'b.csv'), 'one')
  await nextRing(() => rename(join(path, '..', 'b.csv'), join(path, 'b.csv')))
  const before = rings()
  await bell.ensureStarted()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect({ rings: rings(), troubles }).toEqual({ rings: before, troubles: [] })
})

test('a bell is hung anew when the folder is another one of its name', async () => {
  const { path, bell, nextRing, troubles } = await aBell()
  await mkdir(path)
  await nextRing(() => bell.ensureStarted())
  await rm(path, { recursive: true })
  await mkdir(path)
  await nextRing(() => bell.ensureStarted())
  await nextRing(() => writeFile(join(path, 'a.csv'), 'one'))
  expect(troubles).toEqual([])
})

test('a folder that cannot be watched is reported once, however often it is tried', async () => {
  const { bell, troubles } = await aBell()
  await bell.ensureStarted()
  await bell.ensureStarted()
  expect(troubles.length).toBe(1)
  expect(troubles[0]).toContain('no such file or directory')
})
