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
}

interface Job {
  readonly work: () => Answer
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/** What a job came to; it is told only after the commit. */
type Report = () => void

/** `rolledBack` is told when work that had been done was taken back again. */
export function createWriteQueue(store: Store, rolledBack: () => void = () => undefined): WriteQueue {
  const commands = prepareCommands(store)
  let waiting: Job[] = []
  let scheduled = false

  function flush(): void {
    const jobs = waiting.slice(0, LARGEST_BATCH)
    waiting = waiting.slice(LARGEST_BATCH)
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(flush)
    const reports = commit(jobs)
    for (const report of reports) report()
  }

  function commit(jobs: readonly Job[]): Report[] {
    let begun = false
    try {
      commands.begin()
      begun = true
      const reports = jobs.map(runOne)
      commands.commit()
      return reports
    } catch (error) {
      if (begun) rollBack()
      rolledBack()
      return jobs.map((job) => () => job.reject(error))
    }
  }

  /** SQLite has already rolled back after some failures, such as a full disk, and then refuses to do it again. */
  function rollBack(): void {
    try {
      commands.rollback()
    } catch {
      return
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
      takeBack()
      return () => job.reject(error)
    }
    if (answer.status >= 400) takeBack()
    else commands.keep()
    return () => job.resolve(answer)
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        if (scheduled) return
        scheduled = true
        setImmediate(flush)
      }),
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
