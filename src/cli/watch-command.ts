/** The `watch` command, its options and its help. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { watch } from './commands/watch.ts'
import { CONFIG_FLAG } from './flags.ts'
import { LOG_FLAGS } from './log-flags.ts'
import type { Terminal } from './terminal.ts'

export const WATCH_COMMANDS = ['watch']

export function watchCommand(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program.command(
    'watch [routes..]',
    'Go on until stopped: take files as soon as they are whole, export by the schedules',
    (args) =>
      args.positional('routes', { type: 'string', array: true, default: [] as string[] }).options({
        config: CONFIG_FLAG,
        ...LOG_FLAGS,
      }),
    async (args) => done(await watch(terminal, args)),
  )
}
