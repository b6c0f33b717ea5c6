/** The order-fulfilment API itself in a process of its own; its data lies in memory, which makes it as fast as it can be. */
import { sampleSeed } from '../../src/service/seed.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { BRAND, BRAND_LOGIN, RETAILER, RETAILER_LOGIN } from './setting.ts'

export interface ServiceGreeting {
  readonly baseUrl: string
}

const credentials = [
  { kind: 'retailer', id: RETAILER, ...RETAILER_LOGIN },
  { kind: 'brand', id: BRAND, ...BRAND_LOGIN },
] as const

const service = await createService({
  data: ':memory:',
  clock: systemClock,
  seed: { ...sampleSeed(), credentials },
})
process.once('disconnect', () => void service.close().then(() => process.exit()))
process.send?.({ baseUrl: await service.listen() } satisfies ServiceGreeting)
