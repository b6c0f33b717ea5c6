/** The shape of a command: its place in the list of commands, its options and its action. */
import type { Argv, InferredOptionTypes, Options, PositionalOptions } from 'yargs'
import { usageError } from '../support/errors.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../support/log.ts'
import { quoteForShell } from '../support/text.ts'
import type { Terminal } from './terminal.ts'

export type OptionTable = Readonly<Record<string, Options>>

type PositionalTable = Readonly<Record<string, PositionalOptions>>

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The values of options, by the names that programs give them: `older-than` is `olderThan`. */
export type OptionValues<Table extends OptionTable | PositionalTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: InferredOptionTypes<Table>[Name]
}

interface Declaration<Positionals extends PositionalTable, Table extends OptionTable, Values> {
  /** The argument that it requires, as its help calls it. */
  readonly argument?: string
  readonly positionals?: Positionals
  readonly options?: Table
  /** Returns the exit code, which may be one that a scheduler asked for. */
  readonly run: (terminal: Terminal, values: Values) => number | Promise<number>
}

export type Command = Declaration<PositionalTable, OptionTable, never>

/** A command in the list of all. */
export interface CommandEntry {
  /** As in its help: `run [routes..]`. */
  readonly usage: string
  readonly describe: string
  /** Left out where only its subcommands do something. */
  readonly load?: () => Promise<Command>
  readonly commands?: readonly CommandEntry[]
  /** The message when a required subcommand is missing. */
  readonly demand?: string
}

/** Declares a command whose action receives the values of its options. */
export function defineCommand<
  const Positionals extends PositionalTable = Record<never, never>,
  const Table extends OptionTable = Record<never, never>,
>(command: Declaration<Positionals, Table, OptionValues<Positionals> & OptionValues<Table>>): Command {
  return command
}

export function commandName({ usage }: CommandEntry): string {
  return usage.split(' ', 1)[0] ?? usage
}

/** A word of the command line as it was given; an option stays one. */
export function quoteWord(word: string): string {
  return /^--?[\w-]+(=[\w.+:@%,/-]*)?$/.test(word) ? word : quoteForShell(word)
}

/** Registers the command and its subcommands with yargs, which loads the command that is given. */
export function registerCommand(
  program: Argv,
  entry: CommandEntry,
  terminal: Terminal,
  done: (code: number) => void,
): Argv {
  const { usage, describe, commands = [], demand, load } = entry
  const build = async (args: Argv) => {
    for (const below of commands) registerCommand(args, below, terminal, done)
    if (demand !== undefined) args.demandCommand(1, demand)
    const { positionals = {}, options = {} } = (await load?.()) ?? {}
    for (const [name, positional] of Object.entries(positionals)) args.positional(name, positional)
    return args.options(options).check((values) => assertGivenOnce(options, values))
  }
  return program.command(usage, describe, build, async (values) => {
    const command = await load?.()
    if (command !== undefined) done(await command.run(terminal, values as never))
  })
}

/** yargs makes a list of an option that is given twice. */
function assertGivenOnce(options: OptionTable, values: Readonly<Record<string, unknown>>): true {
  const twice = Object.keys(options).find(
    (name) => options[name]?.array !== true && Array.isArray(values[name]),
  )
  if (twice === undefined) return true
  throw usageError(`--${twice} is given more than once.`, `Write --${twice} once.`)
}

// Options that several commands have

export const DEFAULT_CONFIGURATION = 'dropbridge.yaml'

/** An option that is given or not. */
export function flag(describe: string) {
  return { type: 'boolean', default: false, describe } as const
}

/** An option with a text, which may be left out. */
export function text(describe: string) {
  return { type: 'string', describe } as const
}

export const CONFIG_FLAG = {
  ...text('The configuration file'),
  alias: 'c',
  default: DEFAULT_CONFIGURATION,
} as const

export const JSON_FLAG = flag('Print data for programs')

const MAPPING_FLAG = { ...text('The mapping file'), alias: 'm', demandOption: true } as const

/** For options that may be given several times. */
export const REPEATABLE = { type: 'string', array: true, nargs: 1, default: [] as string[] } as const

export const LOG_FLAGS = {
  'log-level': { choices: LOG_LEVELS, describe: 'Log to stderr, from this level on' },
  'log-format': { choices: LOG_FORMATS, describe: 'Log to stderr, as lines for people or for programs' },
} as const

/** The journal keeps each decision with who made it, and why. */
export const DECISION_FLAGS = {
  by: { ...text('Who decides; stored with the decision'), demandOption: true },
  why: { ...text('What for; stored with the decision'), demandOption: true },
} as const

/** The names of routes; all of them when none is given. */
export const ROUTES_POSITIONAL = { routes: { type: 'string', array: true, default: [] as string[] } } as const

export const REQUIRED_TEXT = { type: 'string', demandOption: true } as const

export const FILE_ARGUMENT = { argument: 'FILE', positionals: { file: REQUIRED_TEXT } } as const

/** The options of a command that translates a file, with its own between. */
export function translationFlags<const Own extends OptionTable>(own: Own) {
  return { mapping: MAPPING_FLAG, ...own, json: JSON_FLAG } as const
}

export interface TranslationOptions {
  readonly file: string
  readonly json: boolean
}
