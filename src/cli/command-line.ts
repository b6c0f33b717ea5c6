/** Parses one command line: finds the command, reports usage errors with a suggestion, returns the exit code. */
import yargs, { type Argv } from 'yargs'
import { EXIT, usageError } from '../support/errors.ts'
import { VERSION } from '../support/package.ts'
import { didYouMean } from '../support/text.ts'
import { type Command, commandName, registerCommand } from './command.ts'
import { auditCommand } from './commands/audit.ts'
import { checkCommand } from './commands/check.ts'
import { demoCommand } from './commands/demo.ts'
import { explainCommand } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { initCommand } from './commands/init.ts'
import { labelsCommand } from './commands/labels.ts'
import { mapCommand } from './commands/map/map.ts'
import { notificationsCommand } from './commands/notifications.ts'
import { proveCommand } from './commands/prove.ts'
import { pruneCommand } from './commands/prune.ts'
import { discardCommand, releaseCommand } from './commands/release.ts'
import { resolveCommand } from './commands/resolve.ts'
import { restoredCommand } from './commands/restored.ts'
import { runCommand } from './commands/run.ts'
import { serviceCommand } from './commands/service.ts'
import { statusCommand } from './commands/status.ts'
import { traceCommand } from './commands/trace.ts'
import { translateCommand } from './commands/translate.ts'
import { trustHostCommand } from './commands/trust-host.ts'
import { watchCommand } from './commands/watch.ts'
import { whyNotCommand } from './commands/why-not.ts'
import { reportFailure, type Terminal } from './terminal.ts'

/** In the order of the help: commands that work, commands that only read, commands to start with. */
const COMMANDS: readonly Command[] = [
  runCommand,
  watchCommand,
  exportCommand,
  labelsCommand,
  notificationsCommand,
  auditCommand,
  pruneCommand,
  trustHostCommand,
  releaseCommand,
  discardCommand,
  restoredCommand,
  traceCommand,
  whyNotCommand,
  resolveCommand,
  translateCommand,
  checkCommand,
  mapCommand,
  statusCommand,
  explainCommand,
  initCommand,
  serviceCommand,
  demoCommand,
  proveCommand,
]

/** Runs one command line and returns its exit code, mapped if a scheduler asked for that. Never throws: it reports failures. */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok
  const done = (code: number) => {
    exit = code
  }
  try {
    await buildProgram(terminal, words, done).parseAsync([...words], {}, (_error, _argv, output) => {
      if (output) terminal.out(output)
    })
  } catch (error) {
    return reportFailure(terminal, error)
  }
  return exit
}

function buildProgram(terminal: Terminal, words: readonly string[], done: (code: number) => void): Argv {
  const program = yargs([...words])
    .scriptName('dropbridge')
    .usage(
      '$0 COMMAND\n\nMoves orders, shipments and invoices between CSV files and the order-fulfilment API.',
    )
    .example('$0 demo', 'see the whole life of a few orders in a minute')
    .example('$0 init', 'write a configuration to start from')
    .example('$0 run', 'pick up what lies in the inboxes, post it, export what is new')
  for (const command of COMMANDS) registerCommand(program, command, terminal, done)
  return program
    .demandCommand(1, 'Name a command.')
    .strictCommands()
    .strictOptions()
    .version(VERSION)
    .help()
    .wrap(100)
    .exitProcess(false)
    .fail((message, error) => {
      // Without a message a command failed, and its own error counts; errors of yargs itself are about the command line.
      if (error && (!message || error.name !== 'YError')) throw error
      throw usageError(`${formatUsageError(message, words)}${suggestSpelling(words)}`)
    })
}

/** yargs counts missing arguments; people want their names. Any other message stays as it is. */
function formatUsageError(message: string, words: readonly string[]): string {
  const option = /^Not enough arguments following: (.+)$/.exec(message)?.[1]
  if (option !== undefined) return `The value of --${option} is missing`
  if (!message.startsWith('Not enough non-option arguments')) return message
  const [command, below] = findCommands(words)
  const name = [command, below].flatMap((each) => (each === undefined ? [] : [commandName(each)])).join(' ')
  const argument = (below ?? command)?.argument ?? 'name that should follow'
  return `The ${argument} is missing after dropbridge ${name}`
}

function suggestSpelling(words: readonly string[]): string {
  const [name, nameBelow] = listNames(words)
  const [command, below] = findCommands(words)
  if (name !== undefined && command === undefined) return suggestCommand(name, COMMANDS)
  const { commands = [], demand } = command ?? {}
  if (demand !== undefined && nameBelow !== undefined && below === undefined)
    return suggestCommand(nameBelow, commands)
  const options = listOptions(COMMANDS)
  const option = words
    .map((word) => /^--(?:no-)?([^=]+)/.exec(word)?.[1])
    .find((each) => each !== undefined && !options.includes(each))
  return option === undefined ? '' : `.${didYouMean(option, options)}`
}

function suggestCommand(name: string, commands: readonly Command[]): string {
  return `.${didYouMean(name, commands.map(commandName))}`
}

/** The command that the words name, and its subcommand. */
function findCommands(words: readonly string[]): readonly (Command | undefined)[] {
  const [name, nameBelow] = listNames(words)
  const command = COMMANDS.find((each) => commandName(each) === name)
  return [command, command?.commands?.find((each) => commandName(each) === nameBelow)]
}

function listNames(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'))
}

/** The options of all commands, to find the one that a misspelt word means. */
function listOptions(commands: readonly Command[]): string[] {
  const own = commands.flatMap(({ options = {}, commands: below = [] }) => [
    ...Object.keys(options),
    ...listOptions(below),
  ])
  return [...new Set(['help', 'version', ...own])]
}
