/** The `prove` command, its options and its help. */
import type { Argv } from 'yargs'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const PROVE_COMMANDS = ['prove']
/** For guessing what a misspelt word was meant to be. */
export const PROVE_OPTIONS = ['route', 'file', 'seed', 'for', 'kills', 'keep']

export function proveCommand(program: Argv, terminal: Terminal, done: (code: ExitCode) => void): Argv {
  return program.command(
    'prove',
    'Prove that your routes lose and double nothing: against a service with faults, killed again and again',
    (args) =>
      args
        .options({
          config: CONFIG_FLAG,
          route: { ...several, describe: 'Only this route; may be repeated' },
          file: { ...several, describe: 'ROUTE=PATH: a file to prove the route with; may be repeated' },
          seed: { type: 'number', describe: 'Repeats the proof that had this seed' },
          for: { type: 'string', default: '1m', describe: 'How long it takes at least: 30s, 10m, 2h' },
          kills: { type: 'number', default: 0, describe: 'At least so many kills' },
          keep: {
            type: 'boolean',
            default: false,
            describe: 'Keep the work folder when nothing is wrong too',
          },
          json: JSON_FLAG,
        })
        .check((given) => onlyOnce(given)),
    async ({ config, route, file, seed, for: duration, kills, keep, json }) => {
      // Loaded when it is wanted: it brings a web server along.
      const { prove } = await import('./commands/prove.ts')
      done(await prove(terminal, { config, routes: route, files: file, seed, duration, kills, keep, json }))
    },
  )
}

const several = { type: 'string', array: true, nargs: 1, default: [] as string[] } as const

/** yargs makes a list of an option that is given twice. */
function onlyOnce(args: Readonly<Record<string, unknown>>): true {
  const twice = ['seed', 'for', 'kills'].find((name) => Array.isArray(args[name]))
  if (twice === undefined) return true
  throw new BridgeError('usage-wrong', `--${twice} is given more than once.`)
}
