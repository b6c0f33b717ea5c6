/** Proving an inbound route: a file is dropped, and what its records came to is counted at the service and in the results. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InboundRoute } from '../../config/routes.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import { type Counted, type Finding, finding } from './findings.ts'
import { setInboundStage } from './inbound-stage.ts'
import { openOutlet } from './outlet.ts'
import { type Drop, type ReportSet, reportSets, setsAgainst } from './report-sets.ts'
import type { ResultLine } from './results-file.ts'
import type { ProofCase, Round } from './rounds.ts'
import type { Sample } from './sample.ts'
import type { Effect, Watch } from './witness.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { placeIn, type World } from './world.ts'

export interface InboundParts {
  readonly route: InboundRoute
  /** The same route with an inbox of its own: it gets a file of the same name, and its results go to the same folder. */
  readonly twin: InboundRoute
  /** The steps that have a mapping, the first one first. */
  readonly steps: readonly { readonly operation: InboundOperationName; readonly mapping: InboundMapping }[]
  readonly sample: Sample
}

/** What a file comes to when nothing goes wrong, by which all others of its size are judged. */
interface Baseline {
  readonly statuses: ReadonlyMap<number, string>
  readonly effects: number
  /** How often the same request may take effect: files may hold two boxes alike. */
  readonly alike: number
  /** Lines with an id that no effect had, as those of what was there before. */
  readonly unheard: number
  /** How many reports of each kind it has, by their suffix. */
  readonly kinds: ReadonlyMap<string, number>
}

/** The route alone, and beside its twin. */
export function inboundCases(parts: InboundParts): { readonly alone: ProofCase; readonly beside: ProofCase } {
  const { route, twin } = parts
  const baselines = new Map<number, Baseline>()
  return {
    alone: inboundCase(parts, [route], baselines),
    beside: inboundCase(parts, [route, twin], baselines),
  }
}

function inboundCase(
  parts: InboundParts,
  routes: readonly [InboundRoute, ...InboundRoute[]],
  baselines: Map<number, Baseline>,
): ProofCase {
  const [route, ...others] = routes
  return {
    route: route.name,
    names: [route.name, ...others.map(({ name }) => name)],
    saysTheSame: parts.sample.saysTheSame,
    async prepare(world, records): Promise<Round> {
      const number = world.ground.serial()
      const drops: Drop[] = []
      for (const each of routes) drops.push(await place(world, parts, { route: each, number, records }))
      const folder = placeIn(world, route.results.mailbox, route.results.folder)
      const outlet = openOutlet(folder, join(world.folder, 'taken', String(number)))
      const come = async (watch: Watch): Promise<Seen> => {
        return { watch, ...(await reportSets(drops, outlet.files())) }
      }
      return {
        watch: {},
        outlet,
        count: async (watch) => {
          const baseline = baselines.get(records)
          return baseline === undefined ? noCount() : counted(await come(watch), baseline)
        },
        asBaseline: async (watch) => {
          const seen = await come(watch)
          const known = baselines.get(records)
          if (known !== undefined) return counted(seen, known)
          const [set] = seen.sets
          if (set?.lines === undefined) return 'a run without any fault left no result file'
          const baseline = baselineOf(watch, set.lines, set.kinds)
          baselines.set(records, baseline)
          return whyUnprovable(set.lines) ?? counted(seen, baseline)
        },
      }
    },
  }
}

interface Placing {
  readonly route: InboundRoute
  /** Makes the name; files of one number are called alike. */
  readonly number: number
  readonly records: number
}

/** Puts a file in place, with what its records speak of. */
async function place(
  world: World,
  { steps, sample }: InboundParts,
  { route, number, records }: Placing,
): Promise<Drop> {
  const bytes = sample.file(records)
  const made = await Promise.all(
    steps.map(async ({ operation, mapping }) => ({
      operation,
      drafts: await sample.drafts(bytes, mapping),
    })),
  )
  await setInboundStage({ staging: world.staging, market: world.ground.market }, route, made)
  const name = nameFor(route, `proof${number}`)
  await drop(placeIn(world, route.from.mailbox, route.from.folder), name, bytes)
  return { route: route.name, name, text: Buffer.from(bytes).toString('latin1') }
}

/** A name that the route takes. */
function nameFor({ from: { match } }: InboundRoute, word: string): string {
  const name = match.includes('*') ? match.replace('*', word).replaceAll('*', '') : match
  return name.replaceAll('?', 'x')
}

/** Given at once to the whole file. */
async function drop(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true })
  const working = join(folder, `.${name}.part`)
  await writeFile(working, bytes)
  await rename(working, join(folder, name))
}

function noCount(): Counted {
  return { records: 0, findings: [], left: 0 }
}

