/** Carries out a person's decision about held records. The journal notes the decision first; then the bridge finishes the file. */
import type { Configuration } from '../config/configuration.ts'
import { formatIntakeKey, isInboxKey } from '../config/edi.ts'
import type { Route } from '../config/routes.ts'
import type { DecisionAction, DecisionEntry, HeldFile, NewDecision } from '../domain/decision.ts'
import type { RefusedDelivery } from '../domain/interchange-journal.ts'
import type { Journal } from '../domain/journal.ts'
import { type FileEntry, partSuffix } from '../domain/file.ts'
import type { StateCounts } from '../domain/record.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { type InboundOutcome, resumeFile } from '../pipeline/inbound/inbound.ts'
import type { InboundContext } from '../pipeline/context.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, EXIT, type ExitCode, usageError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { quoteForShell, rankSimilarNames, unknownNameError } from '../support/text.ts'
import type { BridgeContext } from './context.ts'
import { withRouteLease } from './route-lease.ts'
import { runRoute } from './run-route.ts'

export interface DecisionRequest extends Omit<NewDecision, 'record'> {
  /** A file by its name or id, or a record as `ROUTE/KEY`. */
  readonly what: string
  /** Called when the journal has noted the decision, before its records are sent. */
  readonly onDecided?: (decision: DecisionEntry) => void
}

export interface DecisionResult {
  readonly file: FileEntry
  /** Left out when the decision applies to no held record of the file. */
  readonly decision?: DecisionEntry
  /** How many records of the decision are in each state. */
  readonly records: StateCounts
  readonly pass: InboundOutcome
  readonly held: readonly HeldFile[]
  /** How many records were sent and have no known answer; only where nothing was decided. */
  readonly unanswered?: number
  /** What of the file is refused and not corrected, and in which file; only where nothing was decided. */
  readonly refused?: { readonly records: number; readonly rejects?: string }
  readonly exit: ExitCode
}

/** What a person decided about a delivery whose partner refused documents. */
export interface DeliveryDecision {
  readonly delivery: Pick<RefusedDelivery, 'delivery' | 'name' | 'route'>
  readonly decision: DecisionEntry
  readonly exit: ExitCode
}

/** Throws `not-known` for an unknown file or record, and every failure that keeps the file from being finished. */
export async function decideHeldRecords(
  context: BridgeContext,
  { what, onDecided, ...request }: DecisionRequest,
  signal: AbortSignal,
): Promise<DecisionResult | DeliveryDecision> {
  const { journal, configuration } = context
  const refused = request.action === 'release' ? await findRefused(journal, what) : undefined
  if (refused !== undefined) return releaseRefused(context, refused, request, signal)
  const { file, record }: DecisionTarget = await findTarget(context, what, request.action)
  if (isInboxKey(file.route)) throw interchangesError(file, request.action)
  const route = getInboundRoute(configuration, file.route)
  if (!(await isDecidable(journal, file, request.action))) return buildNothingHeld(journal, file)
  let decision: DecisionEntry | undefined
  const work = async (parts: InboundContext): Promise<InboundOutcome> => {
    await finishPendingReport(parts, file.id)
    const chosen = { ...request, ...(record === undefined ? {} : { record }) }
    decision = await journal.applyDecision(parts.lease, file.id, chosen)
    if (decision !== undefined) onDecided?.(decision)
    return resumeFile(parts, file.id)
  }
  const result = await runRoute(context, route, signal, { inbound: work })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound', `${route.name} takes no files`)
  return buildDecisionResult(journal, file, decision, result.pass)
}

/** Whether anything of the file waits for the decision. Its journal knows it before its report is written. */
async function isDecidable(journal: Journal, { id }: FileEntry, action: DecisionAction): Promise<boolean> {
  if ((await journal.listHeldFiles(1, id)).length > 0) return true
  return action === 'discard' && (await journal.listWaitingFiles(1, id)).length > 0
}

/** The file is left as it is: a run continues it, which may take minutes. */
async function buildNothingHeld(journal: Journal, file: FileEntry): Promise<DecisionResult> {
  const { uncertain = 0, sending = 0 } = await journal.countRecords({ file: file.id })
  const pass = { route: file.route, summaries: [], reported: [], open: [], waiting: [] }
  const unanswered = uncertain + sending
  const [refused] = await journal.listRejectedFiles(1, file.id)
  return {
    file,
    records: {},
    pass,
    held: [],
    ...(unanswered === 0 ? {} : { unanswered }),
    ...(refused?.what === 'rejected' && {
      refused: omitUndefined({
        records: refused.records,
        rejects: refused.reportName && refused.reportName + partSuffix('rejects', file.name),
      }),
    }),
    exit: EXIT.rejects,
  }
}

/** Nothing of such a file is held itself: what no route takes of it waits to be dismissed. */
function interchangesError({ name, route }: FileEntry, action: DecisionAction): BridgeError {
  const message = `${name} came into the ${formatIntakeKey(route)}, of which nothing is held: there is nothing to ${action}`
  const fix = `Documents that no route takes: \`dropbridge dismiss ${quoteForShell(name)} --by NAME --why TEXT\`.`
  return new BridgeError('usage-wrong', message, { fix })
}

