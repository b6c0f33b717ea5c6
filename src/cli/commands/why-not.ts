/** `dropbridge why-not FILE`: the rule that keeps a file from being picked up. */
import type { RouteVerdict } from '../../bridge/why-not/reasons.ts'
import { whyNot as askWhyNot } from '../../bridge/why-not/why-not.ts'
import { BridgeError, type ExitCode } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { visible } from '../../support/visible.ts'
import { readConfigurationToLook } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface WhyNotOptions {
  readonly config: string
  readonly file: string
  readonly route: string | undefined
  readonly json: boolean
}

export async function whyNot(
  terminal: Terminal,
  { config, file, route, json }: WhyNotOptions,
): Promise<ExitCode> {
  const configuration = await readConfigurationToLook(terminal, config)
  const inbound = configuration.routes
    .filter(({ direction }) => direction === 'inbound')
    .map(({ name }) => name)
  if (route !== undefined && !inbound.includes(route)) {
    throw new BridgeError('usage-wrong', `there is no inbound route "${route}".${didYouMean(route, inbound)}`)
  }
  const request = { file, from: terminal.folder, ...(route === undefined ? {} : { route }) }
  const eyes = { clock: terminal.clock, signal: terminal.signal }
  const found = await askWhyNot(configuration, request, eyes)
  if (json) terminal.out(JSON.stringify(found, null, 2))
  else for (const line of found.verdicts.flatMap(inWords)) terminal.out(visible(line))
  return found.exit
}

function inWords({ route, path, reasons, notes }: RouteVerdict): string[] {
  const name = route === undefined ? path : `${route}: ${path}`
  const said = reasons.flatMap(({ code, message, cure }) => [
    `    ${message}  [${code}]`,
    `      what to do: ${cure}`,
  ])
  const verdict =
    reasons.length === 0 ? [`${name}: nothing keeps it: the next run takes it`] : [`${name}:`, ...said]
  return [...verdict, ...notes.map((note) => `    ${note}`)]
}
