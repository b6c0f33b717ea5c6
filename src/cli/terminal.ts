/** The terminal of a command: data on stdout, messages and progress on stderr, signals that stop the work. */
import { setMaxListeners } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { inspect } from 'node:util'
import type { SingleBar } from 'cli-progress'
import type { ReloadSignal } from '../app/watch/reload.ts'
import type { BridgeEvent, ShutdownEvent } from '../domain/event.ts'
import { formatEvent } from '../observability/event-log.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError, EXIT, type ExitCode, FAILURES } from '../support/errors.ts'
import { escapeControlChars, escapeTerminalControls, quoteForShell } from '../support/text.ts'

export interface Terminal {
  /** Data: what another program may read. One call is one line. */
  out(line: string): void
  /** Data that is no lines of text, written as it is. Resolves when it is on its way. */
  outBytes(bytes: Uint8Array): Promise<void>
  /** Talk: what a person reads. One call is one line. */
  say(line: string): void
  /** Replaces the last line of talk, where that is possible; null when stderr is no terminal. */
  readonly progressStream: NodeJS.WriteStream | null
  readonly env: NodeJS.ProcessEnv
  /** How the program is called here, for commands that a person may copy. */
  readonly program: string
  /** The folder that relative paths are relative to. */
  readonly folder: string
  /** Asks the person at the terminal; left out where there is none. */
  readonly ask?: (question: string) => Promise<string>
  /** The same without showing what is typed. */
  readonly askSecret?: (question: string) => Promise<string>
  readonly clock: Clock
  /** Fires at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** The signals that ask a watch to reload; left out where no signal comes. Before the first listener, SIGHUP stops. */
  readonly reloads?: ReloadSignal
  /** Replaces the line of talk that reports a signal; left out where no signal comes. */
  readonly onStop?: (report: (event: ShutdownEvent) => void) => void
  /** The exit code of the signal that came; undefined when none did. */
  readonly exitOnSignal?: () => ExitCode | undefined
  /** From now on the program ends with other codes than its own, after a signal too. */
  readonly setExitCodes?: (map: ReadonlyMap<ExitCode, number>) => void
  /** From now on other programs of this machine go first; left out where the process is not this command's own. */
  readonly letOthersFirst?: () => void
}

/**
 * Every command prints through this. Messages and data repeat texts of files, which must not move the cursor or colour what
 * follows; in JSON the escapes mean the same characters.
 */
export function escapeOutput(terminal: Terminal): Terminal {
  const { ask, askSecret } = terminal
  return {
    ...terminal,
    out: (line) => terminal.out(escapeTerminalControls(line)),
    say: (line) => terminal.say(escapeTerminalControls(line)),
    ...(ask && { ask: (question) => ask(escapeTerminalControls(question)) }),
    ...(askSecret && { askSecret: (question) => askSecret(escapeTerminalControls(question)) }),
  }
}

/**
 * The command that started the program, to be pasted. `called` is what the shell called, where it says so: a script of
 * that name may stand before Node. On Windows npm starts the installed script itself.
 */
export function formatProgram(script: string, called: string, folder: string): string {
  const hasName = [script, called].some((path) => basename(path) === 'dropbridge')
  if (hasName || /[\\/]node_modules[\\/]dropbridge[\\/]/.test(script)) return 'dropbridge'
  const near = relative(folder, script)
  return `node ${quoteForShell(near.startsWith('..') ? script : near)}`
}

/** Shows bytes of a file on a screen, where they are no data for a program. */
export function createScreenWriter(write: (text: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true })
    write(escapeTerminalControls(text.replaceAll('\r\n', '\n')))
  }
}

/** Reports a failure: what, where, why, and the fix. Returns the exit code. */
export function reportFailure(terminal: Terminal, error: unknown): ExitCode {
  if (!(error instanceof BridgeError)) {
    terminal.say(`dropbridge: something unexpected happened. ${FAILURES.bug.fix}`)
    terminal.say(inspect(error))
    return EXIT.bug
  }
  terminal.say(`dropbridge: ${error.message}`)
  for (const detail of error.details) terminal.say(`  ${detail}`)
  for (const cause of listCauses(error)) terminal.say(`  because: ${cause}`)
  terminal.say(`  fix: ${error.fix}  (dropbridge explain ${error.code})`)
  return error.exit
}