/** A delivery by its name or id, whose partner refused documents. */
async function findRefused(journal: Journal, what: string): Promise<RefusedDelivery | undefined> {
  const all = await journal.listRefusedDeliveries(KNOWN_KEYS_MAX)
  return chooseOnly(
    all.filter(({ delivery, name }) => what === delivery || what === name),
    `the partners refused documents of several files called ${what}; name the one that is meant by its id`,
    ({ delivery, route }) => `${delivery}: ${route}`,
  )
}

/** Its records go out with the next file of the route. */
async function releaseRefused(
  context: BridgeContext,
  { delivery: id, name, route }: RefusedDelivery,
  { by, why }: Omit<DecisionRequest, 'what' | 'onDecided'>,
  signal: AbortSignal,
): Promise<DeliveryDecision> {
  const { journal } = context
  const decision = await withRouteLease(context, route, signal, (lease) =>
    journal.releaseRefused(lease, id, { by, why }),
  )
  if (decision !== undefined) return { delivery: { delivery: id, name, route }, decision, exit: EXIT.ok }
  const fix = `Let the route write it anew; then: \`dropbridge dismiss ${quoteForShell(name)} --by NAME --why TEXT\`.`
  throw new BridgeError('not-repeatable', `the journal does not keep the records of ${name}, a report`, {
    fix,
  })
}

export async function buildDecisionResult(
  journal: Journal,
  file: FileEntry,
  decision: DecisionEntry | undefined,
  pass: InboundOutcome,
): Promise<DecisionResult> {
  const records = decision === undefined ? {} : await journal.countDecidedRecords(decision.id)
  const held = await journal.listHeldFiles(HELD_CODES_MAX, file.id)
  const shared = { file, records, pass, held }
  // Nothing that the person asked for is held.
  if (decision === undefined) return { ...shared, exit: EXIT.rejects }
  return { ...shared, decision, exit: chooseDecisionExitCode(decision.action, records, pass) }
}

/** A file has one row for each code of its held records. */
const HELD_CODES_MAX = 10

/** Finishes a half-written report first, because it says what was held before. Returns the file as it is then. */
export async function finishPendingReport(context: InboundContext, fileId: string): Promise<FileEntry> {
  const now = await context.journal.getFile(fileId)
  assert(now, `file ${fileId} is not in the journal`)
  if (now.state !== 'submitted' && now.state !== 'reported') return now
  await resumeFile(context, fileId)
  return (await context.journal.getFile(fileId)) ?? now
}

/** An earlier run reported the file already, so the code reflects only what was decided now. */
function chooseDecisionExitCode(
  action: DecisionEntry['action'],
  { rejected = 0, held = 0 }: StateCounts,
  pass: InboundOutcome,
): ExitCode {
  if (pass.open.length > 0) return EXIT.tryLater
  const isSentAgain = action === 'release' || action === 'resolve-absent'
  return isSentAgain && rejected + held > 0 ? EXIT.rejects : EXIT.ok
}

/** The file; and the journal's id of the record, when the person named one. */
type DecisionTarget = { readonly file: FileEntry; readonly record?: number }

function findTarget(context: BridgeContext, what: string, action: DecisionAction) {
  const { journal, configuration } = context
  const slash = what.indexOf('/')
  if (slash === -1) return findFileTarget(context, what, action)
  const route = what.slice(0, slash)
  const known = configuration.routes
    .filter(({ direction }) => direction === 'inbound')
    .map(({ name }) => name)
  if (known.includes(route)) return findRecordTarget(journal, { route, key: what.slice(slash + 1) })
  throw unknownNameError(`there is no inbound route "${route}"`, route, known)
}

/** How many files or records of one name a message lists. */
export const AMBIGUOUS_MAX = 20

async function findFileTarget(
  { journal, configuration }: BridgeContext,
  what: string,
  action: DecisionAction,
): Promise<DecisionTarget> {
  const files = await journal.findFilesByName(what, AMBIGUOUS_MAX)
  const [newest] = files
  if (newest === undefined) {
    const held = await journal.listHeldDeliveries(KNOWN_KEYS_MAX)
    const delivery = {
      fix: `dropbridge resolve ${quoteForShell(what)} --by NAME --why TEXT, with --delivered or --again.`,
    }
    if (held.some(({ id, name }) => what === id || what === name))
      throw new BridgeError('usage-wrong', `${what} is a held delivery`, delivery)
    const message = `no file "${what}" is known`
    for (const { name: route } of configuration.routes) {
      const [record] = await journal.listHeldRecords(1, { route, key: what, isLoose: true })
      if (record === undefined) continue
      const fix = `dropbridge ${action} ${quoteForShell(`${route}/${formatRecordKey(record)}`)} --by NAME --why TEXT`
      throw new BridgeError('not-known', `${message}; a record of ${route} has this key`, { fix })
    }
    const known = notHeldError(message, what, await findKnownRecords(journal, { key: what }))
    const isNothingHeld =
      (await journal.listHeldFiles(1)).length + (await journal.listWaitingFiles(1)).length === 0
    const fix = isNothingHeld
      ? `Nothing to ${action}: no record is held. \`dropbridge status\` shows the rest.`
      : undefined
    throw known ?? new BridgeError('not-known', `${message}; one record is named as ROUTE/KEY`, { fix })
  }
  const held: FileEntry[] = []
  for (const file of files) {
    const some = await journal.listHeldFiles(1, file.id)
    const waiting = action === 'discard' ? await journal.listWaitingFiles(1, file.id) : []
    if (some.length + waiting.length > 0) held.push(file)
  }
  const message = `records of several files called ${what} are held; name the one that is meant by its id`
  const describe = ({ id, receivedAt, claimedAt, route }: FileEntry) =>
    `${id}: received ${isoTime(receivedAt ?? claimedAt)} on ${route}`
  return { file: chooseOnly(held, message, describe) ?? newest }
}

