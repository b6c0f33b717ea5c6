/** Writes from many requests in one transaction, each of them all or nothing, answered once they are on the disk. */
import type { Answer } from '../http/answers.ts'
import type { Store } from './store.ts'

/** At most this many writes share a commit; the rest waits for the next one, so that reads run in between. */
const MAX_BATCH = 200

export type WriteQueue = ReturnType<typeof createWriteQueue>

interface Job {
  readonly work: () => Answer
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/** Reports the result of a job, after the commit. */
type Report = () => void

const doNothing = (): void => undefined

/** Calls `beforeWrites` right before a transaction, and `rolledBack` after a rollback. */
export function createWriteQueue(store: Store, rolledBack = doNothing, beforeWrites = doNothing) {
  const commands = {
    begin: store.command('begin immediate'),
    commit: store.command('commit'),
    rollback: store.command('rollback'),
    mark: store.command('savepoint one_write'),
    keep: store.command('release one_write'),
    undo: store.command('rollback to one_write'),
  }
  let waiting: Job[] = []
  let scheduled = false
  const whenIdle: (() => void)[] = []

  function flush(): void {
    const jobs = waiting.slice(0, MAX_BATCH)
    waiting = waiting.slice(MAX_BATCH)
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(flush)
    for (const report of commit(jobs)) report()
    if (!scheduled) for (const resolve of whenIdle.splice(0)) resolve()
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
      if (begun) succeeds(commands.rollback)
      // Every caller must get an answer, even when the store is unreadable.
      succeeds(rolledBack)
      return jobs.map((job) => () => job.reject(error))
    }
  }

  function rollBackJob(): void {
    commands.undo()
    commands.keep()
  }

  function runOne(job: Job): Report {
    commands.mark()
    let answer: Answer
    try {
      answer = job.work()
    } catch (error) {
      // A full disk has already rolled back everything: then this failure is that of the whole batch.
      if (!succeeds(rollBackJob)) throw error
      return () => job.reject(error)
    }
    if (answer.status >= 400) rollBackJob()
    else commands.keep()
    return () => job.resolve(answer)
  }

  return {
    idle: (): Promise<void> =>
      scheduled ? new Promise((resolve) => whenIdle.push(resolve)) : Promise.resolve(),
    /**
     * Runs the work in the next transaction and resolves after its commit. Work that answers a refusal or throws is rolled
     * back alone. Rejects when the work throws or the commit fails.
     */
    run: (work: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        if (scheduled) return
        scheduled = true
        setImmediate(flush)
      }),
  }
}

/** Runs clean-up after a failure. Swallows further errors, because the first failure is the one to report. */
function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
