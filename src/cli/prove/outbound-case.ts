/** Proving an outbound route: records are made at the service, and where they stand in the delivered files is counted. */
import { join } from 'node:path'
import type { OutboundRoute } from '../../config/routes.ts'
import type { EndpointName } from '../../contract/endpoints.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { OutboundOperation } from '../../contract/outbound-operations.ts'
import type { Resource } from '../../domain/api.ts'
import type { Format } from '../../domain/format.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { type Counted, type Finding, finding } from './findings.ts'
import { openOutlet, textOf } from './outlet.ts'
import { setOutboundStage } from './outbound-stage.ts'
import type { ProofCase, Round } from './rounds.ts'
import type { Watch } from './witness.ts'
import { placeIn, type World } from './world.ts'

export interface OutboundParts {
  readonly route: OutboundRoute
  readonly mapping: OutboundMapping
  readonly format: Format
}

interface Expected {
  readonly id: string
  /** The bytes of its rows as they must stand in a file, one character for each. */
  readonly block: string
}

export function outboundCase(parts: OutboundParts): ProofCase {
  const { route } = parts
  const operation: OutboundOperation = OPERATIONS[route.operation]
  /** Records of earlier rounds must not come again either. */
  const known = new WeakMap<World, Map<string, Expected>>()
  return {
    route: route.name,
    names: [route.name],
    saysTheSame: false,
    async prepare(world, records): Promise<Round> {
      const earlier = known.get(world) ?? new Map<string, Expected>()
      known.set(world, earlier)
      const outlet = openOutlet(
        placeIn(world, route.to.mailbox, route.to.folder),
        join(world.folder, 'taken', String(world.ground.serial())),
      )
      await setOutboundStage(world, route, records)
      const expected = await expectedOf(world, parts, operation, earlier)
      const blocks = new Map(expected.map(({ id, block }) => [id, block]))
      const early: Finding[] = []
      const newTexts = () => outlet.files().map(textOf)
      const arrived = (endpoint: EndpointName, id: string) => {
        const block = blocks.get(id)
        if (endpoint !== operation.acknowledge || block === undefined) return
        if (newTexts().some((text) => timesIn(text, block) > 0)) return
        early.push(
          finding('early', `${route.operation} ${id}`, 'it was acknowledged before it stood in a whole file'),
        )
      }
      const count = async (watch: Watch): Promise<Counted> => {
        const seen = { expected, texts: newTexts(), watch, earlier: [...earlier.values()] }
        const found = countFiles(parts, operation, seen)
        for (const each of expected) earlier.set(each.id, each)
        return { records: expected.length, findings: [...found, ...early], left: 0 }
      }
      return {
        watch: { arrived },
        outlet,
        count,
        asBaseline: (watch) => {
          const none = 'the service has no record for it that its mapping could turn into rows'
          return expected.length === 0 ? Promise.resolve(none) : count(watch)
        },
      }
    },
  }
}

/** What is listed now and was not known before, each as the rows it must become. */
async function expectedOf(
  world: World,
  { route, mapping, format }: OutboundParts,
  operation: OutboundOperation,
  earlier: ReadonlyMap<string, Expected>,
): Promise<Expected[]> {
  const { composer } = mapping
  const writer = format.writer(composer.columns, composer.write)
  const call = {
    endpoint: operation.list,
    params: { [`${route.party.kind}_id`]: route.party.id },
    query: route.report?.select.fixed ?? operation.query,
  }
  const expected: Expected[] = []
  for await (const page of world.staging.as(route.party).list(call)) {
    for (const record of page) {
      const id = idOf(record)
      const composed = composer.rows(record)
      if (!('rows' in composed) || (route.report === undefined && earlier.has(id))) continue
      expected.push({ id, block: Buffer.from(writer.rows(composed.rows)).toString('latin1') })
    }
  }
  return expected
}

function idOf({ id }: Resource): string {
  return String(id)
}

interface Seen {
  readonly expected: readonly Expected[]
  readonly texts: readonly string[]
  readonly watch: Watch
  readonly earlier: readonly Expected[]
}

function countFiles(
  { route }: OutboundParts,
  operation: OutboundOperation,
  { expected, texts, watch, earlier }: Seen,
): Finding[] {
  const name = ({ id }: Expected) => `${route.operation} ${id}`
  // A report shows all there is each time: each of its files is judged by itself.
  if (route.report !== undefined) {
    if (texts.length === 0) return expected.map((each) => finding('lost', name(each), 'there is no report'))
    return texts.flatMap((text) => expected.flatMap((each) => placedWrongly(each, [text], name(each))))
  }
  const placed = expected.flatMap((each) => placedWrongly(each, texts, name(each)))
  const again = earlier
    .filter(({ block }) => texts.some((text) => timesIn(text, block) > 0))
    .map((each) => finding('twice', name(each), 'it was delivered in an earlier round and came again'))
  if (route.acknowledge === 'never') return [...placed, ...again]
  const heard = new Set(
    [...watch.effects.values()]
      .filter(({ endpoint, applied }) => endpoint === operation.acknowledge && applied > 0)
      .map(({ path }) => /\/(\d+)\/acknowledge\/$/.exec(path)?.[1] ?? ''),
  )
  const unheard = expected.filter(({ id }) => !heard.has(id))
  const silent = unheard.map((each) => finding('lost', name(each), 'it was never acknowledged'))
  return [...placed, ...again, ...silent]
}

function placedWrongly({ block }: Expected, texts: readonly string[], name: string): Finding[] {
  const times = texts.reduce((sum, text) => sum + timesIn(text, block), 0)
  if (times === 1) return []
  if (times === 0) return [finding('lost', name, 'it stands in no delivered file')]
  return [finding('twice', name, `it stands ${times} times in the delivered files`)]
}

/** How often the rows stand in a file, each time at the beginning of a line. */
function timesIn(text: string, block: string): number {
  let times = 0
  for (let at = text.indexOf(block); at !== -1; at = text.indexOf(block, at + block.length)) {
    if (at === 0 || /[\n\r\0]/.test(text[at - 1] ?? '')) times++
  }
  return times
}
