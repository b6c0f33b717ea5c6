/** Where the program talks: data on stdout, talk on stderr. Handed to every command, so that tests can listen. */
import { inspect } from 'node:util'
import type { StopEvent } from '../domain/event.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError, EXIT, type ExitCode, FAILURES } from '../support/errors.ts'

export interface Terminal {
  /** Data: what another program may read. One call is one line. */
  out(line: string): void
  /** Data that is no lines of text, as it is. Resolves when it is on its way. */
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
  /** Asks the person in front of it; left out where there is none. */
  readonly ask?: (question: string) => Promise<string>
  /** The time that commands go by, and how they wait. */
  readonly clock: Clock
  /** Fires at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Has a signal told in another way than as a line of talk; left out where none comes. */
  readonly stopsBy?: (tell: (event: StopEvent) => void) => void
  /** The exit code that tells which signal came; undefined when none did. */
  readonly exitOnSignal?: () => ExitCode | undefined
  /** From now on the program ends with other codes than its own, after a signal too. */
  readonly mapsExits?: (map: ReadonlyMap<ExitCode, number>) => void
}

/** Tells a failure in words: what, where, why, what to do. Gives the exit code. */
export function tellFailure(terminal: Terminal, error: unknown): ExitCode {
  if (!(error instanceof BridgeError)) {
    terminal.say(`dropbridge: something unexpected happened. ${FAILURES.bug.cure}`)
    terminal.say(inspect(error))
    return EXIT.bug
  }
  terminal.say(`dropbridge: ${error.message}`)
  for (const detail of error.details) terminal.say(`  ${detail}`)
  for (const cause of causesOf(error)) terminal.say(`  because: ${cause}`)
  terminal.say(`  what to do: ${error.cure}  (dropbridge explain ${error.code})`)
  return error.exit
}

function causesOf(error: Error): string[] {
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(cause.message)
  }
  return causes
}