function listCauses(error: Error): string[] {
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(cause.message)
  }
  return causes
}

/** An observer that draws, and a function that removes the bar before other output. */
export async function createProgressBar({ progressStream: stream }: Pick<Terminal, 'progressStream'>) {
  if (stream === null) return { observe: () => undefined, clear: () => undefined }
  // Loaded on demand: most commands run without a screen.
  const { Presets, SingleBar } = await import('cli-progress')
  let bar: SingleBar | undefined
  let shown = ''
  const clear = () => {
    bar?.stop()
    bar = undefined
    shown = ''
  }
  const start = (what: string) => {
    const format = `${what}  {bar}  {value} of {total}`
    const options = { stream, format, clearOnComplete: true, hideCursor: true }
    const started = new SingleBar(options, Presets.shades_classic)
    started.start(0, 0)
    return started
  }
  const observe = (event: BridgeEvent) => {
    if (event.kind !== 'progress') return
    const what = escapeControlChars(`${event.route} ${event.phase} ${event.file}`.trim())
    if (what !== shown) clear()
    bar ??= start(what)
    shown = what
    if (event.total !== undefined) bar.setTotal(event.total)
    bar.update(event.done)
  }
  return { observe, clear }
}

// Signals: the first one asks for a clean stop, a second one or the end of the grace period stops at once.

/**
 * SIGHUP comes when the terminal is closed; unhandled, it would kill at once. A watch without a terminal reloads at it. SIGPIPE is not among them: Node ignores
 * it, and a closed pipe shows as an error of the write.
 */
const SIGNAL_EXITS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.terminated } as const

/**
 * Calls are cut off long before. What remains cannot be ended, such as a share that no longer answers; service managers kill
 * programs that take much longer.
 */
const GRACE_MS = 30_000

/** Whether the terminal that this process began with was closed; false where it began without one. */
function isTerminalGone(): boolean {
  if (!process.stdin.isTTY && !process.stderr.isTTY) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}

/** SIGHUP asks a watch to reload, as services do; it stops everything else, and what runs in a terminal that was closed. */
function createReloadSignal() {
  const state = { isWaiting: false, isListening: false }
  let onSignal = (): void => undefined
  const reloads: ReloadSignal = {
    listen: (listener) => {
      state.isListening = true
      onSignal = listener
      // Between two bridges of one watch, the next one takes the signal.
      return () => {
        onSignal = () => undefined
      }
    },
    take: () => {
      const was = state.isWaiting
      state.isWaiting = false
      return was
    },
  }
  /** Whether the signal was taken as a request to reload. */
  const request = () => {
    if (!state.isListening || isTerminalGone()) return false
    state.isWaiting = true
    onSignal()
    return true
  }
  return { reloads, request }
}

/** Stopping at once is safe: work that was begun is in the journal, and the next run continues from there. */
export function listenForSignals(
  say: (line: string) => void,
): Required<Pick<Terminal, 'signal' | 'exitOnSignal' | 'onStop' | 'reloads'>> {
  const { reloads, request } = createReloadSignal()
  const controller = new AbortController()
  setMaxListeners(0, controller.signal) // every route of a run listens
  let exit: ExitCode | undefined
  let report = (event: ShutdownEvent) => say(formatEvent(event))
  const endAtOnce = (code: ExitCode, event: ShutdownEvent) => {
    report(event)
    process.exit(code)
  }
  for (const [name, code] of Object.entries(SIGNAL_EXITS)) {
    process.on(name, () => {
      if (name === 'SIGHUP' && exit === undefined && request()) return
      if (exit !== undefined) endAtOnce(code, { kind: 'stopped-at-once' })
      exit = code
      // The owner of a progress bar removes it at this signal; then there is room for the message.
      controller.abort()
      report({ kind: 'stop-requested' })
      setTimeout(
        () => endAtOnce(code, { kind: 'stopped-at-once', why: `not finished in ${GRACE_MS / 1000} seconds` }),
        GRACE_MS,
      ).unref()
    })
  }
  return {
    signal: controller.signal,
    reloads,
    exitOnSignal: () => exit,
    onStop: (reporter) => {
      report = reporter
    },
  }
}
