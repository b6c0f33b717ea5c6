/** `dropbridge service`: the order-fulfilment API itself, until a signal stops it. */
import { readSwitches, type Switches } from '../../service/http/switches.ts'
import { createService, type Service } from '../../service/service.ts'
import { sampleSeed } from '../../service/sample-seed.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { pathFrom } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface ServiceCommandOptions {
  readonly port: number
  readonly host: string
  readonly data: string
  readonly json: boolean
  /** `NAME=VALUE`, any number of them. */
  readonly switch: readonly string[]
  readonly newClients: boolean
}

/** Secrets are shown once, when the clients are made: only their hashes are kept. */
export async function service(terminal: Terminal, options: ServiceCommandOptions): Promise<ExitCode> {
  const { port, host, newClients } = options
  const switches = switchesFrom(options.switch)
  const data = pathFrom(terminal, options.data)
  const running = await createService({
    data,
    clock: terminal.clock,
    host,
    port,
    seed: sampleSeed(),
    switches,
    newClients,
  })
  try {
    await running.listen()
  } catch (error) {
    // secrets that were made just now are never shown again
    for (const line of clientsOf(running)) terminal.say(line)
    await running.close()
    throw error
  }
  if (options.json) terminal.out(JSON.stringify(asData(running)))
  else for (const line of greeting(running, options.data)) terminal.out(line)
  await fired(terminal.signal)
  await running.close()
  return EXIT.ok
}

/** Throws `usage-wrong` with everything that is wrong. */
function switchesFrom(words: readonly string[]): Partial<Switches> {
  const told = words.map((word): [string, string] => {
    const [name = '', ...value] = word.split('=')
    return [name, value.join('=')]
  })
  const read = readSwitches(Object.fromEntries(told))
  if ('switches' in read) return read.switches
  const details = Object.entries(read.errors).flatMap(([name, messages]) =>
    messages.map((message) => `${name}: ${message}`),
  )
  throw new BridgeError('usage-wrong', 'A switch cannot be turned like that.', { details })
}

/** The signal may have come while the service was starting. */
function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** What a script needs for its first call, in one line. */
function asData(running: Service): object {
  return { baseUrl: running.baseUrl, ...running.introduction(), admin: running.admin }
}

function greeting(running: Service, data: string): string[] {
  return [
    `The service listens on ${running.baseUrl} and keeps its data in ${data}. Stop it with Ctrl+C.`,
    `Its documentation is at ${running.baseUrl}/docs/.`,
    ...clientsOf(running),
  ]
}

function clientsOf({ seeded, admin }: Service): string[] {
  const parties = seeded.flatMap(({ kind, id, name, ...client }) => [
    '',
    `${kind} ${id}  ${name}`,
    ...credentials(client),
  ])
  return [...parties, '', 'administrator', ...credentials(admin)]
}

function credentials({ clientId, clientSecret }: Service['admin']): string[] {
  return [
    `  client id      ${clientId}`,
    `  client secret  ${clientSecret ?? '(shown once, when it was made; --new-clients makes others)'}`,
  ]
}
