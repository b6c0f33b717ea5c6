/** The commands that make something to start from. */
import type { Argv } from 'yargs'
import type { ExitCode } from '../support/errors.ts'
import { JSON_FLAG } from './flags.ts'
import { init } from './commands/init.ts'
import type { Terminal } from './terminal.ts'

export const STARTING_COMMANDS = ['init', 'service', 'demo']
/** For guessing what a misspelt word was meant to be. */
export const STARTING_OPTIONS = ['port', 'host', 'data']

/** Loaded when they are wanted: a web server takes longer to load than all the rest, and the others need none. */
const withServer = {
  service: () => import('./commands/service.ts'),
  demo: () => import('./commands/demo.ts'),
}

export function startingCommands(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program
    .command(
      'init [folder]',
      'Write a configuration, mappings and folders to start from',
      (args) => args.positional('folder', { type: 'string', default: '.' }),
      async (args) => done(await init(terminal, args.folder)),
    )
    .command(
      'service',
      'Run the order-fulfilment API itself, with its data in a folder',
      (args) =>
        args.options({
          port: { type: 'number', default: 8080, describe: 'The port; 0 takes a free one' },
          host: { type: 'string', default: '127.0.0.1', describe: 'The address to listen on' },
          data: { type: 'string', default: './service-data', describe: 'The folder of the data' },
          switch: {
            type: 'string',
            array: true,
            nargs: 1,
            default: [] as string[],
            describe: 'NAME=VALUE: a form of answers or a fault, see docs/service.md; may be repeated',
          },
          'new-clients': {
            type: 'boolean',
            default: false,
            describe: 'Make another client for every account, when the secrets are lost',
          },
          json: JSON_FLAG,
        }),
      async (args) => {
        const { service } = await withServer.service()
        done(await service(terminal, args))
      },
    )
    .command(
      'demo [folder]',
      'Run the main job on sample files against a service of its own',
      (args) => args.positional('folder', { type: 'string', describe: 'The work folder to make' }),
      async (args) => {
        const { demo } = await withServer.demo()
        done(await demo(terminal, args.folder))
      },
    )
}
