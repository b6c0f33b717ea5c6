/** `dropbridge watch`: runs until a signal arrives, and reports what it does. */
import { fullMessage, type RouteResult, toBridgeError } from '../../app/outcome.ts'
import type { ContinuedWatch } from '../../app/watch/reload.ts'
import type { Reload } from '../../app/watch/watch.ts'
import type { Configuration } from '../../config/configuration.ts'
import { type BridgeEvent, LOG_EVENTS } from '../../domain/event.ts'
import { formatEvent } from '../../observability/event-log.ts'
import { ANOTHER_WATCH } from '../../observability/format.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, LOG_FLAGS, ROUTES_POSITIONAL } from '../command.ts'
import { readConfiguration, withMonitoredBridge } from '../context.ts'
import { formatFinishedWork, formatRun } from '../format/run.ts'
import { formatCount } from '../format/text.ts'

export const watchCommand = defineCommand({
  positionals: ROUTES_POSITIONAL,
  options: { config: CONFIG_FLAG, ...LOG_FLAGS },
  async run(terminal, { config, routes, logLevel, logFormat }) {
    const say = (line: string) => terminal.say(`${isoTime(terminal.clock.now())} ${line}`)
    const report = (event: BridgeEvent) => {
      const line = formatWatchEvent(event)
      if (line !== undefined) say(line)
    }
    const onResult = (result: RouteResult) => {
      // An event reports the failure, once and not at every try.
      const lines =
        result.kind === 'failed'
          ? formatFinishedWork(result)
          : formatRun({ routes: [result], stranded: [], exit: EXIT.ok })
      for (const line of lines) say(line)
    }
    const { signal, reloads } = terminal
    // A service manager may ask for a reload while it starts: from here on the signal is kept until the watch asks for it.
    reloads?.listen(() => undefined)()
    const watchOnce = ({
      configuration,
      mappings,
      continued,
      onOpen,
    }: WatchStart & { onOpen: () => void }) => {
      const monitoring = { isWatch: true, routes, logLevel, logFormat, report, mappings, onOpen }
      return withMonitoredBridge(terminal, configuration, monitoring, ({ bridge, isForPeople }) => {
        const own = { ...(isForPeople && { onResult }), ...(continued && { continued }) }
        return bridge.watch(routes, { signal, ...(reloads && { reloads }), ...own })
      })
    }
    let start: WatchStart | undefined = { configuration: await readConfiguration(terminal, config) }
    while (start !== undefined) start = await watchUntilReload(start, watchOnce)
    return EXIT.ok
  },
})

/** What a watch works with. The first one of a process loads its mappings itself. */
interface WatchStart extends Partial<Reload['loaded']> {
  readonly configuration: Configuration
  readonly continued?: ContinuedWatch
  /** What it works with where this cannot be opened. */
  readonly before?: Reload['before']
}

/** Returns what the next watch works with after a reload; undefined when the watch was stopped. */
async function watchUntilReload(
  start: WatchStart,
  watchOnce: (start: WatchStart & { onOpen: () => void }) => Promise<Reload | undefined>,
): Promise<WatchStart | undefined> {
  let hasOpened = false
  const onOpen = () => {
    hasOpened = true
  }
  try {
    const reload = await watchOnce({ ...start, onOpen })
    return reload && { ...reload.loaded, before: reload.before, continued: reload.continued }
  } catch (error) {
    const { before, continued } = start
    if (hasOpened || before === undefined || continued === undefined) throw error
    return { ...before, continued: { ...continued, failure: fullMessage(toBridgeError(error)) } }
  }
}

function formatWatchEvent(event: BridgeEvent): string | undefined {
  if (event.kind === 'watch-started') {
    const begun = `watching ${formatCount(event.routes, 'route')}; each inbox is scanned every ${event.scanMs / 1000} seconds at least`
    return event.others === undefined ? begun : `${begun}\n${ANOTHER_WATCH}`
  }
  if (event.kind === 'watch-stopped') return 'stopped watching'
  if (event.kind === 'watcher-unreliable')
    return `${event.route}: ${event.folder}: ${event.why}. New files are found by looking, within seconds`
  if (event.kind === 'route-failed')
    return `${event.route}: ${event.message} (dropbridge explain ${event.code}). It is tried again`
  if (event.kind === 'route-recovered') return `${event.route}: continues`
  if (event.kind === 'file-skipped') return `${event.route}: ${event.file} is skipped: ${event.why}`
  if (event.kind === 'reload-started' || event.kind === 'configuration-reloaded') return formatEvent(event)
  return isReported(event) ? formatEvent(event) : undefined
}

/** Events that the lines about a pass do not report anyway. */
function isReported(event: BridgeEvent): boolean {
  if ('code' in event && event.code === 'route-failing') return false
  const { level } = LOG_EVENTS[event.kind]
  return (
    level === 'warn' || level === 'error' || event.kind === 'health-served' || event.kind === 'alert-ended'
  )
}
