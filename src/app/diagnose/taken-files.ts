/** Explains a file that was taken: how far it is, or what came of it. */
import { countSets } from '../../domain/place.ts'
import { listWorkNames } from '../../config/configuration.ts'
import { formatIntakeKey, isInboxKey } from '../../config/edi.ts'
import { ALERTS } from '../../domain/alert.ts'
import { FILE_STATES, type FileEntry } from '../../domain/file.ts'
import type { InterchangeEntry } from '../../domain/interchange-journal.ts'
import type { Journal } from '../../domain/journal.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT } from '../../support/errors.ts'
import { nameFileInFix } from '../../support/text.ts'
import { createReason, type Reason, REASONS } from './reasons.ts'
import type { DiagnosisContext } from './rules.ts'

/** Files of that name, newest first. In place of a part of a file of interchanges stands that file. */
export async function findWholeFiles(journal: Journal, name: string, limit: number): Promise<FileEntry[]> {
  const files = new Map<string, FileEntry>()
  for (const found of await journal.findFilesByName(name, limit)) {
    const file = found.partOf === undefined ? found : await journal.getFile(found.partOf)
    if (file !== undefined) files.set(file.id, file)
  }
  return [...files.values()]
}

export async function explainTakenFile(
  { configuration, journal }: DiagnosisContext,
  file: FileEntry,
): Promise<Reason> {
  const { id, state, outcome = 'processed', route, claimedAt, archivedAs } = file
  const isOfInterchanges = isInboxKey(route)
  const label = formatIntakeKey(route)
  const taken = `was taken by ${label} on ${isoTime(file.receivedAt ?? claimedAt)} (id ${id})`
  if (state !== 'closed') {
    const next = isOfInterchanges
      ? await describeWaiting(journal, file)
      : await describeNextStep(journal, file)
    const message = `${taken} and is ${state}. ${next}`
    if (listWorkNames(configuration).includes(route))
      return createReason('in-progress', message, REASONS['in-progress'].fix.replace('FILE', id))
    const gone = `${message} But the configuration has no ${label} any more`
    const { fix } = ALERTS['route-not-configured']
    return { code: 'route-not-configured', message: gone, fix, exit: EXIT.badConfiguration }
  }
  const archived = archivedAs === undefined ? '' : `; archived as ${archivedAs}`
  const why = file.problems.length === 0 ? '' : `: ${file.problems[0]?.message ?? ''}`.replace(/\.$/, '')
  const closed = `${taken} and closed on ${isoTime(file.closedAt ?? claimedAt)}, ${outcome}${why}`
  if (isOfInterchanges) {
    const { facts, fix } = await describeSets(journal, file)
    return createReason('finished', `${[closed, ...facts].join('; ')}${archived}`, fix)
  }
  const results = file.reportName === undefined ? '' : `; results: ${file.reportName}.results.csv`
  return createReason('finished', `${closed}${results}${archived}`, getFinishedFix(file))
}

function getFinishedFix({ id }: FileEntry): string {
  return REASONS.finished.fix.replace('FILE', id)
}

async function describeNextStep(journal: Journal, { id, state }: FileEntry): Promise<string> {
  const { uncertain = 0, sending = 0 } = await journal.countRecords({ file: id })
  return state === 'planned' && uncertain + sending > 0 ? LOOKED_UP_FIRST : FILE_STATES[state]
}

const LOOKED_UP_FIRST =
  'Every record of it is in the journal; the lost answers are looked up at the API before anything is sent.'

// Files of interchanges.

/** What a file of interchanges waits for. */
export async function describeWaiting(journal: Journal, { id, state }: FileEntry): Promise<string> {
  if (state !== 'planned') return FILE_STATES[state]
  const open = (await journal.listParts(id)).filter((part) => part.state !== 'closed')
  const routes = open.map((part) => `route ${part.route} (${part.state})`)
  const answers = await describeUndelivered(journal, id)
  const waits = [...routes, ...answers].join(', ') || 'the delivery of its answers'
  return `Its sets are with their routes; it waits for ${waits}.`
}

/** The answers that are decided and not delivered: their partner cannot be reached, or a person must say what became of them. */
async function describeUndelivered(journal: Journal, id: string): Promise<string[]> {
  const described: string[] = []
  for (const { partner, decided, delivery: of } of await journal.listAnswers(id)) {
    if (decided === undefined) continue
    const delivery = of === undefined ? undefined : await journal.getDelivery(of)
    if (delivery !== undefined && delivery.state !== 'composed') continue
    const name = delivery === undefined ? '' : ` ${delivery.name}`
    const state = delivery?.held === undefined ? 'not delivered' : 'held'
    described.push(`the answer${name} to ${partner} (${state})`)
  }
  return described
}

/** How many interchanges are named one by one. */
const NAMED_MAX = 3

/** Where its sets went, and why some went nowhere. */
async function describeSets(
  journal: Journal,
  file: FileEntry,
): Promise<{ readonly facts: readonly string[]; readonly fix: string }> {
  const given: string[] = []
  for (const { id, route } of await journal.listParts(file.id))
    given.push(`${formatSets(countSets((await journal.getPartSets(id)) ?? []))} to route ${route}`)
  const { unrouted, ambiguous } = await journal.getUnrouted(file.id)
  const [none, several] = [countSets(unrouted), countSets(ambiguous)]
  // The first page has the reason in nearly every file.
  const left = (await journal.listInterchanges(file.id, 0, 1000)).filter(({ verdict }) => verdict !== 'taken')
  const more = left.length > NAMED_MAX ? [`and ${left.length - NAMED_MAX} more such interchanges`] : []
  const table = file.reportName === undefined ? [] : [`where each set went: ${file.reportName}.sets.csv`]
  const facts = [
    ...(given.length === 0 ? ['no route got a set of it'] : [given.join(', ')]),
    ...left.slice(0, NAMED_MAX).map(describeInterchange),
    ...more,
    ...(none === 0 ? [] : [`no route took ${formatSets(none)}`]),
    ...(several === 0 ? [] : [`more than one route could take ${formatSets(several)}`]),
    ...table,
  ]
  const isUnknown = left.some(({ verdict }) => verdict === 'unknown')
  if (isUnknown) return { facts, fix: nameFileInFix(PROBLEMS['edi-partner-unknown'].fix, file.id) }
  if (none > 0) return { facts, fix: PROBLEMS['edi-document-unrouted'].fix }
  if (several > 0) return { facts, fix: PROBLEMS['edi-routes-ambiguous'].fix }
  return { facts, fix: getFinishedFix(file) }
}

/** `1 set`, `5 sets` */
export function formatSets(count: number): string {
  return count === 1 ? '1 set' : `${count} sets`
}

/** `interchange 000001126 from ZZ:HAVEN came before in day.x12` */
export function describeInterchange({
  number,
  sender,
  receiver,
  verdict,
  earlier,
}: Omit<InterchangeEntry, 'ordinal' | 'segment'>): string {
  const which = `interchange ${number} from ${sender}`
  const name = earlier?.name ?? ''
  switch (verdict) {
    case 'duplicate':
      return `${which} came before in ${name}, and nothing of it is taken`
    case 'reused':
      return `${which} has the number of another one in ${name}, and is refused`
    case 'unknown':
      return `${which} to ${receiver}: one of these addresses is unknown`
    case 'refused':
      return `${which} has a damaged envelope, and its sets are refused`
    case 'answer':
      return `${which} holds only answers`
    case 'taken':
      return `${which} is taken`
  }
}
