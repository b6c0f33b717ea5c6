#!/usr/bin/env node
/** The program: reads the command line, runs one command, sets the exit code. */
import { basename, relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { systemClock } from '../support/clock.ts'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { limitHeap } from '../support/process.ts'
import { createStreamSink } from '../support/log.ts'
import { escapeControlChars } from '../support/text.ts'
import { listenForSignals, type Terminal } from './terminal.ts'
import { runCommandLine } from './command-line.ts'

limitHeap()
// Talk waits for nobody: a reader that sleeps, or a full disk behind stderr, is no reason to stop working.
const talk = createStreamSink(process.stderr)
// What files say is said on: it must not move the cursor, nor colour what follows.
const shown = (line: string) => line.split('\n').map(escapeControlChars).join('\n')
const say = (line: string) => talk.write(`${shown(line)}\n`)
const { signal, exitOnSignal, onStop } = listenForSignals(say)

/** What the program ends with in place of its own codes. */
let mapped: ReadonlyMap<ExitCode, number> = new Map()

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${process.stdout.isTTY ? shown(line) : line}\n`),
  outBytes: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => {
        if (error)
          reject(new BridgeError('interrupted', 'the reader of the output has closed it', { cause: error }))
        else resolve()
      })
    }),
  say,
  progressStream: process.stderr.isTTY ? process.stderr : null,
  env: process.env,
  program: programName(process.argv[1] ?? ''),
  folder: process.cwd(),
  clock: systemClock,
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {}),
  signal,
  onStop,
  exitOnSignal,
  setExitCodes: (map) => {
    mapped = map
  },
}

// A reader that went away (| head) is no failure of ours; and what cannot be said is not said.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.stderr.on('error', () => undefined)

const code = await runCommandLine(terminal, process.argv.slice(2))
const stopped = exitOnSignal()
// Never process.exit(): it would cut off what stdout has not written yet.
process.exitCode = stopped === undefined ? code : (mapped.get(stopped) ?? stopped)

/** A signal while the question stands is an answer too: nothing. */
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

/** Installed, the program has its own name; in a checkout it is a script. */
function programName(script: string): string {
  return basename(script) === 'dropbridge' ? 'dropbridge' : `node ${relative(process.cwd(), script)}`
}