function baselineOf(
  watch: Watch,
  lines: readonly ResultLine[],
  kinds: ReadonlyMap<string, number>,
): Baseline {
  const times = [...watch.effects.values()].map(({ applied }) => applied)
  return {
    statuses: new Map(lines.map(({ record, status }) => [record, status])),
    effects: times.reduce((sum, applied) => sum + applied, 0),
    alike: Math.max(1, ...times),
    unheard: withoutEffect(lines, [...watch.effects.values()]).length,
    kinds,
  }
}

function whyUnprovable(lines: readonly ResultLine[]): string | undefined {
  if (lines.some(({ status }) => status === 'accepted')) return undefined
  const [first] = lines
  const told = first === undefined ? '' : `: the first record is ${first.status} (${first.code})`
  return `not one record of its sample is accepted in a run without any fault${told}`
}

interface Seen {
  readonly watch: Watch
  readonly sets: readonly ReportSet[]
  /** Names of reports that speak of no file of the round. */
  readonly strays: readonly string[]
}

function counted({ watch, sets, strays }: Seen, baseline: Baseline): Counted {
  const effects = [...watch.effects.values()]
  const lines = sets.flatMap((set) => set.lines ?? [])
  const doubled = effects.flatMap((effect) => doublingOf(effect, baseline.alike))
  const wrongLines = sets.flatMap((set) => linesAgainst(set.lines ?? [], baseline, set.drop))
  const left = lines.filter((line) => isLeft(line, baseline))
  const there = effects.reduce((sum, { applied }) => sum + Math.min(applied, baseline.alike), 0)
  const missing = baseline.effects * sets.length - there - left.length
  const told = withoutEffect(lines, effects)
  const lost = Array.from({ length: Math.max(0, missing) }, (_, index) =>
    finding('lost', told[index]?.key ?? sets[0]?.drop.name ?? '', 'it had no effect at the service'),
  )
  const misled = told
    .slice(baseline.unheard * sets.length)
    .map(({ key, id }) =>
      finding('lost', key, `the results say accepted as ${id}, and no effect had that id`),
    )
  // One record may show several ways; it is lost once.
  const lostOnce = [lost, wrongLines, misled].reduce((most, each) =>
    each.length > most.length ? each : most,
  )
  const reports = [
    ...sets.flatMap((set) => setsAgainst(set, baseline.kinds)),
    ...strays.map((name) => finding('twice', name, 'it reports on no file of this round')),
  ]
  const findings = [...lostOnce, ...doubled, ...reports]
  return { records: baseline.statuses.size * sets.length, findings, left: left.length }
}

/**
 * What may be done again as often as one likes is not doubled by it. A second post counts whether the service took it or
 * refused it: another API would have taken it.
 */
function doublingOf({ endpoint, path, body, applied, again }: Effect, alike: number): Finding[] {
  if (ENDPOINTS[endpoint].kind !== 'create') return []
  const extra = Math.max(again, applied - 1) - (alike - 1)
  const what = `POST ${path} took effect ${applied} times, and came ${again} times after it had taken effect`
  return Array.from({ length: Math.max(0, extra) }, () => finding('doubled', keyIn(body), what))
}

/** What people call the record of a request. */
function keyIn(body: string): string {
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
  const told = ['purchase_order_number', 'order_id', 'tracking_number', 'invoice_number'].flatMap((field) => {
    const value = sent[field]
    if (typeof value === 'number') return [`${field} ${value}`]
    return typeof value === 'string' ? [value] : []
  })
  return told.length > 0 ? told.join(' ') : body.slice(0, 120)
}

function linesAgainst(lines: readonly ResultLine[], baseline: Baseline, { name }: Drop): Finding[] {
  const found = new Map<number, ResultLine[]>()
  for (const line of lines) found.set(line.record, [...(found.get(line.record) ?? []), line])
  return [...baseline.statuses].flatMap(([record, status]) => {
    const [line, second] = found.get(record) ?? []
    if (line === undefined)
      return [finding('lost', `record ${record} of ${name}`, 'it has no line in the results')]
    if (second !== undefined) return [finding('lost', line.key, 'it has more than one line in the results')]
    if (line.status === status || isLeft(line, baseline)) return []
    return [finding('lost', line.key, `the results say ${line.status} (${line.code}) instead of ${status}`)]
  })
}

/** Held because the API shows neither that it has it nor that it has not: then a person is told. */
function isLeft({ record, status, code }: ResultLine, { statuses }: Baseline): boolean {
  return (
    status === 'held' && statuses.get(record) !== 'held' && code.split(' | ').includes('outcome-unprovable')
  )
}

/** Lines that claim an effect which nobody heard of. */
function withoutEffect(lines: readonly ResultLine[], effects: readonly Effect[]): ResultLine[] {
  const made = new Set(effects.flatMap(({ ids }) => ids))
  return lines.filter(({ status, id }) => status === 'accepted' && id !== '' && !made.has(id))
}
