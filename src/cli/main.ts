#!/usr/bin/env node
/** The program: reads the command line, runs one command, sets the exit code. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { systemClock } from '../support/clock.ts'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { letOthersFirst, limitHeap } from '../support/process.ts'
import { createStreamSink } from '../support/log.ts'
import { createScreenWriter, formatProgram, listenForSignals, type Terminal } from './terminal.ts'
import { runCommandLine } from './command-line.ts'

limitHeap()
// Messages wait for no reader: neither a sleeping reader nor a full disk behind stderr is a reason to stop working.
const talk = createStreamSink(process.stderr)
const say = (line: string) => talk.write(`${line}\n`)
const show = createScreenWriter((text) => void process.stdout.write(text))
const { signal, exitOnSignal, onStop, reloads } = listenForSignals(say)

/** The exit codes that replace the program's own. */
let mapped: ReadonlyMap<ExitCode, number> = new Map()

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  outBytes: (bytes) =>
    new Promise((resolve, reject) => {
      if (process.stdout.isTTY) return resolve(show(bytes))
      process.stdout.write(bytes, (error) => {
        if (error)
          reject(new BridgeError('interrupted', 'the reader of the output has closed it', { cause: error }))
        else resolve()
      })
    }),
  say,
  progressStream: process.stderr.isTTY ? process.stderr : null,
  env: process.env,
  program: formatProgram(process.argv[1] ?? '', process.env['_'] ?? '', process.cwd()),
  folder: process.cwd(),
  clock: systemClock,
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask, askSecret } : {}),
  signal,
  onStop,
  reloads,
  exitOnSignal,
  setExitCodes: (map) => {
    mapped = map
  },
  letOthersFirst,
}

// A reader that went away (| head) is no failure of the bridge, and a message that cannot be written is dropped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.stderr.on('error', () => undefined)

// The bundle is a script, which has no `await` outside of functions.
void runCommandLine(terminal, process.argv.slice(2)).then((code) => {
  const stopped = exitOnSignal()
  // Never process.exit(): it would cut off what stdout has not written yet.
  process.exitCode = stopped === undefined ? code : (mapped.get(stopped) ?? stopped)
})

/** A signal during the question is an empty answer. */
async function ask(question: string): Promise<string> {
  // No terminal mode: it would keep Ctrl-C to itself.
  const line = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  try {
    return await line.question(question, { signal })
  } catch (error) {
    if (signal.aborted) return ''
    throw error
  } finally {
    line.close()
  }
}

/** The terminal shows no key, because the one who writes to it writes nothing of them. Ctrl-C is an empty answer. */
async function askSecret(question: string): Promise<string> {
  process.stderr.write(question)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output, terminal: true })
  const isLeft = new AbortController()
  line.once('SIGINT', () => isLeft.abort())
  try {
    return await line.question('', { signal: AbortSignal.any([signal, isLeft.signal]) })
  } catch (error) {
    if (signal.aborted || isLeft.signal.aborted) return ''
    throw error
  } finally {
    line.close()
    process.stderr.write('\n')
  }
}
