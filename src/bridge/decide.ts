/** Carrying out what a person decided about held records: noted first, then the file is brought to its end. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { DecisionAction, DecisionEntry, HeldFile, NewDecision } from '../domain/held.ts'
import type { FileEntry, Journal } from '../domain/journal.ts'
import type { StateCounts } from '../domain/record.ts'
import { passFile } from '../pipelines/inbound/inbound.ts'
import type { InboundPass } from '../pipelines/inbound/progress.ts'
import type { InboundParts } from '../pipelines/parts.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, EXIT, type ExitCode } from '../support/errors.ts'
import { didYouMean, nearestNames } from '../support/nearest.ts'
import { runRoute, type Workshop } from './run-route.ts'

export interface DecisionRequest extends Omit<NewDecision, 'record'> {
  /** A file by its name or id, or a record as `ROUTE/KEY`. */
  readonly what: string
}

export interface DecisionResult {
  readonly file: FileEntry
  /** Left out when nothing of the file was held that could be decided about so. */
  readonly decision?: DecisionEntry
  /** What became of the records of the decision. */
  readonly records: StateCounts
  /** What the file came to, as in a run. */
  readonly pass: InboundPass
  /** What of the file is still held. */
  readonly held: readonly HeldFile[]
  readonly exit: ExitCode
}

/** Throws `not-known` for what is not, and whatever keeps the file from being brought to its end. */
export async function decideHeld(
  shop: Workshop,
  { what, ...request }: DecisionRequest,
  signal: AbortSignal,
): Promise<DecisionResult> {
  const { journal, configuration } = shop
  const { file, record } = await targetOf(shop, what, request.action)
  const route = inboundRouteOf(configuration, file.route)
  let decision: DecisionEntry | undefined
  const work = async (parts: InboundParts): Promise<InboundPass> => {
    await reportedFirst(parts, file.id)
    const chosen = { ...request, ...(record === undefined ? {} : { record }) }
    decision = await journal.decide(parts.lease, file.id, chosen)
    return passFile(parts, file.id)
  }
  const result = await runRoute(shop, route, signal, { inbound: work })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound', `${route.name} takes no files`)
  return resultOf(journal, { file, action: request.action, decision, pass: result.pass })
}

interface Decided {
  readonly file: FileEntry
  readonly action: DecisionEntry['action']
  readonly decision: DecisionEntry | undefined
  readonly pass: InboundPass
}

export async function resultOf(
  journal: Journal,
  { file, action, decision, pass }: Decided,
): Promise<DecisionResult> {
  const records = decision === undefined ? {} : await journal.decidedRecords(decision.id)
  const held = await journal.heldFiles(CODES_MAX, file.id)
  const told = { file, records, pass, held }
  // What was asked for is not there.
  if (decision === undefined) return { ...told, exit: EXIT.rejects }
  return { ...told, decision, exit: exitFor(action, records, pass) }
}

/** A file has a row for every code of what is held. */
const CODES_MAX = 10

/** A report that is half written says what was held before: it is finished first. Gives the file as it is then. */
export async function reportedFirst(parts: InboundParts, fileId: string): Promise<FileEntry> {
  const now = await parts.journal.file(fileId)
  assert(now, `file ${fileId} is not in the journal`)
  if (now.state !== 'submitted' && now.state !== 'reported') return now
  await passFile(parts, fileId)
  return (await parts.journal.file(fileId)) ?? now
}

/** What an earlier run told of the file is not told again: only what was decided about now. */
function exitFor(
  action: DecisionEntry['action'],
  { rejected = 0, held = 0 }: StateCounts,
  pass: InboundPass,
): ExitCode {
  if (pass.open.length > 0) return EXIT.tryLater
  const isSentAgain = action === 'release' || action === 'settle-absent'
  return isSentAgain && rejected + held > 0 ? EXIT.rejects : EXIT.ok
}

interface Target {
  readonly file: FileEntry
  /** The journal's id of the record. */
  readonly record?: number
}

