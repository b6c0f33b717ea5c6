/** The commands about the journal itself: whether it is what was written, and what it may forget. */
import type { Argv } from 'yargs'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { auditVerify } from './commands/audit.ts'
import { forget } from './commands/forget.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const AUDIT_COMMANDS = ['audit', 'forget']
/** For guessing what a misspelt word was meant to be. */
export const AUDIT_OPTIONS = ['anchor', 'older-than', 'before', 'dry-run']

const common = {
  config: CONFIG_FLAG,
  json: JSON_FLAG,
} as const

export function auditCommands(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program
    .command('audit', 'Check that the journal is what was written into it', (audit) =>
      audit
        .command(
          'verify',
          'Walk the chain of events and compare it with the journal; changes nothing',
          (args) =>
            args
              .options({
                ...common,
                anchor: {
                  type: 'string',
                  describe: 'EVENT:HASH that was kept outside: the chain must still hold it',
                },
              })
              .check((given) => onlyOnce(given)),
          async ({ config, json, anchor }) => done(await auditVerify(terminal, { config, json, anchor })),
        )
        .demandCommand(1, 'Say what to do: audit verify.'),
    )
    .command(
      'forget',
      'Remove the contents of work that was finished long ago; keys and states stay',
      (args) =>
        args
          .options({
            ...common,
            'older-than': { type: 'string', describe: 'Finished longer ago than this, such as 90d or 52w' },
            before: { type: 'string', describe: 'Finished before this date, such as 2026-01-01 (UTC)' },
            'dry-run': { type: 'boolean', default: false, describe: 'Only say how much it would be' },
          })
          .check((given) => onlyOnce(given)),
      async ({ config, json, olderThan, before, dryRun }) =>
        done(await forget(terminal, { config, json, olderThan, before, dryRun })),
    )
}

/** yargs makes a list of an option that is given twice. */
function onlyOnce(args: Readonly<Record<string, unknown>>): true {
  const twice = AUDIT_OPTIONS.find((name) => Array.isArray(args[name]))
  if (twice === undefined) return true
  throw new BridgeError('usage-wrong', `--${twice} is given more than once.`)
}
