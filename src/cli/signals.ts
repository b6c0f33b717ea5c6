/** SIGINT and SIGTERM: the first asks for a clean stop, the second stops at once, and so does the end of a grace. */
import { EXIT, type ExitCode } from '../support/errors.ts'

/** SIGPIPE is not among them: Node ignores it, and a closed pipe shows as an error of the write. */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const

export interface StopSignal {
  readonly signal: AbortSignal
  /** The exit code that tells which signal came; undefined when none did. */
  readonly exitOnSignal: () => ExitCode | undefined
}

/**
 * Calls are cut off long before. What stays is what nobody can end, such as a share that does not answer any more; service
 * managers kill what takes much longer.
 */
const GRACE_MS = 30_000

/** Stopping at once is safe: what was begun is in the journal, and the next run goes on from there. */
export function stopSignal(): StopSignal {
  const controller = new AbortController()
  let exit: ExitCode | undefined
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (exit !== undefined) process.exit(code)
      exit = code
      controller.abort()
      setTimeout(() => process.exit(code), GRACE_MS).unref()
    })
  }
  return { signal: controller.signal, exitOnSignal: () => exit }
}
