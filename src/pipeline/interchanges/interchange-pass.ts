/** Runs an inbox of interchanges: takes files in, gives their sets to the routes, answers, reports and archives each file. */
import type { FileEntry } from '../../domain/file.ts'
import {
  createFilePassProgress,
  type FileSteps,
  runFile,
  runFilePass,
  throwFailures,
} from '../inbound/file-pass.ts'
import { getErrorMessage } from '../../support/errors.ts'
import { archiveFile, receiveFile } from '../inbound/intake.ts'
import { cleanDeliverySpool } from '../outbound/deliver.ts'
import {
  continueAnswerRedeliveries,
  type DeliveredAnswer,
  deliverAnswers,
  type FailedAnswer,
} from './answers.ts'
import type { InterchangeContext } from './context.ts'
import { type ReportedSets, reportSets } from './sets-report.ts'
import { unbundleFile } from './unbundle.ts'

export interface InterchangeOutcome {
  /** `inbox:NAME`. */
  readonly route: string
  /** Files that this pass reported, in their order. */
  readonly reported: readonly ReportedSets[]
  readonly answers: readonly DeliveredAnswer[]
  /** Files that are not finished, and the routes that they wait for. */
  readonly open: readonly WaitingInterchanges[]
}

/** A file whose parts are not finished, or whose answers are not delivered. */
export interface WaitingInterchanges {
  readonly file: FileEntry
  readonly routes: readonly string[]
  /** Whether all that is not finished are records that wait for their orders, so that it need not run again soon. */
  readonly isWaiting: boolean
  /** How many answers are not delivered yet. */
  readonly answers: number
  /** Why answers that are due could not be delivered. */
  readonly failed?: readonly { readonly partner: string; readonly why: string }[]
  /** When the first of them goes out by the structure alone; absent where all are decided. */
  readonly answersDueAt?: number
}

export type InterchangeProgress = ReturnType<typeof createInterchangeProgress>

export function createInterchangeProgress() {
  return {
    ...createFilePassProgress(),
    reported: new Map<string, ReportedSets>(),
    answers: [] as DeliveredAnswer[],
    open: [] as WaitingInterchanges[],
    /** By file. */
    failedAnswers: new Map<string, readonly FailedAnswer[]>(),
    /** The routes that got parts in this pass. */
    fedRoutes: new Set<string>(),
    /** The outbound routes whose interchanges a partner answered in this pass. */
    answeredRoutes: new Set<string>(),
  }
}

/**
 * One pass. A failure of the whole inbox is thrown at once, a failure of a single file after all files were tried;
 * `progress` then holds the work done until then.
 */
export async function runInterchanges(
  context: InterchangeContext,
  progress = createInterchangeProgress(),
): Promise<InterchangeOutcome> {
  await continueAnswerRedeliveries(context, progress)
  await cleanDeliverySpool(context)
  await runFilePass(context, createSteps(context, progress), progress)
  throwFailures(progress)
  return getInterchangeOutcome(context.route.name, progress)
}

/** Continues one file from its state, as a person asked for it. */
export async function resumeInterchanges(
  context: InterchangeContext,
  fileId: string,
  progress = createInterchangeProgress(),
): Promise<InterchangeOutcome> {
  const file = await context.journal.getFile(fileId)
  if (file !== undefined) await runFile(context, createSteps(context, progress), { file, progress })
  throwFailures(progress)
  return getInterchangeOutcome(context.route.name, progress)
}

export function getInterchangeOutcome(route: string, progress: InterchangeProgress): InterchangeOutcome {
  const reported = progress.taken.flatMap((id) => progress.reported.get(id) ?? [])
  return { route, reported, answers: progress.answers, open: progress.open }
}

function createSteps(
  context: InterchangeContext,
  progress: InterchangeProgress,
): FileSteps<InterchangeContext> {
  const { journal } = context
  return {
    next: {
      claiming: receiveFile,
      received: async (own, file) => {
        for (const { route } of await unbundleFile(own, file)) progress.answeredRoutes.add(route)
        for (const part of await journal.listParts(file.id)) progress.fedRoutes.add(part.route)
      },
      planned: async (own, file) => {
        const failed = await deliverAnswers(own, file, progress.answers)
        noteFailedAnswers(own, progress, { file: file.id, failed })
        await journal.markPartsFinished(own.lease, file.id)
      },
      submitted: async (own, file) => {
        const reported = await reportSets(own, file)
        const { outcome, sets } = reported.summary
        own.notify({
          kind: 'sets-reported',
          route: own.route.name,
          file: file.name,
          outcome,
          sets: sets.total,
        })
        progress.reported.set(file.id, reported)
      },
      reported: archiveFile,
    },
    backgroundFrom: 'closed',
    async noteUnfinished(file) {
      const parts = (await journal.listParts(file.id)).filter(({ state }) => state !== 'closed')
      const onlyWait = await Promise.all(parts.map(({ id }) => journal.isOnlyWaitingForOrders(id)))
      const answers = await journal.listAnswers(file.id)
      const undelivered = await Promise.all(answers.map((each) => isUndelivered(context, each.delivery)))
      const dueAt = answers.flatMap((each) => (each.decided === undefined ? [each.dueAt] : []))
      const failed = progress.failedAnswers.get(file.id) ?? []
      progress.open.push({
        file,
        routes: parts.map(({ route }) => route),
        isWaiting: failed.length === 0 && parts.length > 0 && !onlyWait.includes(false),
        answers: undelivered.filter(Boolean).length,
        ...(failed.length > 0 && { failed: failed.map(describeFailure) }),
        ...(dueAt.length > 0 && { answersDueAt: Math.min(...dueAt) }),
      })
    },
  }
}

/** The file stays open, and its other answers may become due: the pass goes on, and says at its end what failed. */
function noteFailedAnswers(
  { fileBackoff }: InterchangeContext,
  progress: InterchangeProgress,
  { file, failed }: { readonly file: string; readonly failed: readonly FailedAnswer[] },
): void {
  const [first] = failed
  progress.failedAnswers.set(file, failed)
  if (first === undefined) return
  progress.failures.push(first.failure)
  fileBackoff?.noteFailureElsewhere(file, first.failure)
}

function describeFailure({ partner, failure }: FailedAnswer) {
  return { partner, why: getErrorMessage(failure, 'the delivery failed') }
}

async function isUndelivered(
  { journal }: InterchangeContext,
  delivery: string | undefined,
): Promise<boolean> {
  return delivery === undefined || (await journal.getDelivery(delivery))?.state === 'composed'
}