function targetOf(
  { journal, configuration }: Workshop,
  what: string,
  action: DecisionAction,
): Promise<Target> {
  const slash = what.indexOf('/')
  if (slash === -1) return fileTarget(journal, what, action)
  const route = what.slice(0, slash)
  const known = configuration.routes
    .filter(({ direction }) => direction === 'inbound')
    .map(({ name }) => name)
  if (known.includes(route)) return recordTarget(journal, { route, key: what.slice(slash + 1) })
  throw new BridgeError('usage-wrong', `there is no inbound route "${route}".${didYouMean(route, known)}`)
}

/** How many files or records of a name are told apart in a message. */
const ALIKE_MAX = 20

async function fileTarget(journal: Journal, what: string, action: DecisionAction): Promise<Target> {
  const files = await journal.filesCalled(what, ALIKE_MAX)
  const [newest] = files
  if (newest === undefined) {
    const held = await journal.heldDeliveries(KNOWN_MAX)
    if (held.some(({ id, name }) => what === id || what === name))
      throw new BridgeError(
        'usage-wrong',
        `${what} is a file that waits to be delivered: dropbridge settle ${what}`,
      )
    throw new BridgeError('not-known', `no file "${what}" is known; one record is named as ROUTE/KEY`)
  }
  const held: FileEntry[] = []
  for (const file of files) {
    const some = await journal.heldFiles(1, file.id)
    const waiting = action === 'discard' ? await journal.waitingFiles(1, file.id) : []
    if (some.length + waiting.length > 0) held.push(file)
  }
  if (held.length > 1) {
    const ids = held.map(
      (file) => `${file.id}: received ${isoTime(file.receivedAt ?? file.claimedAt)} on ${file.route}`,
    )
    throw new BridgeError(
      'usage-wrong',
      `records of several files called ${what} are held; name the one that is meant by its id`,
      { details: ids },
    )
  }
  return { file: held[0] ?? newest }
}

async function recordTarget(journal: Journal, of: { route: string; key: string }): Promise<Target> {
  const exact = await journal.heldRecords(ALIKE_MAX, of)
  const records = exact.length > 0 ? exact : await journal.heldRecords(ALIKE_MAX, { ...of, isLoose: true })
  const [first] = records
  if (first === undefined) {
    const known = await journal.heldRecords(KNOWN_MAX)
    const keys = known.filter(({ route }) => route === of.route).map(keyOf)
    throw notKnown(`no record "${of.key}" of ${of.route} is held`, of.key, keys)
  }
  if (records.length > 1) {
    const ids = records.map(
      ({ id, name, lines }) => `${of.route}/#${id}: ${name}, line ${lines[0]?.[0] ?? ''}`,
    )
    throw new BridgeError(
      'usage-wrong',
      `several records called ${of.key} are held; name the one that is meant by its number`,
      { details: ids },
    )
  }
  const file = await journal.file(first.file)
  assert(file, `record ${first.id} is of no file`)
  return { file, record: first.id }
}

/** How many keys one that is not known is compared with. */
export const KNOWN_MAX = 1000

/** What a person calls a record. */
export function keyOf({
  id,
  keyValues,
}: {
  readonly id: number
  readonly keyValues: readonly string[]
}): string {
  return keyValues.filter((value) => value !== '').join(', ') || `#${id}`
}

/** Says how a key is written, and which ones are spelt much alike. */
export function notKnown(message: string, key: string, known: readonly string[]): BridgeError {
  const names = [...new Set(known)]
  const bare = (text: string) => text.replaceAll(' ', '').toLowerCase()
  const parts = names.filter((name) => bare(name).split(',').includes(bare(key)))
  const alike = [...new Set([...parts, ...nearestNames(key, names, NEAR_MAX)])].slice(0, NEAR_MAX)
  const details = ['a key is what the cells of the record say, joined by ", ", as status shows it: ROUTE/KEY']
  if (alike.length > 0) details.push(`spelt much alike: ${alike.map((each) => `"${each}"`).join(', ')}`)
  return new BridgeError('not-known', message, { details })
}

const NEAR_MAX = 5

export function inboundRouteOf({ routes }: Configuration, name: string): Route {
  const route = routes.find((each) => each.name === name)
  if (route?.direction === 'inbound') return route
  throw new BridgeError(
    'usage-wrong',
    `the file came on the route ${name}, which is not in the configuration any more: give it back its name`,
  )
}
