/** Parses one command line: finds the command, reports usage errors with a suggestion, returns the exit code. */
import yargs, { type Argv, type Options } from 'yargs'
import { BridgeError, EXIT, FAILURES, hasCode, usageError } from '../support/errors.ts'
import { VERSION } from '../support/process.ts'
import { didYouMean, findSimilarName, quoteForShell, unknownNameError } from '../support/text.ts'
import {
  commandName,
  type CommandEntry,
  DEFAULT_CONFIGURATION,
  type OptionTable,
  quoteWord,
  registerCommand,
} from './command.ts'
import { COMMANDS } from './commands.ts'
import { escapeOutput, reportFailure, type Terminal } from './terminal.ts'

/** Runs one command line and returns its exit code, mapped if a scheduler asked for that. Never throws: it reports failures. */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  const escaped = nameConfiguration(escapeOutput(terminal), words)
  let exit: number = EXIT.ok
  const done = (code: number) => {
    exit = code
  }
  try {
    await buildProgram(escaped, words, done).parseAsync([...words], {}, (_error, _argv, output) => {
      if (output) escaped.out(output)
    })
  } catch (error) {
    if (isOfCommandLine(error))
      return reportFailure(escaped, await addForm(await createUsageError(error.message, words), words))
    const isUsage = hasCode(error, 'usage-wrong')
    // Loaded on demand: it opens the journal.
    const explained = isUsage
      ? await addForm(await (await import('./context.ts')).nameArchivedCopy(terminal, words, error), words)
      : error
    return reportFailure(escaped, nameOwnCommand(explained, words))
  }
  return exit
}

// Commands in messages: as the person would have to write them.

/** The commands that take no `--config`, as a test holds against their options. */
export const WITHOUT_CONFIGURATION: readonly string[] = [
  ...['learn', 'schema', 'try', 'test', 'coverage', 'diff'].map((name) => `map ${name}`),
  ...['check', 'fix'].map((name) => `edi ${name}`),
  'translate',
  'explain',
  'init',
  'service',
  'demo',
]

/** The commands that do something, each with all of its words. */
export function listCommandTitles(commands: readonly CommandEntry[] = COMMANDS): string[] {
  return commands.flatMap((entry) => {
    const below = listCommandTitles(entry.commands ?? []).map((title) => `${commandName(entry)} ${title}`)
    return entry.load === undefined ? below : [commandName(entry), ...below]
  })
}

/** Writes the `-c FILE` that was given into the commands of messages and fixes. Data stays as it is. */
function nameConfiguration(terminal: Terminal, words: readonly string[]): Terminal {
  const file = findConfigurationWord(words)
  if (file === undefined || file === DEFAULT_CONFIGURATION) return terminal
  const titles = listCommandTitles().filter((title) => !WITHOUT_CONFIGURATION.includes(title))
  const longestFirst = titles.toSorted((one, other) => other.length - one.length).join('|')
  const commands = new RegExp(
    `\\bdropbridge (?:${longestFirst})(?![\\w:-])(?![^\`]* (?:-c|--config)(?![\\w-]))`,
    'g',
  )
  const name = (line: string) =>
    line.replaceAll(commands, (command) => `${command} -c ${quoteForShell(file)}`)
  return {
    ...terminal,
    out: (line) => terminal.out(words.includes('--json') ? line : name(line)),
    say: (line) => terminal.say(line.startsWith('{') ? line : name(line)),
  }
}

function findConfigurationWord(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => /^(-c|--config)(=|$)/.test(word))
  const [, value] = (words[at] ?? '').split(/=(.*)/s)
  return at === -1 ? undefined : (value ?? words[at + 1])
}

/** A command that reads a mapping alone does not say to check the configuration, where the mapping may have no route. */
function nameOwnCommand(failure: unknown, words: readonly string[]): unknown {
  if (!(failure instanceof BridgeError)) return failure
  const { code, message, cause, details, fix } = failure
  const { title } = findCommand(words)
  if (!WITHOUT_CONFIGURATION.includes(title.replace('dropbridge ', ''))) return failure
  const own = fix.replace('`dropbridge check`', `\`${title}\` again`)
  return own === fix ? failure : new BridgeError(code, message, { cause, details, fix: own })
}

/** What yargs found wrong with the command line, in its words. */
class CommandLineError extends Error {}

/** Once yargs has waited for a command to be loaded, it throws its own errors past `fail`. */
function isOfCommandLine(error: unknown): error is Error {
  return error instanceof CommandLineError || (error instanceof Error && error.name === 'YError')
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
  skipHelpAfterCommand(program)
  return program
    .demandCommand(1, 'Name a command.')
    .strictCommands()
    .strictOptions()
    .locale('en')
    .version(VERSION)
    .help()
    .wrap(100)
    .exitProcess(false)
    .fail((message, error) => {
      // Without a message a command failed, and its own error counts.
      if (error && (!message || !isOfCommandLine(error))) throw error
      throw new CommandLineError(message)
    })
}

