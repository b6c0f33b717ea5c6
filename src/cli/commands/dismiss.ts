/** `dropbridge dismiss`: a person wants no correction of what was rejected. */
import type { DismissResult } from '../../app/dismiss.ts'
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, DECISION_FLAGS, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'
import { assertNotEmpty } from './release.ts'

export const dismissCommand = defineCommand({
  argument: 'FILE, or ROUTE/KEY of one record,',
  positionals: { what: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG, ...DECISION_FLAGS, json: JSON_FLAG },
  async run(terminal, { config, what, by, why, json }) {
    assertNotEmpty({ by, why })
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const request = { what, by: by.trim(), why: why.trim() }
    const result = await withBridge(terminal, configuration, (bridge) => bridge.dismiss(request))
    const { id, name, route } = result.file
    if (json) terminal.out(JSON.stringify({ file: { id, name, route }, decision: result.decision }, null, 2))
    else terminal.say(formatDismissal(result))
    return EXIT.ok
  },
})

function formatDismissal({ file: { route, name }, decision: { records } }: DismissResult): string {
  if (records === 0) return `${route}: ${name} is dismissed`
  return `${route}: ${name}: ${records === 1 ? '1 record is' : `${records} records are`} dismissed`
}
