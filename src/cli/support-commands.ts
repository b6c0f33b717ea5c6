/** The commands for whoever is asked "where is my order?": looking for it, and settling what only a person can tell. */
import type { Argv } from 'yargs'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { settle } from './commands/settle.ts'
import { trace } from './commands/trace.ts'
import { whyNot } from './commands/why-not.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const SUPPORT_COMMANDS = ['trace', 'why-not', 'settle']
/** For guessing what a misspelt word was meant to be. */
export const SUPPORT_OPTIONS = ['route', 'accepted', 'absent', 'discard', 'delivered', 'again']

type Done = (code: ExitCode) => void

export function supportCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return settleCommand(lookingCommands(program, terminal, done), terminal, done)
}

const common = {
  config: CONFIG_FLAG,
  json: JSON_FLAG,
} as const

function lookingCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return program
    .command(
      'trace <key>',
      'All that is known of an order, record or file: by PO, invoice or tracking number, id, or file name (:line)',
      (args) =>
        args
          .positional('key', { type: 'string', demandOption: true })
          .options({ ...common, route: { type: 'string', describe: 'Only records of this route' } })
          .check((given) => onlyOnce(given, ['route'])),
      async (args) => done(await trace(terminal, { ...args, key: String(args.key), route: args.route })),
    )
    .command(
      'why-not <file>',
      'Why a file is not picked up, and what to do; changes nothing',
      (args) =>
        args
          .positional('file', { type: 'string', demandOption: true })
          .options({ ...common, route: { type: 'string', describe: 'Only as far as this route goes' } })
          .check((given) => onlyOnce(given, ['route'])),
      async (args) => done(await whyNot(terminal, { ...args, file: String(args.file), route: args.route })),
    )
}

function settleCommand(program: Argv, terminal: Terminal, done: Done): Argv {
  return program.command(
    'settle <what>',
    'Say what came of a record whose answer was lost (KEY or ROUTE/KEY), or of a held delivery (FILE)',
    (args) =>
      args
        .positional('what', { type: 'string', demandOption: true })
        .options({
          ...common,
          accepted: { type: 'string', describe: 'The API has it, under this id' },
          absent: { type: 'boolean', default: false, describe: 'The API does not have it: send it again' },
          discard: { type: 'boolean', default: false, describe: 'Give it up: it is told as refused' },
          delivered: { type: 'boolean', default: false, describe: 'Of a held delivery: it was delivered' },
          again: { type: 'boolean', default: false, describe: 'Of a held delivery: deliver it' },
          by: { type: 'string', demandOption: true, describe: 'Who decides; kept with the decision' },
          why: { type: 'string', demandOption: true, describe: 'What for; kept with the decision' },
        })
        .check((given) => onlyOnce(given, ['accepted'])),
    async (args) =>
      done(await settle(terminal, { ...args, what: String(args.what), accepted: args.accepted })),
  )
}

/** yargs makes a list of an option that is given twice. */
function onlyOnce(args: Readonly<Record<string, unknown>>, names: readonly string[]): true {
  const twice = names.find((name) => Array.isArray(args[name]))
  if (twice === undefined) return true
  throw new BridgeError('usage-wrong', `--${twice} is given more than once.`)
}
