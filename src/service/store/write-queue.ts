/** Writes from many requests in one transaction, each of them all or nothing, answered once they are on the disk. */
import type { Answer } from '../http/answer.ts'
import type { Store } from './store.ts'

/** As many writes share a commit; the rest waits for the next one, so that reads get a turn. */
const LARGEST_BATCH = 200

export interface WriteQueue {
  /**
   * Runs the work in the next transaction and resolves after its commit. Work that answers a refusal or throws leaves
   * nothing behind and does not touch the others. Rejects when the work throws or the commit fails.
   */
  run(work: () => Answer): Promise<Answer>
  /** Resolves when nothing waits any more. */
  settled(): Promise<void>
}

interface Job {
  readonly work: () => Answer
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/** What a job came to; it is told only after the commit. */
type Report = () => void

const nothing = (): void => undefined

/**
 * `rolledBack` is called when work that had been done was taken back again; what it throws is of no account. `beforeWrites` is
 * called right before a transaction begins.
 */
export function createWriteQueue(store: Store, rolledBack = nothing, beforeWrites = nothing): WriteQueue {
  const commands = prepareCommands(store)
  let waiting: Job[] = []
  let scheduled = false
  const whenSettled: (() => void)[] = []

  function flush(): void {
    const jobs = waiting.slice(0, LARGEST_BATCH)
    waiting = waiting.slice(LARGEST_BATCH)
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(flush)
    const reports = commit(jobs)
    for (const report of reports) report()
    if (!scheduled) for (const tell of whenSettled.splice(0)) tell()
  }

  function commit(jobs: readonly Job[]): Report[] {
    let begun = false
    try {
      beforeWrites()
      commands.begin()
      begun = true
      const reports = jobs.map(runOne)
      commands.commit()
      return reports
    } catch (error) {
      // SQLite has already rolled back after some failures, such as a full disk, and then refuses to do it again.
      if (begun) goesWell(commands.rollback)
      // Whoever waits for an answer must get one, also when the store cannot even be read any more.
      goesWell(rolledBack)
      return jobs.map((job) => () => job.reject(error))
    }
  }

  function takeBack(): void {
    commands.undo()
    commands.keep()
  }

  function runOne(job: Job): Report {
    commands.mark()
    let answer: Answer
    try {
      answer = job.work()
    } catch (error) {
      // A full disk has taken everything back already: then this one's failure is the whole batch's.
      if (!goesWell(takeBack)) throw error
      return () => job.reject(error)
    }
    if (answer.status >= 400) takeBack()
    else commands.keep()
    return () => job.resolve(answer)
  }

  return {
    settled: () => (scheduled ? new Promise((resolve) => whenSettled.push(resolve)) : Promise.resolve()),
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        if (scheduled) return
        scheduled = true
        setImmediate(flush)
      }),
  }
}

/** For what is done because of a failure: that is what is told, and not that this failed as well. */
function goesWell(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

function prepareCommands(store: Store) {
  return {
    begin: store.command('begin immediate'),
    commit: store.command('commit'),
    rollback: store.command('rollback'),
    mark: store.command('savepoint one_write'),
    keep: store.command('release one_write'),
    undo: store.command('rollback to one_write'),
  }
}
