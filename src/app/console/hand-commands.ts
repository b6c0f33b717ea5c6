/** What people do from the console, carried out by a bridge that is open for as long as it takes. */
import type { Configuration } from '../../config/configuration.ts'
import type { DecisionAction, ResolutionAction } from '../../domain/decision.ts'
import type { DeliveryResolution } from '../../domain/delivery.ts'
import type { Clock } from '../../support/clock.ts'
import { assert, BridgeError, hasCode } from '../../support/errors.ts'
import { type Bridge, openBridge } from '../bridge.ts'
import type { BridgeOptions } from '../context.ts'
import { toBridgeError } from '../outcome.ts'
import { type HandFailure, runNow, type RunReport, type RunRequest } from './run-now.ts'
import type { CorrectionRequest, CorrectionResult } from './correct-send.ts'

/** Who decides, and why. The name is that of the person who is signed in. */
interface Decider {
  readonly by: string
  readonly why: string
}

interface Hooks {
  readonly signal: AbortSignal
  /** The journal has noted the decision with this number; its records are sent after it. */
  readonly onDecided: (decision: number) => void
}

interface DecideRequest extends Decider {
  /** The id of a file, or a record as `ROUTE/#NUMBER`. */
  readonly what: string
  /** The digest of the records that the person saw. */
  readonly expected: string
}

type CorrectRequest = Omit<CorrectionRequest, 'via'>

interface RedeliverRequest extends Decider {
  /** The id of a delivery. */
  readonly what: string
  /** The redeliveries of it that the person saw. */
  readonly expected: string
}

interface DismissRequest extends Decider {
  /** The id of a file or of a delivery. */
  readonly what: string
}

interface ResolveDeliveryRequest extends DismissRequest {
  readonly action: DeliveryResolution
}

interface ResumeRequest extends Decider {
  readonly route: string
}

interface PauseRequest extends ResumeRequest {
  /** Milliseconds. */
  readonly until: number
}

interface ResolveRequest extends Decider {
  /** A record as `ROUTE/#NUMBER`. */
  readonly what: string
  readonly action: ResolutionAction
  /** The id at the API, of a record that the API has. */
  readonly apiId?: string
}

/** `changed`: the records are not those that the person saw, and nothing was decided. */
type DecideResult = { readonly kind: 'decided'; readonly decision: number } | { readonly kind: 'changed' }

type ResolveResult =
  | { readonly kind: 'decided'; readonly decision: number }
  /** What came of the record is known by now. */
  | { readonly kind: 'known' }
  /** A late answer may still come, for so long. */
  | { readonly kind: 'too-early'; readonly waitMs: number }
  /** The API contradicts the person. */
  | { readonly kind: 'refused'; readonly why: string }

/** Every command by its name: a function over an open bridge. Requests and results are plain data: they travel as JSON. */
const COMMANDS = {
  release: decide('release'),
  discard: decide('discard'),
  correct: async (bridge: Bridge, request: CorrectRequest, hooks: Hooks): Promise<CorrectionResult> =>
    bridge.correct({ ...request, via: 'console' }, { signal: hooks.signal, ...toNoted(hooks) }),
  resolve: async (bridge: Bridge, request: ResolveRequest, hooks: Hooks): Promise<ResolveResult> => {
    const result = await bridge.resolve({ ...request, ...toNoted(hooks) }, hooks.signal)
    if (result.kind === 'too-early') return { kind: 'too-early', waitMs: result.waitMs }
    if (result.kind === 'refused') return { kind: 'refused', why: result.why }
    if (result.kind === 'known' || result.decision === undefined) return { kind: 'known' }
    return { kind: 'decided', decision: result.decision.id }
  },
  pause: async (bridge: Bridge, request: PauseRequest) => {
    const { pause } = await bridge.pause({ ...request, via: 'console' })
    return { kind: 'decided' as const, decision: pause.decision }
  },
  resume: async (bridge: Bridge, request: ResumeRequest) => {
    const { decision } = await bridge.resume({ ...request, via: 'console' })
    return { kind: 'decided' as const, decision }
  },
  run: async (bridge: Bridge, request: RunRequest, { signal }: Hooks): Promise<RunReport> => {
    const report = await runNow(bridge, request, signal)
    // A person who asks for it may wait for rows whose file is gone. The run is done; the next one tries this again.
    if (report.paused === undefined)
      await bridge.concludeWaitingCorrections(request.route, signal).catch((error: unknown) => {
        if (!(error instanceof BridgeError)) throw error
      })
    return report
  },
  dismiss: async (bridge: Bridge, { what, by, why }: DismissRequest) => {
    const { decision } = await bridge.dismiss({ what, by, why, via: 'console' })
    return { kind: 'decided' as const, decision: decision.id }
  },
  resolveDelivery: async (bridge: Bridge, request: ResolveDeliveryRequest, { signal }: Hooks) => {
    const { result } = await bridge.resolveDelivery({ ...request, via: 'console' }, signal)
    return { kind: result === undefined ? ('known' as const) : ('decided' as const) }
  },
  redeliver: async (bridge: Bridge, { what, expected, ...decider }: RedeliverRequest, hooks: Hooks) => {
    const { signal, onDecided } = hooks
    const decided = { ...decider, via: 'console' as const }
    const { decision } = await bridge.redeliver(what, signal, { decided, expected, onDecided })
    assert(decision !== undefined, `The decision about ${what} was not noted.`)
    return { kind: 'decided' as const, decision }
  },
}

