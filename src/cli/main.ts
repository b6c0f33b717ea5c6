#!/usr/bin/env node
/** The program: reads the command line, runs one command, sets the exit code. */
import { basename, relative } from 'node:path'
import { BridgeError } from '../support/errors.ts'
import { keepHeapSmall } from '../support/heap.ts'
import { stopSignal } from './signals.ts'
import { runCommandLine } from './command-line.ts'
import type { Terminal } from './terminal.ts'

keepHeapSmall()
const say = (line: string) => void process.stderr.write(`${line}\n`)
const { signal, exitOnSignal } = stopSignal(say)

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  outBytes: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => {
        if (error)
          reject(new BridgeError('interrupted', 'nobody reads the output any more', { cause: error }))
        else resolve()
      })
    }),
  say,
  progressStream: process.stderr.isTTY ? process.stderr : null,
  env: process.env,
  program: programName(process.argv[1] ?? ''),
  folder: process.cwd(),
  signal,
}

// A reader that went away (| head) is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const code = await runCommandLine(terminal, process.argv.slice(2))
// Never process.exit(): it would cut off what stdout has not written yet.
process.exitCode = exitOnSignal() ?? code

/** Installed, the program has its own name; in a checkout it is a script. */
function programName(script: string): string {
  return basename(script) === 'dropbridge' ? 'dropbridge' : `node ${relative(process.cwd(), script)}`
}
