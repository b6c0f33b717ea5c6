/**
 * A pass of one route in a process of its own, because a process keeps its peak until it ends. Plain JavaScript over the built
 * program, so that the compiler of the bench is not in the figure. Its arguments are the name of the route and
 * configurations; it makes a pass with each and sends a `PassReport` of the last.
 */
import { randomUUID } from 'node:crypto'
import { openBridge } from '../../dist/app/bridge.js'
import { systemClock } from '../../dist/support/clock.js'
import { limitHeap } from '../../dist/support/process.js'
import { peakMb } from './peak.mjs'

function acceptedIn(result) {
  if (result.kind === 'failed') throw result.failure
  const counts = result.kind === 'inbound' ? result.pass.summaries : result.pass.deliveries
  return counts.reduce((sum, { records }) => sum + (records.accepted ?? 0), 0)
}

async function pass(configuration, route) {
  const bridge = await openBridge(configuration, {
    clock: systemClock,
    random: Math.random,
    newId: () => randomUUID(),
    notify: () => undefined,
    version: 'bench',
  })
  baseMb ??= peakMb()
  const startedAt = performance.now()
  const { routes } = await bridge.run([route], new AbortController().signal)
  const ms = performance.now() - startedAt
  await bridge.close()
  return { ms, records: routes.reduce((sum, result) => sum + acceptedIn(result), 0) }
}

// As the program itself does.
limitHeap()
let baseMb
const [route = '', ...configurations] = process.argv.slice(2)
let report
for (const configuration of configurations) report = await pass(JSON.parse(configuration), route)
process.once('disconnect', () => process.exit())
process.send({ ...report, peakMb: peakMb(), baseMb })
