/**
 * Writes what V8 compiled of the bundle beside it, after the commands that people and schedulers give most have run once: V8
 * compiles a function when it is first called. `node src/cli/compile.mjs BUNDLE`, after `bundle.mjs`.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { constants, Script } from 'node:vm'
import { HEAP_FLAGS } from '../../dist/support/process.js'

const filename = process.argv[2]
for (const flag of HEAP_FLAGS) setFlagsFromString(flag)
const script = new Script(await readFile(filename, 'latin1'), {
  filename,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
const programs = {}
script.runInThisContext()(programs, createRequire(filename), filename, dirname(filename))

const { runCommandLine } = programs.commandLine()
const folder = await mkdtemp(join(tmpdir(), 'dropbridge-'))
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
try {
  for (const line of ['--help', 'init .', 'check', 'status', 'run orders-in', 'status']) {
    const exit = await runCommandLine(terminal, line.split(' '))
    if (exit !== 0) throw new Error(`dropbridge ${line} ended with ${exit}:\n${said.join('\n')}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
await writeFile(`${filename}.compiled`, script.createCachedData())
