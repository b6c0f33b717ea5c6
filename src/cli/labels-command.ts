/** The `labels` command, its options and its help. */
import type { Argv } from 'yargs'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { labels } from './commands/labels.ts'
import { CONFIG_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const LABELS_COMMANDS = ['labels']
/** For guessing what a misspelt word was meant to be. */
export const LABELS_OPTIONS = ['route', 'file', 'po', 'shipment', 'out']

export function labelsCommand(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program.command(
    'labels',
    'Fetch packing slips and labels again: those that are missing, or those of the shipments named',
    (args) =>
      args
        .options({
          config: CONFIG_FLAG,
          route: { type: 'string', describe: 'Only of shipments of this route' },
          file: { type: 'string', describe: 'Only of shipments from the files of this name' },
          po: { type: 'string', describe: 'Only of shipments of this purchase order number' },
          shipment: { type: 'string', describe: 'Only of the shipment with this id' },
          out: { type: 'string', describe: 'A folder for copies, instead of the folder of the route' },
          json: { type: 'boolean', default: false, describe: 'Print data for programs, a line for each' },
        })
        .check((given) => onlyOnce(given)),
    async ({ config, json, route, file, po, shipment, out }) =>
      done(await labels(terminal, { config, json, route, file, po, shipment, out })),
  )
}

/** yargs makes a list of an option that is given twice. */
function onlyOnce(args: Readonly<Record<string, unknown>>): true {
  const twice = LABELS_OPTIONS.find((name) => Array.isArray(args[name]))
  if (twice === undefined) return true
  throw new BridgeError('usage-wrong', `--${twice} is given more than once.`)
}
