/**
 * Passes of the built program in a process of its own, which stays warm from one to the next. Plain JavaScript, so that the compiler
 * of the bench is not in the figures. Each message names a route and has a configuration; the answer is a `PassReport`.
 */
import { randomUUID } from 'node:crypto'
import { openBridge } from '../../dist/app/bridge.js'
import { systemClock } from '../../dist/support/clock.js'
import { peakMb } from './peak.mjs'

function acceptedIn(result) {
  if (result.kind === 'failed') throw result.failure
  const counts = result.kind === 'inbound' ? result.pass.summaries : result.pass.deliveries
  return counts.reduce((sum, { records }) => sum + (records.accepted ?? 0), 0)
}

async function pass({ configuration, route }) {
  const bridge = await openBridge(configuration, {
    clock: systemClock,
    random: Math.random,
    newId: () => randomUUID(),
    notify: () => undefined,
    version: 'bench',
  })
  baseMb ??= peakMb()
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const { routes } = await bridge.run([route], new AbortController().signal)
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  await bridge.close()
  const count = routes.reduce((sum, result) => sum + acceptedIn(result), 0)
  return { ms, cpuMs: (user + system) / 1000, count, peakMb: peakMb(), baseMb }
}

let baseMb
process.on('message', (job) => void pass(job).then((report) => process.send(report)))
process.once('disconnect', () => process.exit())
process.send('ready')
