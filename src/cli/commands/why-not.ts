/** `dropbridge why-not FILE`: the rule that keeps a file from being picked up. */
import type { RouteDiagnosis } from '../../app/diagnose/reasons.ts'
import { diagnoseFile } from '../../app/diagnose/diagnose.ts'
import { escapeControlChars, unknownNameError } from '../../support/text.ts'
import { CONFIG_FLAG, defineCommand, FILE_ARGUMENT, JSON_FLAG, text } from '../command.ts'
import { readConfigurationToShow } from '../context.ts'

export const whyNotCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: { config: CONFIG_FLAG, json: JSON_FLAG, route: text('Only as far as this route goes') },
  async run(terminal, { config, file, route, json }) {
    const { clock, signal, folder: from } = terminal
    const configuration = await readConfigurationToShow(terminal, config)
    const inbound = [
      ...configuration.routes.filter(({ direction }) => direction === 'inbound').map(({ name }) => name),
      ...(configuration.edi?.inboxes ?? []).map(({ key }) => key),
    ]
    if (route !== undefined && !inbound.includes(route))
      throw unknownNameError(`there is no inbound route "${route}"`, route, inbound)
    const request = { file, from, ...(route === undefined ? {} : { route }) }
    const found = await diagnoseFile(configuration, request, { clock, signal })
    if (json) terminal.out(JSON.stringify(found, null, 2))
    else for (const line of found.verdicts.flatMap(formatVerdict)) terminal.out(escapeControlChars(line))
    return found.exit
  },
})

function formatVerdict({ route, path, reasons, notes }: RouteDiagnosis): string[] {
  const name = route === undefined ? path : `${route}: ${path}`
  const lines = [reasons.length === 0 ? `${name}: nothing keeps it: the next run takes it` : `${name}:`]
  for (const { code, message, fix } of reasons) lines.push(`    ${message}  [${code}]`, `      fix: ${fix}`)
  return [...lines, ...notes.map((note) => `    ${note}`)]
}
