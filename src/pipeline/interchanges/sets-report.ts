/** Reports a file of interchanges: where each of its sets went, and what no route takes. */
import { type FileEntry, formatCorrectionName, partSuffix } from '../../domain/file.ts'
import type { Notes } from '../../domain/format.ts'
import type { SetJudgment } from '../../domain/interchange.ts'
import type {
  InterchangeEntry,
  InterchangeVerdict,
  ReceivedAnswerEntry,
} from '../../domain/interchange-journal.ts'
import { countSets, SelectionCursor, type SetSelection } from '../../domain/place.ts'
import { type Problem, problem, type ProblemCode } from '../../domain/problem.ts'
import { formatUnknownReceiverFix, formatUnknownSenderFix } from '../../domain/edi-problems.ts'
import { isoTime } from '../../support/clock.ts'
import { throwIfStopped } from '../../support/errors.ts'
import { guardFormula, nameFileInFix, quoteForShell } from '../../support/text.ts'
import { deliverReports, type ReportFile } from '../inbound/report-files.ts'
import { fillFix, formatProblemCells, nameParts } from '../inbound/report.ts'
import { getSpoolName } from '../inbound/intake.ts'
import { findReused, readInterchanges } from './answers.ts'
import { type InterchangeContext, isAnswerDocument } from './context.ts'
import { listReadings, readJudgedRecords } from './judged-records.ts'
/**
 * What became of a set: `given` to a route, `refused` by its structure or because its number was used before, `held`
 * because no route takes it, `duplicate`, or an `answer` to something that was sent.
 */
export type SetOutcome = 'given' | 'refused' | 'held' | 'duplicate' | 'answer'

/** The contents of `NAME.summary.json` of an inbox of interchanges. */
export interface SetsSummary {
  readonly file: string
  readonly inbox: string
  readonly outcome: string
  readonly bytes: number
  readonly sha256: string
  readonly duplicateOf?: { readonly file: string; readonly receivedAt: string }
  readonly problems: readonly Problem[]
  readonly interchanges: Readonly<Partial<Record<InterchangeVerdict, number>>> & { readonly total: number }
  readonly sets: Readonly<Partial<Record<SetOutcome, number>>> & { readonly total: number }
  /** Why sets went to no route, and how many; the first different ones. */
  readonly reasons: readonly (Problem & { readonly sets: number })[]
  /** What else is wrong with sets that no route takes; the first problems. Left out where there is nothing. */
  readonly faults?: readonly Problem[]
  /** How many sets each route got. */
  readonly routes: Readonly<Record<string, number>>
  readonly answers: readonly {
    readonly partner: string
    readonly file: string
    readonly number: number
    readonly interchanges: number
    readonly groups: number
  }[]
  /** What partners answered to interchanges that were sent; the first of them. Left out where there is nothing. */
  readonly received?: readonly ReceivedSummary[]
  /** What is odd and refuses nothing, such as joined lines: how often, and the first ones. Left out where there is nothing. */
  readonly notes?: Notes
  readonly receivedAt?: string
  readonly finishedAt?: string
}

/** An answer of a partner. `delivery`: the name of the file that it is about. */
export interface ReceivedSummary extends Pick<
  ReceivedAnswerEntry,
  'kind' | 'number' | 'verdict' | 'outcome' | 'accepted' | 'refused'
> {
  readonly delivery?: string
}

/** How many received answers a summary has. */
const RECEIVED_SHOWN = 100

/** A reported file of an inbox, with the paths of its reports. */
export interface ReportedSets {
  readonly summary: SetsSummary
  readonly paths: readonly string[]
}

export const SET_COLUMNS = [
  'interchange',
  'set',
  'document',
  'version',
  'sender',
  'receiver',
  'partner',
  'route',
  '_status',
  '_verdict',
  '_segments',
  '_records',
  '_refused',
  '_code',
  '_field',
  '_message',
  '_fix',
  '_results',
] as const

/** How many different reasons the summary has; NAME.sets.csv has all. */
const REASONS_MAX = 20

