/** `dropbridge watch`: goes on until a signal comes, and tells what it does while it does it. */
import type { RouteResult } from '../../bridge/outcome.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { EVENTS } from '../../domain/event-kinds.ts'
import { wordsOf } from '../../operator/event-log.ts'
import type { LogFormat, LogLevel } from '../../support/log.ts'
import { readConfiguration } from '../context.ts'
import { withOperatedBridge } from '../operating.ts'
import { endedInWords, runInWords } from '../run-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface WatchOptions {
  readonly config: string
  readonly routes: readonly string[]
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
}

export async function watch(terminal: Terminal, options: WatchOptions): Promise<ExitCode> {
  const { config, routes, logLevel, logFormat } = options
  const configuration = await readConfiguration(terminal, config)
  const say = (line: string) => terminal.say(`${isoTime(terminal.clock.now())} ${line}`)
  const words = (event: BridgeEvent) => {
    const line = eventInWords(event)
    if (line !== undefined) say(line)
  }
  const passed = (result: RouteResult) => {
    // That it failed is told as an event, once and not at every try.
    const lines =
      result.kind === 'failed'
        ? endedInWords(result)
        : runInWords({ routes: [result], stranded: [], exit: EXIT.ok })
    for (const line of lines) say(line)
  }
  const operated = { isWatch: true, routes, flags: { level: logLevel, format: logFormat }, words }
  await withOperatedBridge(terminal, configuration, operated, ({ bridge, talks }) =>
    bridge.watch(routes, { signal: terminal.signal, ...(talks ? { passed } : {}) }),
  )
  return EXIT.ok
}

function eventInWords(event: BridgeEvent): string | undefined {
  if (event.kind === 'watch-started') {
    const routes = event.routes === 1 ? '1 route' : `${event.routes} routes`
    return `watching ${routes}; each inbox is looked through every ${event.scanMs / 1000} seconds at least`
  }
  if (event.kind === 'watch-stopped') return 'stopped watching'
  if (event.kind === 'watch-deaf')
    return `${event.route}: ${event.folder}: ${event.why}. New files are found by looking, within seconds`
  if (event.kind === 'route-failed')
    return `${event.route}: ${event.message} (dropbridge explain ${event.code}). It is tried again`
  if (event.kind === 'route-recovered') return `${event.route}: goes on again`
  if (event.kind === 'file-left-alone') return `${event.route}: ${event.file} is left alone: ${event.why}`
  return isWorthAWord(event) ? wordsOf(event) : undefined
}

/** What the words of a pass do not say anyway. */
function isWorthAWord(event: BridgeEvent): boolean {
  if ('code' in event && event.code === 'route-failing') return false
  const { level } = EVENTS[event.kind]
  return (
    level === 'warn' ||
    level === 'error' ||
    event.kind === 'health-served' ||
    event.kind === 'attention-ended'
  )
}
