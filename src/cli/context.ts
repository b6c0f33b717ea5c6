/** What commands share: the configuration file, and a bridge built from it. */
import { randomInt } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { type Bridge, openBridge } from '../bridge/bridge.ts'
import type { BridgeOptions } from '../bridge/options.ts'
import type { Configuration } from '../config/configuration.ts'
import { loadConfiguration } from '../config/load.ts'
import type { Observer } from '../domain/event.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

export const DEFAULT_CONFIGURATION = 'dropbridge.yaml'

/** A path given on the command line, from the folder the command was given in. */
export function pathFrom(terminal: Terminal, path: string): string {
  return isAbsolute(path) ? path : join(terminal.folder, path)
}

export function readConfiguration(terminal: Terminal, path: string): Promise<Configuration> {
  return loadConfiguration(pathFrom(terminal, path), terminal.env)
}

/** For commands that look and never call the API: people give them where its credentials are not at hand. */
export function readConfigurationToLook(terminal: Terminal, path: string): Promise<Configuration> {
  return loadConfiguration(pathFrom(terminal, path), terminal.env, { withoutApi: true })
}

/** Opens the bridge for as long as `work` takes. */
export async function withBridge<Result>(
  { clock }: Pick<Terminal, 'clock'>,
  { configuration, notify }: { readonly configuration: Configuration; readonly notify: Observer },
  work: (bridge: Bridge) => Promise<Result>,
  more: Pick<BridgeOptions, 'wrap' | 'isImpatient'> = {},
): Promise<Result> {
  const bridge = await openBridge(configuration, {
    clock,
    random: Math.random,
    newId,
    notify,
    version: VERSION,
    ...more,
  })
  try {
    return await work(bridge)
  } finally {
    await bridge.close()
  }
}

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Ten letters that are easy to read aloud: fifty bits of chance, behind the tag of the journal. */
export function newId(tag = ''): string {
  return tag + Array.from({ length: 10 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
