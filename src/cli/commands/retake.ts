/**
 * What was done once more: `dropbridge retake FILE` takes an archived file again, whose records are judged by their keys, and
 * `dropbridge redeliver DELIVERY` gives the bytes of a finished delivery a second name.
 */
import type { RetakeResult } from '../../app/retake.ts'
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, FILE_ARGUMENT, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfiguration, withProgress } from '../context.ts'
import { formatRedelivery } from '../format/outbound.ts'
import { formatRouteResults } from '../format/run.ts'

export const retakeCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, file, json }) {
    const configuration = await readConfiguration(terminal, config)
    const result = await withProgress(terminal, configuration, (bridge) =>
      bridge.retake(file.trim(), terminal.signal),
    )
    if (json) terminal.out(JSON.stringify(toJson(result), null, 2))
    else for (const line of formatRetake(result)) terminal.say(line)
    return result.exit
  },
})

function formatRetake({ first, results }: RetakeResult): string[] {
  const head = `${first.route}: ${first.name} is taken again from ${first.archivedAs ?? ''}`
  return [head, ...formatRouteResults(results)]
}

function toJson({ first, file, records, results, exit }: RetakeResult): unknown {
  const { id, name, route, archivedAs } = first
  const passes = results.flatMap((each) => (each.kind === 'inbound' ? [each.pass] : []))
  const taken = { id: file.id, state: file.state, outcome: file.outcome ?? null }
  return {
    exit,
    file: { id, name, route, archivedAs },
    taken,
    records,
    summaries: passes.flatMap(({ summaries }) => summaries),
    open: passes.flatMap(({ open }) => open.map((each) => each.name)),
  }
}

/** Also `edi resend`, the name that people look for where the file is an interchange. */
export const redeliverCommand = defineCommand({
  argument: 'DELIVERY',
  positionals: { delivery: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, delivery, json }) {
    const configuration = await readConfiguration(terminal, config)
    const result = await withProgress(terminal, configuration, (bridge) =>
      bridge.redeliver(delivery.trim(), terminal.signal),
    )
    const exit = result.redelivery.state === 'delivered' ? EXIT.ok : EXIT.rejects
    if (json) terminal.out(JSON.stringify({ exit, ...result }, null, 2))
    else terminal.say(`${result.delivery.route}: ${formatRedelivery(result)}`)
    return exit
  },
})
