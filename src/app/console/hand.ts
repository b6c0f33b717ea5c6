/** Has jobs of people carried out, each in a process of its own, and knows what came of them. */
import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { createSemaphore, waitAtMost } from '../../support/async.ts'
import { FAILURES } from '../../support/errors.ts'
import { newId } from '../../support/text.ts'
import { resolvePackagePath } from '../../support/process.ts'
import type { CommandName, CommandRequest, CommandResult, HandJob, HandReport } from './hand-commands.ts'
import type { HandFailure, RunReport, RunRequest, RunWork } from './run-now.ts'

/** Begins a job; the reports end with `done` or `failed`. */
export type StartJob = (job: HandJob, report: (report: HandReport) => void) => { readonly stop: () => void }

/** What the process of a job is sent. */
export type ChildMessage =
  { readonly kind: 'work'; readonly job: HandJob; readonly configuration: string } | { readonly kind: 'stop' }

/** `going-on`: the decision is noted, and its records are still being sent. */
export type HandOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'going-on'; readonly decision: number }
  | { readonly kind: 'failed'; readonly failure: HandFailure }

/** What this process knows of the work after a decision. */
export interface DecisionWork {
  readonly isGoingOn: boolean
  readonly failure?: HandFailure
}

export type Hand = ReturnType<typeof createHand>

/** Each is a process with a bridge of its own; more wait for their turn. */
const AT_ONCE = 2

/** After a decision, a page waits for its records no longer than this; then it shows how far they are. */
const PATIENCE_MS = 5_000

/** Work on later decisions pushes out what is known of the first. */
const KNOWN_MAX = 100

/** A bridge that is asked to stop ends its requests within ten seconds. */
const STOP_MS = 15_000

