/** One round: the real program loses its power once or twice at chosen moments, and then runs until it has nothing left to do. */
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { startProgram } from '../fixtures/program.ts'
import type { Dice } from '../samples/random.ts'
import { crash, type CrashState, liveTree, type Variant } from './crash.ts'
import { diskOf, type Identities } from './disk.ts'
import { type Operation, readOperations } from './operations.ts'
import { type Cut, type Reader, recordingEnv } from './recorder.ts'
import { differences, putTree } from './tree.ts'

export interface RoundOptions {
  readonly library: string
  /** The folder on the disk that loses its power: the journal, the spool, the mailboxes, the archive. */
  readonly folder: string
  /** Where the recorder writes; not on that disk. */
  readonly outside: string
  readonly route: string
  readonly env: NodeJS.ProcessEnv
  readonly reader: Reader | undefined
  readonly variant: Variant
  readonly chance: Dice
  /** How many calls and flushes a whole pass has. */
  readonly whole: { readonly calls: number; readonly syncs: number }
  readonly losses: number
  /** How many passes must end well: a second one detects pick-ups after the first. */
  readonly passes: number
  /** Called on the state that a loss left, before any new start. */
  readonly afterLoss?: (loss: Loss) => Promise<void>
}

/**
 * How far the bridge was with a name when the power went: it had given the name, it had flushed the folder too, or it had flushed
 * the journal after that. Only of `given` no client can know whether a reader saw the name.
 */
export type NameState = 'given' | 'flushed' | 'noted'

/** A file that the reader took in a run that lost its power, or right after the loss. */
export interface Taken {
  readonly copy: string
  readonly state: NameState
}

export interface Loss {
  readonly cut: Cut
  readonly names: ReadonlyMap<string, NameState>
  /** False when the program had ended before the power went. */
  readonly wasRunning: boolean
  readonly operations: readonly Operation[]
  readonly state: CrashState
  readonly taken: readonly Taken[]
  /** The identities by which the next start recognises the files. */
  readonly identities: Identities
}

