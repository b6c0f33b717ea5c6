/** Dismisses what needs no correction: rejected records, unusable files, delivered records that are not acknowledged. Changes no work, so it needs no lease. */
import type { DecisionEntry, Dismissal, OpenRejection } from '../domain/decision.ts'
import type { UnacknowledgedRecord } from '../domain/delivery.ts'
import type { FileEntry } from '../domain/file.ts'
import { isoTime } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { findSimilarName } from '../support/text.ts'
import type { BridgeContext } from './context.ts'
import { AMBIGUOUS_MAX, chooseOnly } from './decide.ts'

export interface DismissRequest extends Omit<Dismissal, 'record'> {
  /** A file by its name or id, or a record as `ROUTE/KEY`. */
  readonly what: string
}

export interface DismissResult {
  /** The file or delivery that the records belong to. */
  readonly file: Pick<FileEntry, 'id' | 'name' | 'route'>
  readonly decision: DecisionEntry
}

/** Throws `not-known` where nothing of that name waits for a person. */
export async function dismissRejected(
  { journal }: Pick<BridgeContext, 'journal'>,
  request: DismissRequest,
): Promise<DismissResult> {
  const { what, ...dismissal } = request
  const files = await journal.findFilesByName(what, AMBIGUOUS_MAX)
  const open: FileEntry[] = []
  for (const each of files) {
    if ((await journal.listRejectedFiles(1, each.id)).length > 0) open.push(each)
  }
  const message = `several files called ${what} wait for a correction; name the one that is meant by its id`
  const record = files.length === 0 ? await findRecord(journal, what) : undefined
  const file =
    record === undefined ? chooseOnly(open, message, describeFile) : await journal.getFile(record.file)
  const chosen = { ...dismissal, ...(record && { record: record.id }) }
  const decision = file && (await journal.dismissRejected(file.id, chosen))
  if (file !== undefined && decision !== undefined) return { file, decision }
  const delivered = await dismissDelivered(journal, request)
  if (delivered === undefined) throw await nothingOpenError(journal, what, files)
  return delivered
}

/**
 * Dismisses unacknowledged records of a delivery by its name or id, or one of them as `ROUTE/ID`; of an interchange also what its
 * partner refused, or did not answer.
 */
async function dismissDelivered(
  journal: Journal,
  { what, ...decider }: DismissRequest,
): Promise<DismissResult | undefined> {
  const all = await journal.listUnacknowledgedRecords(KNOWN_FILES_MAX)
  const one = all.find(({ route, apiId }) => `${route}/${apiId}` === what)
  const named = new Map<string, Pick<UnacknowledgedRecord, 'delivery' | 'name' | 'route'>>(
    all.filter(({ delivery, name }) => [delivery, name].includes(what)).map((each) => [each.delivery, each]),
  )
  const message = `several files called ${what} have such records; name the one that is meant by its id`
  for (const { id, name, route } of await journal.findDeliveriesByName(what, AMBIGUOUS_MAX))
    if (await journal.isAwaitingDecision(id)) named.set(id, { delivery: id, name, route })
  const chosen =
    one ?? chooseOnly([...named.values()], message, ({ delivery, route }) => `${delivery}: ${route}`)
  if (chosen === undefined) return undefined
  const { delivery: id, name, route } = chosen
  const record = one === undefined ? {} : { record: one.id }
  const decision = await journal.dismissUnacknowledged(id, { ...decider, ...record })
  return decision && { file: { id, name, route }, decision }
}

function describeFile({ id, receivedAt, claimedAt, route }: FileEntry): string {
  return `${id}: received ${isoTime(receivedAt ?? claimedAt)} on ${route}`
}

type Journal = BridgeContext['journal']

async function findRecord(journal: Journal, what: string): Promise<OpenRejection | undefined> {
  const slash = what.indexOf('/')
  const of = { route: what.slice(0, Math.max(slash, 0)), key: what.slice(slash + 1) }
  const exact = await journal.findRejectedRecords(AMBIGUOUS_MAX, of)
  const found =
    exact.length > 0 ? exact : await journal.findRejectedRecords(AMBIGUOUS_MAX, { ...of, isLoose: true })
  const message = `several records called ${of.key} wait for a correction; name the one that is meant by its number`
  return chooseOnly(
    found,
    message,
    ({ id, name, lines }) => `${of.route}/#${id}: ${name}, line or segment ${lines[0]?.[0] ?? ''}`,
  )
}

/** How many files are searched for a similar name. */
const KNOWN_FILES_MAX = 1000

async function nothingOpenError(
  journal: Journal,
  what: string,
  files: readonly FileEntry[],
): Promise<BridgeError> {
  const [file] = files
  const underWay = file === undefined ? 0 : (await journal.countRefused(file.id)).underWay
  if (file !== undefined && underWay > 0)
    return new BridgeError(
      'not-known',
      `nothing else of ${what} waits for a correction: ${underWay} of its records are corrected, and wait to be taken`,
      { fix: `Take them with \`dropbridge run ${file.route}\`, or dismiss one as ROUTE/KEY.` },
    )
  const decided = files.length === 1 ? await journal.listDecisions(files[0]?.id ?? '', 1) : []
  const [{ action, by, at, why } = {}] = decided
  if (action === 'dismiss' && at !== undefined)
    return new BridgeError('not-known', `${by} dismissed ${what} already, at ${isoTime(at)}: ${why}`, {
      fix: 'Nothing is left to do.',
    })
  const names = (await journal.listRejectedFiles(KNOWN_FILES_MAX)).map(({ name }) => name)
  const near = files.length > 0 ? undefined : findSimilarName(what, names)
  const message = `nothing of ${what} waits for a correction`
  const fix = 'See `dropbridge status`; name a FILE, or one record as ROUTE/KEY.'
  return new BridgeError('not-known', near === undefined ? message : `${message}; did you mean ${near}?`, {
    fix,
  })
}
