/** The real processes of a proof: started ahead, because loading the program takes longer than most of them live. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Configuration } from '../../config/configuration.ts'
import type { Moment } from './death.ts'

/** What a process has to do; sent to it as its first message. */
export interface Job {
  readonly configuration: Configuration
  readonly route: string
  readonly leaseMs: number
  /** It kills itself right there. */
  readonly death?: { readonly effect: number; readonly moment: Moment }
  /** It works until the route is quiet, for at most so long; one pass when left out. */
  readonly untilQuietMs?: number
  /** The path of a module whose `sabotage` takes something out of the bridge. */
  readonly sabotage?: string
}

export interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartedChild {
  /** Resolves when it begins to work, or has ended before. */
  readonly began: Promise<void>
  readonly ended: Promise<Ended>
  readonly isOver: () => boolean
  /** False when there was nobody any more. */
  readonly kill: (signal: 'SIGKILL' | 'SIGCONT') => boolean
  /** Asks it to stop itself; gives whether it does, or had ended before. */
  readonly stop: () => Promise<boolean>
}

export interface Nursery {
  readonly start: (job: Job) => StartedChild
  /** Ends those that nobody gave a job. */
  readonly close: () => Promise<void>
}

/** Whoever is not done by then hangs; what it left undone is found by the counts. */
const LONGEST_LIFE_MS = 60_000
/** How many wait for a job, loaded. */
const AHEAD = 2

export function openNursery(childPath = fileURLToPath(new URL('./child.js', import.meta.url))): Nursery {
  const waiting: Waiting[] = []
  const alive = new Set<ChildProcess>()
  const killAll = () => {
    for (const child of alive) child.kill('SIGKILL')
  }
  // A stopped process would stay for ever when this one is ended at once.
  process.once('exit', killAll)
  const startWaiting = () => {
    const born = bear(childPath)
    alive.add(born.child)
    void born.ended.then(() => alive.delete(born.child))
    return born
  }
  const fill = () => {
    while (waiting.length < AHEAD) waiting.push(startWaiting())
  }
  return {
    start(job) {
      fill()
      const { child, ended } = waiting.shift() ?? startWaiting()
      child.send(job, () => undefined)
      fill()
      return working(child, ended)
    },
    close: async () => {
      for (const { child } of waiting) child.kill('SIGKILL')
      await Promise.all(waiting.map(({ ended }) => ended))
      process.off('exit', killAll)
    },
  }
}

interface Waiting {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

function bear(path: string): Waiting {
  const child = fork(path, { stdio: 'ignore', serialization: 'json', execArgv: [] })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exit, signal) => resolve({ exit, signal }))
  })
  return { child, ended }
}

function working(child: ChildProcess, ended: Promise<Ended>): StartedChild {
  const watchdog = setTimeout(() => child.kill('SIGKILL'), LONGEST_LIFE_MS)
  void ended.finally(() => clearTimeout(watchdog))
  const began = new Promise<void>((resolve) => {
    child.once('message', () => resolve())
    void ended.then(() => resolve())
  })
  const stop = async () => {
    const stops = new Promise<boolean>((resolve) => child.once('message', () => resolve(true)))
    child.send('stop', () => undefined)
    return Promise.race([stops, ended.then(() => false)])
  }
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  return { began, ended, isOver, stop, kill: (signal) => !isOver() && child.kill(signal) }
}
