/** A process that carries out one job of the console, whose own process never opens the journal to write. */
import { loadConfiguration } from '../../config/load.ts'
import { systemClock } from '../../support/clock.ts'
import type { ChildMessage } from './hand.ts'
import { carryOut, type HandReport } from './hand-commands.ts'

const controller = new AbortController()
const stop = () => controller.abort()

process.on('message', (message) => {
  const asked = message as ChildMessage
  if (asked.kind === 'stop') stop()
  else void work(asked)
})
// The console ended; and a terminal sends its signals to all of its processes.
process.once('disconnect', stop)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

async function work({ job, configuration }: Extract<ChildMessage, { kind: 'work' }>): Promise<void> {
  const report = (each: HandReport) => void (process.connected && process.send?.(each))
  await carryOut(() => loadConfiguration(configuration, process.env), job, {
    clock: systemClock,
    signal: controller.signal,
    report,
  })
  if (process.connected) process.disconnect()
}
