/** `dropbridge run`: one pass over the routes, for people and for schedulers. */
import { inFull } from '../../bridge/failure.ts'
import type { Done, RunResult } from '../../bridge/outcome.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import { isoTime } from '../../support/clock.ts'
import type { ExitCode } from '../../support/errors.ts'
import { readConfiguration } from '../context.ts'
import type { LogFormat, LogLevel } from '../../support/log.ts'
import { withOperatedBridge } from '../operating.ts'
import { progressBar } from '../progress.ts'
import { boundsOf, type ExitMap, exitMapOf, type RunFlags } from '../run-bounds.ts'
import { attentionInWords, eventInWords, runInWords } from '../run-in-words.ts'
import { cameToSomething, summaryInWords, summaryOf } from '../run-summary.ts'
import { tellFailure, type Terminal } from '../terminal.ts'

export interface RunCommandOptions extends RunFlags {
  readonly config: string
  readonly routes: readonly string[]
  readonly exitMap?: string | undefined
  readonly quiet: boolean
  readonly json: boolean
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
}

/** Gives the exit code, or the one that is to stand for it. */
export async function run(terminal: Terminal, options: RunCommandOptions): Promise<number> {
  // What is wrong with the command line is told before anything is read.
  const exits = exitMapOf(options.exitMap)
  terminal.mapsExits?.(exits)
  const exit = await runBounded(terminal, options, exits).catch((error: unknown) =>
    tellFailure(terminal, error),
  )
  return exits.get(exit) ?? exit
}

async function runBounded(terminal: Terminal, options: RunCommandOptions, exits: ExitMap): Promise<ExitCode> {
  const { config, routes, json, quiet } = options
  boundsOf(options, { now: 0, zone: 'UTC' })
  const configuration = await readConfiguration(terminal, config)
  // Schedulers of this machine go by its own zone.
  const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = configuration
  const bounds = boundsOf(options, { now: terminal.clock.now(), zone })
  const bar = progressBar(quiet ? { ...terminal, progressStream: null } : terminal)
  const untold = untoldNotices()
  const words = (event: BridgeEvent) => {
    bar.observe(event)
    const line = untold(event) ?? (quiet ? newFindingInWords(event) : eventInWords(event))
    if (line === undefined) return
    bar.clear()
    terminal.say(line)
  }
  terminal.signal.addEventListener('abort', bar.clear, { once: true })
  const flags = { level: options.logLevel, format: options.logFormat }
  const operated = { isWatch: false, routes, flags, words }
  const { result, talks } = await withOperatedBridge(terminal, configuration, operated, async (given) => {
    const passed = await given.bridge.run(routes, terminal.signal, bounds)
    for (const each of passed.routes) {
      if (each.kind !== 'failed') continue
      const { code } = each.failure
      // A bound that somebody set is no failure.
      if (code === 'time-over') continue
      given.notify({ kind: 'route-failed', route: each.route, code, message: inFull(each.failure) })
    }
    // The code says which signal came.
    return { result: { ...passed, exit: terminal.exitOnSignal?.() ?? passed.exit }, talks: given.talks }
  })
  bar.clear()
  // Where a program reads the log on stderr, words between its lines would only disturb it.
  if (json || talks) tell(terminal, result, { json, quiet, exits })
  return result.exit
}

/** Nothing else of a run would show that nobody is told of it, so even a quiet one says so, once for each notice. */
function untoldNotices(): (event: BridgeEvent) => string | undefined {
  const said = new Set<string>()
  return (event) => {
    if (event.kind !== 'notice-failed' || said.has(event.notice)) return undefined
    said.add(event.notice)
    return `the notice ${event.notice} could not be sent and is tried again with the next run: ${event.why}`
  }
}

/** It is told once, so whoever hears of nothing else must hear of it now. */
function newFindingInWords(event: BridgeEvent): string | undefined {
  return event.kind === 'attention-raised' ? attentionInWords(event) : undefined
}

interface Manner {
  readonly json: boolean
  readonly quiet: boolean
  readonly exits: ExitMap
}

function tell(terminal: Terminal, result: RunResult, { json, quiet, exits }: Manner): void {
  if (json) terminal.out(JSON.stringify(asData(result), null, 2))
  else if (!quiet) for (const line of runInWords(result)) terminal.say(line)
  else if (cameToSomething(result)) {
    for (const line of runInWords(result, { terse: true })) terminal.say(line)
    terminal.say(summaryInWords(result, exits.get(result.exit)))
  }
}

/** The result without what only the program needs. */
function asData(result: RunResult): unknown {
  const { exit, routes, stranded, retention, limit } = result
  return {
    exit,
    summary: summaryOf(result),
    ...(limit === undefined ? {} : { limit }),
    ...(retention?.kind === 'forgotten' ? { forgotten: retention.forgotten } : {}),
    stranded,
    routes: routes.map((each) => ({ ...routeAsData(each), ...turnsAsData(each) })),
  }
}

function turnsAsData({ turns }: RunResult['routes'][number]): object {
  if (turns === undefined) return {}
  const { nextAt, ...others } = turns
  const next = nextAt === undefined || nextAt === Infinity ? {} : { nextAt: isoTime(nextAt) }
  return { turns: { ...others, ...next } }
}

function routeAsData(result: RunResult['routes'][number]): object {
  const { route } = result
  switch (result.kind) {
    case 'failed': {
      const { code, message, details } = result.failure
      return { route, failure: { code, message, details }, ...(result.done && doneAsData(result.done)) }
    }
    case 'idle':
      return { route, idle: true }
    case 'busy':
      return { route, busy: result.why }
    case 'inbound':
    case 'outbound':
      return { route, ...doneAsData(result) }
  }
}

function doneAsData(done: Done): object {
  if (done.kind === 'outbound') {
    const { deliveries, awaited, heldDeliveries, held, heldRecords, missing, firstMissing } = done.pass
    return { deliveries, awaited, heldDeliveries, held, heldRecords, missing, firstMissing }
  }
  const { summaries, open, waiting } = done.pass
  return { files: summaries, open: open.map((file) => file.name), waiting }
}
