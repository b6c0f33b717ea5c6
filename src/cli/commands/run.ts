/** `dropbridge run`: one pass over the routes, for people and for schedulers. */
import type { RouteResult, RunResult } from '../../bridge/outcome.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import { type ExitCode, FAILURES } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { readConfiguration, withBridge } from '../context.ts'
import { outboundInWords } from '../outbound-in-words.ts'
import { retentionInWords } from '../forgotten-in-words.ts'
import { progressBar } from '../progress.ts'
import { reportInWords, waitingInWords } from '../report-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface RunOptions {
  readonly config: string
  readonly routes: readonly string[]
  readonly json: boolean
}

export async function run(terminal: Terminal, { config, routes, json }: RunOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const bar = progressBar(terminal)
  const notify = (event: BridgeEvent) => {
    bar.observe(event)
    const line = eventInWords(event)
    if (line === undefined) return
    bar.clear()
    terminal.say(line)
  }
  terminal.signal.addEventListener('abort', bar.clear, { once: true })
  const result = await withBridge(configuration, notify, (bridge) => bridge.run(routes, terminal.signal))
  bar.clear()
  if (json) terminal.out(JSON.stringify(asData(result), null, 2))
  else for (const line of runInWords(result)) terminal.say(line)
  return result.exit
}

/** What is worth a word while it happens. */
function eventInWords(event: BridgeEvent): string | undefined {
  if (event.kind === 'columns-differ') return `${event.route}: ${event.file} ${columnsInWords(event)}`
  if (event.kind === 'file-left-alone') return `${event.route}: ${event.file} is left alone: ${event.why}`
  if (event.kind !== 'waiting') return undefined
  const seconds = Math.round(event.ms / 1000)
  if (seconds === 0) return undefined
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${event.route}: ${event.file}: waiting ${time} until late answers are out of the question`
}

/** What happened, a line or a few for each route. */
export function runInWords(result: RunResult): string[] {
  const stranded = result.stranded.map(
    (route) =>
      `${route}: this route is not in the configuration any more, and it has unfinished work: give it back its name, or see dropbridge status`,
  )
  return [...result.routes.flatMap(routeInWords), ...stranded, ...retentionInWords(result.retention)]
}

function routeInWords(result: RouteResult): string[] {
  switch (result.kind) {
    case 'failed': {
      const { failure } = result
      const details = failure.details.map((detail) => `    ${detail}`)
      return [
        `${result.route}: ${failure.message}`,
        ...details,
        `    what to do: ${FAILURES[failure.code].cure}`,
      ]
    }
    case 'idle':
      return []
    case 'inbound': {
      const { reported, open, waiting } = result.pass
      if (reported.length + open.length + waiting.length === 0) return [`${result.route}: nothing to do`]
      const unfinished = open.map(
        (file) =>
          `${result.route}: ${file.name} is not finished: some answers are not known yet. Run again later`,
      )
      return [...reported.flatMap(reportInWords), ...unfinished, ...waiting.map(waitingInWords)]
    }
    case 'outbound': {
      const lines = outboundInWords(result.route, result.pass)
      return lines.length > 0 ? lines : [`${result.route}: nothing to do`]
    }
  }
}

/** What a misspelled column looks like: one the mapping names is not there, and others are there unused. */
export function columnsInWords({
  absent,
  unused,
}: {
  absent: readonly string[]
  unused: readonly string[]
}): string {
  const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
  const others = unused.length === 0 ? '' : `; not used: ${listed(unused)}`
  const meant = absent.map((name) => didYouMean(name, unused)).find((words) => words !== '') ?? ''
  return `has no column ${listed(absent)}, which the mapping names${others}${meant === '' ? '' : `.${meant}`}`
}

/** The result without what only the program needs. */
function asData({ exit, routes, stranded, retention }: RunResult): unknown {
  return {
    exit,
    ...(retention?.kind === 'forgotten' ? { forgotten: retention.forgotten } : {}),
    stranded,
    routes: routes.map((result) => {
      switch (result.kind) {
        case 'failed':
          return {
            route: result.route,
            failure: {
              code: result.failure.code,
              message: result.failure.message,
              details: result.failure.details,
            },
          }
        case 'inbound':
          return {
            route: result.route,
            files: result.pass.summaries,
            open: result.pass.open.map((file) => file.name),
            waiting: result.pass.waiting,
          }
        case 'outbound':
          return {
            route: result.route,
            deliveries: result.pass.deliveries,
            awaited: result.pass.awaited,
            held: result.pass.held,
            heldRecords: result.pass.heldRecords,
            missing: result.pass.missing,
            firstMissing: result.pass.firstMissing,
          }
      }
    }),
  }
}
