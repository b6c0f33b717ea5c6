/** SIGINT, SIGTERM and SIGHUP, answered in words: the first asks for a clean stop, the second and the end of a grace stop at once. */
import type { StopEvent } from '../domain/event.ts'
import { wordsOf } from '../operator/event-log.ts'
import { EXIT, type ExitCode } from '../support/errors.ts'

/**
 * SIGHUP comes when the terminal is closed; without an answer it would kill at once. SIGPIPE is not among them: Node ignores
 * it, and a closed pipe shows as an error of the write.
 */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.terminated } as const

export interface StopSignal {
  readonly signal: AbortSignal
  /** The exit code that tells which signal came; undefined when none did. */
  readonly exitOnSignal: () => ExitCode | undefined
  /** From now on the stop is told to this one, which may have a log to write, and not said. */
  readonly stopsBy: (tell: (event: StopEvent) => void) => void
}

/**
 * Calls are cut off long before. What stays is what nobody can end, such as a share that does not answer any more; service
 * managers kill what takes much longer.
 */
const GRACE_MS = 30_000

/** Stopping at once is safe: what was begun is in the journal, and the next run goes on from there. */
export function stopSignal(say: (line: string) => void): StopSignal {
  const controller = new AbortController()
  let exit: ExitCode | undefined
  let tell = (event: StopEvent) => say(wordsOf(event))
  const endAtOnce = (code: ExitCode, event: StopEvent) => {
    tell(event)
    process.exit(code)
  }
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (exit !== undefined) endAtOnce(code, { kind: 'stopped-at-once' })
      exit = code
      // Whoever draws a progress bar takes it away when it hears of the stop; then there is room for words.
      controller.abort()
      tell({ kind: 'stop-asked' })
      setTimeout(
        () => endAtOnce(code, { kind: 'stopped-at-once', why: `not finished in ${GRACE_MS / 1000} seconds` }),
        GRACE_MS,
      ).unref()
    })
  }
  return {
    signal: controller.signal,
    exitOnSignal: () => exit,
    stopsBy: (teller) => {
      tell = teller
    },
  }
}
