/** Files, deliveries, documents and decisions as the chain says they are, against their tables. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import { decisionDigest, deliveryDigest, fileDigest } from './digests.ts'
import type { Findings } from './findings.ts'
import { idSet, type IdSet } from './id-set.ts'
import type { EventTable, Tables } from './schema.ts'
import type { Told } from './verify-check.ts'
import { turnCheck } from './verify-turns.ts'

interface Check {
  readonly tables: Kysely<Tables>
  readonly found: Findings
}

export function rowCheck(tables: Kysely<Tables>, found: Findings) {
  const check = { tables, found }
  const files = fileCheck(check)
  const deliveries = deliveryCheck(check)
  const documents = documentCheck(check)
  const decisions = decisionCheck(check)
  const turns = turnCheck(tables, found)
  return {
    async look(page: readonly Told[]): Promise<void> {
      await files.look(page)
      await deliveries.look(page)
      await documents.look(page)
      await decisions.look(page)
      await turns.look(page)
    },
    async finish(): Promise<void> {
      await files.finish()
      await deliveries.finish()
      await turns.finish()
    },
    compared: () => ({ files: files.compared(), deliveries: deliveries.compared() }),
  }
}

/** The events of a page by their subjects: of each the latest, where no later page told of it. */
function latest<Said>(
  page: readonly Told[],
  saidIn: (told: Told) => Said | undefined,
  isNew: (said: Said, event: EventTable) => boolean,
) {
  const subjects = new Map<string, { event: EventTable; said: Said }>()
  for (const told of page) {
    const said = saidIn(told)
    const { event } = told
    if (said !== undefined && event.subject !== null && isNew(said, event))
      subjects.set(event.subject, { event, said })
  }
  return subjects
}

function fileCheck({ tables, found }: Check) {
  const met = idSet()
  let older = 0
  const isNew = ({ number }: { readonly number: number }) => {
    const first = !met.has(number)
    met.add(number)
    return first
  }
  return {
    async look(page: readonly Told[]): Promise<void> {
      for (const { detail } of page) older = detail.before?.files.last ?? older
      const told = latest(page, ({ detail }) => detail.file, isNew)
      if (told.size === 0) return
      const rows = await tables
        .selectFrom('files')
        .selectAll()
        .where('id', 'in', [...told.keys()])
        .execute()
      const byId = new Map(rows.map((row) => [row.id, row]))
      for (const [id, { event, said }] of told) {
        const row = byId.get(id)
        if (row === undefined) found.add('file', id, `file ${id} is missing; it was ${said.state}`, event)
        else if (row.state !== said.state || row.outcome !== said.outcome) {
          const message = `file ${id} (${row.name}) is ${inWords(row)}, and was ${inWords(said)}`
          found.add('file', id, message, event)
        } else if (fileDigest(row) !== said.digest) {
          found.add(
            'file',
            id,
            `file ${id} (${row.name}) is not what it was: a name, time or hash differs`,
            event,
          )
        }
      }
    },
    async finish(): Promise<void> {
      const { rows } = await sql<{ number: number; id: string }>`
        select number, id from files where number > ${older}`.execute(tables)
      for (const { number, id } of rows) {
        if (!met.has(number)) found.add('file', id, `file ${id} was put there: no event tells of it`)
      }
    },
    compared: () => met.size(),
  }
}

function inWords({ state, outcome }: { readonly state: string; readonly outcome: string | null }): string {
  return outcome === null ? state : `${state} (${outcome})`
}

function deliveryCheck({ tables, found }: Check) {
  const met = new Map<string, IdSet>()
  let compared = 0
  let olderThan = 0
  const ofRoute = (route: string): IdSet => {
    const known = met.get(route) ?? idSet()
    met.set(route, known)
    return known
  }
  const isNew = ({ sequence }: { readonly sequence: number }, { route }: EventTable) => {
    const known = ofRoute(route ?? '')
    const first = !known.has(sequence)
    known.add(sequence)
    if (first) compared++
    return first
  }
  return {
    async look(page: readonly Told[]): Promise<void> {
      for (const { detail } of page) olderThan = detail.before?.deliveries.last ?? olderThan
      const told = latest(page, ({ detail }) => detail.delivery, isNew)
      if (told.size === 0) return
      const rows = await tables
        .selectFrom('deliveries')
        .selectAll()
        .where('id', 'in', [...told.keys()])
        .execute()
      const byId = new Map(rows.map((row) => [row.id, row]))
      for (const [id, { event, said }] of told) {
        const row = byId.get(id)
        const name = `delivery ${event.route ?? ''} ${said.sequence}`
        if (row === undefined) found.add('delivery', id, `${name} is missing; it was ${said.state}`, event)
        else if (row.state !== said.state) {
          found.add('delivery', id, `${name} (${row.name}) is ${row.state}, and was ${said.state}`, event)
        } else if (deliveryDigest(row) !== said.digest) {
          found.add(
            'delivery',
            id,
            `${name} (${row.name}) is not what it was: a name, time, count or hash differs`,
            event,
          )
        }
      }
    },
    async finish(): Promise<void> {
      const { rows } = await sql<{ id: string; route: string; sequence: number }>`
        select id, route, sequence from deliveries where composed_at > ${olderThan}`.execute(tables)
      for (const { id, route, sequence } of rows) {
        if (ofRoute(route).has(sequence)) continue
        found.add('delivery', id, `delivery ${route} ${sequence} was put there: no event tells of it`)
      }
    },
    compared: () => compared,
  }
}

function documentCheck({ tables, found }: Check) {
  const met = new Map<string, IdSet>()
  const isNew = (id: number, kind: string) => {
    const known = met.get(kind) ?? idSet()
    met.set(kind, known)
    const first = !known.has(id)
    known.add(id)
    return first
  }
  return {
    async look(page: readonly Told[]): Promise<void> {
      for (const { event, detail } of page) {
        const told = (detail.documents ?? []).filter(([id, kind]) => isNew(id, kind))
        if (told.length === 0) continue
        const batch = batchOf(told, {
          id: ([id]) => id,
          kind: ([, kind]) => kind,
          state: ([, , state]) => state,
        })
        const { rows } = await sql<{ id: number; kind: string; is: string | null; was: string }>`
          select batch.id, batch.kind, documents.state as "is", batch.state as was
          from ${batch} left join documents on documents.record_id = batch.id and documents.kind = batch.kind
          where documents.state is not batch.state`.execute(tables)
        for (const { id, kind, is, was } of rows) {
          const message = `the ${kind} of record ${id} is ${is ?? 'missing'}, and was ${was}`
          found.add('document', `${id} ${kind}`, message, event)
        }
      }
    },
  }
}

function decisionCheck({ tables, found }: Check) {
  return {
    async look(page: readonly Told[]): Promise<void> {
      for (const { event, detail } of page) {
        const { decision } = detail
        if (decision === undefined) continue
        const { id, action, digest } = decision
        const row = await tables.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst()
        if (row === undefined) found.add('decision', id, `decision ${id} (${action}) is missing`, event)
        else if (decisionDigest(row) !== digest) {
          found.add(
            'decision',
            id,
            `decision ${id} (${action}) is not what was decided, by whom, or why`,
            event,
          )
        }
      }
    },
  }
}
