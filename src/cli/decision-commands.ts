/** The commands by which a person decides about held records, and about a journal that was restored. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { discard } from './commands/discard.ts'
import { release } from './commands/release.ts'
import { restored } from './commands/restored.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const DECISION_COMMANDS = ['release', 'discard', 'restored']
export const DECISION_OPTIONS = ['by', 'why', 'skip', 'dry-run', 'end']

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
    .command(
      'restored',
      'Say that the journal was restored from a backup: what may have been done since is in doubt',
      (args) =>
        args.options({
          ...SAID,
          by: { ...SAID.by, demandOption: false, default: '' },
          why: { ...SAID.why, demandOption: false, default: '' },
          skip: { type: 'number', default: 1000, describe: 'How many sequence numbers outgoing routes skip' },
          'dry-run': { type: 'boolean', default: false, describe: 'Only say what would be in doubt' },
          end: { type: 'boolean', default: false, describe: 'New records are looked up no longer' },
        }),
      async (args) => done(await restored(terminal, args)),
    )
}

function withOptions(args: Argv) {
  return args.positional('what', { type: 'string', demandOption: true }).options(SAID)
}

const SAID = {
  config: CONFIG_FLAG,
  by: { type: 'string', demandOption: true, describe: 'Who decides; kept with the decision' },
  why: { type: 'string', demandOption: true, describe: 'What for; kept with the decision' },
  json: JSON_FLAG,
} as const