/** submitted → reported. */
export async function reportSets(context: InterchangeContext, file: FileEntry): Promise<ReportedSets> {
  const { spool, journal } = context
  const source = getSpoolName(file.id)
  const isRead = file.outcome === 'processed'
  const report = await createSetsReport(context, file)
  await spool.putUnflushed(`${file.id}.results`, report.writeLines())
  const left = isRead ? await journal.getUnrouted(file.id) : { unrouted: [], ambiguous: [] }
  const returned = mergeSelections(left.unrouted, left.ambiguous)
  const reports: ReportFile[] = [{ suffix: '.sets.csv', spooled: `${file.id}.results` }]
  if (file.outcome === 'unusable') {
    await spool.putUnflushed(`${file.id}.rejects`, spool.read(source))
    reports.push({ suffix: partSuffix('rejects', file.name), spooled: `${file.id}.rejects` })
  }
  if (returned.length > 0) {
    await spool.putUnflushed(
      `${file.id}.exceptions`,
      context.interchanges.copySets(spool.read(source), returned),
    )
    reports.push({ suffix: partSuffix('exceptions', file.name), spooled: `${file.id}.exceptions` })
  }
  const summary = await report.finish()
  await spool.putUnflushed(`${file.id}.summary`, [Buffer.from(`${JSON.stringify(summary, null, 2)}\n`)])
  reports.push({ suffix: '.summary.json', spooled: `${file.id}.summary` })
  const paths = await deliverReports(context, file, { baseName: file.name, reports })
  return { summary, paths }
}

/** Both are ascending and have no set in common. */
function mergeSelections(one: SetSelection, other: SetSelection): SetSelection {
  return [...one, ...other].toSorted(([a], [b]) => a - b)
}

async function createSetsReport(context: InterchangeContext, file: FileEntry) {
  const { journal, format, interchanges, spool, route, signal, ourAddresses } = context
  const parts = await journal.listParts(file.id)
  const isRead = file.outcome === 'processed'
  const selections = await Promise.all(
    parts.map(async (part) => ({ part, sets: (await journal.getPartSets(part.id)) ?? [] })),
  )
  const takers = selections.map(({ part, sets }) => ({ part, taken: new SelectionCursor(sets) }))
  const { ambiguous } = isRead ? await journal.getUnrouted(file.id) : { ambiguous: [] }
  const ambiguousSets = new SelectionCursor(ambiguous)
  const sets = new Map<SetOutcome, number>()
  const verdicts = new Map<InterchangeVerdict, number>()
  const heads = createHeadReader(context, file, (each) => count(verdicts, each.verdict))
  let notes: Notes = { total: 0, first: [] }
  const reasons = new Map<string, Problem & { sets: number }>()
  const faults: Problem[] = []
  const mended = nameParts(context, file, { baseName: file.name, kind: 'exceptions' })
  /** The rows of a set that a route has taken come back in the rejects file of that route. */
  const nameReturned = (reportName: string | undefined) =>
    reportName === undefined
      ? mended
      : { ...mended, returned: `${reportName}${partSuffix('rejects', file.name)}` }
  const writer = format.createWriter([...SET_COLUMNS], { format: 'csv', ...route.resultsWriting })

  const answered = await createAnsweredSets(context, file)
  const toRow = (
    judged: SetJudgment,
    head: InterchangeEntry | undefined,
    structural: SetJudgment | undefined,
  ): string[] => {
    const taker = takers.find(({ taken }) => taken.has(judged.ordinal))
    const found = {
      file: file.name,
      isOurs: ourAddresses.length === 0 || (head !== undefined && ourAddresses.includes(head.receiver)),
      isAmbiguous: ambiguousSets.has(judged.ordinal),
      isUnanswered: answered.isUnanswered(head),
      verdict: answered.findVerdict({ judged, structural, outcome: 'held', partner: head?.partner }),
    }
    const reason = taker === undefined ? findReason(judged, head, found) : undefined
    const outcome: SetOutcome = taker === undefined ? (reason?.outcome ?? 'held') : judgeGiven(judged)
    count(sets, outcome)
    if (reason?.problem !== undefined) {
      const { message } = reason.problem
      const known = reasons.get(message)
      if (known !== undefined) known.sets += 1
      else if (reasons.size < REASONS_MAX) reasons.set(message, { ...reason.problem, sets: 1 })
    }
    // What no route takes is in the exceptions file.
    const own = (outcome === 'held' ? judged.problems : []).map((each) => {
      return { ...each, fix: fillFix(each, { parts: mended }).replace('rejects file', 'exceptions file') }
    })
    faults.push(...own.slice(0, REASONS_MAX - faults.length))
    const problems = reason?.problem === undefined ? judged.problems : [reason.problem, ...own]
    return [
      head?.number ?? '',
      judged.set,
      judged.document,
      judged.version,
      head?.sender ?? '',
      head?.receiver ?? '',
      head?.partner ?? '',
      taker?.part.route ?? '',
      outcome,
      answered.findVerdict({ judged, structural, outcome, partner: head?.partner }),
      judged.segments.join('-'),
      String(judged.records.all),
      String(judged.records.refused),
      ...formatProblemCells(problems, { file: file.name, parts: nameReturned(taker?.part.reportName) }),
      taker?.part.reportName === undefined ? '' : `${taker.part.reportName}.results.csv`,
    ]
  }
  async function* writeLines(): AsyncGenerator<Uint8Array> {
    yield writer.formatHeader()
    if (file.problems.length > 0) {
      const blank = SET_COLUMNS.slice(0, 8).map(() => '')
      const status = file.outcome === 'duplicate' ? 'duplicate' : 'refused'
      const row = [
        ...blank,
        status,
        '',
        '',
        '',
        '',
        ...formatProblemCells(file.problems, { file: file.name }),
        '',
      ]
      yield writer.formatRows([row.map(guardFormula)])
    }
    if (!isRead) return
    const reused = await findReused(context, file)
    const readings = await listReadings(context, parts)
    const records = readJudgedRecords(context, parts)
    const judging = { reused, readings, records, onNotes: (found: Notes) => (notes = found) }
    const read = () => spool.read(getSpoolName(file.id))
    const byStructure = answered.hasByStructure
      ? flatten(interchanges.judge(read(), { reused, readings }))
      : undefined
    for await (const batch of interchanges.judge(read(), judging)) {
      throwIfStopped(signal)
      const rows: string[][] = []
      for (const judged of batch) {
        const structural: SetJudgment | undefined = (await byStructure?.next())?.value
        rows.push(toRow(judged, await heads.find(judged.interchange), structural))
      }
      if (rows.length > 0) yield writer.formatRows(rows.map((row) => row.map(guardFormula)))
    }
    await byStructure?.return(undefined)
    await heads.finish()
  }
  return {
    writeLines,
    async finish(): Promise<SetsSummary> {
      const answers = (await journal.listAnswers(file.id)).map(async (answer) => ({
        partner: answer.partner,
        file: (await journal.getDelivery(answer.delivery ?? ''))?.name ?? '',
        number: answer.decided?.numbers.interchange ?? 0,
        interchanges: answer.interchanges.length,
        groups: answer.groups,
      }))
      const received = await journal.listReceivedAnswers({ file: file.id }, RECEIVED_SHOWN)
      return {
        file: file.name,
        inbox: route.name,
        outcome: file.outcome ?? 'processed',
        bytes: file.size,
        sha256: file.sha256 ?? '',
        ...(file.duplicateOf && {
          duplicateOf: { file: file.duplicateOf.name, receivedAt: isoTime(file.duplicateOf.receivedAt) },
        }),
        problems: file.problems,
        reasons: [...reasons.values()],
        ...(faults.length > 0 && { faults }),
        interchanges: { total: sum(verdicts), ...Object.fromEntries(verdicts) },
        sets: { total: sum(sets), ...Object.fromEntries(sets) },
        routes: Object.fromEntries(selections.map((each) => [each.part.route, countSets(each.sets)])),
        answers: await Promise.all(answers),
        ...(received.length > 0 && { received: received.map(toReceivedSummary) }),
        ...(notes.total === 0 ? {} : { notes }),
        ...(file.receivedAt === undefined ? {} : { receivedAt: isoTime(file.receivedAt) }),
        ...(file.submittedAt === undefined ? {} : { finishedAt: isoTime(file.submittedAt) }),
      }
    },
  }
}

