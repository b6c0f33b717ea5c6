/** `dropbridge service`: the order-fulfilment API itself, until a signal stops it. */
import { once } from 'node:events'
import { sampleSeed } from '../../service/sample-seed.ts'
import type { Service } from '../../service/service.ts'
import { readSwitches, type Switches } from '../../service/switches.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { defineCommand, flag, JSON_FLAG, REPEATABLE } from '../command.ts'
import { resolvePath } from '../context.ts'

/** Secrets are shown once, when the clients are created: the service keeps only their hashes. */
export const serviceCommand = defineCommand({
  options: {
    port: { type: 'number', default: 8080, describe: 'The port; 0 takes a free one' },
    host: { type: 'string', default: '127.0.0.1', describe: 'The address to listen on' },
    'host-name': {
      ...REPEATABLE,
      describe: 'A name under which it answers, beside localhost, the machine and all addresses',
    },
    data: { type: 'string', default: './service-data', describe: 'The folder of the data' },
    switch: {
      ...REPEATABLE,
      describe: 'NAME=VALUE: a form of answers or a fault, see docs/service.md; may be repeated',
    },
    'new-clients': flag('Make another client for every account, when the secrets are lost'),
    json: JSON_FLAG,
  },
  async run(terminal, { port, host, hostName, data, switch: words, newClients, json }) {
    const switches = parseSwitches(words)
    assertPort(port)
    // Loaded on demand: a web server takes longer to load than all the rest.
    const { assertCanListen, createService } = await import('../../service/service.ts')
    // Before the clients are made: their secrets are shown once.
    await assertCanListen(host, port)
    const server = {
      clock: terminal.clock,
      host,
      port,
      hostNames: hostName,
      data: resolvePath(terminal, data),
    }
    const running = await createService({ ...server, seed: sampleSeed(), switches, newClients })
    try {
      await running.listen()
    } catch (error) {
      // The secrets of new clients are never shown again.
      for (const line of formatClients(running)) terminal.say(line)
      await running.close()
      throw error
    }
    const { baseUrl, admin } = running
    // The facts that a script needs for its first call, in one line.
    if (json) terminal.out(JSON.stringify({ baseUrl, ...running.introduction(), admin }))
    else for (const line of formatGreeting(running, data)) terminal.out(line)
    // The signal may have come while the service was starting.
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
    await running.close()
    return EXIT.ok
  },
})

function assertPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw usageError(
    '--port is no port.',
    'Write a number from 1 to 65535, or 0 for a free one: `--port 8080`.',
  )
}

/** Throws `usage-wrong` with all errors. */
function parseSwitches(words: readonly string[]): Partial<Switches> {
  const pairs = words.map((word) => {
    const [name = '', ...value] = word.split('=')
    return [name, value.join('=')]
  })
  const read = readSwitches(Object.fromEntries(pairs))
  if ('switches' in read) return read.switches
  const details = Object.entries(read.errors).flatMap(([name, messages]) =>
    messages.map((message) => `${name}: ${message}`),
  )
  throw usageError(
    'A switch cannot be turned like that.',
    'Write each as `--switch NAME=VALUE`; docs/service.md lists the switches.',
    details,
  )
}

function formatGreeting(running: Service, data: string): string[] {
  return [
    `The service listens on ${running.baseUrl} and keeps its data in ${data}. Stop it with Ctrl+C.`,
    `Its documentation is at ${running.baseUrl}/docs/.`,
    ...formatClients(running),
    ...formatExports(running),
  ]
}

/** For another terminal: the variables of the configuration that `dropbridge init` writes. */
function formatExports({ baseUrl, parties }: Service): string[] {
  const made = parties.flatMap(({ kind, id, clientId, clientSecret }) =>
    clientSecret === undefined
      ? []
      : [
          `  export DROPBRIDGE_CLIENT_ID=${clientId} DROPBRIDGE_CLIENT_SECRET=${clientSecret}  # ${kind} ${id}`,
        ],
  )
  return [
    '',
    `for the configuration of \`dropbridge init\`${made.length > 1 ? ', with one of these logins' : ''}`,
    `  export DROPBRIDGE_API_URL=${baseUrl}`,
    ...made,
  ]
}

function formatClients({ parties: seeded, admin }: Service): string[] {
  const parties = seeded.flatMap(({ kind, id, name, ...client }) => [
    '',
    `${kind} ${id}  ${name}`,
    ...formatCredentials(client),
  ])
  return [...parties, '', 'administrator', ...formatCredentials(admin)]
}

function formatCredentials({ clientId, clientSecret }: Service['admin']): string[] {
  return [
    `  client id      ${clientId}`,
    `  client secret  ${clientSecret ?? '(shown once, when it was made; --new-clients makes others)'}`,
  ]
}
