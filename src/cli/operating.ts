/** The log and what else `run` and `watch` tell of a bridge, put together from the configuration and the command line. */
import type { Bridge } from '../bridge/bridge.ts'
import { chosenRoutes } from '../bridge/run.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Observer } from '../domain/event.ts'
import { openNotifier } from '../notices/notifiers.ts'
import { eventLog, wordsOf } from '../operator/event-log.ts'
import { openOperating } from '../operator/operating.ts'
import { createLog, type LogFormat, type LogLevel, type LogSink } from '../support/log.ts'
import { fileSink } from '../support/log-sinks.ts'
import { newId, withBridge } from './context.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

export interface LogFlags {
  readonly level?: LogLevel | undefined
  readonly format?: LogFormat | undefined
}

export interface OperatedOptions {
  readonly isWatch: boolean
  /** The names that were asked for; all when there are none. */
  readonly routes: readonly string[]
  readonly flags: LogFlags
  /** Words for a person while it happens; said only where stderr does not carry the log. */
  readonly words: Observer
}

export interface Operated {
  readonly bridge: Bridge
  /** Tells the log and all the others of an event of the command itself. */
  readonly notify: Observer
  /** Whether a person reads stderr, and not a program. */
  readonly talks: boolean
}

/** Opens the bridge for as long as `work` takes, with everything that is told of it. */
export async function withOperatedBridge<Result>(
  terminal: Terminal,
  configuration: Configuration,
  { isWatch, routes, flags, words }: OperatedOptions,
  work: (operated: Operated) => Promise<Result>,
): Promise<Result> {
  // A misspelt name is told before anything is opened that others may see.
  const chosen = chosenRoutes(configuration, routes)
  const { log, talks, isLogged } = openLog(terminal, configuration, { isWatch, flags })
  const logged = eventLog(log, isChatty(configuration, flags))
  terminal.stopsBy?.((event) => {
    logged(event)
    if (!isLogged) terminal.say(wordsOf(event))
  })
  const operating = await openOperating({
    configuration,
    routes: chosen.map(({ name }) => name),
    isWatch,
    clock: terminal.clock,
    newId,
    signal: terminal.signal,
    version: VERSION,
    log: (event) => {
      logged(event)
      if (!isLogged) words(event)
    },
    notifierOf: (notice) => openNotifier(notice, { clock: terminal.clock, version: VERSION }),
  })
  const { notify, wrapApi } = operating
  try {
    return await withBridge(
      terminal,
      { configuration, notify },
      async (bridge) => {
        await operating.begin(bridge)
        try {
          return await work({ bridge, notify, talks })
        } finally {
          await operating.end()
        }
      },
      wrapApi === undefined ? {} : { wrap: { api: wrapApi } },
    )
  } finally {
    await log.close()
  }
}

/** Where lines go: into the file that is configured; and to stderr, where a program reads that. */
function openLog(
  terminal: Terminal,
  { log: configured }: Configuration,
  { isWatch, flags }: Pick<OperatedOptions, 'isWatch' | 'flags'>,
) {
  const { level = 'info', format, file } = configured ?? {}
  const usual = isWatch && terminal.progressStream === null && file === undefined ? 'json' : 'human'
  const onStderr = flags.format ?? (file === undefined && isWatch ? format : undefined) ?? usual
  const isAsked = flags.format !== undefined || flags.level !== undefined
  const outlets: { format: LogFormat; sink: LogSink }[] = []
  if (file !== undefined) outlets.push({ format: format ?? 'json', sink: fileSink(file) })
  const talks = onStderr === 'human'
  // Words for people are better than lines of a log, unless these are asked for.
  const isLogged = !talks || isAsked
  if (isLogged) outlets.push({ format: onStderr, sink: stderrOf(terminal) })
  return {
    log: createLog({ level: flags.level ?? level, outlets, now: () => terminal.clock.now() }),
    talks,
    isLogged,
  }
}

function stderrOf(terminal: Terminal): LogSink {
  return { write: (text) => terminal.say(text.replace(/\n$/, '')), close: () => Promise.resolve() }
}

function isChatty({ log }: Configuration, { level }: LogFlags): boolean {
  return (level ?? log?.level) === 'debug'
}