/** Returns the only match, if any. Throws the message when there are several, of which a person must name one. */
export function chooseOnly<Each>(found: readonly Each[], message: string, describe: (each: Each) => string) {
  if (found.length <= 1) return found[0]
  throw usageError(
    message,
    'Write its id, the first word of its line here, in place of the name.',
    found.map(describe),
  )
}

async function findRecordTarget(journal: Journal, of: { route: string; key: string }) {
  const exact = await journal.listHeldRecords(AMBIGUOUS_MAX, of)
  const records =
    exact.length > 0 ? exact : await journal.listHeldRecords(AMBIGUOUS_MAX, { ...of, isLoose: true })
  const record = chooseOnly(
    records,
    `several records called ${of.key} are held; name the one that is meant by its number`,
    ({ id, name, lines }) => `${of.route}/#${id}: ${name}, line ${lines[0]?.[0] ?? ''}`,
  )
  if (record === undefined) {
    const message = `no record "${of.key}" of ${of.route} is held`
    const known = notHeldError(message, of.key, await findKnownRecords(journal, of))
    const held = await journal.listHeldRecords(KNOWN_KEYS_MAX)
    const keys = held.filter(({ route }) => route === of.route).map(formatRecordKey)
    throw known ?? unknownKeyError(message, of.key, keys)
  }
  const file = await journal.getFile(record.file)
  assert(file, `record ${record.id} is of no file`)
  return { file, record: record.id }
}

/** The incoming records with this key, in whatever state. */
export async function findKnownRecords(journal: Journal, { key, ...of }: { key: string; route?: string }) {
  const { records } = await journal.traceKey(key, { limit: AMBIGUOUS_MAX, ...of })
  return records.filter(({ direction, isMeant }) => direction === 'incoming' && isMeant)
}

/** Says in which state the newest record with the key is. */
function notHeldError(message: string, key: string, known: readonly TracedRecord[]) {
  if (known.length === 0) return undefined
  const { route = '', state } = known.at(-1) ?? {}
  const fix =
    state === 'uncertain'
      ? `dropbridge resolve ${quoteForShell(`${route}/${key}`)} --by NAME --why TEXT, with --accepted ID, --absent or --discard.`
      : `Nothing, if that is right: \`dropbridge trace ${quoteForShell(key)}\` shows what came of it.`
  return new BridgeError('not-known', `${message}; ${route}/${key} is ${state}`, { fix })
}

/** How many known keys an unknown key is compared with. */
export const KNOWN_KEYS_MAX = 1000

export function formatRecordKey({ id, keyValues }: { id: number; keyValues: readonly string[] }): string {
  return keyValues.filter((value) => value !== '').join(', ') || `#${id}`
}

/** Says how a key is written, and lists similar ones. */
export function unknownKeyError(message: string, key: string, known: readonly string[]): BridgeError {
  const names = [...new Set(known)]
  const bare = (text: string) => text.replaceAll(' ', '').toLowerCase()
  const matching = names.filter((name) => bare(name).split(',').includes(bare(key)))
  const alike = [...new Set([...matching, ...rankSimilarNames(key, names, SIMILAR_MAX)])].slice(
    0,
    SIMILAR_MAX,
  )
  const details = ['a key is what the cells of the record say, joined by ", ", as status shows it: ROUTE/KEY']
  if (alike.length > 0) details.push(`similar keys: ${alike.map((each) => `"${each}"`).join(', ')}`)
  return new BridgeError('not-known', message, { details })
}

const SIMILAR_MAX = 5

/** The command that continues the work of a route, or of an inbox of interchanges, which has no run of its own. */
export function formatRunOf(name: string): string {
  return isInboxKey(name) ? 'dropbridge run' : `dropbridge run ${name}`
}

export const ROUTE_GONE_FIX = 'Put the route back into the configuration, under that name.'

export function getInboundRoute({ routes }: Configuration, name: string): Route {
  const route = routes.find((each) => each.name === name)
  if (route?.direction === 'inbound') return route
  throw usageError(`the file came on the route ${name}, which is not in the configuration`, ROUTE_GONE_FIX)
}
