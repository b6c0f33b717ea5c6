/** The `notices` commands, their options and their help. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { notices, noticesTest } from './commands/notices.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const NOTICES_COMMANDS = ['notices']

export function noticesCommand(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program.command(
    'notices',
    'Show what became of the latest notices, or send a trial of one',
    (below) =>
      below
        .command(
          'test <name>',
          'Send a trial by one of the ways under `notices`; tells of nothing',
          (args) =>
            args.positional('name', { type: 'string', demandOption: true }).options({ config: CONFIG_FLAG }),
          async (args) => done(await noticesTest(terminal, { config: args.config, name: String(args.name) })),
        )
        .options({
          config: CONFIG_FLAG,
          json: JSON_FLAG,
        }),
    async (args) => done(await notices(terminal, args)),
  )
}
