/** `dropbridge service`: the order-fulfilment API itself, until a signal stops it. */
import { mkdir } from 'node:fs/promises'
import { sampleSeed } from '../../service/seed.ts'
import { createService, type Service } from '../../service/service.ts'
import { systemClock } from '../../support/clock.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { pathFrom } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface ServiceCommandOptions {
  readonly port: number
  readonly host: string
  readonly data: string
  readonly json: boolean
}

/** Secrets are shown once, when a new data folder is seeded: only their hashes are kept. */
export async function service(terminal: Terminal, options: ServiceCommandOptions): Promise<ExitCode> {
  const { port, host } = options
  const data = pathFrom(terminal, options.data)
  await mkdir(data, { recursive: true })
  const running = await createService({ data, clock: systemClock, host, port, seed: sampleSeed() })
  await running.listen()
  if (options.json) terminal.out(JSON.stringify({ baseUrl: running.baseUrl, parties: running.seeded }))
  else for (const line of greeting(running, options.data)) terminal.out(line)
  await fired(terminal.signal)
  await running.close()
  return EXIT.ok
}

/** The signal may have come while the service was starting. */
function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function greeting({ baseUrl, seeded }: Service, data: string): string[] {
  const parties = seeded.flatMap(({ kind, id, name, clientId, clientSecret }) => [
    '',
    `${kind} ${id}  ${name}`,
    `  client id      ${clientId}`,
    `  client secret  ${clientSecret ?? '(shown once, when the data folder was made)'}`,
  ])
  return [`The service listens on ${baseUrl} and keeps its data in ${data}. Stop it with Ctrl+C.`, ...parties]
}
