/** `dropbridge check`: the configuration, the mappings and their examples, without sending anything. */
import { checkConfiguration } from '../../bridge/check.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfiguration } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface CheckOptions {
  readonly config: string
  readonly json: boolean
}

export async function check(terminal: Terminal, { config, json }: CheckOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const found = await checkConfiguration(configuration)
  if (json) {
    terminal.out(JSON.stringify(found, null, 2))
  } else {
    for (const { route, mapping, examples } of found.routes) {
      terminal.out(`${route}: ${mapping}: ${examples === 1 ? 'one example' : `${examples} examples`}`)
    }
    for (const warning of found.warnings) terminal.say(`worth a look: ${warning}`)
    for (const failure of found.failures) terminal.say(`wrong: ${failure}`)
    terminal.say(
      found.failures.length === 0
        ? 'The configuration and the mappings are right. The API and its credentials were not tried.'
        : 'The configuration needs work.',
    )
  }
  return found.failures.length === 0 ? EXIT.ok : EXIT.badConfiguration
}