function toReceivedSummary(answer: ReceivedAnswerEntry): ReceivedSummary {
  const { kind, number, verdict, outcome, accepted, refused, delivery } = answer
  return {
    kind,
    number,
    verdict,
    outcome,
    accepted,
    refused,
    ...(delivery && { delivery: delivery.name }),
  }
}

/** What the answers to the file say of its sets. */
async function createAnsweredSets({ journal, partners }: InterchangeContext, file: FileEntry) {
  const answers = await journal.listAnswers(file.id)
  const named = new Set(answers.flatMap(({ interchanges }) => interchanges))
  const structural = answers.filter(({ decided }) => decided?.byStructure === true)
  const byStructure = new Set(structural.flatMap(({ interchanges }) => interchanges))
  const findPartner = (name: string | undefined) => partners.find((each) => each.name === name)
  return {
    hasByStructure: byStructure.size > 0,
    /** Whether its partner is answered otherwise, and not about this interchange. */
    isUnanswered: (head: InterchangeEntry | undefined): boolean =>
      head !== undefined &&
      !named.has(head.ordinal) &&
      (findPartner(head.partner)?.answer.when ?? 'none') !== 'none',
    /** Empty where no answer names the set. */
    findVerdict({ judged, structural: other, outcome, partner }: AnsweredSet): string {
      if (!named.has(judged.interchange) || outcome === 'answer') return ''
      if (outcome === 'held' && findPartner(partner)?.unrouted === 'refuse') return 'R'
      return (byStructure.has(judged.interchange) ? other : judged)?.verdict ?? ''
    },
  }
}

interface AnsweredSet {
  readonly judged: SetJudgment
  /** The same set, judged by its structure alone. */
  readonly structural: SetJudgment | undefined
  readonly outcome: SetOutcome
  readonly partner: string | undefined
}

