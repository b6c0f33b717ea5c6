/** `dropbridge retake FILE`: takes an archived file again; its records are judged by their keys. */
import type { RetakeResult } from '../../app/retake.ts'
import { CONFIG_FLAG, defineCommand, FILE_ARGUMENT, JSON_FLAG } from '../command.ts'
import { readConfiguration, withProgress } from '../context.ts'
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
