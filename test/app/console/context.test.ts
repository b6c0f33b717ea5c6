/** The journal as the console reads it: without ever writing, and again after it was away. */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openConsole } from '../../../src/app/console/context.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { openJournal } from '../../../src/journal/open.ts'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { asUser } from '../../fixtures/as-user.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { planFile, planned, testClock } from '../../suites/journal.suite.ts'

let path: string
const clock = testClock()

beforeEach(async () => {
  path = join(await tempFolder(), 'state', 'journal.db')
})

function open() {
  const configuration = { journal: { type: 'sqlite', path }, routes: [] } as unknown as Configuration
  const opened = openConsole({ configuration, clock })
  onTestFinished(() => opened.close())
  return opened
}

async function openBridge() {
  const bridge = await openJournal({ path, clock })
  onTestFinished(() => bridge.close())
  return bridge
}

describe('the journal that a console reads', () => {
  it('is not created, and is found once a bridge has made it', async () => {
    const console = open()
    await expect(console.getContext()).rejects.toMatchObject({ code: 'journal-absent' })
    expect(console.readVersion()).toBeUndefined()
    await openBridge()
    await expect(console.getContext()).rejects.toMatchObject({ code: 'journal-absent' })
    clock.advance(1_000)
    expect(await (await console.getContext()).journal.listRecentFiles(10)).toEqual([])
  })

  it('cannot be written, whatever is called', async () => {
    const bridge = await openBridge()
    const { journal } = await open().getContext()
    const before = await bridge.getHead()
    await expect(journal.acquireLease('orders', 'me', 1, () => true)).rejects.toThrow(/readonly/)
    await expect(journal.saveHeartbeat('me', [])).rejects.toThrow(/readonly/)
    expect(await bridge.getHead()).toEqual(before)
  })

  it('says when another connection committed, and shows what it wrote', async () => {
    const bridge = await openBridge()
    const console = open()
    const { journal } = await console.getContext()
    const before = console.readVersion()
    expect(console.readVersion()).toBe(before)
    const lease = await bridge.acquireLease('orders', 'bridge-1', 60_000, () => true)
    await planFile(bridge, lease, 'a', [planned(1, 'PO-1')])
    expect(console.readVersion()).not.toBe(before)
    expect((await journal.listRecentFiles(10)).map(({ id }) => id)).toEqual(['a'])
  })

  it('is read after a crash of its only writer, with what stands in the log beside it', async () => {
    const bridge = await openBridge()
    await bridge.saveHeartbeat('bridge-1', ['orders'])
    const crashed = join(await tempFolder(), 'journal.db')
    await copyFile(path, crashed)
    await copyFile(`${path}-wal`, `${crashed}-wal`)
    path = crashed
    const { journal } = await open().getContext()
    expect((await journal.listWatchers()).map(({ owner }) => owner)).toEqual(['bridge-1'])
  })

  it('is opened again when another file has its name', async () => {
    await (await openBridge()).saveHeartbeat('bridge-1', ['orders'])
    const console = open()
    expect(await (await console.getContext()).journal.listWatchers()).toHaveLength(1)
    for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
    await openBridge()
    expect(await (await console.getContext()).journal.listWatchers()).toEqual([])
  })

  it.each([
    ['insert into migration (id, name, applied_at) values (99, "later", 0)', 'journal-newer'],
    ['delete from migration where id > 1', 'journal-outdated'],
  ])('is refused in words after %s', async (statement, code) => {
    const bridge = await openJournal({ path, clock })
    await bridge.close()
    const database = openDatabase(path)
    database.exec(statement.replaceAll('"', "'"))
    database.close()
    const before = await readFile(path)
    await expect(open().getContext()).rejects.toMatchObject({ code })
    expect(before.equals(await readFile(path))).toBe(true)
  })

  it('is refused in words when it is damaged, or the file of another program', async () => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, 'no database at all, but longer than a header of SQLite would be'.repeat(20))
    await expect(open().getContext()).rejects.toMatchObject({ code: 'journal-damaged' })
    await rm(path)
    openDatabase(path).exec('create table theirs (id integer)').close()
    await expect(open().getContext()).rejects.toMatchObject({ code: 'journal-unusable' })
  })

  it('tells a user who may not write beside it how to run instead', async () => {
    await (await openJournal({ path, clock })).close()
    await chmod(path, 0o644)
    for (const folder of [join(path, '..'), join(path, '..', '..')]) await chmod(folder, 0o755)
    const failure = asUser(() => open().getContext())
    await expect(failure).rejects.toMatchObject({
      code: 'journal-unusable',
      fix: 'Run this as the user of the bridge, who may write into the folder of the journal.',
    })
  })
})
