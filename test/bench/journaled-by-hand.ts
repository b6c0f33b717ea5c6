/**
 * The floor of the journal: one file, one operation, one table. The program plans the file whole, marks what it is about to send,
 * posts it, notes the results, all of it durable, and writes a result file. It can neither reconcile nor continue.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'
import { createBatchWriter } from '../../src/support/async.ts'
import { mappedByHand } from './by-hand.ts'
import type { Target } from './floors.ts'
import { timed, type Round } from './measure.ts'
import { inFolder, RETAILER } from './setting.ts'
import { type Database, openDatabase } from '../../src/support/sqlite.ts'

const PLANNED_AT_ONCE = 500
const BEGUN_AT_ONCE = 200
const RESULTS = { atMost: 200, afterMs: 20 }

export function postJournaledByHand(file: string, target: Target): Promise<Round> {
  return inFolder((folder) =>
    timed(async () => {
      const journal = openTable(join(folder, 'journal.db'))
      await plan(journal, file)
      await post(journal, target)
      await report(journal, join(folder, 'results.csv'))
      const { count } = journal
        .prepare(`select count(*) as count from records where state = 'accepted'`)
        .get() as {
        count: number
      }
      journal.close()
      return count
    }),
  )
}

function openTable(path: string): Database {
  const journal = openDatabase(path)
  journal.pragma('journal_mode = wal')
  journal.pragma('synchronous = FULL')
  journal.exec(`
    create table records (id integer primary key, natural_key text not null unique, body text not null, hash text not null,
      state text not null, began_at integer, http integer, api_id text);
    create index waiting on records (id) where state = 'planned'`)
  return journal
}

async function plan(journal: Database, file: string): Promise<void> {
  const insert = journal.prepare(
    `insert into records (natural_key, body, hash, state) values (?, ?, ?, 'planned')`,
  )
  const write = journal.transaction((bodies: readonly string[]) => {
    for (const body of bodies) {
      const { purchase_order_number: key } = JSON.parse(body) as { purchase_order_number: string }
      insert.run(key, body, createHash('sha256').update(body).digest('hex'))
    }
  })
  let bodies: string[] = []
  for await (const body of mappedByHand(file)) {
    bodies.push(body)
    if (bodies.length < PLANNED_AT_ONCE) continue
    write(bodies)
    bodies = []
  }
  write(bodies)
}

interface Begun {
  readonly id: number
  readonly body: string
}

async function post(journal: Database, { baseUrl, connections, token }: Target): Promise<void> {
  const pool = new Pool(baseUrl, { connections, pipelining: 1 })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const begin = journal.prepare(`update records set state = 'sending', began_at = ?
    where id in (select id from records where state = 'planned' order by id limit ${BEGUN_AT_ONCE}) returning id, body`)
  const end = journal.prepare(`update records set state = 'accepted', http = ?, api_id = ? where id = ?`)
  const results = createBatchWriter<[number, string, number]>(RESULTS, async (batch) => {
    journal.transaction(() => {
      for (const each of batch) end.run(...each)
    })()
  })
  let begun: Begun[] = []
  const next = (): Begun | undefined => {
    if (begun.length === 0) begun = (begin.all(Date.now()) as Begun[]).toReversed()
    return begun.pop()
  }
  const written: Promise<void>[] = []
  const worker = async () => {
    for (let record = next(); record !== undefined; record = next()) {
      const path = `/v1/retailers/${RETAILER}/orders/`
      const answer = await pool.request({ method: 'POST', path, headers, body: record.body })
      const made = (await answer.body.json()) as { id: number }
      if (answer.statusCode === 201) written.push(results.add([201, String(made.id), record.id]))
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await results.flush()
  await Promise.all(written)
  await pool.close()
}

async function report(journal: Database, path: string): Promise<void> {
  const rows = journal.prepare('select natural_key, state, http, api_id from records order by id').raw()
  await pipeline(function* () {
    yield '_record,_status,_http,_id\r\n'
    for (const row of rows.iterate()) yield `${(row as unknown[]).join(',')}\r\n`
  }, createWriteStream(path))
}
