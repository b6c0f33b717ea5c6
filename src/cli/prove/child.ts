/** A bridge as a process of its own that can be killed: started by the proof, which sends it its job. */
import { openBridge } from '../../bridge/bridge.ts'
import { systemClock } from '../../support/clock.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { newId } from '../context.ts'
import { VERSION } from '../version.ts'
import { guarded, isEffect, type Wrap, wrappedBoth } from './death.ts'
import type { Job } from './processes.ts'

process.once('message', (message) => {
  process.on('message', stop)
  void work(message as Job)
    .then((exit) => {
      process.exitCode = exit
    })
    .finally(() => process.disconnect())
})

/**
 * The next message of all. It is heard between two steps of the work and never within one: between the last look at the
 * lease and the write that follows it there are some microseconds, in which nobody can be kept from sending.
 */
function stop(): void {
  process.send?.('stops', () => process.kill(process.pid, 'SIGSTOP'))
}

async function work(job: Job): Promise<ExitCode> {
  const sabotage = await sabotageOf(job)
  const wrap = job.death === undefined ? sabotage : wrappedBoth(dying(job.death), sabotage)
  const until = performance.now() + (job.untilQuietMs ?? 0)
  process.send?.('began')
  for (;;) {
    const bridge = await openBridge(job.configuration, {
      clock: systemClock,
      random: Math.random,
      newId,
      notify: () => undefined,
      version: VERSION,
      leaseMs: job.leaseMs,
      ...(wrap === undefined ? {} : { wrap }),
    })
    const { exit } = await bridge.run([job.route], new AbortController().signal)
    await bridge.close()
    const isQuiet = exit === EXIT.ok || exit === EXIT.rejects
    if (isQuiet || performance.now() > until) return exit
    await systemClock.sleep(50)
  }
}

/** Nothing of this process is left, not even what it wanted to do next. */
function dying({ effect, moment }: NonNullable<Job['death']>): Wrap {
  let count = 0
  return guarded(async (name, act) => {
    const dies = isEffect(name) && ++count === effect
    if (dies && moment === 'before') process.kill(process.pid, 'SIGKILL')
    try {
      return await act()
    } finally {
      if (dies) process.kill(process.pid, 'SIGKILL')
    }
  })
}

async function sabotageOf({ sabotage, configuration }: Job): Promise<Wrap | undefined> {
  if (sabotage === undefined) return undefined
  const module = (await import(sabotage)) as { sabotage: (configuration: Job['configuration']) => Wrap }
  return module.sabotage(configuration)
}
