/** Unbundles a file: decides about each of its interchanges, gives each set to the route that takes it, and notes who is answered. */
import type { Partner } from '../../config/edi.ts'
import { type FileEntry, isPartFile } from '../../domain/file.ts'
import { isUnreadable } from '../../domain/format.ts'
import type {
  InterchangeHead,
  OutlinedInterchangeEnd,
  OutlinedPart,
  ReceivedAnswer,
} from '../../domain/interchange.ts'
import type {
  AnsweredDelivery,
  InterchangeEntry,
  InterchangeKey,
  NewAnswer,
  NewReceivedAnswer,
  NumberScope,
  Unbundling,
} from '../../domain/interchange-journal.ts'
import { createSetRuns, type SetRuns, type SetSelection } from '../../domain/place.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { throwIfStopped } from '../../support/errors.ts'
import { checkManifest } from '../inbound/manifest.ts'
import { getSpoolName, unpackFile } from '../inbound/intake.ts'
import {
  createTakerChooser,
  findPartner,
  type InterchangeContext,
  isAnswerDocument,
  listQuestions,
} from './context.ts'
const INTERCHANGES_PER_TRANSACTION = 500

/**
 * received → planned, or submitted where the file is unusable. After a crash the file is unbundled again from the spool. Returns the
 * deliveries that partners answer in it.
 */
export async function unbundleFile(
  context: InterchangeContext,
  file: FileEntry,
): Promise<readonly AnsweredDelivery[]> {
  const { journal, lease, interchanges, spool, takers, notify, route } = context
  await journal.startUnbundling(lease, file.id)
  const damage = await unpackFile(context, file)
  const differs = damage.length > 0 ? damage : await checkManifest(context, file, refuseRows)
  const refuse = async (problems: readonly Problem[]) => {
    await journal.markFileUnusable(lease, file.id, problems)
    return []
  }
  if (differs.length > 0) return refuse(differs)
  const outline = await interchanges.outline(spool.read(getSpoolName(file.id)), listQuestions(takers))
  if (isUnreadable(outline)) return refuse(outline.problems)
  const unbundler = createUnbundler(context, file, (entries) =>
    journal.addInterchanges(lease, file.id, entries),
  )
  for await (const parts of outline.parts) {
    throwIfStopped(context.signal)
    for (const part of parts) await unbundler.add(part)
  }
  const unbundling = { ...(await unbundler.finish()), problems: outline.listProblems() }
  if (unbundling.received.length > RECEIVED_MAX) return refuse([tooManyAnswersProblem()])
  const answered = await journal.markFileUnbundled(lease, file.id, unbundling)
  notify({ kind: 'file-unbundled', route: route.name, file: file.name, ...unbundler.counts })
  return answered
}

/** So many answers of partners one file may hold: they are kept until all of it is read. */
const RECEIVED_MAX = 100_000

function tooManyAnswersProblem() {
  const message = `The file holds more than ${RECEIVED_MAX} answers of partners.`
  return problem('record-too-large', {}, message, 'Have the partner send them in several files.')
}

/** A manifest may give the rows and sums of a file; a file of interchanges has neither. */
function refuseRows() {
  const message = 'The manifest gives rows or sums, and a file of interchanges has none.'
  return Promise.resolve({ problems: [problem('manifest-unusable', {}, message)] })
}

interface OpenInterchange {
  readonly head: InterchangeHead
  readonly isOurs: boolean
  /** By the sender of the interchange alone. */
  readonly partner: Partner | undefined
  readonly taken: Map<string, SetRuns>
  readonly unrouted: SetRuns
  readonly ambiguous: SetRuns
  /** The partner that its first set names. */
  answered: Partner | undefined
  /** What its sender answers to us. */
  readonly received: ReceivedAnswer[]
}

type UnbundlerContext = Pick<
  InterchangeContext,
  'partners' | 'ourAddresses' | 'takers' | 'newId' | 'clock'
> & {
  readonly journal: Pick<
    InterchangeContext['journal'],
    'findEarlierInterchange' | 'isInterchangeAnswered' | 'countCorrectable'
  >
}

