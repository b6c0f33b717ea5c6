/** The commands, their options and their help. */
import yargs, { type Argv } from 'yargs'
import { BridgeError, EXIT } from '../support/errors.ts'
import { didYouMean } from '../support/nearest.ts'
import { AUDIT_COMMANDS, AUDIT_OPTIONS, auditCommands } from './audit-commands.ts'
import { check } from './commands/check.ts'
import { explain } from './commands/explain.ts'
import { MAP_COMMANDS, MAP_OPTIONS, mapCommands } from './commands/map/map.ts'
import { status } from './commands/status.ts'
import { translate } from './commands/translate.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import { DECISION_COMMANDS, DECISION_OPTIONS, decisionCommands } from './decision-commands.ts'
import { EXPORT_COMMANDS, EXPORT_OPTIONS, EXPORT_SINGLE, exportCommand } from './export-command.ts'
import { missingInWords } from './missing-in-words.ts'
import { LABELS_COMMANDS, LABELS_OPTIONS, labelsCommand } from './labels-command.ts'
import { NOTICES_COMMANDS, noticesCommand } from './notices-command.ts'
import { PROVE_COMMANDS, PROVE_OPTIONS, proveCommand } from './prove-command.ts'
import { LOG_OPTIONS } from './log-flags.ts'
import { RUN_COMMANDS, RUN_OPTIONS, RUN_SINGLE, runCommand } from './run-command.ts'
import { STARTING_COMMANDS, STARTING_OPTIONS, startingCommands } from './starting-commands.ts'
import { SUPPORT_COMMANDS, SUPPORT_OPTIONS, supportCommands } from './support-commands.ts'
import { tellFailure, type Terminal } from './terminal.ts'
import { TRUST_COMMANDS, TRUST_OPTIONS, trustCommands } from './trust-commands.ts'
import { VERSION } from './version.ts'
import { WATCH_COMMANDS, watchCommand } from './watch-command.ts'

/** Runs one command line and gives its exit code, which may be one that a scheduler asked for. Never throws: what goes wrong is told on the terminal. */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok
  const done = (code: number) => {
    exit = code
  }
  try {
    await commands(terminal, words, done).parseAsync([...words], {}, (_error, _argv, output) => {
      if (output) terminal.out(output)
    })
  } catch (error) {
    return tellFailure(terminal, error)
  }
  return exit
}

type Done = (code: number) => void

function commands(terminal: Terminal, words: readonly string[], done: Done): Argv {
  const program = yargs([...words])
    .scriptName('dropbridge')
    .usage(
      '$0 COMMAND\n\nMoves orders, shipments and invoices between CSV files and the order-fulfilment API.',
    )
    .example('$0 demo', 'see the whole life of a few orders in a minute')
    .example('$0 init', 'write a configuration to start from')
    .example('$0 run', 'pick up what lies in the inboxes, post it, export what is new')
  const working = readingCommands(runningCommands(program, terminal, done), terminal, done)
  return proveCommand(startingCommands(working, terminal, done), terminal, done)
    .demandCommand(1, 'Name a command.')
    .strictCommands()
    .strictOptions()
    .check((args) => onlyOnce(args))
    .version(VERSION)
    .help()
    .wrap(100)
    .exitProcess(false)
    .fail((message, error) => {
      // With a message it is the command line that is wrong; without, a command failed and its own error counts.
      throw error ?? new BridgeError('usage-wrong', `${missingInWords(message, words)}${hintFor(words)}`)
    })
}

/** yargs makes a list of an option that is given twice, and nobody who takes one value expects a list. */
function onlyOnce(args: Readonly<Record<string, unknown>>): true {
  const twice = [
    ...EXPORT_SINGLE,
    ...RUN_SINGLE,
    'by',
    'config',
    'data',
    'host',
    'mapping',
    'port',
    'skip',
    'why',
  ].find((name) => Array.isArray(args[name]))
  if (twice === undefined) return true
  throw new BridgeError('usage-wrong', `--${twice} is given more than once.`)
}

