import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolderWatcher } from '../../../src/app/watch/inbox-watch.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

async function openWatcher() {
  const path = join(await tempFolder(), 'inbox')
  const troubles: string[] = []
  let changes = 0
  const onChange = () => void changes++
  const watcher = createFolderWatcher({
    path,
    onChange,
    onStarted: onChange,
    onUnavailable: (why) => void troubles.push(why),
  })
  onTestFinished(() => watcher.close())
  const nextChange = async (act: () => Promise<unknown>) => {
    const before = changes
    await act()
    while (changes === before) await new Promise((resolve) => setTimeout(resolve, 10))
    // The change before may still cause events for a moment.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { path, watcher, troubles, nextChange, changes: () => changes }
}

test('a watcher reports a change when it starts, and when a file comes, grows or is renamed into the folder', async () => {
  const { path, watcher, nextChange, changes, troubles } = await openWatcher()
  await mkdir(path)
  await nextChange(() => watcher.ensureStarted())
  await nextChange(() => writeFile(join(path, 'a.csv'), 'one'))
  await nextChange(() => writeFile(join(path, 'a.csv'), 'another'))
  await writeFile(join(path, '..', 'b.csv'), 'one')
  await nextChange(() => rename(join(path, '..', 'b.csv'), join(path, 'b.csv')))
  const before = changes()
  await watcher.ensureStarted()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect({ changes: changes(), troubles }).toEqual({ changes: before, troubles: [] })
})

test('a watcher starts anew when another folder has taken the name', async () => {
  const { path, watcher, nextChange, troubles } = await openWatcher()
  await mkdir(path)
  await nextChange(() => watcher.ensureStarted())
  await rm(path, { recursive: true })
  await mkdir(path)
  await nextChange(() => watcher.ensureStarted())
  await nextChange(() => writeFile(join(path, 'a.csv'), 'one'))
  expect(troubles).toEqual([])
})

test('a folder that cannot be watched is reported once, however often it is tried', async () => {
  const { watcher, troubles } = await openWatcher()
  await watcher.ensureStarted()
  await watcher.ensureStarted()
  expect(troubles.length).toBe(1)
  expect(troubles[0]).toContain('no such file or directory')
})
