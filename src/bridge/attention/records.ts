/** Records that wait for a person, and work that nobody goes on with. */
import type { Concern } from '../../domain/attention.ts'
import { isoTime } from '../../support/clock.ts'
import type { HeldFile, UnsettledRecord } from '../../domain/held.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Looking } from './looking.ts'

/** So many files with held records are findings of their own. */
const HELD_MAX = 50

/** So many records without a known outcome are looked through. */
const UNSETTLED_MAX = 1000

/** A look-up or two may well fail; who waits longer than this needs help. */
const UNKNOWN_MS = 3_600_000

export async function recordConcerns({ journal, configuration, now }: Looking): Promise<Concern[]> {
  const held = await journal.heldFiles(HELD_MAX)
  const unknown = (await journal.unsettledRecords(UNSETTLED_MAX, {})).filter(
    ({ state, since }) => state === 'uncertain' && now - since > UNKNOWN_MS,
  )
  const configured = new Set(configuration.routes.map(({ name }) => name))
  const stranded = (await journal.unfinishedRoutes()).filter((route) => !configured.has(route))
  return [
    ...held.map(heldConcern),
    ...byFile(unknown).map(unknownConcern),
    ...stranded.map((route) => strandedConcern(route, now)),
    ...restoredConcerns(await journal.doubtfulRoutes()),
  ]
}

function restoredConcerns(routes: Awaited<ReturnType<Journal['doubtfulRoutes']>>): Concern[] {
  const [first] = routes
  if (first === undefined) return []
  const since = Math.min(...routes.map((each) => each.since))
  return [
    {
      code: 'journal-restored',
      subject: isoTime(since),
      since,
      message: `the journal was restored; new records of ${routes.map(({ route }) => route).join(', ')} are looked up before they are first sent`,
      cure: 'when no file from before it comes again: dropbridge restored --end --by NAME --why TEXT',
    },
  ]
}

function heldConcern({ route, name, file, code, records, since }: HeldFile): Concern {
  return {
    code: 'records-held',
    route,
    subject: `${name} (${file}) ${code}`,
    since,
    message: `${name}: ${records === 1 ? '1 record is' : `${records} records are`} held (${code})`,
    cure: `see \`dropbridge status\` and \`dropbridge explain ${code}\``,
  }
}

function byFile(records: readonly UnsettledRecord[]): UnsettledRecord[][] {
  const groups = new Map<string, UnsettledRecord[]>()
  for (const record of records) groups.set(record.file, [...(groups.get(record.file) ?? []), record])
  return [...groups.values()]
}

function unknownConcern(records: readonly UnsettledRecord[]): Concern {
  const [first] = records
  const { route = '', name = '', file = '', keyValues = [] } = first ?? {}
  const key = keyValues.find((value) => value !== '') ?? ''
  return {
    code: 'outcome-unknown',
    route,
    subject: `${name} (${file})`,
    since: Math.min(...records.map(({ since }) => since)),
    message: `${name}: ${records.length === 1 ? '1 record was' : `${records.length} records were`} sent and nobody knows whether the API has ${records.length === 1 ? 'it' : 'them'}; the first: ${key}`,
    cure: `run again; if it stays, look at the API and say what is there with \`dropbridge settle ${key}\``,
  }
}

function strandedConcern(route: string, since: number): Concern {
  return {
    code: 'route-unknown',
    route,
    subject: route,
    since,
    message: `the configuration has no route ${route} any more, and it has unfinished work`,
    cure: `give the route back its name, ${route}`,
  }
}
