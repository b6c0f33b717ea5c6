/**
 * The floor of the journal: one thread, one file, one operation. It uses the mapping of the built program and keeps its promise: keys
 * that conflict are found, an attempt is written before each request, and each transaction checks the lease and appends a chained
 * event. It plans the file whole, posts, notes the results and reports from the journal. It can neither reconcile nor continue.
 * Plain JavaScript over the built program, in a process of its own, as `pass-child.mjs`.
 */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'undici'
import { createCsvFormat } from '../../dist/formats/csv/format.js'
import { loadMapping } from '../../dist/mapping/load.js'
import { translateFile } from '../../dist/mapping-tools/translate-file.js'
import { createBatchWriter } from '../../dist/support/async.js'
import { openDatabase } from '../../dist/support/sqlite.js'

const PLANNED_AT_ONCE = 500
const BEGUN_AT_ONCE = 200
const RESULTS = { atMost: 200, afterMs: 20 }
const REPORTED_AT_ONCE = 1000
const LEASE_MS = 15_000

const sha256 = (text) => createHash('sha256').update(text).digest('hex')

/** A journal of four tables; `write` makes a transaction with the lease and an event. */
function openJournal(path) {
  const database = openDatabase(path)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = FULL')
  database.exec(`
    create table leases (route text primary key, token integer not null, until integer not null);
    create table records (id integer primary key, natural_key text not null unique, body text not null, hash text not null,
      state text not null, http integer, api_id text, attempts integer not null default 0);
    create index waiting on records (id) where state = 'planned';
    create table attempts (record_id integer not null references records (id), attempt integer not null, began_at integer not null,
      ended_at integer, http integer, result text, primary key (record_id, attempt)) without rowid;
    create table events (id integer primary key, at integer not null, kind text not null, detail text not null, hash text not null);
    insert into leases values ('orders', 1, 0)`)
  const extend = database.prepare(`update leases set until = ? where route = 'orders' and token = 1`)
  const append = database.prepare('insert into events (at, kind, detail, hash) values (?, ?, ?, ?)')
  let last = ''
  const write = database.transaction((kind, work) => {
    const now = Date.now()
    if (extend.run(now + LEASE_MS).changes !== 1) throw new Error('the lease is lost')
    const detail = JSON.stringify(work(now))
    last = sha256(`${last} ${now} ${kind} ${detail}`)
    append.run(now, kind, detail, last)
  })
  return { database, write }
}

async function plan({ database, write }, file, translator) {
  const insert =
    database.prepare(`insert into records (natural_key, body, hash, state) values (?, ?, ?, 'planned')
    on conflict (natural_key) do nothing`)
  const find = database.prepare('select hash from records where natural_key = ?').pluck()
  const conflicts = []
  const writeBatch = (batch) =>
    write('records-planned', () => {
      const hashes = createHash('sha256')
      for (const [key, body] of batch) {
        const hash = sha256(body)
        hashes.update(hash)
        if (insert.run(key, body, hash).changes === 0 && find.get(key) !== hash) conflicts.push(key)
      }
      return { records: batch.length, hashes: hashes.digest('hex') }
    })
  const { drafts } = await translateFile(file, createCsvFormat(), translator)
  let batch = []
  for await (const some of drafts) {
    for (const { body } of some) {
      batch.push([body.purchase_order_number, JSON.stringify(body)])
      if (batch.length < PLANNED_AT_ONCE) continue
      writeBatch(batch)
      batch = []
    }
  }
  writeBatch(batch)
  if (conflicts.length > 0) throw new Error(`${conflicts.length} keys have two versions`)
}

async function post({ database, write }, { baseUrl, connections, token }) {
  const pool = new Pool(baseUrl, { connections, pipelining: 1 })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const path = '/v1/retailers/1000/orders/'
  const begin = database.prepare(`update records set state = 'sending', attempts = attempts + 1
    where id in (select id from records where state = 'planned' order by id limit ${BEGUN_AT_ONCE}) returning id, body, attempts`)
  const attempt = database.prepare('insert into attempts (record_id, attempt, began_at) values (?, ?, ?)')
  const end = database.prepare(
    'update attempts set ended_at = ?, http = ?, result = ? where record_id = ? and attempt = ?',
  )
  const finish = database.prepare('update records set state = ?, http = ?, api_id = ? where id = ?')
  const results = createBatchWriter(RESULTS, async (batch) =>
    write('records-ended', (now) => {
      for (const { record, http, id } of batch) {
        const state = http === 201 ? 'accepted' : 'rejected'
        end.run(now, http, state, record.id, record.attempts)
        finish.run(state, http, id, record.id)
      }
      return { records: batch.length, ids: sha256(batch.map(({ record }) => record.id).join()) }
    }),
  )
  let begun = []
  const next = () => {
    if (begun.length === 0) {
      write('records-begun', (now) => {
        begun = begin.all()
        for (const { id, attempts } of begun) attempt.run(id, attempts, now)
        return { records: begun.length, first: begun[0]?.id }
      })
      begun.reverse()
    }
    return begun.pop()
  }
  const written = []
  const worker = async () => {
    for (let record = next(); record !== undefined; record = next()) {
      const answer = await pool.request({ method: 'POST', path, headers, body: record.body })
      const { id } = await answer.body.json()
      written.push(results.add({ record, http: answer.statusCode, id: String(id) }))
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await results.flush()
  await Promise.all(written)
  await pool.close()
}

async function report({ database, write }, path) {
  const page =
    database.prepare(`select id, natural_key, state, http, api_id, attempts from records where id > ?
    order by id limit ${REPORTED_AT_ONCE}`)
  const file = await open(path, 'w')
  await file.write('_record,_key,_status,_http,_id,_attempts\r\n')
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1).id)) {
    const lines = rows.map((row) => `${Object.values(row).join(',')}\r\n`)
    await file.write(lines.join(''))
  }
  await file.sync()
  await file.close()
  write('file-reported', () => ({ path }))
}

/** One pass of a new journal. Returns how many orders were accepted. */
async function pass({ file, folder, target }, translator) {
  const journal = openJournal(join(folder, 'journal.db'))
  await plan(journal, file, translator)
  await post(journal, target)
  await report(journal, join(folder, 'results.csv'))
  const count = journal.database
    .prepare(`select count(*) from records where state = 'accepted'`)
    .pluck()
    .get()
  journal.database.close()
  return count
}

async function measured(job) {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const count = await pass(job, translator)
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000, count }
}

const [mappingPath] = process.argv.slice(2)
const { translator } = await loadMapping(mappingPath)
process.on('message', (job) => void measured(job).then((round) => process.send(round)))
process.once('disconnect', () => process.exit())
process.send('ready')