/** yargs formats the help of each command that has run, to have it at hand. It takes 10 ms, and is never asked for. */
function skipHelpAfterCommand(program: Argv): void {
  const internals = program as unknown as {
    getInternalMethods(): { getUsageInstance(): { cacheHelpMessage: () => void } }
  }
  internals.getInternalMethods().getUsageInstance().cacheHelpMessage = () => undefined
}

/** Names what yargs only counts, and the choices and names that may be meant. It searches the English texts of yargs. */
async function createUsageError(message: string, words: readonly string[]): Promise<BridgeError> {
  const [name, nameBelow] = listNames(words)
  const { command, below, title } = findCommand(words)
  const declared = await (below ?? command)?.load?.()
  const { options = {}, positionals = {}, argument = 'name that should follow' } = declared ?? {}
  const known = [...Object.keys(options), 'help', 'version'].map((each) => `--${each}`)
  const unknown = words
    .map((word) => /^(--[^=]+)/.exec(word)?.[1])
    .find((each) => each !== undefined && !known.includes(each.replace(/^--no-/, '--')))
  const bare = /^Not enough arguments following: (.+)$/.exec(message)?.[1]
  const missing = bare ?? /^Missing required arguments?: (.+)$/.exec(message)?.[1]
  if (missing !== undefined) {
    const named = missing.split(', ').map((each) => {
      const choices = listChoices(options[each])
      return choices.length === 0 ? `--${each}` : `--${each} with one of ${choices.join(', ')}`
    })
    const valueless = bare === undefined ? listWithoutValue(words, options) : []
    named.push(...valueless.map((each) => `a value of ${each}`))
    const also = unknown === undefined ? '' : `. Unknown: ${unknown}.${didYouMean(unknown, known)}`
    return usageError(
      `${bare === undefined ? 'Missing' : 'The value is missing'}: ${named.join('; ')}${also}`,
      bare === undefined && unknown === undefined ? completeCommand(words, options) : undefined,
    )
  }
  const [, option, given = '', choices = ''] =
    /Argument: (\S+), Given: "([^"]*)", Choices: (.*)/.exec(message) ?? []
  if (option !== undefined) {
    const known = choices.split(', ').map((each) => each.replaceAll('"', ''))
    return unknownNameError(`--${option} cannot be "${given}"`, given, known)
  }
  const asWord = suggestPositional(words, unknown, { positionals: Object.keys(positionals), known })
  if (message.startsWith('Not enough non-option arguments'))
    return asWord ?? usageError(`The ${argument} is missing after ${title}`)
  if (name !== undefined && command === undefined)
    return (await explainOperation(name)) ?? unknownNameError(message, name, COMMANDS.map(commandName))
  const { commands = [], demand } = command ?? {}
  if (demand !== undefined && nameBelow !== undefined && below === undefined)
    return unknownNameError(message, nameBelow, commands.map(commandName))
  if (unknown === undefined) return usageError(message)
  return asWord ?? unknownNameError(message, unknown, known, `Leave ${unknown} out, or write a known one.`)
}

/** For `dropbridge export-orders`: operations are named by routes, and a run carries them out. */
async function explainOperation(name: string): Promise<BridgeError | undefined> {
  const { OPERATIONS } = await import('../contract/operations.ts')
  if (!(name in OPERATIONS)) return undefined
  const fix = `Run the route that has \`operation: ${name}\`: \`dropbridge run ROUTE\`.`
  return new BridgeError('usage-wrong', `${name} is an operation of routes, and no command.`, { fix })
}

/** For `run --route orders`: a route is written without an option. A similar option is more likely to be meant. */
function suggestPositional(
  words: readonly string[],
  unknown: string | undefined,
  { positionals, known }: { readonly positionals: readonly string[]; readonly known: readonly string[] },
): BridgeError | undefined {
  if (unknown === undefined) return undefined
  const given = unknown.replace(/^--/, '')
  const singular = positionals.map((each) => each.replace(/s$/, ''))
  const isNamed = [...positionals, ...singular].includes(given)
  if (!isNamed && findSimilarName(unknown, known) !== undefined) return undefined
  const name = isNamed ? given.replace(/s$/, '') : findSimilarName(given, singular)
  if (name === undefined) return undefined
  const at = words.findIndex((word) => word === unknown || word.startsWith(`${unknown}=`))
  const [, value] = (words[at] ?? '').split(/=(.*)/s)
  const follows = words[at + 1]
  const isMissing = value === undefined && (follows === undefined || follows.startsWith('-'))
  const inPlace = value !== undefined ? [quoteForShell(value)] : isMissing ? [name.toUpperCase()] : []
  const [before, after] = [words.slice(0, at), words.slice(at + 1)].map((each) => each.map(quoteWord))
  const written = ['dropbridge', ...(before ?? []), ...inPlace, ...(after ?? [])].join(' ')
  const article = /^[aeiou]/.test(name) ? 'An' : 'A'
  return new BridgeError(
    'usage-wrong',
    `${article} ${name} is a word without an option, and not ${unknown}.`,
    {
      fix: `Write \`${written}\`.`,
    },
  )
}

