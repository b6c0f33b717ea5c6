/** `dropbridge status`: what needs somebody, what is done, what waits, and what nobody will ever read. */
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfiguration, withBridge } from '../context.ts'
import { statusInWords } from '../status-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface StatusOptions {
  readonly config: string
  readonly json: boolean
}

export async function status(terminal: Terminal, { config, json }: StatusOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const silent = () => undefined
  const found = await withBridge(configuration, silent, (bridge) => bridge.snapshot())
  if (json) terminal.out(JSON.stringify(found, null, 2))
  else for (const line of statusInWords(found)) terminal.out(line)
  return EXIT.ok
}