export type CommandName = keyof typeof COMMANDS

export type CommandRequest<Name extends CommandName> = Parameters<(typeof COMMANDS)[Name]>[1]

export type CommandResult<Name extends CommandName> = Awaited<ReturnType<(typeof COMMANDS)[Name]>>

/** One thing to carry out. */
export interface HandJob<Name extends CommandName = CommandName> {
  readonly command: Name
  readonly request: CommandRequest<Name>
}

/** What is reported of a job while it is carried out; `done` and `failed` are the last. */
export type HandReport =
  | { readonly kind: 'decided'; readonly decision: number }
  /** Another bridge works on the route; `why` names its process. */
  | { readonly kind: 'busy'; readonly why: string }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: HandFailure }

function decide(action: DecisionAction) {
  return async (bridge: Bridge, request: DecideRequest, hooks: Hooks): Promise<DecideResult> => {
    const result = await bridge.decide({ ...request, action, ...toNoted(hooks) }, hooks.signal)
    return result.decision === undefined
      ? { kind: 'changed' }
      : { kind: 'decided', decision: result.decision.id }
  }
}

function toNoted({ onDecided }: Hooks) {
  return { via: 'console' as const, onDecided: ({ id }: { readonly id: number }) => onDecided(id) }
}

/** A route that another bridge works on is tried again for this long. */
const BUSY_MS = 30_000

const BUSY_PAUSE_MS = 250

export interface HandOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly report: (report: HandReport) => void
  /** Of the bridge that is opened. */
  readonly bridge?: Partial<BridgeOptions>
}

/** Opens a bridge, carries out the job and closes the bridge. Never throws: a failure is reported. */
export async function carryOut(
  load: () => Promise<Configuration> | Configuration,
  { command, request }: HandJob,
  { clock, signal, report, bridge: options }: HandOptions,
): Promise<void> {
  try {
    const bridge = await openBridge(await load(), { clock, ...options })
    try {
      const run = COMMANDS[command] as (...all: [Bridge, unknown, Hooks]) => Promise<unknown>
      const hooks: Hooks = { signal, onDecided: (decision) => report({ kind: 'decided', decision }) }
      const result = await whileBusy({ clock, signal, report }, () => run(bridge, request, hooks))
      report({ kind: 'done', result })
    } finally {
      await bridge.close()
    }
  } catch (error) {
    const { code, message, fix, details } = toBridgeError(error)
    report({ kind: 'failed', failure: { code, message, fix, details } })
  }
}

/** Nothing was done yet when a route turns out to be busy. */
async function whileBusy<Result>(
  { clock, signal, report }: HandOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const until = clock.now() + BUSY_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!hasCode(error, 'lease-held') || clock.now() >= until || signal.aborted) throw error
      report({ kind: 'busy', why: error.message })
      await clock.sleep(BUSY_PAUSE_MS, signal)
    }
  }
}