const FIX_MAX = 100

/** The command as it was given, with the options that it lacks; undefined where that is too long for a fix. */
function completeCommand(words: readonly string[], options: OptionTable): string | undefined {
  const given = words.map((word) => word.replace(/=.*$/s, ''))
  const lacking = listRequired(options).filter((name) => !isGiven(given, name, options[name]))
  const written = [
    'dropbridge',
    ...words.map((word, at) =>
      isWithoutValue(words, at, options) ? `${word} ${formatValue(word.slice(2))}` : quoteWord(word),
    ),
    ...lacking.map((name) => formatOption(name, options[name])),
  ]
  const fix = `Write \`${written.join(' ')}\`.`
  return fix.length > FIX_MAX ? undefined : fix
}

/** The options that take a text and have none: an empty text would come of them. */
function listWithoutValue(words: readonly string[], options: OptionTable): string[] {
  return words.filter((_, at) => isWithoutValue(words, at, options))
}

function isWithoutValue(words: readonly string[], at: number, options: OptionTable): boolean {
  const [word = '', next] = words.slice(at)
  const isText = word.startsWith('--') && options[word.slice(2)]?.type === 'string'
  return isText && (next === undefined || next.startsWith('-'))
}

function isGiven(words: readonly string[], name: string, { alias }: Options = {}): boolean {
  return words.includes(`--${name}`) || (typeof alias === 'string' && words.includes(`-${alias}`))
}

function listRequired(options: OptionTable): string[] {
  return Object.keys(options).filter((name) => options[name]?.demandOption === true)
}

/** How a fix writes the value of an option. */
const VALUES: Readonly<Record<string, string>> = {
  accepted: 'ID',
  by: 'NAME',
  why: 'TEXT',
  until: 'TIME',
  within: 'TIME',
  config: 'FILE',
  mapping: 'FILE',
  out: 'FILE',
  on: 'FILE',
}

function formatOption(name: string, { type, choices }: Options = {}): string {
  if (type === 'boolean') return `--${name}`
  return `--${name} ${formatValue(name, choices)}`
}

function formatValue(name: string, choices?: Options['choices']): string {
  return VALUES[name] ?? (choices === undefined ? 'VALUE' : name.toUpperCase())
}

/** Gives a wrong command line that has no fix of its own the form of its command. */
async function addForm(failure: unknown, words: readonly string[]): Promise<unknown> {
  if (!(failure instanceof BridgeError) || failure.fix !== FAILURES['usage-wrong'].fix) return failure
  const { message, cause, details } = failure
  const { command, below, title } = findCommand(words)
  const found = below ?? command
  if (found === undefined) {
    const known = [...details, `commands: ${COMMANDS.map(commandName).join(', ')}`]
    return usageError(
      message,
      'Write such as `dropbridge init`, `dropbridge run` or `dropbridge status`.',
      known,
    )
  }
  if (found.load === undefined) return usageError(message, `Write \`${title} ${listBelow(found)}\`.`, details)
  const { options = {} } = await found.load()
  const also = Object.keys(options).filter((name) => new RegExp(`--${name}(?![\\w-])`).test(message))
  const named = new Set([...listRequired(options), ...(also.length === 1 ? also : [])])
  const places = found.usage.split(' ').slice(1).map(formatPlace)
  const form = [title, ...places, ...[...named].map((name) => formatOption(name, options[name]))].join(' ')
  return new BridgeError('usage-wrong', message, { cause, details, fix: `Write \`${form}\`.` })
}

/** `<file>` is FILE, and `[routes..]` is [ROUTE...]. */
function formatPlace(place: string): string {
  const [, open = '', name = '', many] = /^([<[])([\w-]+?)(s\.\.|\.\.)?[>\]]$/.exec(place) ?? []
  const written = `${name.toUpperCase()}${many === undefined ? '' : '...'}`
  return open === '[' ? `[${written}]` : written
}

function listBelow({ commands = [] }: CommandEntry): string {
  return commands.map(({ usage }) => usage.split(' ', 1)[0] ?? usage).join('|')
}

function listChoices({ choices = [] }: Options = {}): string[] {
  return choices.map(String)
}

/** The command that the words name, its last subcommand, and the names of all. */
function findCommand(words: readonly string[]) {
  const [name, ...namesBelow] = listNames(words)
  const command = COMMANDS.find((each) => commandName(each) === name)
  const found = command === undefined ? [] : [command]
  for (const each of namesBelow) {
    const next = found.at(-1)?.commands?.find((entry) => commandName(entry) === each)
    if (next === undefined) break
    found.push(next)
  }
  const title = ['dropbridge', ...found.map(commandName)].join(' ')
  const below = found.length > 1 ? found.at(-1) : undefined
  return { command, below, title }
}

function listNames(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'))
}
