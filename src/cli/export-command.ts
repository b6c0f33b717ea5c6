/** `export` on the command line: its options and their help. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { exportRecords } from './commands/export.ts'
import { CONFIG_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const EXPORT_COMMANDS = ['export']
/** Options that take one value, and all of them. */
export const EXPORT_SINGLE = ['since', 'until', 'out']
export const EXPORT_OPTIONS = [...EXPORT_SINGLE, 'status', 'po', 'id']

const several = { type: 'string', array: true, nargs: 1, default: [] as string[] } as const

export function exportCommand(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program.command(
    'export <route>',
    'Write records of a route’s list to a file or to stdout, once; nothing is acknowledged or remembered',
    (args) =>
      args.positional('route', { type: 'string', demandOption: true }).options({
        config: CONFIG_FLAG,
        status: { ...several, describe: 'Orders of this status; may be repeated' },
        since: {
          type: 'string',
          describe: 'From this time on: 24h or 7d back from now, yesterday, 2026-11-01, 2026-11-01T08:00Z',
        },
        until: { type: 'string', describe: 'Up to this time and without it' },
        po: { ...several, describe: 'The records of this purchase order; may be repeated' },
        id: { ...several, describe: 'The record with this id at the API; may be repeated' },
        out: {
          type: 'string',
          default: '-',
          describe: 'The file to write, never over another one; - is stdout',
        },
        json: {
          type: 'boolean',
          default: false,
          describe: 'The records as the API shows them, one on each line',
        },
      }),
    async (args) => done(await exportRecords(terminal, args)),
  )
}