async function* flatten<Item>(batches: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, undefined> {
  for await (const batch of batches) yield* batch
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0)
}

/** A set that was given to a route and refused there as a whole. */
function judgeGiven({ verdict }: SetJudgment): SetOutcome {
  return verdict === 'R' ? 'refused' : 'given'
}

/** Why no route got the set. */
function findReason(
  { document }: Pick<SetJudgment, 'document'>,
  head: InterchangeEntry | undefined,
  {
    file,
    isOurs,
    isAmbiguous,
    isUnanswered,
    verdict,
  }: {
    readonly file: string
    readonly isOurs: boolean
    readonly isAmbiguous: boolean
    readonly isUnanswered: boolean
    /** What the answer says of the set when it is held; empty where none names it. */
    readonly verdict: string
  },
): { readonly outcome: SetOutcome; readonly problem?: Problem } {
  const say = (code: ProblemCode, message: string) => problem(code, {}, message)
  switch (head?.verdict) {
    case 'duplicate': {
      const name = head.earlier?.name ?? ''
      return {
        outcome: 'duplicate',
        problem: say('edi-duplicate', `The interchange ${head.number} came before in ${name}.`),
      }
    }
    case 'reused': {
      const name = head.earlier?.name ?? ''
      const message = `The interchange ${head.number} came before in ${name}, with other contents.`
      // It may be a correction of what was refused there, and the person who dropped it in must know.
      const more = !isUnanswered ? '' : ` It is not answered: sets of ${name} wait for a correction.`
      const fix = `If you corrected it, drop it in as ${formatCorrectionName(name)}; else have it sent under a new number.`
      return { outcome: 'refused', problem: problem('edi-number-reused', {}, message + more, fix) }
    }
    case 'answer':
      return { outcome: 'answer' }
    case 'unknown': {
      if (isAnswerDocument(document)) return { outcome: 'answer' }
      if (isOurs) {
        const message = `The interchange is from ${head.sender} to ${head.receiver}, and no partner has ${head.sender} among its \`ids\`.`
        const fix = nameFileInFix(formatUnknownSenderFix(head.sender), file)
        return { outcome: 'held', problem: problem('edi-partner-unknown', {}, message, fix) }
      }
      const message = `The interchange from ${head.sender} is for ${head.receiver}, which is no address under \`edi.us\`.`
      const fix = nameFileInFix(formatUnknownReceiverFix(head.receiver), file)
      return { outcome: 'held', problem: problem('edi-partner-unknown', {}, message, fix) }
    }
    case undefined:
    case 'refused':
    case 'taken': {
      // A group of answers may stand beside others.
      if (isAnswerDocument(document)) return { outcome: 'answer' }
      const code = isAmbiguous ? 'edi-routes-ambiguous' : 'edi-document-unrouted'
      const what = `${document === '' ? 'the document' : `the document ${document}`}${head?.partner === undefined ? '' : ` of partner ${head.partner}`}`
      const says = verdict === '' ? '' : ` ${ANSWER_TO_HELD[verdict === 'R' ? 'refuses' : 'accepts']}`
      const why = `${isAmbiguous ? 'More than one' : 'No'} route takes ${what}.${says}`
      const fix = `Add a route for it and drop the exceptions file in, or: dropbridge dismiss ${quoteForShell(file)} --by NAME --why TEXT.`
      return { outcome: 'held', problem: problem(code, {}, why, isAmbiguous ? undefined : fix) }
    }
  }
}

const ANSWER_TO_HELD = {
  accepts: 'The answer accepts it, and it is held here.',
  refuses: 'The answer refuses it.',
}

/** Finds the interchange of a set; it must be asked in the order of the file, and passes each interchange on once. */
function createHeadReader(
  { journal }: InterchangeContext,
  file: FileEntry,
  onInterchange: (entry: InterchangeEntry) => void,
) {
  const pages = readInterchanges(journal, file.id)[Symbol.asyncIterator]()
  let waiting: readonly InterchangeEntry[] = []
  let next = 0
  let current: InterchangeEntry | undefined
  const advance = async (): Promise<boolean> => {
    if (next >= waiting.length) {
      const { done, value } = await pages.next()
      if (done === true) return false
      waiting = value
      next = 0
    }
    current = waiting[next++]
    if (current !== undefined) onInterchange(current)
    return true
  }
  return {
    async find(ordinal: number): Promise<InterchangeEntry | undefined> {
      while ((current?.ordinal ?? 0) < ordinal && (await advance()));
      return current?.ordinal === ordinal ? current : undefined
    },
    async finish(): Promise<void> {
      while (await advance());
    },
  }
}
