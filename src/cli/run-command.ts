/** `run` on the command line: its options and their help. */
import type { Argv } from 'yargs'
import { run } from './commands/run.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import { LOG_FLAGS } from './log-flags.ts'
import type { Terminal } from './terminal.ts'

export const RUN_COMMANDS = ['run']
/** Options that take one value, and all of them. */
export const RUN_SINGLE = ['if-busy', 'wait-at-most', 'until', 'max-records', 'exit-map']
export const RUN_OPTIONS = [...RUN_SINGLE, 'due', 'again', 'quiet']

export function runCommand(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program.command(
    'run [routes..]',
    'One pass over the routes: pick up, post, report; collect, deliver, acknowledge',
    (args) =>
      args.positional('routes', { type: 'string', array: true, default: [] as string[] }).options({
        config: CONFIG_FLAG,
        due: {
          type: 'boolean',
          default: false,
          describe: 'Only routes that are due by their schedules, and what is unfinished',
        },
        again: {
          type: 'boolean',
          default: false,
          describe: 'Make a daily report once more for its last date',
        },
        'if-busy': {
          choices: ['fail', 'skip', 'wait'] as const,
          default: 'fail' as const,
          describe: 'When another bridge is working on a route: exit with 75, leave it to that one, or wait',
        },
        'wait-at-most': { type: 'string', describe: 'How long --if-busy wait waits; 10m when left out' },
        until: {
          type: 'string',
          describe: 'Begin nothing after this time: 06:30, 2h from now, 2026-11-21T06:30Z',
        },
        'max-records': {
          type: 'number',
          describe: 'Send no more records than this; the rest is for the next run',
        },
        'exit-map': {
          type: 'string',
          describe: 'Other exit codes for a scheduler that knows only its own: 2=0,75=0',
        },
        quiet: {
          type: 'boolean',
          default: false,
          describe: 'Say nothing when nothing happened, and else what happened and one summary',
        },
        ...LOG_FLAGS,
        json: JSON_FLAG,
      }),
    async (args) => done(await run(terminal, args)),
  )
}