/** Every command and option, for guessing what a misspelt word was meant to be. */
const COMMANDS = [
  ...RUN_COMMANDS,
  ...WATCH_COMMANDS,
  ...NOTICES_COMMANDS,
  'translate',
  'check',
  'map',
  'status',
  ...EXPORT_COMMANDS,
  ...LABELS_COMMANDS,
  ...DECISION_COMMANDS,
  ...SUPPORT_COMMANDS,
  ...AUDIT_COMMANDS,
  ...TRUST_COMMANDS,
  ...PROVE_COMMANDS,
  'explain',
  ...STARTING_COMMANDS,
]
const OPTIONS = [
  'config',
  'json',
  'mapping',
  'help',
  'version',
  ...STARTING_OPTIONS,
  ...RUN_OPTIONS,
  ...LOG_OPTIONS,
  ...MAP_OPTIONS,
  ...EXPORT_OPTIONS,
  ...LABELS_OPTIONS,
  ...DECISION_OPTIONS,
  ...SUPPORT_OPTIONS,
  ...AUDIT_OPTIONS,
  ...TRUST_OPTIONS,
  ...PROVE_OPTIONS,
]

function hintFor(words: readonly string[]): string {
  const [command, below] = words.filter((word) => !word.startsWith('-'))
  if (command !== undefined && !COMMANDS.includes(command)) return `.${didYouMean(command, COMMANDS)}`
  if (command === 'map' && below !== undefined && !MAP_COMMANDS.includes(below)) {
    return `.${didYouMean(below, MAP_COMMANDS)}`
  }
  const option = words
    .map((word) => /^--(?:no-)?([^=]+)/.exec(word)?.[1])
    .find((name) => name !== undefined && !OPTIONS.includes(name))
  return option === undefined ? '' : `.${didYouMean(option, OPTIONS)}`
}

/** The commands that do the work. */
function runningCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  const withDocuments = labelsCommand(
    exportCommand(watchCommand(runCommand(program, terminal, done), terminal, done), terminal, done),
    terminal,
    done,
  )
  const withAudit = auditCommands(noticesCommand(withDocuments, terminal, done), terminal, done)
  const withTrust = trustCommands(withAudit, terminal, done)
  return supportCommands(decisionCommands(withTrust, terminal, done), terminal, done)
}

/** The commands that look and change nothing. */
function readingCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return program
    .command(
      'translate <file>',
      'Translate a file to JSON, or for an export JSON records to its file; nothing is sent',
      (args) =>
        args.positional('file', { type: 'string', demandOption: true }).options({
          mapping: { type: 'string', alias: 'm', demandOption: true, describe: 'The mapping file' },
          out: { type: 'string', describe: 'For an export: the file to write; on stdout without it' },
          json: JSON_FLAG,
        }),
      async (args) => done(await translate(terminal, { ...args, out: args.out })),
    )
    .command(
      'check',
      'Check the configuration and the mappings, and run the mappings’ examples; nothing is sent',
      (args) =>
        args.options({
          config: CONFIG_FLAG,
          json: JSON_FLAG,
          online: { type: 'boolean', default: false, describe: 'Try the API and its credentials too' },
        }),
      async (args) => done(await check(terminal, args)),
    )
    .command('map', 'Learn, try, test, compare and explain mapping files', (args) =>
      mapCommands(args, terminal, done),
    )
    .command(
      'status',
      'Show what is done, what waits, and files that no route takes',
      (args) => args.options({ config: CONFIG_FLAG, json: JSON_FLAG }),
      async (args) => done(await status(terminal, args)),
    )
    .command(
      'explain [code]',
      'Explain a code of a result file or a message, or list them all',
      (args) => args.positional('code', { type: 'string' }).options({ json: JSON_FLAG }),
      (args) => done(explain(terminal, args.code, args.json)),
    )
}
