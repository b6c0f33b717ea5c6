/**
 * The order-fulfilment API in a process of its own. Its data is in memory, which makes it as fast as possible, unless a folder is
 * named.
 */
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { benchSeed } from './service-fill.ts'

export interface ServiceGreeting {
  readonly baseUrl: string
}

const [, , data = ':memory:'] = process.argv
const service = await createService({ data, clock: systemClock, seed: benchSeed() })
process.once('disconnect', () => void service.close().then(() => process.exit()))
process.send?.({ baseUrl: await service.listen() } satisfies ServiceGreeting)