export function createHand(start: StartJob) {
  const semaphore = createSemaphore(AT_ONCE)
  // A run may take long, and decisions must not wait for it.
  const runSemaphore = createSemaphore(AT_ONCE)
  const known = new Map<number, DecisionWork>()
  const stops = new Set<() => void>()
  const underWay = new Set<Promise<void>>()
  let isClosed = false
  const note = (decision: number, work: DecisionWork) => {
    known.delete(decision)
    known.set(decision, work)
    const [first] = known.keys()
    if (known.size > KNOWN_MAX && first !== undefined) known.delete(first)
  }
  const runs = new Map<string, RunWork>()
  const listeners = new Set<() => void>()
  const noteRun = (id: string, work: RunWork) => {
    runs.set(id, work)
    const [first] = runs.keys()
    if (runs.size > KNOWN_MAX && first !== undefined) runs.delete(first)
    for (const listener of listeners) listener()
  }
  /** Reports the outcome as soon as a page can show it, and resolves when the work is over. */
  const runJob = (
    job: HandJob,
    resolveWith: (outcome: HandOutcome<unknown>) => void,
    onBusy: (why: string) => void = () => undefined,
  ): Promise<void> =>
    new Promise((end) => {
      let decided: number | undefined
      let timer: NodeJS.Timeout | undefined
      const { stop } = start(job, (report) => {
        if (report.kind === 'decided') {
          const { decision } = report
          decided = decision
          note(decision, { isGoingOn: true })
          timer = setTimeout(() => resolveWith({ kind: 'going-on', decision }), PATIENCE_MS)
          return
        }
        if (report.kind === 'busy') return onBusy(report.why)
        clearTimeout(timer)
        stops.delete(stop)
        const failure = report.kind === 'failed' ? report.failure : undefined
        if (decided !== undefined) note(decided, { isGoingOn: false, ...(failure && { failure }) })
        // A decision that is noted stands, whatever became of the rest.
        if (failure === undefined) resolveWith(report as HandOutcome<unknown>)
        else
          resolveWith(
            decided === undefined ? { kind: 'failed', failure } : { kind: 'going-on', decision: decided },
          )
        end()
      })
      stops.add(stop)
    })
  /** Jobs wait for their turn. */
  const enqueue = (
    job: HandJob,
    resolveWith: (outcome: HandOutcome<unknown>) => void,
    onBusy?: (why: string) => void,
  ) => {
    const running = (job.command === 'run' ? runSemaphore : semaphore).run(async () => {
      if (isClosed) resolveWith({ kind: 'failed', failure: STOPPED })
      else await runJob(job, resolveWith, onBusy)
    })
    underWay.add(running)
    void running.finally(() => underWay.delete(running))
  }
  return {
    /** Resolves when the job is done or failed, or some seconds after its decision is noted. */
    carryOut: <Name extends CommandName>(command: Name, request: CommandRequest<Name>) =>
      new Promise<HandOutcome<CommandResult<Name>>>((resolve) => {
        const resolveWith = resolve as (outcome: HandOutcome<unknown>) => void
        enqueue({ command, request } as HandJob, resolveWith)
      }),
    /** Undefined where this process knows nothing of it: it was made elsewhere, or before a restart. */
    findWork: (decision: number): DecisionWork | undefined => known.get(decision),
    /** Starts a run of the route. Resolves with its id when it is over, or after some seconds: a page shows how far it is. */
    startRun: ({ by, at, ...request }: Pick<RunWork, 'by' | 'at'> & RunRequest) =>
      new Promise<string>((resolve) => {
        const id = newId()
        const own = { route: request.route, by, at }
        noteRun(id, own)
        const timer = setTimeout(() => resolve(id), PATIENCE_MS)
        const end = (outcome: HandOutcome<unknown>) => {
          clearTimeout(timer)
          if (outcome.kind === 'failed') noteRun(id, { ...own, failure: outcome.failure })
          else if (outcome.kind === 'done') noteRun(id, { ...own, report: outcome.result as RunReport })
          resolve(id)
        }
        enqueue({ command: 'run', request }, end, (busy) => noteRun(id, { ...own, busy }))
      }),
    /** Undefined where this process did not start it, or after many others. */
    findRun: (id: string): RunWork | undefined => runs.get(id),
    /** Calls the listener when something becomes known of a run; returns how to stop that. */
    onRun(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Stops what is under way, which is safe at any moment, and waits for it. */
    async close(): Promise<void> {
      isClosed = true
      for (const stop of stops) stop()
      await waitAtMost(STOP_MS, Promise.all(underWay))
    },
  }
}

const STOPPED: HandFailure = {
  code: 'interrupted',
  message: 'The console is being stopped.',
  fix: FAILURES.interrupted.fix,
  details: [],
}

/** Jobs in processes of their own, which read the configuration anew. */
export function startChildren(configuration: string, env: NodeJS.ProcessEnv): StartJob {
  return (job, report) => {
    const [path, execArgv] = findChildProgram()
    const child = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv, env })
    let isOver = false
    const end = (last: HandReport) => {
      if (isOver) return
      isOver = true
      report(last)
    }
    child.on('message', (message) => {
      const reported = message as HandReport
      if (reported.kind === 'decided' || reported.kind === 'busy') report(reported)
      else end(reported)
    })
    const fail = (why: string) =>
      end({
        kind: 'failed',
        failure: {
          code: 'bug',
          message: `The process that does it ${why}.`,
          fix: FAILURES.bug.fix,
          details: [],
        },
      })
    child.once('error', (error) => fail(`cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code ?? 'nothing'}`))
    const send = (message: ChildMessage) => void (child.connected && child.send(message, () => undefined))
    send({ kind: 'work', job, configuration })
    return { stop: () => send({ kind: 'stop' }) }
  }
}

/** The built program; from sources, TypeScript has to be loaded first. */
function findChildProgram(): [path: string, execArgv: string[]] {
  if (!import.meta.url.endsWith('.ts')) return [resolvePackagePath('dist/app/console/hand-child.js'), []]
  const loader = createRequire(import.meta.url).resolve('tsx')
  return [resolvePackagePath('src/app/console/hand-child.ts'), ['--import', loader]]
}
