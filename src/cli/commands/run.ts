/** `dropbridge run`: one pass over the routes, for people and for schedulers. */
import { fullMessage, type RouteOutcome, type RunResult } from '../../app/outcome.ts'
import type { RunOptions } from '../../app/run.ts'
import { parseDuration } from '../../config/time-values.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import { addDays, getLocalDate, toInstant } from '../../schedule/zone-time.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import {
  CONFIG_FLAG,
  defineCommand,
  flag,
  JSON_FLAG,
  LOG_FLAGS,
  type OptionValues,
  ROUTES_POSITIONAL,
  text,
} from '../command.ts'
import { readConfiguration, withMonitoredBridge } from '../context.ts'
import { formatEvent, formatRun, formatRunSummary, hasActivity, summarizeRun } from '../format/run.ts'
import { createProgressBar, reportFailure, type Terminal } from '../terminal.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  due: flag('Only routes that are due by their schedules, and what is unfinished'),
  again: flag('Make a daily report once more for its last date'),
  'if-busy': {
    choices: ['fail', 'skip', 'wait'],
    default: 'fail',
    describe: 'When another bridge is working on a route: exit with 75, leave it to that one, or wait',
  },
  'wait-at-most': text(
    'How long --if-busy wait waits for another bridge; 10m when left out. How long a run works: --until',
  ),
  until: text('Begin nothing and wait for nothing after this time: 06:30, 2h from now, 2026-11-21T06:30Z'),
  'max-records': { type: 'number', describe: 'Send no more records than this; the rest is for the next run' },
  'exit-map': text('Other exit codes for a scheduler that knows only its own: 2=0,75=0'),
  quiet: flag('Say nothing when nothing happened, and else what happened and one summary'),
  ...LOG_FLAGS,
  json: JSON_FLAG,
} as const

type RunCommandOptions = OptionValues<typeof ROUTES_POSITIONAL> & OptionValues<typeof OPTIONS>

/** Returns the exit code, or the one that replaces it. */
export const runCommand = defineCommand({
  positionals: ROUTES_POSITIONAL,
  options: OPTIONS,
  async run(terminal, options) {
    // Errors of the command line are reported before anything is read.
    const exits = parseExitMap(options.exitMap)
    terminal.setExitCodes?.(exits)
    const exit = await runWithBounds(terminal, options, exits).catch((error: unknown) =>
      reportFailure(terminal, error),
    )
    return exits.get(exit) ?? exit
  },
})

async function runWithBounds(terminal: Terminal, options: RunCommandOptions, exits: ExitMap) {
  const { config, routes, quiet, logLevel, logFormat } = options
  parseRunBounds(options, { now: 0, zone: 'UTC' })
  const configuration = await readConfiguration(terminal, config)
  // Schedulers of this machine use its own zone.
  const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = configuration
  const bounds = parseRunBounds(options, { now: terminal.clock.now(), zone })
  const bar = await createProgressBar(quiet ? { progressStream: null } : terminal)
  const formatNotificationFailure = createNotificationFailureFormatter()
  const report = (event: BridgeEvent) => {
    bar.observe(event)
    // An alert is reported only once, so a quiet run reports it too. Lines at the end say of each run what is mistyped.
    const isAlert = event.kind === 'alert-raised'
    const isShown = quiet ? isAlert : !isAlert || event.code !== 'inbox-mistyped'
    const line = formatNotificationFailure(event) ?? (isShown ? formatEvent(event) : undefined)
    if (line === undefined) return
    bar.clear()
    terminal.say(line)
  }
  terminal.signal.addEventListener('abort', bar.clear, { once: true })
  const monitoring = { isWatch: false, routes, logLevel, logFormat, report }
  const { result, talks } = await withMonitoredBridge(terminal, configuration, monitoring, async (given) => {
    const passed = await given.bridge.run(routes, terminal.signal, bounds)
    for (const each of passed.routes) {
      if (each.kind !== 'failed') continue
      const { code, fix } = each.failure
      // Reaching a limit that a person set is no failure.
      if (code === 'time-over') continue
      given.notify({ kind: 'route-failed', route: each.route, code, message: fullMessage(each.failure), fix })
    }
    // The exit code says which signal came.
    return { result: { ...passed, exit: terminal.exitOnSignal?.() ?? passed.exit }, talks: given.isForPeople }
  })
  bar.clear()
  // Where a program reads the log on stderr, messages between its lines would only disturb it.
  if (options.json || talks) reportResult(terminal, result, options, exits)
  return result.exit
}

/** Nothing else in a run shows that a notification failed, so even a quiet run says so, once for each notification. */
function createNotificationFailureFormatter(): (event: BridgeEvent) => string | undefined {
  const reported = new Set<string>()
  return (event) => {
    if (event.kind !== 'notification-failed' || reported.has(event.notification)) return undefined
    reported.add(event.notification)
    return `the notification ${event.notification} could not be sent and is tried again with the next run: ${event.why}`
  }
}

function reportResult(terminal: Terminal, result: RunResult, options: RunCommandOptions, exits: ExitMap) {
  const { json, quiet } = options
  if (json) terminal.out(JSON.stringify(runToJson(result), null, 2))
  else if (!quiet) for (const line of formatRun(result)) terminal.say(line)
  else if (hasActivity(result)) {
    for (const line of formatRun(result, { terse: true })) terminal.say(line)
    terminal.say(formatRunSummary(result, exits.get(result.exit)))
  }
}

/** The result without what only the program needs. */
function runToJson(result: RunResult): unknown {
  const { exit, routes, stranded, mistyped, retention, limit } = result
  return {
    exit,
    summary: summarizeRun(result),
    ...(limit === undefined ? {} : { limit }),
    ...(retention?.kind === 'pruned' ? { pruned: retention.pruned } : {}),
    stranded,
    ...(mistyped === undefined ? {} : { mistyped }),
    routes: routes.map((each) => ({ ...routeToJson(each), ...scheduledRunsToJson(each) })),
  }
}

