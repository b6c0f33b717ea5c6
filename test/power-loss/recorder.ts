/** Runs a program whose calls on one folder are recorded, and cuts its power at a chosen call. Needs Linux and a C compiler. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Identities } from './disk.ts'
import { installPackages, machineHere, mayInstall } from '../packages.ts'

const SOURCE = fileURLToPath(new URL('recorder.c', import.meta.url))
const PACKAGES = ['gcc', 'libc6-dev']

/** The call at which the power goes; `named` counts from the first name that was given in the reader's folder. */
export interface Cut {
  readonly at: 'call' | 'before-sync' | 'after-sync' | 'named'
  readonly count: number
}

/** Takes files away as soon as they have a name that does not begin with a dot. */
export interface Reader {
  readonly from: string
  /** Outside of the recorded folder: files that the reader took stay. */
  readonly to: string
  /** How many recorded calls the reader takes for a file. */
  readonly after: number
  /** Whether the reader flushes the folder from which it took the file. */
  readonly syncs: boolean
}

export interface Recording {
  readonly folder: string
  readonly log: string
  readonly cut?: Cut | undefined
  readonly reader?: Reader | undefined
  /** The identities by which the program must recognise the files of a disk that was made again. */
  readonly identities?: Identities | undefined
}

/** Compiles the recorder; prints the reason and returns undefined where that is not possible. */
export function buildRecorder(): { readonly library: string; remove(): void } | undefined {
  if (process.platform !== 'linux') return leftOut('it needs Linux')
  if (!hasCompiler() && mayInstall(machineHere())) installPackages(PACKAGES)
  if (!hasCompiler()) return leftOut(`to run them: apt-get install ${PACKAGES.join(' ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'dropbridge-recorder-'))
  const library = join(folder, 'recorder.so')
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread'])
  return { library, remove: () => rmSync(folder, { recursive: true }) }
}

function leftOut(why: string): undefined {
  const line = `left out: the tests of power loss; ${why}`
  if (process.env['DROPBRIDGE_TESTS_COMPLETE'] === '1') throw new Error(line)
  console.error(line)
}

function hasCompiler(): boolean {
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The environment in which a program is recorded. */
export function recordingEnv(library: string, recording: Recording): NodeJS.ProcessEnv {
  const { folder, log, cut, reader, identities } = recording
  if (identities !== undefined) writeFileSync(identitiesPath(log), identityLines(identities))
  return {
    ...(identities === undefined ? {} : { POWER_LOSS_IDENTITIES: identitiesPath(log) }),
    LD_PRELOAD: library,
    // The recorder would miss its writes.
    UV_USE_IO_URING: '0',
    POWER_LOSS_ROOT: folder,
    POWER_LOSS_LOG: log,
    ...(cut === undefined ? {} : { POWER_LOSS_CUT: `${cut.at}:${cut.count}` }),
    ...(reader === undefined
      ? {}
      : {
          POWER_LOSS_READER_FROM: reader.from,
          POWER_LOSS_READER_TO: reader.to,
          POWER_LOSS_READER_AFTER: String(reader.after),
          ...(reader.syncs ? { POWER_LOSS_READER_SYNCS: '1' } : {}),
        }),
  }
}

const identitiesPath = (log: string) => `${log}.identities`

/** The real inode and change time, then those to report. */
function identityLines(identities: Identities): string {
  const parts = (time: bigint) => [time / 1_000_000_000n, time % 1_000_000_000n]
  return [...identities]
    .map(([inode, identity]) =>
      [inode, ...parts(identity.reallyChanged), identity.inode, ...parts(identity.changed)].join(' '),
    )
    .join('\n')
}

/** Runs a few lines of JavaScript in the folder and records them. */
export function recordScript(library: string, recording: Recording, script: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: recording.folder,
      env: { ...process.env, ...recordingEnv(library, recording) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('error', reject)
    child.on('close', resolve)
  })
}
