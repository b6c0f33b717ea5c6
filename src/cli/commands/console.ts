/** `dropbridge console`: the pages of the bridge, until a signal stops them; and the people who may sign in. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { openConsole } from '../../app/console/context.ts'
import { createHand, startChildren } from '../../app/console/hand.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { ConsoleConfiguration } from '../../config/observability.ts'
import { isoTime, MINUTE_MS } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import { getPeoplePath, openPeople, type People } from '../../web/people.ts'
import { ROLES, type Role } from '../../web/permissions.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, REQUIRED_TEXT, text } from '../command.ts'
import { readConfigurationToShow, resolvePath } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export const consoleCommand = defineCommand({
  options: { config: CONFIG_FLAG },
  run: (terminal, { config }) => serveConsole(terminal, config),
})

/** Serves the pages until a signal. `port`: in place of the configured one; 0 for any. */
export async function serveConsole(
  terminal: Terminal,
  config: string,
  { port: given }: { readonly port?: number } = {},
): Promise<ExitCode> {
  // A page may wait for a processor; a file that is being sent may not wait for a page.
  terminal.letOthersFirst?.()
  const configuration = await readConfigurationToShow(terminal, config)
  const settings = getSettings(configuration)
  const { host, names, proxy } = settings
  const port = given ?? settings.port
  const tls = settings.tls && {
    cert: await readPem(settings.tls.cert),
    key: await readPem(settings.tls.key),
  }
  const { clock } = terminal
  const say = (line: string) => terminal.say(line)
  // Loaded on demand: a web server takes longer to load than all the rest.
  const { createConsoleServer } = await import('../../web/server.ts')
  const opened = openConsole({ configuration, clock })
  const hand = createHand(startChildren(resolvePath(terminal, config), terminal.env))
  const onReplaced = () =>
    say('console: people.db was removed, or is another file now: everybody signs in again.')
  const work = async (people: People) => {
    const server = await createConsoleServer({
      opened,
      people,
      hand,
      clock,
      names,
      say,
      ...(tls && { tls }),
      ...(proxy && { proxy }),
    })
    // Showing a page writes nothing, so this is noted now and then.
    const save = () => {
      try {
        people.saveSeen()
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error
        say(`console: ${error.message}`)
      }
    }
    const saving = setInterval(save, MINUTE_MS).unref()
    try {
      const address = await server.listen({ host, port }).catch((cause: unknown) => {
        const message = `The console cannot listen on ${host}, port ${port}.`
        const fix = 'Set `console.listen` to a free port of this machine, or end the program that has it.'
        throw new BridgeError('configuration-invalid', message, { cause, fix })
      })
      say(`The console is at ${address}/. Stop it with Ctrl+C.`)
      if (proxy === undefined && people.isEmpty())
        say('There is no person yet who may sign in: `dropbridge console user add NAME --role admin`.')
      // The signal may have come while the console was starting.
      if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
    } finally {
      clearInterval(saving)
      await Promise.all([server.close(), hand.close()])
      await opened.close()
      save()
    }
  }
  await withPeople(terminal, configuration, work, onReplaced)
  return EXIT.ok
}

/** Adds a person with a new password, and returns the password. */
export async function addPersonWithPassword(
  terminal: Terminal,
  config: string,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<string> {
  const configuration = await readConfigurationToShow(terminal, config)
  const { hashPassword } = await import('../../web/passwords.ts')
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const hash = await hashPassword(password)
  await withPeople(terminal, configuration, (people) => people.add(name, role, hash))
  return password
}

const PASSWORD_BYTES = 12

export const addCommand = defineCommand({
  argument: 'NAME',
  positionals: { name: REQUIRED_TEXT },
  options: {
    config: CONFIG_FLAG,
    role: {
      choices: ROLES,
      demandOption: true,
      describe: 'What the person may do: see pages, also download and decide, also see who may sign in',
    },
    'password-file': text('A file with the password in its first line; asked for when left out'),
  },
  async run(terminal, { config, name, role, passwordFile }) {
    const configuration = await readConfigurationToShow(terminal, config)
    const password = await readPassword(terminal, passwordFile)
    const { hashPassword } = await import('../../web/passwords.ts')
    const hash = await hashPassword(password)
    await withPeople(terminal, configuration, (people) => people.add(name, role, hash))
    terminal.say(`${name} may sign in as ${role}.`)
    return EXIT.ok
  },
})

export const listCommand = defineCommand({
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, json }) {
    const configuration = await readConfigurationToShow(terminal, config)
    const listed = await withPeople(terminal, configuration, (people) => people.list())
    if (json) terminal.out(JSON.stringify({ people: listed }, null, 2))
    else if (listed.length === 0) terminal.say('There is no person yet: `dropbridge console user add`.')
    for (const { name, role, createdAt, disabledAt, sessions } of json ? [] : listed) {
      const state = disabledAt === undefined ? `${sessions} signed in` : `disabled ${isoTime(disabledAt)}`
      terminal.out(`${name}  ${role}  since ${isoTime(createdAt)}  ${state}`)
    }
    return EXIT.ok
  },
})

export const disableCommand = defineCommand({
  argument: 'NAME',
  positionals: { name: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG },
  async run(terminal, { config, name }) {
    const configuration = await readConfigurationToShow(terminal, config)
    await withPeople(terminal, configuration, (people) => people.disable(name))
    terminal.say(`${name} signs in no more, and is signed out.`)
    return EXIT.ok
  },
})

async function withPeople<Result>(
  { clock }: Pick<Terminal, 'clock'>,
  configuration: Configuration,
  work: (people: People) => Result | Promise<Result>,
  onReplaced?: () => void,
): Promise<Result> {
  const people = openPeople({
    path: getPeoplePath(configuration),
    clock,
    limits: getSettings(configuration),
    ...(onReplaced && { onReplaced }),
  })
  try {
    return await work(people)
  } finally {
    people.close()
  }
}

function getSettings({ console: settings }: Configuration): ConsoleConfiguration {
  if (settings === undefined) throw new Error('a configuration that was read from no file')
  return settings
}

async function readPassword({ folder, askSecret, ...terminal }: Terminal, file?: string): Promise<string> {
  if (file !== undefined) {
    const path = resolvePath({ ...terminal, folder }, file)
    const [first = ''] = (await readFile(path, 'utf8').catch(failToRead(path))).split(/\r?\n/, 1)
    return first
  }
  if (askSecret === undefined)
    throw usageError('There is no terminal to ask for the password: --password-file FILE.')
  const password = await askSecret('Password: ')
  if ((await askSecret('The same again: ')) !== password) throw usageError('The two passwords differ.')
  return password
}

function readPem(path: string): Promise<Buffer> {
  return readFile(path).catch(failToRead(path))
}

function failToRead(path: string) {
  return (cause: unknown): never => {
    throw new BridgeError('configuration-invalid', `The file ${path} cannot be read.`, { cause })
  }
}