export interface RoundResult {
  readonly losses: readonly Loss[]
  /** How the last start ended. */
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

const STARTS_MAX = 5
/** The exit codes of a program that has nothing left to do; 75 asks for another start. */
const AT_REST = [0, 2]

export async function playRound(options: RoundOptions): Promise<RoundResult> {
  const losses: Loss[] = []
  for (let number = 1; number <= options.losses; number++) {
    const loss = await losePower(options, {
      log: join(options.outside, `log-${number}`),
      before: losses.at(-1),
    })
    losses.push(loss)
    await options.afterLoss?.(loss)
  }
  const { folder, library, reader, route } = options
  const log = join(options.outside, 'log-last')
  const recording = { folder, log, reader, identities: losses.at(-1)?.identities }
  const env = { ...options.env, ...recordingEnv(library, recording) }
  let last = { exit: null as number | null, stdout: '', stderr: '' }
  for (let start = 0, ended = 0; start < STARTS_MAX && ended < options.passes; start++) {
    last = await startProgram(folder, ['run', route], env).finished
    if (AT_REST.includes(last.exit ?? -1)) ended++
  }
  return { losses, ...last }
}

/** True when the last start of a round ended as it should. */
export function isAtRest({ exit }: RoundResult): boolean {
  return exit !== null && AT_REST.includes(exit)
}

interface Before {
  readonly log: string
  readonly before: Loss | undefined
}

async function losePower(options: RoundOptions, { log, before }: Before): Promise<Loss> {
  const { folder, library, reader, route, variant, chance } = options
  const identities = before?.identities
  const disk = diskOf(folder, identities)
  const cut = chooseCut(options)
  const env = { ...options.env, ...recordingEnv(library, { folder, log, cut, reader, identities }) }
  const { exit, stderr } = await startProgram(folder, ['run', route], env).finished
  if (exit !== null && ![...AT_REST, 75].includes(exit)) throw new Error(`exit ${exit}: ${stderr}`)
  const operations = readOperations(log)
  for (const operation of operations) disk.apply(operation)
  const missed = differences(folder, liveTree(disk))
  if (missed.length > 0) throw new Error(`the record does not explain ${missed.join(', ')}`)
  const names =
    reader === undefined ? new Map<string, NameState>() : namesGiven(reader, { operations, folder, before })
  const state = crash(disk, variant, chance)
  const left = putTree(folder, state.tree, `${log}.replaced`)
  const taken = reader === undefined ? [] : confirmedBy({ reader, operations, names, chance })
  return { cut, wasRunning: exit === null, operations, state, names, taken, identities: left }
}

/** At a flush, between two, or soon after the first name was given. */
function chooseCut({ chance, whole, reader }: RoundOptions): Cut {
  const at = chance.pick([
    'call',
    'call',
    'before-sync',
    'after-sync',
    reader === undefined ? 'call' : 'named',
  ] as const)
  const most = { call: whole.calls, named: 30, 'before-sync': whole.syncs, 'after-sync': whole.syncs }[at]
  return { at, count: chance.between(1, most) }
}

interface Run {
  readonly folder: string
  readonly operations: readonly Operation[]
  readonly before: Loss | undefined
}

/** How far the bridge was with each name in the reader's folder. */
function namesGiven({ from }: Reader, { folder, operations, before }: Run): Map<string, NameState> {
  const names = new Map(before?.names)
  const outbox = lstatSync(from, { throwIfNoEntry: false })?.ino
  const journal = journalInodes(join(folder, 'state'))
  for (const operation of operations) {
    if ('to' in operation && dirname(operation.to) === from) names.set(basename(operation.to), 'given')
    if (operation.kind !== 'sync') continue
    for (const [name, state] of names) {
      if (state === 'given' && operation.inode === outbox) names.set(name, 'flushed')
      if (state === 'flushed' && journal.has(operation.inode)) names.set(name, 'noted')
    }
  }
  return names
}

function journalInodes(state: string): Set<number> {
  const files = readdirSync(state).filter((name) => /^journal\.db(-wal)?$/.test(name))
  return new Set(files.map((name) => lstatSync(join(state, name)).ino))
}

interface Takings {
  readonly reader: Reader
  readonly operations: readonly Operation[]
  readonly names: ReadonlyMap<string, NameState>
  readonly chance: Dice
}

/**
 * The files of the reader. A file whose removal was lost is in the folder again: the reader recognises it and removes it again.
 * Sometimes the reader is quicker than the bridge after the loss, and takes all files before the bridge starts.
 */
function confirmedBy({ reader, operations, names, chance }: Takings): Taken[] {
  const stateOf = (path: string) => names.get(basename(path)) ?? 'noted'
  const taken: Taken[] = []
  for (const operation of operations) {
    if (operation.kind !== 'take') continue
    taken.push({ copy: operation.copy, state: stateOf(operation.path) })
    const bytes = existsSync(operation.path) ? readFileSync(operation.path) : undefined
    if (bytes?.equals(readFileSync(operation.copy))) rmSync(operation.path)
  }
  if (!existsSync(reader.from) || chance.chance(0.5)) return taken
  const left = readdirSync(reader.from).filter((name) => !name.startsWith('.'))
  return [
    ...taken,
    ...left.map((name) => {
      const copy = join(reader.to, `after-${randomUUID()}-${name}`)
      copyFileSync(join(reader.from, name), copy)
      rmSync(join(reader.from, name))
      return { copy, state: stateOf(name) }
    }),
  ]
}

const CALLS_SHOWN = 40

/** The evidence of a finding for a person: the last calls before the cut, and which unflushed changes survived. */
export function describeLoss({ cut, wasRunning, operations, state }: Loss, folder: string): string {
  const paths = new Map<number, string>()
  const lines = operations.map((operation) => {
    if (operation.kind === 'create' || operation.kind === 'mkdir') paths.set(operation.inode, operation.path)
    return describeOperation(operation, paths).replaceAll(`${folder}/`, '')
  })
  return [
    `power lost at ${cut.at} ${cut.count}${wasRunning ? '' : ' (after the end of the program)'}, after ${operations.length} calls:`,
    ...lines.slice(-CALLS_SHOWN).map((line) => `  ${line}`),
    ...state.changes.map((line) => `  ${line}`),
  ].join('\n')
}

function describeOperation(operation: Operation, paths: ReadonlyMap<number, string>): string {
  if ('from' in operation) return `${operation.kind} ${operation.from} ${operation.to}`
  if ('path' in operation) return `${operation.kind} ${operation.path}`
  const file = paths.get(operation.inode) ?? `inode ${operation.inode}`
  if (operation.kind === 'write') return `write ${file} ${operation.offset}+${operation.data.length}`
  return operation.kind === 'sync' ? `sync ${file}` : `truncate ${file} ${operation.size}`
}
