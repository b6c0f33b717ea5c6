/** The journal on SQLite: the suite, its file, and several bridges at one file. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openConnection, findNetworkFileSystem } from '../../src/journal/connection.ts'
import { createFileJournal } from '../../src/journal/files.ts'
import { createLeaseJournal } from '../../src/journal/leases.ts'
import { openJournal } from '../../src/journal/open.ts'
import { createRecordJournal } from '../../src/journal/records.ts'
import { bindStore } from '../../src/journal/store.ts'
import { type Clock, systemClock } from '../../src/support/clock.ts'
import { accepted, journalSuite, planFile, planned, receiveFile, testClock } from '../suites/journal.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

let folder: string
let count = 0
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
})

beforeEach(() => {
  path = join(folder, `${++count}`, 'journal.db')
})

afterAll(() => rm(folder, { recursive: true }))

journalSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
journalSuite('on disk', (clock) => openJournal({ path, clock }))

describe('a journal file', () => {
  const open = (clock: Clock = testClock()) => openJournal({ path, clock })

  it('has the new version of a watch as soon as its reload is finished', async () => {
    const versions = ['before', 'after'].map((id) => ({ id, files: { 'dropbridge.yaml': id } }))
    const [before, after] = await Promise.all(
      versions.map((version) => openJournal({ path, clock: testClock(), version })),
    )
    await before?.saveHeartbeat('here/1/a', ['orders'])
    await after?.finishReload('here/1/a', 0)

    expect(await after?.listWatchers()).toMatchObject([{ version: 'after', reloads: 1 }])
    await Promise.all([before?.close(), after?.close()])
  })

  it('holds the work when it is opened again', async () => {
    const first = await open()
    const lease = await first.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await planFile(first, lease, 'a', [planned(1, 'PO-1')])
    await first.startAttempts(lease, { file: 'a' }, 1)
    await first.close()
    const second = await open()
    expect(await second.countRecords({ file: 'a' })).toEqual({ sending: 1 })
    await second.recoverAttempts(lease, { file: 'a' })
    expect(await second.listUncertainRecords({ file: 'a' }, 0, 10)).toMatchObject([{ naturalKey: 'PO-1' }])
    await second.close()
  })

  it('refuses every writing call of a bridge that another has taken over, and stays as it is', async () => {
    const clock = testClock()
    const late = await open(clock)
    const successor = await open(clock)
    const lease = await late.acquireLease('orders-in', 'bridge-1', 1_000, () => true)
    await planFile(late, lease, 'a', [planned(1, 'PO-1')])
    const [sending] = await late.startAttempts(lease, { file: 'a' }, 1)
    clock.advance(1_000)
    const taken = await successor.acquireLease('orders-in', 'bridge-2', 60_000, () => true)
    await expect(late.finishAttempts(lease, [accepted(sending!.id, '9')])).rejects.toMatchObject({
      code: 'lease-lost',
      message: 'Route orders-in has been taken over by another bridge.',
    })
    await expect(receiveFile(late, lease, 'b')).rejects.toMatchObject({ code: 'lease-lost' })
    expect(await successor.countRecords({ file: 'a' })).toEqual({ sending: 1 })
    expect(await successor.getFile('b')).toBeUndefined()
    await successor.recoverAttempts(taken, { file: 'a' })
    expect(await late.countRecords({ file: 'a' })).toEqual({ uncertain: 1 })
    await Promise.all([late.close(), successor.close()])
  })

  it('gives a route to one of two bridges', async () => {
    const journals = await Promise.all([open(), open()])
    const leases = await Promise.allSettled(
      journals.map((journal, number) =>
        journal.acquireLease('orders-in', `bridge-${number}`, 60_000, () => true),
      ),
    )
    expect(leases.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('finishes the calls in hand before it closes', async () => {
    const journal = await open()
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    const receiving = journal.startClaims(lease, [
      {
        id: 'a',
        folder: 'f',
        name: 'a.csv',
        size: 1,
        modifiedAt: 1,
      },
    ])
    await journal.close()
    await receiving
    const again = await open()
    expect(await again.getFile('a')).toMatchObject({ name: 'a.csv' })
    await again.close()
  })

  it('is made once when several connections open it new at once', async () => {
    const journals = await Promise.all(Array.from({ length: 8 }, () => open()))
    const lease = await journals[0]!.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await receiveFile(journals[0]!, lease, 'a')
    expect(await journals[7]!.getFile('a')).toMatchObject({ state: 'received' })
    await Promise.all(journals.map((journal) => journal.close()))
    const database = openDatabase(path, { readonly: true })
    const steps = database.prepare('select name from migration order by id').pluck().all()
    expect(steps.filter((name) => name === 'first')).toEqual(['first'])
    expect(new Set(steps).size).toBe(steps.length)
    database.close()
  })

  it('is made once when several processes open it new at once', async () => {
    // Of the built program: from the sources, they take long to start.
    const module = (name: string) => JSON.stringify(new URL(`../../dist/${name}`, import.meta.url).href)
    const script = `
      import { openJournal } from ${module('journal/open.js')}
      import { systemClock } from ${module('support/clock.js')}
      const journal = await openJournal({ path: process.argv[2], clock: systemClock })
      await journal.acquireLease('route-' + process.pid, 'me', 1000, () => true)
      await journal.close()`
    const file = join(folder, 'opener.mjs')
    await writeFile(file, script)
    const run = () =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [file, path], { stdio: ['ignore', 'ignore', 'inherit'] })
        child.on('close', resolve)
      })
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0])
    const journal = await openJournal({ path, clock: systemClock })
    expect(await journal.summarizeRoutes()).toHaveLength(3)
    await journal.close()
  })

  it.each(['deleted', 'replaced'])('takes nothing more once it was %s while it is open', async (fate) => {
    const journal = await open()
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await receiveFile(journal, lease, 'a')
    await rm(path)
    if (fate === 'replaced') await writeFile(path, '')

    await expect(receiveFile(journal, lease, 'b')).rejects.toMatchObject({
      code: 'journal-missing',
      message: expect.stringMatching(/journal\.db was deleted or replaced while it was in use/),
    })
    await journal.close()
  })

  it('keeps 8 MiB of its pages in memory, whether it is new or was there', async () => {
    const module = (name: string) => JSON.stringify(new URL(`../../dist/${name}`, import.meta.url).href)
    const script = `
      import { sql } from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve('kysely')).href)}
      import { openConnection } from ${module('journal/connection.js')}
      import { systemClock } from ${module('support/clock.js')}
      const { db } = await openConnection(process.argv[2], systemClock)
      const before = process.memoryUsage.rss()
      await sql\`create table if not exists texts (text blob)\`.execute(db)
      for (let i = 0; i < 100; i++) await sql\`insert into texts values (zeroblob(1500000))\`.execute(db)
      await sql\`select count(*) from texts where text = zeroblob(1)\`.execute(db)
      process.stdout.write(String(Math.round((process.memoryUsage.rss() - before) / 1024 / 1024)))
      await db.destroy()`
    const file = join(folder, 'pages.mjs')
    await mkdir(join(folder, 'memory'))
    await writeFile(file, script)
    const readGrowth = () =>
      Number(
        spawnSync(process.execPath, [file, join(folder, 'memory/journal.db')], { encoding: 'utf8' }).stdout,
      )
    const growth = [readGrowth(), readGrowth()]
    // With what else a process needs.
    for (const mib of growth) {
      expect(mib).toBeGreaterThan(4)
      expect(mib).toBeLessThan(24)
    }
  })

  it('has the tables that are written down', async () => {
    const journal = await open()
    await journal.close()
    const database = openDatabase(path, { readonly: true })
    const statements = database
      .prepare(`select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name`)
      .pluck()
      .all()
    database.close()
    await expect(`${statements.join(';\n\n')};\n`).toMatchFileSnapshot('schema.sql')
  })

  it('of the first version is brought up to date, goes on with its files, and its chain still agrees', async () => {
    const before = await open()
    const lease = await before.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await receiveFile(before, lease, 'a')
    await before.close()
    const database = openDatabase(path)
    database.exec('drop table pauses; drop table corrections; alter table bodies drop column cents')
    database.exec('drop index records_accepted_by_id; drop index records_uncorrected_by_file')
    database.exec('alter table files drop column record_total; alter table decisions drop column via')
    database.exec('drop index records_held_by_key; delete from migration where id > 1')
    database.close()

    const journal = await open()
    expect(await journal.getFile('a')).toMatchObject({ state: 'received' })
    await journal.markFilePlanned(lease, 'a', {
      keyColumns: [],
      headerLines: 1,
      encoding: 'utf-8',
      keyed: [],
      total: 2,
    })
    expect(await journal.markFileSubmitted(lease, 'a')).toBe(false)
    expect(await journal.getFile('a')).toMatchObject({ state: 'planned', recordTotal: 2 })
    expect((await journal.verifyChain({})).findings).toEqual([])
    await journal.close()
  })

  it('of an earlier version keeps its decisions and corrections', async () => {
    const before = await open()
    const lease = await before.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await receiveFile(before, lease, 'a')
    await before.close()
    const database = openDatabase(path)
    database.exec(`insert into decisions values (7, 'a', null, 'correct', 'Ada', 'two rows', 1, 0, 'console');
      insert into corrections values (7, 'a', 'orders-in', 'inbox', 'a.rejects.csv', 'x', 'y', 2, null, null);
      drop table pauses; drop index records_accepted_by_id; drop index records_uncorrected_by_file; alter table bodies drop column cents; delete from migration where id > 5`)
    database.close()

    const journal = await open()
    expect(await journal.listCorrections('a', 9)).toMatchObject([{ id: 7, by: 'Ada', leftAt: 2 }])
    await journal.close()
    const after = openDatabase(path, { readonly: true })
    expect(after.pragma('foreign_key_check')).toEqual([])
    after.close()
  })

  it('keeps a write-ahead log, and no row that refers to nothing', async () => {
    const journal = await open()
    await journal.close()
    const database = openDatabase(path, { readonly: true })
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.pragma('foreign_key_check')).toEqual([])
    database.close()
  })

  it('is refused when a newer version wrote it', async () => {
    await (await open()).close()
    const database = openDatabase(path)
    database.prepare(`insert into migration (id, name, applied_at) values (99, 'later', 0)`).run()
    database.close()
    await expect(open()).rejects.toMatchObject({
      code: 'journal-newer',
      message: expect.stringMatching(/^The journal has tables of version 99, .* knows only \d+\.$/),
    })
  })

  it('is refused below a file, with the path to correct', async () => {
    await mkdir(join(path, '..', '..'), { recursive: true })
    await rm(join(path, '..'), { recursive: true, force: true })
    await writeFile(join(path, '..'), 'no folder')
    await expect(open()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The journal cannot be opened: .* is a file, or a folder above it is one\.$/,
      ),
      fix: 'Move that file away, or write another path in `journal`.',
    })
  })

  it('is refused when it is not a database', async () => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, 'PO Number,Qty\n'.repeat(1000))
    await expect(open()).rejects.toMatchObject({
      code: 'journal-damaged',
      message: `The journal ${path} cannot be opened: file is not a database`,
      cause: { code: 'SQLITE_NOTADB' },
    })
  })

  it('is refused when it is damaged', async () => {
    await (await open()).close()
    const file = await openFile(path, 'r+')
    await file.write(Buffer.alloc(4000, 0xff), 0, 4000, 100)
    await file.close()
    await expect(open()).rejects.toMatchObject({
      code: 'journal-damaged',
      cause: { code: 'SQLITE_CORRUPT' },
    })
  })

  it('is refused when it is the database of another program', async () => {
    await mkdir(join(path, '..'), { recursive: true })
    const database = openDatabase(path)
    database.exec('create table customers (id integer primary key)')
    database.close()
    await expect(open()).rejects.toMatchObject({ code: 'journal-unusable' })
    const after = openDatabase(path, { readonly: true })
    expect(after.prepare('select name from sqlite_schema').pluck().all()).toEqual(['customers'])
    after.close()
  })

  it('is refused when a folder is in its place', async () => {
    await mkdir(path, { recursive: true })
    await expect(open()).rejects.toMatchObject({ code: 'journal-unusable' })
  })

  it('is refused when its folder cannot be made', async () => {
    await mkdir(join(path, '..', '..'), { recursive: true })
    await writeFile(join(path, '..'), 'a file')
    await expect(open()).rejects.toMatchObject({ code: 'journal-unusable' })
  })

  it('says that the disk is full, and keeps what it has', async () => {
    await (await open()).close()
    const clock = testClock()
    const { db } = await openConnection(path, clock)
    const bound = bindStore({ db, clock, path, isInPlace: () => true })
    const journal = {
      ...createLeaseJournal(bound),
      ...createFileJournal(bound),
      ...createRecordJournal(bound),
    }
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await journal.startClaims(lease, [{ id: 'a', folder: 'f', name: 'a.csv', size: 1, modifiedAt: 1 }])
    await journal.markFileReceived(lease, 'a', { sha256: 'h', bytes: 1 })
    await journal.addRecords(lease, 'a', [planned(1, 'PO-1')])
    await sql`pragma max_page_count = 40`.execute(db)
    const large = planned(2, 'PO-2', { body: 'x'.repeat(200_000) })
    await expect(journal.addRecords(lease, 'a', [large])).rejects.toMatchObject({
      code: 'cannot-write',
      cause: { code: 'SQLITE_FULL' },
    })
    await journal.addRecords(lease, 'a', [planned(2, 'PO-2')])
    expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 2 })
    await db.destroy()
  })

  it('reports that another program keeps it locked', async () => {
    const clock = { ...testClock(), sleep: () => Promise.resolve() }
    const journal = await open(clock)
    const other = openDatabase(path)
    other.exec('begin immediate')
    await expect(journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)).rejects.toMatchObject({
      code: 'journal-busy',
      message: `The journal ${path} failed: database is locked.`,
    })
    expect(await journal.summarizeRoutes()).toEqual([])
    other.exec('rollback')
    other.close()
    expect(await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)).toMatchObject({
      token: 1,
    })
    await journal.close()
  })

  it.each([
    ['/srv/share', 0x6969, 'NFS'],
    ['/srv/share', 0x517b, 'SMB'],
    ['/srv/share', 0xff534d42, 'CIFS'],
    ['/srv/share', -11317950, 'CIFS'],
    ['/srv/share', 0xfe534d42, 'SMB'],
    ['\\\\server\\share', 0, 'a Windows share'],
    ['/srv/disk', 0xef53, undefined],
  ])('in %s of type %i is on %s', (place, type, name) => {
    expect(findNetworkFileSystem(place, type)).toBe(name)
  })
})
