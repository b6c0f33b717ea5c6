/** What nearly every command takes on the command line. */
import { DEFAULT_CONFIGURATION } from './context.ts'

export const CONFIG_FLAG = {
  type: 'string',
  alias: 'c',
  default: DEFAULT_CONFIGURATION,
  describe: 'The configuration file',
} as const

export const JSON_FLAG = { type: 'boolean', default: false, describe: 'Print data for programs' } as const