/** Decides about the parts of an outline, in their order. `note` gets each interchange once. */
export function createUnbundler(
  context: UnbundlerContext,
  file: Pick<FileEntry, 'id' | 'name' | 'receivedAt' | 'retakeOf'>,
  note: (entries: readonly InterchangeEntry[]) => Promise<void>,
) {
  const { journal, partners, ourAddresses, newId } = context
  const chooseTaker = createTakerChooser(context.takers)
  // A person knows that it came before: its sets are given to the routes.
  const isReturned = isPartFile(file.name) || file.retakeOf !== undefined
  const taken = new Map<string, SetRuns>()
  const unrouted = createSetRuns()
  const ambiguous = createSetRuns()
  const answers = createAnswerPlanner(context, file)
  const keys = createKeyMemory()
  const waiting: InterchangeEntry[] = []
  const received: NewReceivedAnswer[] = []
  const counts = { interchanges: 0, sets: 0, unrouted: 0 }
  let open: OpenInterchange | undefined

  const addSet = ({ head, isOurs, ...own }: OpenInterchange, part: OutlinedPart & { kind: 'set' }) => {
    counts.sets += 1
    if (isAnswerDocument(part.document)) return
    const partner = findPartner(partners, head.sender, part.groupSender) ?? own.partner
    const taking = isOurs ? chooseTaker(part, head, partner?.name) : 'unrouted'
    if (taking === 'unrouted') own.unrouted.add(part.ordinal)
    else if (taking === 'ambiguous') own.ambiguous.add(part.ordinal)
    else getRuns(own.taken, taking.route).add(part.ordinal)
    return partner
  }

  /** Whether another interchange had its number, and the same contents or others. */
  const judgeNumber = async (
    key: InterchangeKey,
    sha256: string,
    { duplicates }: Pick<Partner, 'duplicates'>,
  ) => {
    if (isReturned || key.number === '') return undefined
    const since = (file.receivedAt ?? context.clock.now()) - duplicates.windowMs
    const own = keys.find(key)
    const earlier =
      own === undefined
        ? await journal.findEarlierInterchange({ ...key, sha256 }, since, file.id)
        : { file: file.id, name: file.name, sha256: own }
    if (earlier === undefined) return undefined
    const where = { file: earlier.file, name: earlier.name }
    if (earlier.sha256 === sha256) return { verdict: 'duplicate' as const, earlier: where }
    return duplicates.reused === 'accept' ? undefined : { verdict: 'reused' as const, earlier: where }
  }

  /**
   * Whether a person may have corrected what was refused or held of the earlier interchange, and dropped it in under a name that
   * does not say so. Its partner, who did not send it, must get no answer that it used a number twice.
   */
  const mayBeCorrection = async (key: InterchangeKey, sets: number, earlier = file.id): Promise<boolean> =>
    earlier !== file.id && sets > 0 && sets <= (await journal.countCorrectable(earlier, key))

  /** A part is of a file that was answered. A retake answers what was never answered, such as that of an unknown partner. */
  const isToAnswer = async (
    key: InterchangeKey,
    own: { readonly ordinal: number; readonly sha256: string; readonly isRepeated: boolean },
  ): Promise<boolean> => {
    if (isPartFile(file.name)) return false
    if (file.retakeOf === undefined) return true
    return !own.isRepeated && !(await journal.isInterchangeAnswered({ ...key, ...own }, file.retakeOf))
  }

  const close = async (each: OpenInterchange, end: OutlinedInterchangeEnd): Promise<void> => {
    const { syntax, sender, receiver, usage, number, ordinal } = each.head
    const key: InterchangeKey = { syntax, sender, receiver, usage, number }
    const partner = each.partner ?? each.answered
    const common = {
      ...key,
      ordinal,
      segment: each.head.spot.segment,
      sha256: end.sha256,
      sets: end.sets,
      ...(partner && { partner: partner.name }),
    }
    // A file that was cut in transfer comes again, whole, under the same number. Answers are not answered.
    const repeated =
      end.isRefused || end.isAnswer
        ? undefined
        : await judgeNumber(key, end.sha256, partner ?? { duplicates: UNKNOWN_PARTNERS })
    const isKnown = each.isOurs && (partner !== undefined || each.taken.size > 0)
    const known = end.isRefused ? 'refused' : 'taken'
    const verdict = repeated?.verdict ?? (end.isAnswer ? 'answer' : isKnown ? known : 'unknown')
    waiting.push({ ...common, verdict, ...(repeated && { earlier: repeated.earlier }) })
    counts.interchanges += 1
    const isGiven = verdict === 'taken' || verdict === 'refused'
    const isRepeated = keys.find(key) === end.sha256
    if (verdict === 'taken') keys.add(key, end.sha256)
    if (isGiven) {
      for (const [route, runs] of each.taken) getRuns(taken, route).addAll(runs.list())
    }
    // What is not known is for a person as well; what came before is not.
    if (isGiven || verdict === 'unknown') {
      unrouted.addAll(each.unrouted.list())
      ambiguous.addAll(each.ambiguous.list())
      counts.unrouted += each.unrouted.count() + each.ambiguous.count()
    }
    const own = { ordinal, sha256: end.sha256, isRepeated }
    const isReused = verdict === 'reused' && !(await mayBeCorrection(key, end.sets, repeated?.earlier.file))
    if (each.isOurs && partner && (isGiven || isReused) && (await isToAnswer(key, own)))
      answers.add(each.head, end, { partner, isReused })
    if (each.isOurs) addReceived(each, end)
    if (waiting.length >= INTERCHANGES_PER_TRANSACTION) await flush()
  }
  /** The sender of the answers may be a partner without a route. What a damaged interchange says counts for nothing. */
  const addReceived = (each: OpenInterchange, { isRefused }: OutlinedInterchangeEnd) => {
    const { ordinal: interchange, syntax, usage, sender } = each.head
    const addresses = (each.partner ?? each.answered)?.ids.map(({ address }) => address) ?? [sender]
    for (const read of each.received.splice(0)) {
      if (received.length > RECEIVED_MAX) return
      const answer = isRefused ? toUnreadable(read) : read
      received.push({ answer, interchange, syntax, usage, partner: addresses })
    }
  }
  const flush = async () => {
    if (waiting.length > 0) await note(waiting.splice(0))
  }
  return {
    counts,
    async add(part: OutlinedPart): Promise<void> {
      if (part.kind === 'interchange') {
        const { head } = part
        const isOurs = ourAddresses.length === 0 || ourAddresses.includes(head.receiver)
        const partner = findPartner(partners, head.sender, '')
        const runs = { unrouted: createSetRuns(), ambiguous: createSetRuns() }
        open = { head, isOurs, partner, taken: new Map(), ...runs, answered: undefined, received: [] }
      } else if (open !== undefined && part.kind === 'answer') {
        if (open.received.length <= RECEIVED_MAX) open.received.push(part.answer)
      } else if (open !== undefined && part.kind === 'set') {
        const partner = addSet(open, part)
        open.answered ??= partner
      } else if (open !== undefined && part.kind === 'interchange-end') {
        await close(open, part)
        open = undefined
      }
    },
    async finish(): Promise<Omit<Unbundling, 'problems'>> {
      await flush()
      const parts = [...taken].map(([route, runs]) => ({ id: newId(), route, sets: runs.list() }))
      const left: Record<'unrouted' | 'ambiguous', SetSelection> = {
        unrouted: unrouted.list(),
        ambiguous: ambiguous.list(),
      }
      return { parts, answers: answers.list(), received, ...left }
    },
  }
}

