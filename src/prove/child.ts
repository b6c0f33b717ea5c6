/** A forked bridge process that the proof can kill. The proof sends it one job. */
import { openBridge } from '../app/bridge.ts'
import { systemClock } from '../support/clock.ts'
import { EXIT, type ExitCode } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { guardParts, isEffect, type PartsWrapper, combineWrappers } from './crash-point.ts'
import type { Job } from './process-rounds.ts'

process.once('message', (message) => {
  process.on('message', stop)
  void runJob(message as Job)
    .then((exit) => {
      process.exitCode = exit
    })
    .finally(() => process.disconnect())
})

/**
 * Handles the second and last message. It arrives between two steps of the work and never within one: nothing can protect the
 * few microseconds between the last check of the lease and the write that follows it.
 */
function stop(): void {
  process.send?.('stops', () => process.kill(process.pid, 'SIGSTOP'))
}

async function runJob(job: Job): Promise<ExitCode> {
  const module = job.sabotage === undefined ? undefined : ((await import(job.sabotage)) as SabotageModule)
  const sabotage = module?.sabotage(job.configuration)
  const wrap = job.death === undefined ? sabotage : combineWrappers(killAtEffect(job.death), sabotage)
  const until = performance.now() + (job.untilQuietMs ?? 0)
  process.send?.('began')
  for (;;) {
    const { leaseMs, blocks, thread } = job
    const options = { clock: systemClock, leaseMs, ...omitUndefined({ wrap, blocks, thread }) }
    const bridge = await openBridge(job.configuration, options)
    const { exit } = await bridge.run([job.route], new AbortController().signal)
    await bridge.close()
    const isQuiet = exit === EXIT.ok || exit === EXIT.rejects
    if (isQuiet || performance.now() > until) return exit
    await systemClock.sleep(50)
  }
}

/** Kills the process, with everything that it was about to do. */
function killAtEffect({ effect, moment }: NonNullable<Job['death']>): PartsWrapper {
  let count = 0
  return guardParts(async (name, act) => {
    const dies = isEffect(name) && ++count === effect
    if (dies && moment === 'before') process.kill(process.pid, 'SIGKILL')
    try {
      return await act()
    } finally {
      if (dies) process.kill(process.pid, 'SIGKILL')
    }
  })
}

type SabotageModule = { readonly sabotage: (configuration: Job['configuration']) => PartsWrapper }