function scheduledRunsToJson({ scheduledRuns }: RunResult['routes'][number]): object {
  if (scheduledRuns === undefined) return {}
  const { nextAt, ...runs } = scheduledRuns
  const next = nextAt === undefined || nextAt === Infinity ? {} : { nextAt: isoTime(nextAt) }
  return { scheduledRuns: { ...runs, ...next } }
}

function routeToJson(result: RunResult['routes'][number]): object {
  const { route } = result
  switch (result.kind) {
    case 'failed': {
      const { code, message, details } = result.failure
      return { route, failure: { code, message, details }, ...(result.done && outcomeToJson(result.done)) }
    }
    case 'idle':
      return { route, idle: true }
    case 'busy':
      return { route, busy: result.why }
    case 'paused': {
      const { by, why, until } = result.pause
      return { route, paused: { by, why, until: isoTime(until) } }
    }
    case 'inbound':
    case 'interchanges':
    case 'outbound':
      return { route, ...outcomeToJson(result) }
  }
}

function outcomeToJson(done: RouteOutcome): object {
  if (done.kind === 'outbound') {
    const { route: _, ...pass } = done.pass
    return pass
  }
  if (done.kind === 'interchanges') {
    const { reported, answers, open } = done.pass
    const waiting = open.map(({ file, routes }) => ({ file: file.name, routes }))
    return { files: reported.map(({ summary }) => summary), answers, open: waiting }
  }
  const { summaries, open, waiting } = done.pass
  return { files: summaries, open: open.map((file) => file.name), waiting }
}

// Bounds of a run: when, how long, how many records, and the exit codes of a scheduler.

type BoundFlag = 'due' | 'again' | 'ifBusy' | 'waitAtMost' | 'until' | 'maxRecords'

export type RunFlags = Pick<RunCommandOptions, BoundFlag>

const DEFAULT_WAIT = '10m'

/** `zone` is the zone of a time of day. Throws `usage-wrong` for limits that make no sense. */
export function parseRunBounds(
  flags: RunFlags,
  { now, zone }: { readonly now: number; readonly zone: string },
): RunOptions {
  const { due, again, until, maxRecords } = flags
  if (due && again)
    throw usageError(
      '--due runs what its schedule asks for, and --again what it does not',
      'Leave one of the two out.',
    )
  if (maxRecords !== undefined && !(Number.isSafeInteger(maxRecords) && maxRecords >= 1)) {
    throw usageError(
      '--max-records must be a whole number from 1 on',
      'Write it with digits, such as `--max-records 500`.',
    )
  }
  return {
    scheduleMode: due ? 'due' : again ? 'again' : 'now',
    ifBusy: parseIfBusy(flags),
    ...(until === undefined ? {} : { until: parseUntil(until, { now, zone }) }),
    ...(maxRecords === undefined ? {} : { maxRecords }),
  }
}

function parseIfBusy({ ifBusy, waitAtMost }: RunFlags): NonNullable<RunOptions['ifBusy']> {
  if (ifBusy !== 'wait') {
    if (waitAtMost === undefined) return ifBusy
    const message = '--wait-at-most goes with --if-busy wait, and is how long to wait for another bridge'
    const fix =
      'Add `--if-busy wait`; or, where the run itself should end by a time, write `--until` instead.'
    throw new BridgeError('usage-wrong', message, { fix })
  }
  const waitAtMostMs = parseDuration(waitAtMost ?? DEFAULT_WAIT)
  if (waitAtMostMs === undefined)
    throw usageError(
      '--wait-at-most must be a time of at most a day, such as 10m or 1h',
      'Write such as `--wait-at-most 10m`.',
    )
  return { waitAtMostMs }
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/

const TIME_WITH_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970; a time of day means its next occurrence. */
export function parseUntil(
  text: string,
  { now, zone }: { readonly now: number; readonly zone: string },
): number {
  const lasts = parseDuration(text)
  if (lasts !== undefined) return now + lasts
  if (TIME_OF_DAY.test(text)) {
    const today = getLocalDate(zone, now)
    const at = toInstant(today, text, zone)
    return at > now ? at : toInstant(addDays(today, 1), text, zone)
  }
  const at = TIME_WITH_DATE.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) {
    throw usageError(
      '--until must be a time of day such as 06:30, a length of time such as 2h, or 2026-11-21T06:30Z',
      'Write such as `--until 06:30` or `--until 2h`.',
    )
  }
  return at
}

const EXIT_MAP_FIX = 'Write pairs of exit code=new code, such as `--exit-map 2=0,75=0`; see docs/commands.md.'

type ExitMap = ReadonlyMap<ExitCode, number>

/** `2=0,75=0`: the exit codes to use instead. */
export function parseExitMap(text: string | undefined): ExitMap {
  const map = new Map<ExitCode, number>()
  for (const pair of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const [, from, to] = /^\s*(\d{1,3})\s*=\s*(\d{1,3})\s*$/.exec(pair) ?? []
    const known = Object.values(EXIT).find((code) => String(code) === from)
    if (known === undefined || to === undefined) {
      throw usageError(`--exit-map "${pair.trim()}" names no exit code of the program`, EXIT_MAP_FIX)
    }
    if (Number(to) > 255)
      throw usageError(`--exit-map "${pair.trim()}": an exit code is at most 255`, EXIT_MAP_FIX)
    if (map.has(known)) throw usageError(`--exit-map names ${known} twice`, 'Leave one of the two out.')
    map.set(known, Number(to))
  }
  return map
}