function getRuns(byRoute: Map<string, SetRuns>, route: string): SetRuns {
  const runs = byRoute.get(route) ?? createSetRuns()
  byRoute.set(route, runs)
  return runs
}

/** How interchanges of unknown partners are compared with earlier ones. */
const UNKNOWN_PARTNERS: Partner['duplicates'] = {
  windowMs: 400 * 24 * 3_600_000,
  reused: 'refuse',
}

/** So many interchanges of one file are compared with each other. */
const KEYS_MAX = 100_000

function createKeyMemory() {
  const known = new Map<string, string>()
  const format = ({ syntax, sender, receiver, usage, number }: InterchangeKey) =>
    JSON.stringify([syntax, sender, receiver, usage, number])
  return {
    find: (key: InterchangeKey) => known.get(format(key)),
    add(key: InterchangeKey, sha256: string): void {
      if (known.size < KEYS_MAX) known.set(format(key), sha256)
    },
  }
}

type PlannedAnswer = Omit<NewAnswer, 'interchanges' | 'groups'> & {
  readonly interchanges: number[]
  groups: number
}

/** Collects which interchanges are answered together: those that have both sides, the syntax and the usage in common. */
function createAnswerPlanner(
  { newId, clock }: Pick<InterchangeContext, 'newId' | 'clock'>,
  file: Pick<FileEntry, 'receivedAt'>,
) {
  const planned = new Map<string, PlannedAnswer>()
  const receivedAt = file.receivedAt ?? clock.now()
  return {
    add(
      { ordinal, syntax, sender, receiver, usage }: InterchangeHead,
      { groups, isRefused, asksForAnswer }: OutlinedInterchangeEnd,
      { partner, isReused }: { readonly partner: Partner; readonly isReused: boolean },
    ): void {
      const { when, withinMs, ta1 } = partner.answer
      const isWhollyRefused = isRefused || isReused
      const answered = isWhollyRefused ? 0 : groups
      // An interchange is answered by itself with a TA1, in X12; a CONTRL always names it.
      const isNamed = isWhollyRefused || (syntax === 'x12' && (asksForAnswer || ta1 === 'always'))
      if (when === 'none' || (answered === 0 && !isNamed)) return
      const scope: NumberScope = { syntax, sender: receiver, receiver: sender, usage }
      const key = JSON.stringify([partner.name, ...Object.values(scope)])
      const dueAt = when === 'syntax' ? receivedAt : receivedAt + withinMs
      const answer: PlannedAnswer = planned.get(key) ?? {
        id: newId(),
        scope,
        partner: partner.name,
        interchanges: [],
        groups: 0,
        dueAt,
      }
      planned.set(key, answer)
      answer.interchanges.push(ordinal)
      answer.groups += answered
    },
    list: (): readonly NewAnswer[] => [...planned.values()],
  }
}

/** An answer in an interchange that is refused, which says nothing for sure. */
function toUnreadable(answer: ReceivedAnswer): ReceivedAnswer {
  const reasons = ['its interchange is refused', ...answer.reasons]
  return { ...answer, verdict: 'unreadable', sets: [], reasons }
}
