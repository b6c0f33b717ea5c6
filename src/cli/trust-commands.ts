/** The command by which a person trusts the server of a mailbox. */
import type { Argv } from 'yargs'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { CONFIG_FLAG, JSON_FLAG } from './flags.ts'
import type { Terminal } from './terminal.ts'

export const TRUST_COMMANDS = ['trust-host']
/** For guessing what a misspelt word was meant to be. */
export const TRUST_OPTIONS = ['fingerprint', 'yes', 'replace']

type Done = (code: ExitCode) => void

export function trustCommands(program: Argv, terminal: Terminal, done: Done): Argv {
  return program.command(
    'trust-host <mailbox>',
    'Show the host key of an SFTP server, and trust it once you say that it is right; never logs in',
    (args) =>
      args
        .positional('mailbox', { type: 'string', demandOption: true })
        .options({
          config: CONFIG_FLAG,
          json: JSON_FLAG,
          fingerprint: { type: 'string', describe: 'SHA256:…, as whoever runs the server gave it to you' },
          yes: { type: 'boolean', default: false, describe: 'Trust what it shows, unasked' },
          replace: {
            type: 'boolean',
            default: false,
            describe: 'Trust it in the place of the key that was trusted before',
          },
        })
        .check(({ fingerprint }) => {
          if (!Array.isArray(fingerprint)) return true
          throw new BridgeError('usage-wrong', '--fingerprint is given more than once.')
        }),
    async (args) => {
      // Loaded when it is wanted: the others speak to no SFTP server before they must.
      const { trustHost } = await import('./commands/trust-host.ts')
      const asked = { ...args, mailbox: String(args.mailbox), fingerprint: args.fingerprint }
      done(await trustHost(terminal, asked))
    },
  )
}
