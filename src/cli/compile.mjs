/**
 * Writes what V8 compiled of the bundle beside it, after the commands that people and schedulers give most have run once: V8
 * compiles a function when it is first called. The build runs it, and npm where the package is installed, because V8 reads only
 * what the same Node wrote.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const FOLDER = fileURLToPath(new URL('../../dist/bundle/', import.meta.url))

// A checkout has none before it is built.
const bundle = existsSync(FOLDER)
  ? readdirSync(FOLDER).find((name) => /^programs-.*\.cjs$/.test(name))
  : undefined
if (bundle !== undefined) {
  try {
    await compile(join(FOLDER, bundle))
  } catch (error) {
    // Without it the program only starts more slowly. The build must not pass with it, though.
    if (process.env.npm_lifecycle_event !== 'install') throw error
    process.stderr.write(
      `dropbridge will start more slowly, because its code cannot be compiled: ${String(error)}\n`,
    )
  }
}

async function compile(filename) {
  const { HEAP_FLAGS } = await import('../../dist/support/process.js')
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag)
  const script = new Script(await readFile(filename, 'latin1'), { filename })
  const programs = {}
  script.runInThisContext()(programs, createRequire(filename), filename, dirname(filename))
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-'))
  try {
    await runCommands(programs.commandLine(), folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await writeFile(`${filename}.new`, script.createCachedData())
  await rename(`${filename}.new`, `${filename}.compiled`)
}

async function runCommands({ runCommandLine }, folder) {
  const said = []
  const terminal = {
    out: () => undefined,
    outBytes: () => Promise.resolve(),
    say: (line) => said.push(line),
    progressStream: null,
    env: {
      DROPBRIDGE_API_URL: 'https://api.invalid',
      DROPBRIDGE_CLIENT_ID: 'id',
      DROPBRIDGE_CLIENT_SECRET: 'secret',
    },
    program: 'dropbridge',
    folder,
    clock: {
      now: () => Date.now(),
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    },
    signal: new AbortController().signal,
  }
  // Inboxes are empty, and nothing is sent.
  for (const line of ['--help', 'init .', 'check', 'status', 'run orders-in', 'status']) {
    const exit = await runCommandLine(terminal, line.split(' '))
    if (exit !== 0) throw new Error(`dropbridge ${line} ended with ${exit}: ${said.join(' ')}`)
  }
}
