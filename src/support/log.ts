/** The log: one line for each thing that happened, for people or for programs. It never holds up or ends the work. */
import { type Logger, pino } from 'pino'
import { onOneLine } from './visible.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** How lines look: words for people, or one JSON object a line. */
export const LOG_FORMATS = ['human', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Takes text at once and brings it to its place when it can; never throws. */
export interface LogSink {
  write(text: string): void
  /** Brings out what is waiting, as far as that is possible in a short time. */
  close(): Promise<void>
}

/** What a line is about. Plain values only; those that are undefined are left out. */
export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  /** `code` is stable and for programs, `words` are for people. */
  write(level: LogLevel, line: { readonly code: string; readonly words: string } & LogFields): void
  close(): Promise<void>
}

export interface LogOptions {
  readonly level: LogLevel
  readonly outlets: readonly { readonly format: LogFormat; readonly sink: LogSink }[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createLog({ level, outlets, now }: LogOptions): Log {
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        for (const { format, sink } of outlets) sink.write(format === 'json' ? line : inWords(line))
      },
    },
  )
  return {
    write(at, { words, ...fields }) {
      try {
        logger[at](fields, words)
      } catch {
        // A log that cannot be written is no reason for anything else to fail.
      }
    },
    close: async () => {
      await Promise.all(outlets.map(({ sink }) => sink.close()))
    },
  }
}

const PREFIX: Readonly<Record<string, string>> = { warn: 'warning: ', error: 'error: ' }

/** `2026-11-21T15:20:01.123Z orders-in: orders.csv received, 1204 bytes` */
function inWords(line: string): string {
  const { time, level, route, msg } = JSON.parse(line) as Record<string, unknown>
  const where = typeof route === 'string' ? `${route}: ` : ''
  return `${String(time)} ${PREFIX[String(level)] ?? ''}${where}${onOneLine(String(msg))}\n`
}
