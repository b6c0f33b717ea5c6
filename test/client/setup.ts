/** A client of a misbehaving server; both are closed after the test. */
import { onTestFinished } from 'vitest'
import { createClient, type ClientOptions } from '../../src/client/client.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { startMisbehavingServer } from '../fixtures/misbehaving-server.ts'

export const SECRET = 'S3cret&/=Word'

export async function setUp(options: Partial<ClientOptions> = {}, path = '') {
  const server = await startMisbehavingServer()
  const clock = instantClock()
  const client = createClient({
    baseUrl: server.url + path,
    clientId: 'acme',
    clientSecret: SECRET,
    clock,
    random: () => 1,
    timeoutMs: 2_000,
    ...options,
  })
  onTestFinished(async () => {
    await server.close()
    await client.close()
  })
  return { server, clock, client }
}

/** The failure of a call, as a user would see it. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('it did not fail')
}

export async function collect<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = []
  for await (const page of pages) all.push(...page)
  return all
}
