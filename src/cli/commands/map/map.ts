/** The commands about mapping files. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../../../support/errors.ts'
import type { Terminal } from '../../terminal.ts'
import { diff } from './diff.ts'
import { docs } from './docs.ts'
import { learn } from './learn.ts'
import { schema } from './schema.ts'
import { test } from './test.ts'
import { tryMapping } from './try.ts'

/** For guessing what a misspelt word was meant to be. */
export const MAP_COMMANDS = ['learn', 'try', 'test', 'diff', 'docs', 'schema']
export const MAP_OPTIONS = ['operation', 'out', 'record', 'on']

const json = { type: 'boolean', default: false, describe: 'Print data for programs' } as const
const file = { type: 'string', demandOption: true } as const

type Done = (code: ExitCode) => void

export function mapCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return lookingCommands(makingCommands(program, terminal, done), terminal, done).demandCommand(
    1,
    `Name what to do: ${MAP_COMMANDS.join(', ')}.`,
  )
}

/** Those that make something out of a file or a mapping. */
function makingCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return program
    .command(
      'learn <file>',
      'Guess a first mapping from a sample file',
      (args) =>
        args.positional('file', file).options({
          operation: { type: 'string', demandOption: true, describe: 'Such as create-order' },
          out: { type: 'string', describe: 'The mapping file to write; on stdout without it' },
          json,
        }),
      async (args) => done(await learn(terminal, { ...args, out: args.out })),
    )
    .command(
      'docs <mapping>',
      'A page that tells a partner what to send, or what comes, with sample files',
      (args) =>
        args.positional('mapping', file).options({
          out: { type: 'string', describe: 'The folder to write to; the page goes to stdout without it' },
          json,
        }),
      async (args) => done(await docs(terminal, { ...args, out: args.out })),
    )
    .command(
      'schema [operation]',
      'Print the JSON Schema of mapping files, for editors',
      (args) => args.positional('operation', { type: 'string' }),
      (args) => done(schema(terminal, args.operation)),
    )
}

/** Those that show what a mapping does. */
function lookingCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return program
    .command(
      'try <file>',
      'Show records of a file beside their bodies, field by field; nothing is sent',
      (args) =>
        args.positional('file', file).options({
          mapping: { type: 'string', alias: 'm', demandOption: true, describe: 'The mapping file' },
          record: { type: 'number', describe: 'The number of the record; the first three without it' },
          json,
        }),
      async (args) => done(await tryMapping(terminal, { ...args, record: args.record })),
    )
    .command(
      'test <mappings..>',
      'Run the examples of mappings, and say what they leave untried',
      (args) =>
        args.positional('mappings', { type: 'string', array: true, demandOption: true }).options({ json }),
      async (args) => done(await test(terminal, args)),
    )
    .command(
      'diff <old> <new>',
      'Show which bodies or rows change when one mapping takes the place of another',
      (args) =>
        args
          .positional('old', file)
          .positional('new', file)
          .options({
            on: {
              type: 'string',
              demandOption: true,
              describe: 'A file, or a folder of files; JSON for exports',
            },
            json,
          }),
      async (args) => done(await diff(terminal, args)),
    )
}
