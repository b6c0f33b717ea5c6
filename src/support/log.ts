/** The log: one line for each event, for people or programs. It never delays or ends the work. */
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { waitAtMost } from './async.ts'
import { isoTime } from './clock.ts'
import { hasSystemCode } from './errors.ts'
import { escapeTerminalControls, toOneLine } from './text.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** The form of lines: text for people, or one JSON object a line. */
export const LOG_FORMATS = ['human', 'json'] as const

export type LogFormat = (typeof LOG_FORMATS)[number]

/** Accepts text at once and writes it when possible; never throws. */
export interface LogSink {
  write(text: string): void
  /** Writes the waiting text, as far as possible in a short time. */
  close(): Promise<void>
}

/** The fields of a line. Plain values only; undefined ones are left out. */
export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  /** `code` is stable and for programs; `words` is the text for people. */
  write(level: LogLevel, line: { readonly code: string; readonly words: string } & LogFields): void
  close(): Promise<void>
}

interface LogOptions {
  readonly level: LogLevel
  readonly outputs: readonly { readonly format: LogFormat; readonly sink: LogSink }[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Without outputs, nothing is written. */
export async function createLog({ level, outputs, now }: LogOptions): Promise<Log> {
  if (outputs.length === 0) return { write: () => undefined, close: () => Promise.resolve() }
  // Loaded on demand: most commands log nothing.
  const { pino } = await import('pino')
  const timestamp = () => `,"time":"${isoTime(now())}"`
  const formatters = { level: (label: string) => ({ level: label }) }
  const write = (line: string) => {
    for (const { format, sink } of outputs)
      sink.write(format === 'json' ? escapeTerminalControls(line) : formatLogLine(line))
  }
  const logger: Logger = pino({ level, base: null, timestamp, formatters }, { write })
  return {
    write(at, { words, ...fields }) {
      try {
        logger[at](fields, words)
      } catch {
        // A failed log must not make anything else fail.
      }
    },
    close: async () => {
      await Promise.all(outputs.map(({ sink }) => sink.close()))
    },
  }
}

const LEVEL_PREFIXES: Readonly<Record<string, string>> = { warn: 'warning: ', error: 'error: ' }

/** `2026-11-21T15:20:01.123Z orders-in: orders.csv received, 1204 bytes` */
function formatLogLine(line: string): string {
  const { time, level, route, msg } = JSON.parse(line) as Record<string, unknown>
  const where = typeof route === 'string' ? `${route}: ` : ''
  return `${String(time)} ${LEVEL_PREFIXES[String(level)] ?? ''}${where}${toOneLine(String(msg))}\n`
}

// Where log lines go: a stream such as stderr, or a file that may be moved away while it is written.

/** Text beyond this is dropped: a stalled reader must not fill the memory. */
const WAITING_CHARACTERS_MAX = 4 * 1024 * 1024

/** Drops text for a full or broken stream, and never waits for it. */
export function createStreamSink(stream: Pick<Writable, 'write' | 'writableLength'>): LogSink {
  return {
    write(text) {
      if (stream.writableLength > WAITING_CHARACTERS_MAX) return
      try {
        stream.write(text)
      } catch {
        // A stream that is a file on a full disk throws right here.
      }
    },
    close: () => Promise.resolve(),
  }
}

/** A file system that does not answer must not keep the program from ending. */
const CLOSING_MS = 1000

/** The wait after a failed write. */
const PAUSE_MS = 400

/**
 * Appends to a file. It is opened anew for each batch of lines, so that a rotation may move it away at any time. Lines that
 * could not be written are counted, and the file says so once it can be written again.
 */
export function createFileSink(path: string): LogSink {
  let waiting: string[] = []
  let characters = 0
  let dropped = 0
  let writing: Promise<void> | undefined

  const keep = (text: string) => {
    if (characters + text.length > WAITING_CHARACTERS_MAX) {
      dropped++
      return
    }
    waiting.push(text)
    characters += text.length
  }
  const writeOut = async () => {
    while (waiting.length > 0) {
      const batch = { waiting, characters, dropped }
      waiting = []
      characters = 0
      dropped = 0
      try {
        await append(
          path,
          (batch.dropped === 0 ? '' : formatLostLines(batch.dropped)) + batch.waiting.join(''),
        )
      } catch {
        const later = waiting
        waiting = batch.waiting
        characters = batch.characters
        dropped += batch.dropped
        for (const text of later) keep(text)
        // Waits without keeping the program alive.
        return wait(PAUSE_MS, undefined, { ref: false })
      }
    }
  }
  const begin = () => {
    writing ??= writeOut().finally(() => (writing = undefined))
  }
  return {
    write(text) {
      keep(text)
      begin()
    },
    async close() {
      begin()
      await waitAtMost(CLOSING_MS, writing)
    },
  }
}

async function append(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT')) throw error
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, text)
  }
}

/** Formats the line as JSON, which people understand too. */
function formatLostLines(count: number): string {
  const msg = `${count} lines of the log could not be written`
  return `${JSON.stringify({ level: 'warn', code: 'log.lost', lines: count, msg })}\n`
}
