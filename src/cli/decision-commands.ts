/** The commands by which a person decides about held records. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { discard } from './commands/discard.ts'
import { release } from './commands/release.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const DECISION_COMMANDS = ['release', 'discard']
export const DECISION_OPTIONS = ['by', 'why']

export function decisionCommands(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program
    .command(
      'release <what>',
      'Send what is held because its file was stopped: FILE (name or id), or ROUTE/KEY for one record',
      withOptions,
      async (args) => done(await release(terminal, args)),
    )
    .command(
      'discard <what>',
      'Give up what is held: FILE (name or id), or ROUTE/KEY for one record',
      withOptions,
      async (args) => done(await discard(terminal, args)),
    )
}

function withOptions(args: Argv) {
  return args.positional('what', { type: 'string', demandOption: true }).options({
    config: CONFIG_FLAG,
    by: { type: 'string', demandOption: true, describe: 'Who decides; kept with the decision' },
    why: { type: 'string', demandOption: true, describe: 'What for; kept with the decision' },
    json: JSON_FLAG,
  })
}
